"""Files: a dump of their bytes, addresses, hexadecimal numbers and characters, coloured by score."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...core.explanation import Explanation
from ...core.views import BytesView, owners
from ...extras import need
from ..check import check_count
from ..faint import drawn_scores
from ..palette import RGB, hexadecimal, ink_on, limit_of
from .base import PaletteName, axes, colour_bar, colours, one_output, room_below, theme, view_of

WIDTH = 16  # bytes in a row
_ROWS = 32  # as many fit a page
_HEX, _TEXT, _END = 10, 10 + 3 * WIDTH + 1, 10 + 4 * WIDTH + 1  # columns where the parts of a row begin, and their end
_LINE = 2.0  # the height of a line, where a character is 1 wide
_INCH = 0.085  # the width of a character in a new figure

Glyphs = dict[RGB, list[tuple[float, float, str]]]  # by ink: column, base line, character
Box = tuple[float, float, float, RGB]  # column, base line, width, colour


def hexdump(
    e: Explanation,
    ax: Any = None,
    *,
    rows: int | None = None,
    palette: PaletteName = "default",
    dark: bool = False,
    output: int | None = None,
) -> Any:
    """Draw the bytes of a file, 16 in a row, coloured by the score of their unit. Bytes of no unit are faint.

    Parameters
    ----------
    e : an explanation of bytes.
    ax : matplotlib axes to draw on; by default those of a new figure.
    rows : the number of rows to draw for a longer file, those around the largest absolute scores; by default 32.
        Lines between them state how many bytes are left out.
    palette : the name of a palette, or a `Palette`.
    dark : whether the figure is for a dark background.
    output : the number of the output to draw, if the explanation has several.

    Returns
    -------
    Axes : the matplotlib axes. They have `show` and `savefig`, and notebooks display them.

    Raises
    ------
    ShowError : if the explanation is not of bytes, or an option is not valid.

    Notes
    -----
    Characters are drawn as shapes and not as text, so that they keep their places in axes of any size.

    Examples
    --------
    >>> import numpy as np, lcshap as lc
    >>> e = lc.Explainer(lambda rows: np.sum(rows, axis=1), lc.maskers.Bytes(4), kind="output")(b"some 16 bytes...")
    >>> lc.plots.hexdump(e).axison
    False
    """
    if rows is not None:
        check_count("rows", rows)
    e, view = one_output(e, output), view_of(e, BytesView)
    units, limit, faint = owners(view), limit_of([e.scores]), theme(dark).faint
    lines = list(cut(np.append(np.abs(e.scores), -1.0)[units], rows or _ROWS))
    width = _INCH * _END + 0.2
    ax = axes(ax, (width, _INCH * _LINE * len(lines) + 1.05 + room_below(e, width)), dark)
    tints = colours(drawn_scores(e), limit, palette, dark)
    glyphs: Glyphs = defaultdict(list)
    boxes: list[Box] = []
    for number, (start, count) in enumerate(lines):
        y = -_LINE * number
        gap = count > WIDTH
        head = f"{'':{_HEX}}... {count:,} bytes ..." if gap else f"{start:08x}"
        glyphs[faint] += [(x, y, c) for x, c in enumerate(head)]
        if gap:
            continue
        for places, unit in _runs(units[start : start + count]):
            ink = faint if unit < 0 else ink_on(tints[unit])
            glyphs[ink] += [mark for i in places for mark in _marks(i, y, int(view.bytes[start + i]))]
            if unit >= 0:
                boxes.append((_HEX + 3 * places[0] - 0.5, y, 3 * len(places), tints[unit]))
                boxes.append((_TEXT + places[0], y, len(places), tints[unit]))
    _paint(ax, boxes, glyphs)
    ax.set(xlim=(-0.5, _END + 0.5), ylim=(-_LINE * len(lines) + _LINE - 0.6, _LINE - 0.4), aspect="equal")
    ax.set_axis_off()
    colour_bar(ax, e, limit, palette, dark)
    return ax


def cut(size: NDArray[np.float64], rows: int) -> Iterator[tuple[int, int]]:
    """The rows to show, by the size of each byte's score, and the gaps between them: first byte, number of bytes.

    The row of the largest size comes first, then the one before and the one after it, then the row of the next largest
    size, and so on. A gap of one row is shown too: the line that says so would take as much room.

    >>> list(cut(np.repeat([0.0, 0.0, 0.0, 3.0, 0.0, 0.0, 2.0], 16), 4))
    [(0, 32), (32, 16), (48, 16), (64, 16), (80, 16), (96, 16)]
    """
    starts = range(0, len(size), WIDTH)
    largest = np.maximum.reduceat(size, starts)
    order = [n for top in np.argsort(-largest, kind="stable").tolist() for n in (top, top - 1, top + 1)]
    shown = set(list(dict.fromkeys(n for n in order if 0 <= n < len(starts)))[:rows])
    for kept, group in groupby(range(len(starts)), key=shown.__contains__):
        spans = [(n * WIDTH, min(WIDTH, len(size) - n * WIDTH)) for n in group]
        yield from spans if kept or len(spans) == 1 else [(spans[0][0], sum(count for _, count in spans))]


def _runs(units: NDArray[np.intp]) -> Iterator[tuple[list[int], int]]:
    """Neighbouring bytes of the same unit, and the unit."""
    for unit, group in groupby(enumerate(units.tolist()), key=lambda pair: pair[1]):
        yield [i for i, _ in group], unit


def _marks(i: int, y: float, byte: int) -> list[tuple[float, float, str]]:
    """The characters of one byte, the i-th of its row."""
    number = f"{byte:02x}"
    letter = chr(byte) if 32 <= byte < 127 else "."
    return [(_HEX + 3 * i, y, number[0]), (_HEX + 3 * i + 1, y, number[1]), (_TEXT + i, y, letter)]


def _paint(ax: Any, boxes: list[Box], glyphs: Glyphs) -> None:
    """The backgrounds as one collection, and the characters as one for each colour of ink."""
    collections = need("matplotlib.collections", "plot")
    corners = [[(x, y - 0.6), (x + w, y - 0.6), (x + w, y + _LINE - 0.6), (x, y + _LINE - 0.6)] for x, y, w, _ in boxes]
    ax.add_collection(collections.PolyCollection(corners, facecolors=[hexadecimal(tint) for *_, tint in boxes]))
    for ink, marks in glyphs.items():
        shapes = [(_glyph(c), (x, y)) for x, y, c in marks if c != " "]
        vertices = np.concatenate([shape.vertices + place for shape, place in shapes])
        codes = np.concatenate([shape.codes for shape, _ in shapes])
        path = need("matplotlib.path", "plot").Path(vertices, codes)
        letters = collections.PathCollection([path], facecolors=hexadecimal(ink), linewidths=0)
        ax.add_collection(letters, autolim=False)  # limits are known, and finding them takes seconds


@cache
def _glyph(character: str) -> Any:
    """The shape of a character that is 1 wide: an em is 1.66 times as wide in DejaVu Sans Mono."""
    font = need("matplotlib.font_manager", "plot").FontProperties(family="DejaVu Sans Mono")
    return need("matplotlib.textpath", "plot").TextPath((0, 0), character, size=1.66, prop=font)
