"""How HTML without scripts is coloured: by styles within elements, or by classes and a style sheet."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

from .palette import PALETTES, Palette, ink_on, rgb_to_hex

SHADES = 10  # strengths of a colour, each a class of the style sheet
_MAX_OPACITY = 0.65  # of the strongest colour of inline styles


class Styling(ABC):
    """What differs between the places where HTML without scripts is shown.

    Attributes
    ----------
    palette : the colours of scores.
    longest_text : texts are cut after this many characters; None: they are never cut.
    own_rules : whether a picture may bring rules of its own, in a style element.
    """

    palette: Palette
    longest_text: int | None
    own_rules: ClassVar[bool]

    @abstractmethod
    def background(self, score: float, limit: float) -> str:
        """The attribute that gives an element of HTML the colour of a score; empty where the score has none."""

    def declaration(self, score: float, limit: float) -> str:
        """The background in the colour of a score, within a rule; for pictures with `own_rules`."""
        raise NotImplementedError

    @abstractmethod
    def fill(self, score: float, limit: float) -> str:
        """The attribute that gives a shape of SVG the colour of a score."""

    @abstractmethod
    def bar(self, start: float, width: float, score: float, limit: float) -> str:
        """A bar in the colour of a score, from `start` on; in percent of the width that there is."""

    @abstractmethod
    def width(self, em: float) -> str:
        """The attribute that gives an image its width; empty where the style sheet decides."""


@dataclass(frozen=True)
class InlineStyling(Styling):
    """Styles within the elements, for notebooks, whose style sheets nobody controls.

    Colours lie over whatever the page has as its background, so thinly that its ink stays readable on light and on
    dark.

    >>> InlineStyling().background(0.5, 1.0)
    'style="background:rgba(92,160,224,0.325)"'
    """

    palette: Palette = PALETTES["default"]
    longest_text: int | None = None
    own_rules: ClassVar[bool] = True

    def background(self, score: float, limit: float) -> str:
        """The colour as a style."""
        return f'style="{self.declaration(score, limit)}"'

    def declaration(self, score: float, limit: float) -> str:
        """The colour as a declaration of CSS."""
        return f"background:{self._colour(score, limit)}"

    def fill(self, score: float, limit: float) -> str:
        """The colour as a style."""
        return f'style="fill:{self._colour(score, limit)}"'

    def bar(self, start: float, width: float, score: float, limit: float) -> str:
        """An element whose style has its place and its colour."""
        place = f"margin-left:{start:.1f}%;width:{width:.1f}%"
        return f'<div style="{place};{self.declaration(score, limit)}"></div>'

    def width(self, em: float) -> str:
        """The width as a style."""
        return f'style="width:{em:.1f}em;height:auto"'

    def _colour(self, score: float, limit: float) -> str:
        red, green, blue = self.palette.dark_positive if score > 0 else self.palette.dark_negative
        return f"rgba({red},{green},{blue},{_MAX_OPACITY * _strength(score, limit):.3f})"


@dataclass(frozen=True)
class ClassStyling(Styling):
    """Classes of `shade_rules`, for pages whose content security policy forbids styles within elements.

    >>> styling = ClassStyling(PALETTES["paper"])
    >>> styling.background(-0.52, 1.0), styling.background(0.01, 1.0), styling.fill(0.01, 1.0)
    ('class="n5"', '', 'class="plain"')
    """

    palette: Palette
    longest_text: int | None = 5000
    own_rules: ClassVar[bool] = False

    def background(self, score: float, limit: float) -> str:
        """The colour as a class."""
        shade = shade_of(score, limit)
        return f'class="{shade}"' if shade else ""

    def fill(self, score: float, limit: float) -> str:
        """The colour as a class; "plain" is that of the page."""
        return f'class="{shade_of(score, limit) or "plain"}"'

    def bar(self, start: float, width: float, score: float, limit: float) -> str:
        """A rectangle of SVG, whose place is no style."""
        rectangle = f'<rect {self.fill(score, limit)} x="{start:.1f}" y="0" width="{width:.1f}" height="1"/>'
        box = 'viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true"'
        return f"<svg {box}>{rectangle}</svg>"

    def width(self, em: float) -> str:
        """Nothing: the style sheet decides."""
        return ""


def _strength(score: float, limit: float) -> float:
    return min(abs(score) / limit, 1.0) if math.isfinite(score) else 0.0


def shade_of(score: float, limit: float) -> str:
    """The class of a score; empty where it has no colour.

    >>> shade_of(1.0, 1.0), shade_of(-0.52, 1.0), shade_of(0.01, 1.0)
    ('p10', 'n5', '')
    """
    strength = round(SHADES * _strength(score, limit))
    return f"{'p' if score > 0 else 'n'}{strength}" if strength else ""


def shade_rules(palette: Palette) -> str:
    """Write the rules of the style sheet for the colours of scores, from the most negative, n10, to p10.

    Without scripts, nothing changes the theme but the settings of the system.
    """
    light, dark = (_theme_rules(palette, dark) for dark in (False, True))
    return f"{light}@media (prefers-color-scheme: dark) {{\n{dark}}}\n"


def _theme_rules(palette: Palette, dark: bool) -> str:
    colours = [
        (f".lcshap .{letter}{k}", palette.colour(sign * k, SHADES, dark))  # SVG fills what HTML has as a background
        for letter, sign in (("n", -1), ("p", 1))
        for k in range(1, SHADES + 1)
    ]
    return "".join(
        f"{name} {{ background: {shade}; fill: {shade}; color: {rgb_to_hex(ink_on(colour))}; }}\n"
        for name, colour in colours
        for shade in [rgb_to_hex(colour)]
    )
