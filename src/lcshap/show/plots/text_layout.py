"""Words on lines: laid out when the figure is drawn, so that they wrap to whatever width there is."""

from __future__ import annotations

import math
import re
import unicodedata
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from itertools import groupby, pairwise
from typing import Any

import numpy as np

from ...core.views import TextView
from ...extras import import_optional
from ..palette import RGB, ink_on, rgb_to_hex
from ..words import shorten
from .base import PaletteName, score_colours, theme_colours
from .bidi import is_right_to_left, visual_order
from .wording import LITERAL, drawable_lines

Measure = Callable[[Any, float], float]  # a matplotlib Text and a size to its width, in points
_FONT_SIZES = [11 * 0.95**k for k in range(40)]
_SMALLEST_SIZE_INDEX = len(_FONT_SIZES) - 1
_FACT_FONT_SIZE = 8.0  # the line below
_COLOUR_BAR_EM = 7.5  # the colour bar, for letters of size 1
WIDTH_INCHES = 8.0  # inches, of a figure made here
_MAX_HEIGHT_INCHES = 200.0  # inches: letters get smaller in a text that needs more
_MAX_FACT_LENGTH = 72  # letters of a fact below the text
_MAX_PIECES = 1000  # pieces of a text that are drawn


@dataclass(frozen=True)
class Piece:
    """Some characters that stay together: their unit (-1: none) and the white space before them."""

    text: str
    unit: int = -1
    gap: str = " "

    @property
    def may_start_line(self) -> bool:
        """After white space, or in a script written without any."""
        return bool(self.gap) or unicodedata.east_asian_width(self.text[0]) in "WF"


def split_into_pieces(view: TextView) -> list[Piece]:
    """A text in pieces, each of one unit and of about 20 characters at most.

    Of a text with more than a thousand pieces, the first thousand, and how many characters follow: nobody could read
    more in one figure, and drawing it would take long.

    >>> view = TextView(text="so good!", spans=[[0, 2], [3, 7]], labels=[0, 1])
    >>> [(piece.text, piece.unit, piece.gap) for piece in split_into_pieces(view)]
    [('so', 0, ''), ('good', 1, ' '), ('!', -1, '')]
    """
    parts, at = [], 0
    for (start, end), unit in zip(view.spans.tolist(), view.labels.tolist(), strict=True):
        parts += [(at, start, -1), (start, end, unit)]
        at = end
    pieces, gap = [], ""
    for start, end, unit in [*parts, (at, len(view.text), -1)]:
        for token in re.findall(r"\s+|\S{1,20}(?:[\u0300-\u036f\ufe0f]|\u200d\S)*", view.text[start:end]):
            if token.isspace():
                gap += token
            else:
                pieces.append(Piece(token, unit, gap))
                gap = ""
        if len(pieces) > _MAX_PIECES:
            n_remaining = len(view.text) - end + sum(len(piece.text) for piece in pieces[_MAX_PIECES:])
            return [*pieces[:_MAX_PIECES], Piece(f"… {n_remaining:,} more characters")]
    return pieces


def wrap_pieces(
    pieces: Sequence[Piece], widths: Sequence[float], space: float, width: float
) -> list[tuple[float, int]]:
    """Where each piece starts, and on which line. Words are broken only if they are longer than a line.

    >>> wrap_pieces([Piece("one", 0, ""), Piece("two"), Piece(",", 1, "")], [30, 30, 5], 10, 72)
    [(0.0, 0), (0.0, 1), (30.0, 1)]
    """
    places: list[tuple[float, int]] = []
    x, line, cluster = 0.0, 0, -1
    starts = [i for i, piece in enumerate(pieces) if i == 0 or piece.may_start_line]
    lengths = np.add.reduceat(widths, starts).tolist() if starts else []
    for i, (piece, piece_width) in enumerate(zip(pieces, widths, strict=True)):
        first = i == 0 or piece.may_start_line
        cluster += first
        breaks = min(piece.gap.count("\n"), 2) if i else 0
        gap = space if piece.gap else 0.0
        if breaks or x + gap + (lengths[cluster] if first else piece_width) > width * (1 + 1e-9):
            line += breaks or x > 0
            x, gap = 0.0, 0.0
        x += gap if x else 0.0
        places.append((x, line))
        x += piece_width
    return places


