import io
import struct
import zlib

import numpy as np
import pytest
from PIL import Image

from lcshap.errors import MaskerError
from lcshap.maskers.image_files import decode_image


def saved(image, kind="PNG", **options):
    file = io.BytesIO()
    image.save(file, kind, **options)
    return file.getvalue()


def bomb(width, height):
    """A PNG of a few hundred bytes whose header promises so many pixels."""
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunks = [(b"IHDR", header), (b"IDAT", zlib.compress(b"\0" * 1000)), (b"IEND", b"")]
    packed = (struct.pack(">I", len(d)) + n + d + struct.pack(">I", zlib.crc32(n + d)) for n, d in chunks)
    return b"\x89PNG\r\n\x1a\n" + b"".join(packed)


def test_pixels_are_those_of_the_file():
    pixels = np.random.default_rng(0).integers(0, 256, (5, 7, 3), np.uint8)
    np.testing.assert_array_equal(decode_image(saved(Image.fromarray(pixels)), "x", 100), pixels)
    assert decode_image(saved(Image.fromarray(pixels)), "x", 100, grey=True).shape == (5, 7)
    assert decode_image(saved(Image.fromarray(pixels[..., 0])), "x", 100).shape == (5, 7)


def test_exif_rotation():
    exif = Image.Exif()
    exif[274] = 6
    assert decode_image(saved(Image.new("RGB", (4, 2)), exif=exif), "x", 100).shape == (4, 2, 3)


@pytest.mark.parametrize("side", [200, 60_000])
def test_a_bomb_is_refused_by_its_header(side):
    with pytest.raises(
        MaskerError,
        match=r"^Expected an image of at most 1,000 pixels, got bomb\.png|opened safely",
    ):
        decode_image(bomb(side, side), "bomb.png", 1000)


@pytest.mark.parametrize(
    "data", [b"", b"no image", bomb(20, 20)[:60], b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n"]
)
def test_files_that_are_not_images(data):
    with pytest.raises(MaskerError, match="cannot be read as one"):
        decode_image(data, "x", 1000, formats=("PNG", "JPEG"))
