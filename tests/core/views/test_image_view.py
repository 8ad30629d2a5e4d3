"""Views of images: what is refused."""

import numpy as np
import pytest
from saved_views import array, read

import lcshap as lc
from lcshap.core.views import ImageView


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: ImageView(image=np.ones((2, 2)), reference=np.ones((2, 2)), labels=[[0]]), "height, width, channels"),
        (lambda: ImageView(image=np.ones((1, 1, 3)), reference=np.ones((1, 1, 1)), labels=[[0]]), "the same shape"),
        (lambda: ImageView(image=np.ones((1, 2, 1)), reference=np.ones((1, 2, 1)), labels=[[0]]), "for each pixel"),
    ],
)
def test_parts_that_do_not_fit_are_refused(make, says):
    with pytest.raises(lc.errors.OptionError, match=says):
        make()


def test_large_images_are_photographs():
    for side, photograph in ((64, False), (65, True)):
        pixels = np.ones((side, 64, 1))
        view = ImageView(image=pixels, reference=pixels, labels=np.zeros((side, 64), int))
        assert view.photograph is photograph


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"image": array([[0]], "uint8")}, "at view.image"),
        ({"reference": array([[[9]]], "uint8")}, "at view.reference: expected an array of shape"),
        ({"image": {"array": ["nan", 1.0], "shape": [1, 2, 1], "type": "float64"}}, "finite numbers"),
    ],
)
def test_damaged_ones(change, says):
    with pytest.raises(lc.errors.FileFormatError, match=says):
        read("image", **change)
