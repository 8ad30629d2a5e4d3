"""Regions of real photographs: how many, in one piece, the same every time; patches where there is no SLIC."""

import importlib
import sys

import numpy as np
import pytest
from scipy.ndimage import label

import lcshap as lc
from lcshap.maskers.image import Image
from lcshap.maskers.superpixels import _average_squares, cut_by_default, find_superpixels, find_touching_pairs


@pytest.fixture(scope="module")
def photos():
    data = importlib.import_module("skimage.data")
    return {"astronaut": data.astronaut(), "coffee": data.coffee(), "chelsea": data.chelsea(), "camera": data.camera()}


@pytest.mark.parametrize("name", ["astronaut", "coffee", "chelsea", "camera"])
def test_photographs_get_about_100_regions_in_one_piece(photos, name):
    masked = Image().mask(photos[name])
    assert 60 <= masked.graph.d <= 130
    pieces = sum(label(masked.labels == unit)[1] for unit in range(masked.graph.d))
    assert pieces == masked.graph.d
    assert (
        lc.Graph.from_edges(masked.graph.d, find_touching_pairs(masked.labels, False)).edges.tolist()
        == masked.graph.edges.tolist()
    )
    assert np.array_equal(masked.labels, Image().mask(photos[name]).labels)


def test_large_photographs_are_cut_by_a_smaller_copy(photos):
    large = photos["astronaut"].repeat(4, axis=0).repeat(3, axis=1)[:2047, :1533]
    masked = Image().mask(large)
    assert masked.labels.shape == (2047, 1533)
    assert 60 <= masked.graph.d <= 130
    assert np.array_equal(masked.labels[:4, :4], np.full((4, 4), masked.labels[0, 0]))  # one pixel of the copy


def test_fine_patterns_get_about_as_many(photos):
    row, column = np.mgrid[:512, :512]
    waves = np.stack([np.sin(row / a + column / b) for a, b in ((9, 31), (23, 7), (40, 15))], axis=-1)
    assert 50 <= Image().mask(waves).graph.d <= 130  # 6, as compact as photographs need it
    assert 50 <= Image().mask(np.random.default_rng(0).random((224, 224, 3))).graph.d <= 130


def test_averages_of_squares():
    x = np.random.default_rng(0).random((5, 7, 2))
    small = _average_squares(x, 3)
    assert small.shape == (2, 3, 2)
    assert small[1, 2] == pytest.approx(x[3:5, 6:7].mean(axis=(0, 1)))
    assert small[0, 0] == pytest.approx(x[:3, :3].mean(axis=(0, 1)))
    assert _average_squares(np.full((6, 6, 1), 255, np.uint8), 2).max() == 255


def test_patches_without_scikit_image(monkeypatch, photos):
    monkeypatch.setitem(sys.modules, "skimage", None)
    monkeypatch.setitem(sys.modules, "skimage.segmentation", None)
    masked = Image().mask(photos["astronaut"][:224, :224])
    assert masked.graph.shape == (10, 10)
    assert masked.choice.settings == {"units": "pixel", "patch": (23, 23)}
    assert "100 patches of 23 x 23 pixels" in masked.choice.reason
    assert 'pip install "lcshap[image]"' in masked.choice.reason


@pytest.mark.parametrize("shape", [(224, 224, 3), (4097, 1), (1, 5000, 3), (5000, 2)])
@pytest.mark.parametrize("kind", ["noise", "flat"])
def test_images_without_regions_are_cut_all_the_same(shape, kind):
    x = np.random.default_rng(0).integers(0, 256, shape, np.uint8) if kind == "noise" else np.full(shape, 7, np.uint8)
    masked = Image(channels="last").mask(x)
    assert 2 <= masked.graph.d <= 250
    assert masked.choice.settings["units"] in ("pixel", "superpixel")


def test_a_flat_region_is_used_on_request():
    assert cut_by_default(np.zeros((8, 8, 1)), None, False).graph.d == 64
    assert cut_by_default(np.zeros((64, 64, 1)), None, False).graph.d == 64
    assert find_superpixels(np.zeros((20, 20, 3)), 1).max() == 0


@pytest.mark.parametrize("diagonal", [False, True])
def test_touching_units(diagonal):
    labels = np.array([[0, 1], [2, 3]])
    expected = [[0, 1], [0, 2], [1, 3], [2, 3]]
    assert find_touching_pairs(labels, diagonal).tolist() == sorted(expected + ([[0, 3], [1, 2]] if diagonal else []))
    assert find_touching_pairs(np.zeros((3, 3), int), diagonal).shape == (0, 2)
    assert find_touching_pairs(np.zeros((1, 1), int), diagonal).shape == (0, 2)
