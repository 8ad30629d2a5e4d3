"""Pictures of inputs in letters: texts, images, series and bytes, each part in the colour of its unit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.explanation import Explanation
from ..core.printable import printable
from ..core.views import BytesView, ImageView, SeriesView, TextView, owners
from .letters import display_width, fit, wrap, wrapped
from .palette import DARK, LIGHT, RGB, clip_limit, find_palette, image_shares, ink_on
from .words import signed

Run = tuple[str, int]  # some text and the unit that it belongs to, -1 for none
Line = list[Run]
Floats = NDArray[np.float64]

_FAINT, _STRONG = 0.06, 0.5  # shares of the largest score: no colour below the first, the heavier sign above the second
_LINES = 24  # of a picture at the most
_HEX_WIDTH = 76  # what a dump of 16 bytes a line takes
_BARS, _SHADES = "▁▂▃▄▅▆▇█", " ░▒▓█"
_SIGNS = "(# + speak for it, = - against it; # and = are above half of the largest score)"


@dataclass(frozen=True, eq=False)
class Ink:
    """How the scores of one explanation are coloured."""

    scores: Floats
    limit: float
    colour: bool
    dark: bool
    palette: str = "default"

    def lines(self, line: Line, letters: bool = False) -> list[str]:
        """A line on colours, or with `letters` in colours; without colour, the line and the signs below, if any."""
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
        if abs(score) < _FAINT * self.limit:
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
        return signed(float(score), self.limit)

    def bar(self, text: str, positive: bool) -> str:
        """Text in the colour of the largest or the least score."""
        return ansi(text, self.rgb(self.limit if positive else -self.limit)) if self.colour and text else text


def sign(share: float) -> str:
    """What stands for a share of the largest score where there is no colour."""
    if abs(share) < _FAINT:
        return " "
    return ("#" if share > 0 else "=") if abs(share) > _STRONG else ("+" if share > 0 else "-")


def ansi(text: str, ink: RGB, back: RGB | None = None) -> str:
    """Text with the codes for its colours around it."""
    codes = ["38", "2", *map(str, ink)] + ([] if back is None else ["48", "2", *map(str, back)])
    return f"\033[{';'.join(codes)}m{text}\033[0m"


def legend(width: int, ink: Ink) -> list[str]:
    """What the signs of a picture without colour mean."""
    return [] if ink.colour else wrapped(_SIGNS, width)


# -- one for each kind of view: lines for an explanation, its view, a width and the ink ----------------------------


def text_lines(e: Explanation, view: TextView, width: int, ink: Ink) -> list[str]:
    """A text, wrapped, on the colours of its units."""
    text, owner = printable(view.text, lines=True), owners(view)
    lines = [text_runs(text[a:b].rstrip(), owner[a:b]) for a, b in wrap(text, width)]
    return [part for line in lines for part in ink.lines(line)]


def text_runs(text: str, owner: NDArray[np.intp]) -> Line:
    """A text in pieces that belong to one unit each."""
    pairs = zip(text, owner.tolist(), strict=False)
    return [("".join(c for c, _ in run), unit) for unit, run in groupby(pairs, key=lambda pair: pair[1])]


def series_lines(e: Explanation, view: SeriesView, width: int, ink: Ink) -> list[str]:
    """A bar a step, or for several, in the colour of their unit; a line a channel."""
    series, labels, names = view.series, view.labels, [printable(n) for n in view.channels]
    room = min(12, max(map(display_width, names))) if len(names) > 1 else 0
    lines: list[Line] = []
    for channel, name in list(enumerate(names))[:_LINES]:
        parts = np.array_split(np.arange(len(series)), min(width - room - 2, len(series)))
        heights = np.array([series[part, channel].mean() for part in parts])
        level = (heights - heights.min()) / (np.ptp(heights) or 1.0)
        units = labels[[part[len(part) // 2] for part in parts], channel]
        bars = "".join(_BARS[int(7.999 * height)] for height in level)
        lines.append([(fit(name, room) + "  " if room else "", -1), *text_runs(bars, units)])
    if len(names) > _LINES:
        lines.append([(f"… {len(names) - _LINES} more channels", -1)])
    return [part for line in lines for part in ink.lines(line, letters=True)]


def byte_lines(e: Explanation, view: BytesView, width: int, ink: Ink) -> list[str]:
    """A dump on the colours of the units."""
    lines = hex_lines(e, view, 16 if width >= _HEX_WIDTH else 8)
    return [part for line in lines for part in ink.lines(line)]


def hex_lines(e: Explanation, view: BytesView, size: int = 16, most: int = _LINES) -> list[Line]:
    """A dump of bytes, so many a line: of long files the lines with the largest scores."""
    data, owner = view.bytes, owners(view)
    weight = np.where(owner < 0, 0.0, np.abs(e.scores)[owner])
    starts = np.arange(0, len(data), size)
    if len(starts) > most:
        heaviest = np.maximum.reduceat(weight, starts)
        chosen = np.argsort(-heaviest, kind="stable")[:most]
        starts = starts[np.sort(chosen[heaviest[chosen] >= _FAINT * heaviest.max()])]
    lines: list[Line] = []
    end = 0
    for start in starts.tolist():
        if start > end:
            lines.append([(f"… {start - end:,} bytes", -1)])
        end = min(start + size, len(data))
        lines.append(_hex_line(data[start:end].tolist(), owner[start:end].tolist(), start, size))
    return [*lines, [(f"… {len(data) - end:,} bytes", -1)]] if end < len(data) else lines


def _hex_line(data: list[int], owner: list[int], start: int, size: int) -> Line:
    line: Line = [(f"{start:08x}  ", -1)]
    for byte, unit, after in zip(data, owner, [*owner[1:], -1], strict=True):
        line += [(f"{byte:02x}", unit), (" ", unit if unit == after else -1)]
    letters = "".join(chr(byte) if 0x20 <= byte < 0x7F else "." for byte in data)
    return [*line, (" " * (3 * (size - len(data)) + 1), -1), *text_runs(letters, np.array(owner))]


def image_lines(e: Explanation, view: ImageView, width: int, ink: Ink) -> list[str]:
    """The image and its scores side by side, two pixels a letter."""
    labels, image = view.labels, to_rgb(view.image)
    scores = np.where(labels < 0, 0.0, e.scores[labels])
    height, wide = scores.shape
    scale = min((width - 3) // 2 / wide, 2 * _LINES / height, 4.0)
    scale = int(scale) if scale > 1 else scale
    size = max(1, round(scale * height)), max(1, round(scale * wide))
    scores, image = resize(scores, size), resize(image, size)
    limit, _ = clip_limit(scores)
    if not ink.colour:
        return _in_signs(image, scores / limit)
    shown = Ink(ink.scores, limit, True, ink.dark, ink.palette)
    colours = [[shown.rgb(score) for score in row] for row in scores.tolist()]
    if view.photograph:
        colours = _over(image, scores / limit, shown)
    pixels = [[(int(r), int(g), int(b)) for r, g, b in row] for row in image.tolist()]
    return [f"{a}   {b}" for a, b in zip(_half_blocks(pixels), _half_blocks(colours), strict=True)]


def _over(image: Floats, shares: Floats, ink: Ink) -> list[list[RGB]]:
    """The image in grey under the colours of its scores."""
    seen, covered = image_shares(photograph=True)
    paper = np.array((DARK if ink.dark else LIGHT).background)
    grey = paper + seen * (image.mean(axis=2, keepdims=True) - paper)
    ends = np.array([ink.rgb(-ink.limit), ink.rgb(ink.limit)])[(shares > 0).astype(int)]
    strength = covered * np.minimum(np.abs(shares), 1.0)[..., None]
    mixed = np.rint(grey + strength * (ends - grey)).astype(int).tolist()
    return [[(r, g, b) for r, g, b in row] for row in mixed]


def _in_signs(image: Floats, shares: Floats) -> list[str]:
    """Two pixels a letter without colour: how bright they are, and the sign of their share of the largest score."""
    size = -(-len(shares) // 2), shares.shape[1]
    shades = ["".join(_SHADES[int(v / 255.001 * 5)] for v in row) for row in resize(image.mean(axis=2), size)]
    signs = ["".join(sign(share).replace(" ", "·") for share in row) for row in resize(shares, size)]
    return [f"{a}   {b}" for a, b in zip(shades, signs, strict=True)]


def _half_blocks(pixels: list[list[RGB]]) -> list[str]:
    lines = []
    for row in range(0, len(pixels), 2):
        below: Sequence[RGB | None] = pixels[row + 1] if row + 1 < len(pixels) else [None] * len(pixels[row])
        pairs = groupby(zip(pixels[row], below, strict=True))
        lines.append("".join(ansi("▀" * len(list(run)), above, under) for (above, under), run in pairs))
    return lines


def to_rgb(image: NDArray[Any]) -> Floats:
    """An image `(H, W, C)` of any numbers as `(H, W, 3)` from 0 to 255; grey unless it has three or four channels."""
    colours = np.asarray(image, np.float64)
    colours = colours[..., :3] if colours.shape[2] in (3, 4) else colours.mean(axis=2, keepdims=True)
    low, high = colours.min(), colours.max()
    if image.dtype == np.uint8:
        low, high = 0.0, 255.0
    elif low >= 0 and high <= 1:
        low, high = 0.0, 1.0
    return np.broadcast_to((colours - low) * (255 / ((high - low) or 1.0)), (*image.shape[:2], 3))


def resize(image: Floats, size: tuple[int, int]) -> Floats:
    """Height and width of an image changed: pixels averaged, or repeated."""
    for axis, count in enumerate(size):
        if count > image.shape[axis]:
            image = image.take(np.arange(count) * image.shape[axis] // count, axis)
        elif count < image.shape[axis]:
            image = np.stack([part.mean(axis=axis) for part in np.array_split(image, count, axis)], axis)
    return image
