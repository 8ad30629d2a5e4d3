"""Reading images: Pillow's modes, tensors, layouts, and what is refused."""

import importlib

import numpy as np
import pytest

from lcshap.errors import MaskerError
from lcshap.maskers.image_arrays import guess_channels, is_pillow_image, make_reference, read_image_array

PHOTO = np.random.default_rng(0).integers(0, 256, (8, 6, 3), np.uint8)


@pytest.fixture
def pillow():
    return importlib.import_module("PIL.Image")


@pytest.mark.parametrize("mode", ["1", "L", "LA", "RGB", "RGBA", "F", "I", "I;16"])
def test_pillow_images_are_read_as_they_are(pillow, mode):
    picture = (
        pillow.fromarray(PHOTO).convert("L").convert(mode) if mode == "I;16" else pillow.fromarray(PHOTO).convert(mode)
    )
    image, channels = read_image_array(picture)
    assert is_pillow_image(picture)
    assert np.array_equal(image, np.asarray(picture))
    assert channels == ("last" if image.ndim == 3 else None)


@pytest.mark.parametrize("mode", ["P", "CMYK", "YCbCr", "HSV"])
def test_colours_by_number_or_in_other_spaces_become_rgb(pillow, mode):
    picture = pillow.fromarray(PHOTO).convert(mode)
    image, channels = read_image_array(picture)
    assert image.shape == PHOTO.shape
    assert channels == "last"
    assert np.array_equal(image, np.asarray(picture.convert("RGB")))


def test_a_palette_with_transparency_becomes_rgba(pillow):
    picture = pillow.fromarray(PHOTO).convert("P")
    picture.info["transparency"] = 3
    assert read_image_array(picture)[0].shape == (8, 6, 4)


def test_tensors():
    torch = importlib.import_module("torch")
    assert read_image_array(torch.zeros(3, 8, 9))[1] == "first"
    with pytest.raises(MaskerError, match=r"Expected an image as an array, got Tensor: .*grad"):
        read_image_array(torch.zeros(3, 8, 9, requires_grad=True))


def test_shapes():
    assert guess_channels((5, 5, 4)) == "last"
    assert guess_channels((1, 5, 5)) == "first"
    assert guess_channels((5, 5, 5)) is None
    for shape, says in {
        (1, 2, 3, 4, 5): r"Expected one image of shape \(H, W\), \(H, W, C\) or \(C, H, W\), got \(1, 2, 3, 4, 5\)",
        (0, 0): r"Expected an image with pixels, got shape \(0, 0\)",
        (4, 0, 3): r"Expected an image with pixels, got shape \(4, 0, 3\)",
        (): r"Expected one image of shape \(H, W\), \(H, W, C\) or \(C, H, W\), got \(\)",
    }.items():
        with pytest.raises(MaskerError, match=says):
            read_image_array(np.zeros(shape))
    with pytest.raises(MaskerError, match="Expected an image as an array, got list"):
        read_image_array([[1.0, 2.0], [3.0]])


def test_black():
    for dtype in (np.uint8, np.float32):
        reference = make_reference("black", PHOTO.astype(dtype), "last", 0)
        assert reference.dtype == dtype
        assert reference.shape == PHOTO.shape
        assert not reference.any()
