"""Colours: from the background to the end of a palette, and ink that can be read on them."""

from itertools import pairwise

import numpy as np
import pytest

import lcshap as lc
from lcshap.show.palette import DARK, LIGHT, PALETTES, colour_limit, find_palette, ink_on, rgb_to_hex


@pytest.mark.parametrize("name", PALETTES)
@pytest.mark.parametrize("dark", [False, True])
def test_scores_lead_from_the_background_to_the_ends(name, dark):
    palette = find_palette(name)
    ends = (palette.dark_positive, palette.dark_negative) if dark else (palette.positive, palette.negative)
    theme = DARK if dark else LIGHT
    assert palette.colour(0.0, 2.0, dark) == theme.background
    assert (palette.colour(2.0, 2.0, dark), palette.colour(-2.0, 2.0, dark)) == ends
    assert palette.colour(9.0, 2.0, dark) == ends[0]
    middle = (np.array(theme.background) + ends[0]) / 2
    assert np.abs(np.array(palette.colour(1.0, 2.0, dark)) - middle).max() <= 0.5


@pytest.mark.parametrize("score", [np.nan, np.inf])
def test_what_is_not_finite_has_no_colour(score):
    assert find_palette("default").colour(score, 1.0) == LIGHT.background


def test_palettes_by_name_or_as_they_are():
    mine = PALETTES["shap"]
    assert find_palette(mine) is mine
    with pytest.raises(lc.errors.ShowError, match="Expected one of the palettes default, paper, shap, got 'pink'"):
        find_palette("pink")


@pytest.mark.parametrize("colour", [(0, 0, 0), (255, 255, 255), (33, 102, 172), (230, 140, 60), (128, 128, 128)])
def test_ink_has_the_better_contrast(colour):
    def luminance(rgb):
        parts = [c / 255 for c in rgb]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
        return float(np.dot(linear, [0.2126, 0.7152, 0.0722]))

    def contrast(ink):
        low, high = sorted([luminance(ink), luminance(colour)])
        return (high + 0.05) / (low + 0.05)

    other = {(0, 0, 0): (255, 255, 255), (255, 255, 255): (0, 0, 0)}[ink_on(colour)]
    assert contrast(ink_on(colour)) >= max(contrast(other), 4.5)


def test_hexadecimal():
    assert rgb_to_hex((1, 171, 255)) == "#01abff"


def test_limits_are_of_what_is_finite():
    assert colour_limit([[1.0, -3.0], 2.0]) == 3
    assert colour_limit([[np.inf, np.nan, 0.5]]) == 0.5
    assert colour_limit([[0.0, 0.0]]) == colour_limit([]) == colour_limit([[]]) == 1


def luminance(colour):
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in (part / 255 for part in colour)]
    return float(np.dot(linear, [0.2126, 0.7152, 0.0722]))


@pytest.mark.parametrize("name", ["default", "paper"])
@pytest.mark.parametrize("dark", [False, True])
def test_values_get_lighter_in_order_and_stand_out_from_the_background(name, dark):
    palette = find_palette(name)
    colours = palette.dark_values if dark else palette.values
    lights = [luminance(colour) for colour in colours]
    assert lights == sorted(lights)
    paper = luminance((DARK if dark else LIGHT).background)
    for light in lights:
        low, high = sorted([light, paper])
        assert (high + 0.05) / (low + 0.05) > 1.8


@pytest.mark.parametrize("dark", [False, True])
def test_values_have_other_colours_than_scores(dark):
    palette = find_palette("default")
    scores = [palette.dark_positive, palette.dark_negative] if dark else [palette.positive, palette.negative]
    for end in (palette.dark_values if dark else palette.values)[:: len(palette.values) - 1]:
        assert all(np.abs(np.subtract(end, score)).max() > 60 for score in scores)


# Colours as people with protanopia, deuteranopia and tritanopia see them, in linear RGB (Machado et al. 2009).
_BLINDNESS = {
    "protan": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deutan": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "tritan": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
}


def lab(colour, matrix):
    """A colour in CIELAB, as a kind of colour blindness lets it be seen."""
    linear = np.array([c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in np.array(colour) / 255])
    to_xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
    xyz = to_xyz @ np.clip(np.array(matrix) @ linear, 0, 1) / [0.9505, 1.0, 1.089]
    f = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


@pytest.mark.parametrize("kind", _BLINDNESS)
@pytest.mark.parametrize("dark", [False, True])
def test_values_can_be_told_apart_by_the_colour_blind(kind, dark):
    palette = find_palette("default")
    colours = [lab(c, _BLINDNESS[kind]) for c in (palette.dark_values if dark else palette.values)]
    lights = [colour[0] for colour in colours]
    assert lights == sorted(lights)
    assert all(np.linalg.norm(a - b) > 15 for a, b in pairwise(colours))
