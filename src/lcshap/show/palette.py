"""Colours for scores: from one colour through the background to another, readable for the colour-blind by default."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core.rounding import max_magnitude
from ..errors import ShowError

RGB = tuple[int, int, int]


@dataclass(frozen=True)
class ThemeColours:
    """What a picture is drawn on."""

    background: RGB
    ink: RGB
    faint: RGB


LIGHT = ThemeColours((255, 255, 255), (26, 26, 26), (150, 150, 150))
DARK = ThemeColours((22, 24, 28), (232, 232, 232), (120, 124, 132))


_VALUES = ((74, 15, 107), (63, 95, 158), (31, 154, 138), (143, 201, 58))  # purple, blue, teal, green
_DARK_VALUES = ((122, 62, 172), (84, 150, 214), (63, 192, 160), (232, 240, 112))


@dataclass(frozen=True)
class Palette:
    """The colours of scores, and those of feature values, on a light and on a dark background.

    Attributes
    ----------
    positive, negative : the colours of the largest positive and the largest negative score.
    dark_positive, dark_negative : the same on a dark background.
    values, dark_values : the colours of feature values, from the lowest to the highest. They get lighter from each
        colour to the next, so that their order can be seen without seeing hues, and they differ from the colours of
        scores: a high value may have a negative score.
    """

    positive: RGB
    negative: RGB
    dark_positive: RGB
    dark_negative: RGB
    values: tuple[RGB, ...] = _VALUES
    dark_values: tuple[RGB, ...] = _DARK_VALUES

    def colour(self, score: float, limit: float, dark: bool = False) -> RGB:
        """The colour of a score: the background at zero, the full colour at plus or minus `limit`, linear between.

        >>> find_palette("paper").colour(0.5, 1.0), find_palette("paper").colour(-2.0, 1.0)
        ((128, 128, 255), (255, 0, 0))
        """
        theme = DARK if dark else LIGHT
        share = min(abs(score) / limit, 1.0) if limit > 0 and math.isfinite(score) else 0.0
        ends = (self.dark_positive, self.dark_negative) if dark else (self.positive, self.negative)
        end = ends[0] if score > 0 else ends[1]
        r, g, b = (round(start + share * (stop - start)) for start, stop in zip(theme.background, end, strict=True))
        return r, g, b


def image_opacities(photograph: bool) -> tuple[float, float]:
    """How much of an image shows where nothing scores, and how much of it the strongest colour covers.

    A small image is pale under exact colours. What a photograph shows is to be seen in its grey and under its colours.

    >>> image_opacities(False), image_opacities(True)
    ((0.25, 1.0), (0.6, 0.75))
    """
    return (0.6, 0.75) if photograph else (0.25, 1.0)


PALETTES = {
    "default": Palette((33, 102, 172), (179, 88, 6), (92, 160, 224), (230, 140, 60)),  # blue and orange
    "paper": Palette((0, 0, 255), (255, 0, 0), (90, 110, 255), (255, 70, 70)),  # as in the paper's table
    "shap": Palette(
        (255, 0, 81),
        (0, 139, 251),
        (255, 60, 120),
        (40, 160, 255),
        ((0, 139, 251), (127, 70, 192), (255, 0, 81)),
        ((40, 160, 255), (160, 110, 215), (255, 60, 120)),
    ),
}


def find_palette(name: str | Palette) -> Palette:
    """A palette by its name."""
    if isinstance(name, Palette):
        return name
    if name not in PALETTES:
        raise ShowError(f"Expected one of the palettes {', '.join(PALETTES)}, got {name!r}.")
    return PALETTES[name]


def ink_on(colour: RGB) -> RGB:
    """Black or white, whichever is easier to read on a colour.

    >>> ink_on((33, 102, 172)), ink_on((255, 230, 200))
    ((255, 255, 255), (0, 0, 0))
    """
    linear = [
        c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in (channel / 255 for channel in colour)
    ]
    luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    return (0, 0, 0) if (luminance + 0.05) / 0.05 > 1.05 / (luminance + 0.05) else (255, 255, 255)


def rgb_to_hex(colour: RGB) -> str:
    """A colour as web pages and matplotlib write it.

    >>> rgb_to_hex((255, 0, 16))
    '#ff0010'
    """
    return "#{:02x}{:02x}{:02x}".format(*colour)


def colour_limit(scores: Iterable[Any]) -> float:
    """The largest absolute score of some arrays: what the full colour stands for. 1 where all are zero."""
    return max_magnitude(scores)


def clip_limit(scores: Any) -> tuple[float, bool]:
    """What the full colour stands for in an image, and whether larger scores have it too.

    Of a hundred units or more it is the 99th percentile of the absolute scores: one pixel that stands out would leave
    all others pale.

    >>> clip_limit([1.0, -3.0]), clip_limit([1.0] * 199 + [50.0])
    ((3.0, False), (1.0, True))
    """
    sizes = np.abs(np.asarray(scores, np.float64))
    maximum = max_magnitude([sizes])
    percentile = float(np.percentile(sizes[np.isfinite(sizes)], 99)) if sizes.size >= 100 else maximum
    return (percentile, True) if 0 < percentile < maximum * (1 - 1e-9) else (maximum, False)