def reorder_right_to_left(
    pieces: Sequence[Piece], places: list[tuple[float, int]], widths: Sequence[float], width: float
) -> list[tuple[float, int]]:
    """The same places for a text with words from right to left: each line in the order in which it is read.

    >>> pieces = [Piece("א", 0, ""), Piece("ב", 1), Piece("c", 2)]
    >>> reorder_right_to_left(pieces, [(0.0, 0), (12.0, 0), (24.0, 0)], [10, 10, 10], 50)
    [(40.0, 0), (28.0, 0), (16.0, 0)]
    """
    right = next((side for piece in pieces if (side := is_right_to_left(piece.text)) is not None), False)
    mirrored = list(places)
    for line, run in groupby(range(len(pieces)), key=lambda k: places[k][1]):
        members = list(run)
        gaps = [places[k][0] - places[k - 1][0] - widths[k - 1] for k in members[1:]] + [0.0]
        drawn = visual_order([pieces[k].text for k in members], right)
        line_width = sum(widths[k] for k in members) + sum(gaps)
        x = width - line_width if right else 0.0
        for at, k in enumerate(drawn):
            mirrored[members[k]] = (x, line)
            after = drawn[at + 1] if at + 1 < len(drawn) else k
            x += widths[members[k]] + gaps[min(k, after)]
    return mirrored


@dataclass(eq=False)
class TextRow:
    """A text on a page, with what stands at its left; everything in points from the corner of the axes."""

    pieces: list[Piece]
    colours: list[RGB]  # of each unit
    arcs: list[tuple[int, int, float]] = field(default_factory=list)
    arc_colours: list[RGB] = field(default_factory=list)
    label: tuple[str, str] | None = None
    word_artists: list[Any] = field(default_factory=list)  # the artists of the pieces
    label_artists: list[Any] = field(default_factory=list)
    box_artists: Any = None
    arc_artists: Any = None

    @cached_property
    def has_right_to_left(self) -> bool:
        """Whether any piece is written from right to left."""
        return any(is_right_to_left(piece.text) for piece in self.pieces)

    @property
    def line_spacing(self) -> float:
        """From line to line, for letters of size 1."""
        return 2.4 if self.arcs else 1.6

    def places(self, measure: Measure, width: float, size: float) -> tuple[list[float], list[tuple[float, int]]]:
        """How wide each piece is, and where it stands."""
        widths = [measure(word, size) for word in self.word_artists]
        places = wrap_pieces(self.pieces, widths, 0.42 * size, width)
        return widths, reorder_right_to_left(self.pieces, places, widths, width) if self.has_right_to_left else places

    def height(self, measure: Measure, width: float, size: float) -> float:
        """How high the text gets; no height is enough where a piece is wider than a line."""
        widths, places = self.places(measure, width, size)
        if max(widths, default=0) > width:
            return float("inf")
        lines = max((line for _, line in places), default=0) + 1
        return max(lines * self.line_spacing, 2.6 if self.label else 0) * size

    def place(self, measure: Measure, left: float, top: float, width: float, size: float) -> None:
        """Put the words, the boxes behind them and the arcs where they belong."""
        widths, places = self.places(measure, width, size)
        base = [top - (line * self.line_spacing + self.line_spacing - 0.55) * size for _, line in places]
        for word, (x, _), y in zip(self.word_artists, places, base, strict=True):
            word.set(position=(left + x, y), fontsize=size)
        boxes, fills = [], []
        spots: dict[int, tuple[float, float]] = {}
        order = range(len(places))
        for (unit, _), run in groupby(order, lambda i: (self.pieces[i].unit, places[i][1])):
            if unit >= 0:
                first, *_, last = members = [*run] * 2
                before = 0.14 * size if self.pieces[first].gap or places[first][0] == 0 else 0.0
                after = 0.14 * size if last + 1 == len(places) or self.pieces[last + 1].gap else 0.0
                x = left + min(places[k][0] for k in members) - before
                stop = left + max(places[k][0] + widths[k] for k in members) + after
                y, high = base[first] - 0.32 * size, base[first] + 0.98 * size
                boxes.append([(x, y), (stop, y), (stop, high), (x, high)])
                fills.append(rgb_to_hex(self.colours[unit]))
                spots.setdefault(unit, ((x + stop) / 2, high))
        self.box_artists.set(verts=boxes, facecolor=fills)
        if self.arcs:
            self.arc_artists.set_paths(
                [_arc_path(spots[a], spots[b], left, left + width, size) for a, b, _ in self.arcs]
            )
            strength = np.abs([value for _, _, value in self.arcs])
            self.arc_artists.set_linewidths((0.05 + 0.18 * strength / strength.max()) * size)
        for title, y in zip(self.label_artists, (1.05, 2.1), strict=False):
            title.set(position=(0, top - y * size), fontsize=size * (1 if y < 2 else 0.75))


