import io

import numpy as np
import pytest
from PIL import Image

import lcshap as lc
from lcshap.bulk.image_options import ImageOptions, image_from_bytes


def png(pixels, **options):
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, "png", **options)
    return file.getvalue()


PIXELS = np.arange(60, dtype=np.uint8).reshape(4, 5, 3)


def test_pixels_are_as_in_the_file():
    assert np.array_equal(image_from_bytes(png(PIXELS), "a.png"), PIXELS)
    assert np.array_equal(image_from_bytes(png(PIXELS[..., 0]), "a.png"), PIXELS[..., 0])
    assert image_from_bytes(png(PIXELS), "a.png", ImageOptions(grey=True)).shape == (4, 5)
    first = image_from_bytes(png(PIXELS), "a.png", ImageOptions(scale=True, channels_first=True))
    assert first.dtype == np.float32
    assert np.allclose(first, np.moveaxis(PIXELS, 2, 0) / 255)


def test_invalid_and_too_large_images_are_refused():
    with pytest.raises(lc.errors.MaskerError, match=r"at most 10 pixels, got a\.png with 5 x 4"):
        image_from_bytes(png(PIXELS), "a.png", ImageOptions(max_pixels=10))
    with pytest.raises(lc.errors.MaskerError, match=r"cannot be read as one"):
        image_from_bytes(png(PIXELS)[:50], "a.png")


def test_photographs_are_upright():
    turned = Image.Exif()
    turned[0x0112] = 6  # to be turned by 90 degrees
    assert image_from_bytes(png(PIXELS, exif=turned), "a.png").shape == (5, 4, 3)
