"""Files: a dump of their bytes, addresses, hexadecimal numbers and characters, coloured by score."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from functools import cache, partial
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...core.explanation import Explanation
from ...core.views import BytesView
from ...extras import import_optional
from ..check import check_option_count
from ..faded_scores import faded_scores
from ..palette import RGB, colour_limit, ink_on, rgb_to_hex
from .base import (
    PaletteName,
    colour_bar,
    flip_caption_inches,
    prepare_axes,
    score_colours,
    shown_outputs,
    theme_colours,
    view_of,
)
from .by_target import output_panels
from .empty_axes import draws_one

BYTES_PER_ROW = 16  # bytes in a row
_MAX_ROWS = 32  # as many fit a page
# The columns where the hexadecimal numbers and the characters of a row begin, and where it ends.
_HEX_COLUMN, _TEXT_COLUMN, _END_COLUMN = 10, 10 + 3 * BYTES_PER_ROW + 1, 10 + 4 * BYTES_PER_ROW + 1
_LINE_HEIGHT = 2.0  # the height of a line, where a character is 1 wide
_CHARACTER_INCHES = 0.085  # the width of a character in a new figure

Glyphs = dict[RGB, list[tuple[float, float, str]]]  # by ink: column, base line, character
Box = tuple[float, float, float, RGB]  # column, base line, width, colour


@draws_one
def hexdump(
    e: Explanation,
    ax: Any = None,
    *,
    rows: int | None = None,
    palette: PaletteName = "default",
    dark: bool = False,
    output: int | None = None,
    target: Any = None,
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
    output, target : the number of the output to draw, or the name of its target, if the explanation has several; by
        default each has a panel.

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
        check_option_count("rows", rows)
    outputs, view = shown_outputs(e, output, target), view_of(e, BytesView)
    if len(outputs) > 1:
        count = min(-(-len(view.bytes) // BYTES_PER_ROW), rows or _MAX_ROWS)
        size = _CHARACTER_INCHES * _END_COLUMN + 0.2, _CHARACTER_INCHES * _LINE_HEIGHT * count + 0.5
        return output_panels(outputs, ax, partial(hexdump, rows=rows, palette=palette, dark=dark), size, dark)
    e = outputs[0]
    units, limit, faint = view.owners, colour_limit([e.scores]), theme_colours(dark).faint
    lines = list(select_rows(np.append(np.abs(e.scores), -1.0)[units], rows or _MAX_ROWS))
    width = _CHARACTER_INCHES * _END_COLUMN + 0.2
    ax = prepare_axes(
        ax, (width, _CHARACTER_INCHES * _LINE_HEIGHT * len(lines) + 1.05 + flip_caption_inches(e, width)), dark
    )
    tints = score_colours(faded_scores(e), limit, palette, dark)
    glyphs: Glyphs = defaultdict(list)
    boxes: list[Box] = []
    for number, (start, count) in enumerate(lines):
        y = -_LINE_HEIGHT * number
        gap = count > BYTES_PER_ROW
        head = f"{'':{_HEX_COLUMN}}... {count:,} bytes ..." if gap else f"{start:08x}"
        glyphs[faint] += [(x, y, c) for x, c in enumerate(head)]
        if gap:
            continue
        for places, unit in _runs(units[start : start + count]):
            ink = faint if unit < 0 else ink_on(tints[unit])
            glyphs[ink] += [mark for i in places for mark in _byte_glyphs(i, y, int(view.bytes[start + i]))]
            if unit >= 0:
                boxes.append((_HEX_COLUMN + 3 * places[0] - 0.5, y, 3 * len(places), tints[unit]))
                boxes.append((_TEXT_COLUMN + places[0], y, len(places), tints[unit]))
    _paint(ax, boxes, glyphs)
    ax.set(
        xlim=(-0.5, _END_COLUMN + 0.5),
        ylim=(-_LINE_HEIGHT * len(lines) + _LINE_HEIGHT - 0.6, _LINE_HEIGHT - 0.4),
        aspect="equal",
    )
    ax.set_axis_off()
    colour_bar(ax, e, limit, palette, dark)
    return ax


def select_rows(size: NDArray[np.float64], rows: int) -> Iterator[tuple[int, int]]:
    """The rows to show, by the size of each byte's score, and the gaps between them: first byte, number of bytes.

    The row of the largest size comes first, then the one before and the one after it, then the row of the next largest
    size, and so on. A gap of one row is shown too: the line that says so would take as much room.

    >>> list(select_rows(np.repeat([0.0, 0.0, 0.0, 3.0, 0.0, 0.0, 2.0], 16), 4))
    [(0, 32), (32, 16), (48, 16), (64, 16), (80, 16), (96, 16)]
    """
    starts = range(0, len(size), BYTES_PER_ROW)
    largest = np.maximum.reduceat(size, starts)
    order = [n for top in np.argsort(-largest, kind="stable").tolist() for n in (top, top - 1, top + 1)]
    visible_rows = set(list(dict.fromkeys(n for n in order if 0 <= n < len(starts)))[:rows])
    for visible, group in groupby(range(len(starts)), key=visible_rows.__contains__):
        spans = [(n * BYTES_PER_ROW, min(BYTES_PER_ROW, len(size) - n * BYTES_PER_ROW)) for n in group]
        yield from spans if visible or len(spans) == 1 else [(spans[0][0], sum(count for _, count in spans))]


def _runs(units: NDArray[np.intp]) -> Iterator[tuple[list[int], int]]:
    """Neighbouring bytes of the same unit, and the unit."""
    for unit, group in groupby(enumerate(units.tolist()), key=lambda pair: pair[1]):
        yield [i for i, _ in group], unit


def _byte_glyphs(i: int, y: float, byte: int) -> list[tuple[float, float, str]]:
    """The characters of one byte, the i-th of its row."""
    number = f"{byte:02x}"
    letter = chr(byte) if 32 <= byte < 127 else "."
    return [(_HEX_COLUMN + 3 * i, y, number[0]), (_HEX_COLUMN + 3 * i + 1, y, number[1]), (_TEXT_COLUMN + i, y, letter)]


def _paint(ax: Any, boxes: list[Box], glyphs: Glyphs) -> None:
    """The backgrounds as one collection, and the characters as one for each colour of ink."""
    collections = import_optional("matplotlib.collections", "plot")
    corners = [
        [(x, y - 0.6), (x + w, y - 0.6), (x + w, y + _LINE_HEIGHT - 0.6), (x, y + _LINE_HEIGHT - 0.6)]
        for x, y, w, _ in boxes
    ]
    ax.add_collection(collections.PolyCollection(corners, facecolors=[rgb_to_hex(tint) for *_, tint in boxes]))
    for ink, marks in glyphs.items():
        shapes = [(_glyph_path(c), (x, y)) for x, y, c in marks if c != " "]
        vertices = np.concatenate([shape.vertices + place for shape, place in shapes])
        codes = np.concatenate([shape.codes for shape, _ in shapes])
        path = import_optional("matplotlib.path", "plot").Path(vertices, codes)
        letters = collections.PathCollection([path], facecolors=rgb_to_hex(ink), linewidths=0)
        ax.add_collection(letters, autolim=False)  # limits are known, and finding them takes seconds


@cache
def _glyph_path(character: str) -> Any:
    """The shape of a character that is 1 wide: an em is 1.66 times as wide in DejaVu Sans Mono."""
    font = import_optional("matplotlib.font_manager", "plot").FontProperties(family="DejaVu Sans Mono")
    return import_optional("matplotlib.textpath", "plot").TextPath((0, 0), character, size=1.66, prop=font)