def _arc_path(start: tuple[float, float], target: tuple[float, float], left: float, right: float, size: float) -> Any:
    """An arc from one box to another; where they are on two lines, its two ends."""
    path = import_optional("matplotlib.path", "plot").Path
    (x, y), (end, last) = ((start[0] + 0.15 * size, start[1]), (target[0] - 0.15 * size, target[1]))
    rise = (0.3 + 0.65 * (1 - math.exp(-abs(end - x) / (8 * size)))) * size * 4 / 3
    codes = [path.MOVETO, path.CURVE4, path.CURVE4, path.CURVE4]
    if y == last:
        return path([(x, y), (x, y + rise), (end, y + rise), (end, y)], codes)
    rise = 0.6 * size
    far, near = min(right, x + 3 * size), max(left, end - 3 * size)
    outgoing = [(x, y), (x, y + rise), (x, y + rise), (far, y + rise)]
    incoming = [(near, last + rise), (end, last + rise), (end, last + rise), (end, last)]
    return path([*outgoing, *incoming], codes * 2)


def _scale_from_one_size(measure: Measure) -> Measure:
    """About the same widths, each string measured at one size only: measuring takes longer than all else."""
    return lambda drawn, size: measure(drawn, _FONT_SIZES[0]) * size / _FONT_SIZES[0]


