"""Scores in the letters of a terminal: as colours, or as signs where there is no colour."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from .palette import DARK, LIGHT, RGB, find_palette, ink_on
from .terminal_text import display_width, wrap_lines
from .words import format_signed

Run = tuple[str, int]  # some text and the unit that it belongs to, -1 for none
Line = list[Run]

MAX_LINES = 24  # of a picture at the most
MIN_COLOURED_SHARE, STRONG_SHARE = (
    0.06,
    0.5,
)  # shares of the largest score: no colour below the first, the heavier sign above the second
_SIGN_LEGEND = "(# + count for it, = - against it; # and = are above half of the largest score)"


@dataclass(frozen=True, eq=False)
class Ink:
    """How the scores of one explanation are coloured."""

    scores: NDArray[np.float64]
    limit: float
    colour: bool
    dark: bool
    palette: str = "default"

    def lines(self, line: Line, letters: bool = False) -> list[str]:
        """The line with a coloured background or, with `letters`, in colours; without colour, signs follow below."""
        if self.colour:
            put = self.tint if letters else self.paint
            return ["".join(put(text, self.scores[unit]) if unit >= 0 else text for text, unit in line)]
        signs = "".join((self.sign(unit) if unit >= 0 else " ") * display_width(text) for text, unit in line)
        plain = "".join(text for text, _ in line)
        return [plain, signs.rstrip()] if signs.strip() else [plain]

    def rgb(self, score: float) -> RGB:
        """The colour of a score."""
        return find_palette(self.palette).colour(score, self.limit, self.dark)

    def paint(self, text: str, score: float) -> str:
        """Text on the colour of a score."""
        if abs(score) < MIN_COLOURED_SHARE * self.limit:
            return text
        return ansi(text, ink_on(self.rgb(score)), self.rgb(score))

    def tint(self, text: str, score: float) -> str:
        """Text in a colour between grey and that of the largest or the least score."""
        grey, share = (DARK if self.dark else LIGHT).faint, min(abs(score) / self.limit, 1.0)
        end = self.rgb(np.copysign(self.limit, score))
        r, g, b = (round(start + share * (stop - start)) for start, stop in zip(grey, end, strict=True))
        return ansi(text, (r, g, b))

    def sign(self, unit: int) -> str:
        """The sign of a unit."""
        return sign(float(self.scores[unit]) / self.limit)

    def number(self, score: float) -> str:
        """A score as a number, with as many decimals as the largest one needs."""
        return format_signed(float(score), self.limit)

    def bar(self, text: str, positive: bool) -> str:
        """Text in the colour of the largest or the least score."""
        return ansi(text, self.rgb(self.limit if positive else -self.limit)) if self.colour and text else text


def sign(share: float) -> str:
    """The sign for a share of the largest score, for terminals without colour."""
    if abs(share) < MIN_COLOURED_SHARE:
        return " "
    return ("#" if share > 0 else "=") if abs(share) > STRONG_SHARE else ("+" if share > 0 else "-")


def ansi(text: str, ink: RGB, back: RGB | None = None) -> str:
    """Text with the codes for its colours around it."""
    codes = ["38", "2", *map(str, ink)] + ([] if back is None else ["48", "2", *map(str, back)])
    return f"\033[{';'.join(codes)}m{text}\033[0m"


def legend(width: int, ink: Ink) -> list[str]:
    """What the signs of a picture without colour mean."""
    return [] if ink.colour else wrap_lines(_SIGN_LEGEND, width)


def text_runs(text: str, owner: NDArray[np.intp]) -> Line:
    """A text in pieces that belong to one unit each."""
    pairs = zip(text, owner.tolist(), strict=False)
    return [("".join(c for c, _ in run), unit) for unit, run in groupby(pairs, key=lambda pair: pair[1])]
