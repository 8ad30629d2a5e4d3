"""The paper's Figure 1, for any graph: a unit's neighbourhood, and the coalitions that L- and C-Shapley sum over."""

from __future__ import annotations

import operator
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...core.graphs import Graph, connected_sets
from ...errors import ShowError
from ...extras import import_optional
from ..check import check_option_count
from ..palette import find_palette, rgb_to_hex
from .base import PaletteName, prepare_axes, theme_colours
from .network import dot_area, layout, points_per_unit, write_names

MAX_COALITIONS = 128  # coalitions in one picture
_MAX_ENUMERATED = 2**16  # coalitions to choose examples from
_MAX_WHOLE_GRAPH_UNITS = 64  # larger graphs are drawn around the unit only
_MAX_NAMED_UNITS = 20  # more units than this are drawn without names
_HEADING_POINTS = 22  # the height of a heading in points
_MAX_SPACING_POINTS = 36.0  # the largest distance of neighbours in a coalition, in points

Sets = list[tuple[int, ...]]
Points = NDArray[np.float64]


def neighbourhood(
    graph: Graph,
    unit: int,
    order: int = 1,
    ax: Any = None,
    *,
    examples: int | None = None,
    palette: PaletteName = "default",
    dark: bool = False,
) -> Any:
    """Draw the neighbourhood `N_k(i)` of a unit and, beside it, its subsets that contain the unit.

    L-Shapley of order k sums over all of these subsets. C-Shapley sums over the connected ones, which are on top.
    Figure 1 of the paper is ``neighbourhood(Graph.grid((7, 7)), 24, 2, examples=1)``.

    Parameters
    ----------
    graph : a graph.
    unit : the number i of the unit.
    order : the order k, the number of edges that the neighbourhood reaches.
    ax : matplotlib axes to draw on; by default those of a new figure.
    examples : draw only this number of subsets of either kind instead of all. A figure has at most 128 coalitions.
    palette : the name of a palette, or a `Palette`.
    dark : whether the figure is for a dark background.

    Returns
    -------
    Axes : the matplotlib axes. They have `show` and `savefig`, and notebooks display them.

    Raises
    ------
    ShowError : if the unit is not in the graph, or there are too many subsets to draw.

    Examples
    --------
    >>> import lcshap as lc
    >>> ax = lc.plots.neighbourhood(lc.Graph.chain(5), unit=2)
    >>> ax.axison
    False
    """
    if examples is not None:
        check_option_count("examples", examples)
    near = Neighbourhood.find(graph, unit, order, MAX_COALITIONS if examples is None else _MAX_ENUMERATED)
    kinds = [_spread_examples(sets, examples) for sets in (near.connected, near.others)]
    if sum(map(len, kinds)) > MAX_COALITIONS:
        raise ShowError(f"Expected at most {MAX_COALITIONS // 2} examples of each kind, got {examples}.")
    ax = prepare_axes(ax, (9.0, 4.2), dark)
    ax.set_axis_off()
    style = _Style.make(palette, dark, ax.get_window_extent().width * 72 / ax.figure.dpi)
    drawn_units = _choose_units(graph, near)
    places = (
        layout(graph)[drawn_units]
        if graph.kind in ("chain", "ring", "grid")
        else layout(_induced_subgraph(graph, drawn_units))
    )
    _draw_graph(ax.inset_axes([0, 0, 0.37, 0.86]), graph, near, drawn_units, places, style)
    member_places = places[[drawn_units.index(u) for u in near.units]]
    _draw_coalitions(ax, near, kinds, member_places, style)
    return ax