class TextPage:
    """Rows of text on axes, and a small line below them; laid out anew whenever the axes have another size.

    Matplotlib's own layout is not disturbed: it determines the size of the axes, and the page fills them.
    """

    def __init__(self, ax: Any, rows: Sequence[TextRow], dark: bool) -> None:
        self.ax, self.rows, self.dark = ax, list(rows), dark
        self.small: list[Any] = []
        self.swatch: Any = None
        self.key: Any = None
        ax.set_axis_off()
        transforms = import_optional("matplotlib.transforms", "plot")
        corner = transforms.ScaledTranslation(0, 1, ax.transAxes)
        self.points = transforms.Affine2D().scale(1 / 72) + ax.figure.dpi_scale_trans + corner
        for row in rows:
            self._add(row)

    def _text(self, string: str, colour: RGB, **options: Any) -> Any:
        (line,), fonts = drawable_lines(string)
        artist = self.ax.text(0, 0, line, color=rgb_to_hex(colour), fontfamily=fonts, **LITERAL, **options)
        artist.set(transform=self.points, in_layout=False)
        return artist

    def _add(self, row: TextRow) -> None:
        collections = import_optional("matplotlib.collections", "plot")
        options = {"transform": self.points, "clip_on": False}
        colours = theme_colours(self.dark)
        inks = [ink_on(row.colours[p.unit]) if p.unit >= 0 else colours.faint for p in row.pieces]
        row.word_artists = [self._text(p.text, ink) for p, ink in zip(row.pieces, inks, strict=True)]
        row.box_artists = self.ax.add_artist(collections.PolyCollection([], linewidth=0, zorder=1, **options))
        row.label_artists = [self._text(s, colours.ink) for s in row.label or ()]
        if row.arcs:
            edge = [rgb_to_hex(c) for c in row.arc_colours]
            row.arc_artists = collections.PathCollection([], edgecolors=edge, facecolors="none", **options)
            self.ax.add_artist(row.arc_artists)
        for artist in (row.box_artists, row.arc_artists):
            if artist is not None:
                artist.set_in_layout(False)

    def finish(
        self, facts: Sequence[str], limit: str, palette: PaletteName, fit: bool, sides: tuple[str, str] = ("", "")
    ) -> None:
        """Add the line below, with a colour bar between its `sides`; `fit` makes the figure as high as it all needs."""
        ink = theme_colours(self.dark).ink
        ends = [f"{side} {sign}{limit}".strip() for side, sign in zip(sides, "−+", strict=True)]
        self.small = [self._text(shorten(s, _MAX_FACT_LENGTH), ink) for s in (*ends, *facts)]
        collection = import_optional("matplotlib.collections", "plot").PolyCollection
        fills = [rgb_to_hex(c) for c in score_colours(np.linspace(-1, 1, 41), 1.0, palette, self.dark)]
        self.swatch = collection([], facecolor=fills, edgecolor=fills, linewidth=0.3, transform=self.points)
        self.swatch.set(clip_on=False, in_layout=False)
        self.ax.add_artist(self.swatch)
        hook = import_optional("matplotlib.artist", "plot").Artist()
        hook.set(zorder=-1e3, in_layout=False)
        hook.draw = self.draw  # drawn before all else on the axes: what comes after it has its place
        self.ax.add_artist(hook)
        if fit:
            flat = import_optional("matplotlib.textpath", "plot").text_to_path
            measure = self._measure(flat, 1.0)
            heights = (self.height(measure, 72 * WIDTH_INCHES - 6, size) for size in _FONT_SIZES)
            needed = next(filter(math.isfinite, heights), 72.0)
            self.ax.figure.set_size_inches(WIDTH_INCHES, min(needed / 72 + 0.12, _MAX_HEIGHT_INCHES))

    def _measure(self, renderer: Any, scale: float) -> Measure:
        """How wide a renderer draws, in points of which `scale` make one of its own."""

        properties = import_optional("matplotlib.font_manager", "plot").FontProperties

        @cache
        def measure(string: str, families: tuple[str, ...], size: float) -> float:
            font = properties(family=list(families), size=size)
            return float(renderer.get_text_width_height_descent(string, font, ismath=False)[0] * scale)

        return lambda drawn, size: measure(drawn.get_text(), tuple(drawn.get_fontfamily()), size)

    def _left(self, measure: Measure, size: float) -> float:
        """How much room the names at the left take."""
        sizes = (size, 0.75 * size)
        widths = [measure(t, s) for row in self.rows for t, s in zip(row.label_artists, sizes, strict=False)]
        return max(widths) + 1.2 * size if widths else 0.14 * size

    def _blocks(self, measure: Measure, width: float, size: float) -> tuple[list[float], list[tuple[float, int]]]:
        """The line below: how wide its parts are, and where they stand. The first is the colour bar with its ends."""
        widths = [measure(t, size) for t in self.small]
        blocks = [widths[0] + widths[1] + _COLOUR_BAR_EM * size + size, *widths[2:]]
        places = wrap_pieces([Piece("x")] * len(blocks), blocks, 1.25 * size, width)
        return widths, places

    def height(self, measure: Measure, width: float, size: float) -> float:
        """How high everything is."""
        room = width - self._left(measure, size) - 0.14 * size
        rows = sum(row.height(measure, room, size) + 0.5 * size for row in self.rows)
        small = min(_FACT_FONT_SIZE, size)
        widths, places = self._blocks(measure, width, small)
        too_wide = max(widths[0] + widths[1] + (_COLOUR_BAR_EM + 1) * small, *widths) > width
        return float("inf") if too_wide else rows + small * (1.5 * places[-1][1] + 2.25)

    def draw(self, renderer: Any) -> None:
        """Find the largest letters that fit, and put everything in its place."""
        box, dpi = self.ax.get_window_extent(), self.ax.figure.dpi
        key = (type(renderer), dpi, box.width, box.height)
        if key == self.key:
            return
        self.key = key
        width, height = 72 * box.width / dpi, 72 * box.height / dpi
        measure = self._measure(renderer, 72 / dpi)
        large = min(
            bisect_left(
                _FONT_SIZES, True, key=lambda s: self.height(_scale_from_one_size(measure), width, s) <= height
            ),
            _SMALLEST_SIZE_INDEX,
        )
        while (
            large < _SMALLEST_SIZE_INDEX and self.height(measure, width, _FONT_SIZES[large]) > height
        ):  # hinting, a pixel or two
            large += 1
        size = _FONT_SIZES[large]
        left, top = self._left(measure, size), 0.0
        room = width - left - 0.14 * size
        for row in self.rows:
            row.place(measure, left, top, room, size)
            top -= row.height(measure, room, size) + 0.5 * size
        self._place_small(measure, width, top, min(_FACT_FONT_SIZE, size))

    def _place_small(self, measure: Measure, width: float, top: float, size: float) -> None:
        widths, places = self._blocks(measure, width, size)
        spots = [(x, top - 1.5 * (line + 1) * size) for x, line in places]
        bar, low = widths[0] + 0.5 * size, spots[0][1]
        spots.insert(1, (bar + (_COLOUR_BAR_EM + 0.5) * size, low))
        for drawn, spot in zip(self.small, spots, strict=True):
            drawn.set(position=spot, fontsize=size)
        edges, high = bar + np.linspace(0, _COLOUR_BAR_EM * size, 42), low + 0.75 * size
        self.swatch.set_verts([[(a, low), (b, low), (b, high), (a, high)] for a, b in pairwise(edges)])