@dataclass(frozen=True)
class Neighbourhood:
    """A unit's neighbourhood and its subsets with the unit, by size.

    Attributes
    ----------
    unit, order, units : i, k and `N_k(i)`.
    edges : within the neighbourhood, as places in `units`.
    connected, others : the subsets, by what they hold; connected ones and those that are not.
    """

    unit: int
    order: int
    units: tuple[int, ...]
    edges: NDArray[np.integer]
    connected: Sets
    others: Sets

    @classmethod
    def find(cls, graph: Graph, unit: int, order: int, limit: int) -> Neighbourhood:
        """List the subsets, at most `limit` of them.

        >>> near = Neighbourhood.find(Graph.chain(5), 2, 1, limit=4)
        >>> near.connected, near.others
        ([(2,), (1, 2), (2, 3), (1, 2, 3)], [])
        """
        check_option_count("order", order, minimum=0)
        unit = _check_unit(unit, graph.d)
        units = graph.ball(unit, order)
        other_units = [u for u in units if u != unit]
        if 2 ** len(other_units) > limit:
            raise ShowError(
                f"Expected at most {limit:,} coalitions to draw, got 2^{len(other_units)} of {len(units)} units. "
                f"Give a smaller order{', or examples=1 for one of each kind' if limit == MAX_COALITIONS else ''}."
            )
        within = _induced_subgraph(graph, list(units))
        connected = {tuple(units[p] for p in row) for level in connected_sets(within) for row in level.members.tolist()}
        all_sets = [tuple(sorted((unit, *c))) for size in range(len(units)) for c in combinations(other_units, size)]
        others = [s for s in all_sets if s not in connected]
        return cls(unit, order, units, within.edges, [s for s in all_sets if s in connected], others)


@dataclass(frozen=True)
class _Style:
    """The colours of the picture, as matplotlib writes them, and the size of its letters in points."""

    size: float
    ink: str
    faint: str
    background: str
    shade: str
    unit: str
    member: str

    @classmethod
    def make(cls, palette: PaletteName, dark: bool, width: float) -> _Style:
        colour_scale, colours = find_palette(palette), theme_colours(dark)
        shade, unit, member = (
            colour_scale.colour(0.22, 1.0, dark),
            colour_scale.colour(-1.0, 1.0, dark),
            colour_scale.colour(1.0, 1.0, dark),
        )
        parts = (colours.ink, colours.faint, colours.background, shade, unit, member)
        return cls(float(np.clip(width / 45, 3, 9)), *map(rgb_to_hex, parts))


def _draw_graph(
    ax: Any, graph: Graph, near: Neighbourhood, drawn_units: list[int], places: Points, style: _Style
) -> None:
    """The graph, or what is around the unit, with the neighbourhood shaded."""
    area = min(dot_area(2 * len(drawn_units)), (0.5 * points_per_unit(ax, places)) ** 2)
    inside = np.isin(drawn_units, near.units)
    edges = _induced_subgraph(graph, drawn_units).edges
    both = inside[edges].all(axis=1)
    wide = 2.2 * area**0.5
    _add_lines(ax, places[edges[both]], style.shade, wide, zorder=0.5, capstyle="round", clip_on=False)
    ax.scatter(*places[inside].T, s=wide**2, c=style.shade, linewidths=0, zorder=0.5, clip_on=False)
    _add_lines(ax, places[edges], style.faint, 1.0, zorder=1)
    fill = np.where(inside, style.member, style.background)
    fill[drawn_units.index(near.unit)] = style.unit
    ax.scatter(*places.T, s=area, c=fill, edgecolors=style.ink, linewidths=0.8, zorder=2, clip_on=False)
    if len(drawn_units) <= _MAX_NAMED_UNITS:
        write_names(
            ax, tuple(graph.names[u] for u in drawn_units), places, style.ink, area, room=wide / 2 - area**0.5 / 2 + 2
        )
    ax.set_axis_off()
    ax.set_aspect("equal", adjustable="datalim")
    ax.margins(0.12)
    count = len(near.connected) + len(near.others)
    title = f"{graph.names[near.unit]}, order {near.order}:\n{len(near.units)} units, {count:,} coalitions"
    ax.set_title(title, fontsize=style.size, color=style.ink, parse_math=False)


def _draw_coalitions(ax: Any, near: Neighbourhood, kinds: list[Sets], places: Points, style: _Style) -> None:
    """Small graphs in rows under two headings, as large as there is room for."""
    bounds = [0.41, 0, 0.59, 1]
    width, height = ax.get_window_extent().size * 72 / ax.figure.dpi * bounds[2:]
    right = ax.inset_axes(bounds)
    right.set_axis_off()
    corner, cell = places - places.min(axis=0), np.ptp(places, axis=0) + 1.3
    columns, side_by_side, scale = _choose_columns(cell, [len(sets) for sets in kinds], width, height)
    heads = ("connected:{}C-Shapley and L-Shapley", "not connected:{}L-Shapley only")
    line = _HEADING_POINTS / scale
    start, low = np.zeros(2), 0.0
    for sets, all_sets, head, colour in zip(
        kinds, (near.connected, near.others), heads, (style.member, style.ink), strict=True
    ):
        count = f"{len(all_sets):,}" if len(sets) == len(all_sets) else f"{len(sets)} of {len(all_sets):,}"
        text = f"{count} {head}".format("\n" if side_by_side else " ")
        top = start - [0, line * (1 + side_by_side)]
        right.text(start[0] + 4 / scale, top[1] + 0.3 * line, text, fontsize=style.size, color=style.ink, va="bottom")
        for number, kept in enumerate(sets):
            offset = top + [number % columns * cell[0], -(number // columns + 1) * cell[1]] + 0.65
            _draw_coalition(right, near, kept, corner + offset, min((0.45 * scale) ** 2, 90), colour, style)
        bottom = top[1] - -(-len(sets) // columns) * cell[1]
        low = min(low, bottom)
        start = np.array([width / scale / 2, 0.0] if side_by_side else [0.0, bottom])
    spare = (height / scale + low) / 2
    right.set(xlim=(0, width / scale), ylim=(low - spare, spare), aspect="equal")


def _draw_coalition(
    ax: Any, near: Neighbourhood, kept: tuple[int, ...], places: Points, area: float, colour: str, style: _Style
) -> None:
    """One coalition on its neighbourhood."""
    inside = np.isin(near.units, kept)
    both = inside[near.edges].all(axis=1)
    _add_lines(ax, places[near.edges[~both]], style.faint, 0.5, zorder=1)
    _add_lines(ax, places[near.edges[both]], colour, 1.8, zorder=1)
    fill = np.where(inside, colour, style.background)
    fill[near.units.index(near.unit)] = style.unit
    edge = np.where(inside, style.ink, style.faint)
    ax.scatter(*places.T, s=area, c=fill, edgecolors=edge, linewidths=0.6, zorder=2)


def _choose_columns(cell: Points, counts: list[int], width: float, height: float) -> tuple[int, bool, float]:
    """What makes the small graphs largest: how many columns, whether the two kinds stand side by side, the scale."""
    choices = []
    for columns in range(1, max(counts) + 1):
        rows = [-(-count // columns) for count in counts]
        for side_by_side in (False, True):
            room = np.array([width / (1 + side_by_side), max(height - 2 * _HEADING_POINTS, 0.3 * height)])
            size = [columns, max(rows) if side_by_side else sum(rows)] * cell
            choices.append((min(*(room / size).tolist(), _MAX_SPACING_POINTS), columns, side_by_side))
    scale, columns, side_by_side = max(choices)
    return columns, side_by_side, scale


def _choose_units(graph: Graph, near: Neighbourhood) -> list[int]:
    """The units of the graph to draw: all, or as many of those around the unit as are not too many."""
    radii = (graph.ball(near.unit, near.order + more) for more in (2, 1))
    choices = (range(graph.d), *radii)
    return list(next((c for c in choices if len(c) <= _MAX_WHOLE_GRAPH_UNITS), near.units))


def _induced_subgraph(graph: Graph, units: list[int]) -> Graph:
    """The graph of some units, numbered from 0, with the edges between them."""
    pairs = graph.adjacency[units][:, units].nonzero()
    return Graph.from_edges(len(units), np.stack(pairs, axis=1))


def _spread_examples(sets: Sets, count: int | None) -> Sets:
    """So many of them, evenly spread; None: all."""
    if count is None or count >= len(sets):
        return sets
    return [sets[round(n)] for n in np.linspace(0, len(sets) - 1, count + 2)[1:-1]]


def _check_unit(unit: Any, d: int) -> int:
    try:
        number = operator.index(unit)
    except TypeError:
        raise ShowError(f"Expected unit as a number from 0 to {d - 1}, got {unit!r}.") from None
    if not 0 <= number < d:
        raise ShowError(f"Expected a unit from 0 to {d - 1}, got {number}.")
    return number


def _add_lines(ax: Any, segments: Points, colour: str, width: float, **style: Any) -> None:
    lines = import_optional("matplotlib.collections", "plot").LineCollection
    ax.add_collection(lines(segments, colors=colour, linewidths=width, **style))
