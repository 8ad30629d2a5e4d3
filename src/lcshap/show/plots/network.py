"""Any graph: units as dots coloured by score, edges by interaction."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray
from scipy.sparse.csgraph import shortest_path

from ...core.explanation import Explanation
from ...core.graphs import Graph
from ...errors import ShowError
from ...extras import import_optional
from .. import words
from ..faded_scores import faded_scores
from ..interaction_pairs import faded_interactions, interaction_caption
from ..palette import colour_limit, find_palette, rgb_to_hex
from .base import (
    PaletteName,
    colour_bar,
    flip_caption_inches,
    prepare_axes,
    score_colours,
    shown_outputs,
    theme_colours,
)
from .by_target import output_panels
from .empty_axes import draws_one
from .wording import drawable_lines, figure_number

_MAX_NAMED_UNITS = 40  # so many units have their names, the strongest first
_MAX_RADIAL_NAMES = 80  # names around a circle
_ALWAYS_DRAWN_EDGES = 60  # a graph with so few edges is never dense
_MAX_LAYOUT_UNITS = 1000  # more than this get no layout by distances, which takes d × d numbers
_LETTER_POINTS, _LINE_POINTS = 4.9, 10.0  # about the size of a letter of a name, in points
_MAX_NAME_LENGTH = 24  # letters of a name
_LAYOUT_STEPS = 100  # of the layout; by then dots hardly move

_NAME_SIDES = {
    (0, -1): ("center", "top"),
    (0, 1): ("center", "bottom"),
    (1, 0): ("left", "center"),
    (-1, 0): ("right", "center"),
    (1, -1): ("left", "top"),
    (-1, -1): ("right", "top"),
    (1, 1): ("left", "bottom"),
    (-1, 1): ("right", "bottom"),
}


@draws_one
def network(
    e: Explanation,
    ax: Any = None,
    *,
    positions: ArrayLike | None = None,
    max_edges: int | None = None,
    palette: PaletteName = "default",
    dark: bool = False,
    output: int | None = None,
    target: Any = None,
) -> Any:
    """Draw the graph with its units coloured by score and, if there are interactions, its edges coloured by them.

    An edge is wider if its interaction is stronger. Interactions have a scale of their own, which the colour bar names.
    Those whose 95 % interval contains 0 are faint. In dense graphs, only the edges with the strongest interactions are
    drawn. The caption says how many edges are hidden, and how many names found no place.

    Parameters
    ----------
    e : an explanation.
    ax : matplotlib axes to draw on; by default those of a new figure.
    positions : the positions of the units, `(d, 2)`; by default they are computed by `layout`.
    max_edges : the number of edges to draw: those with the strongest interactions, or none of them if there are no
        interactions. By default, all edges, but not more than 2 `d` of a graph with more than 4 `d` edges (or 60).
    palette : the name of a palette, or a `Palette`.
    dark : whether the figure is for a dark background.
    output, target : the number of the output to draw, or the name of its target, if the explanation has several; by
        default each has a panel.

    Returns
    -------
    Axes : the matplotlib axes. They have `show` and `savefig`, and notebooks display them.

    Raises
    ------
    ShowError : if there are too many units to lay out, or the positions are not `d` pairs of finite numbers.

    Examples
    --------
    >>> import lcshap as lc
    >>> e = lc.explain(lambda texts: [1.0 * ("good" in text) for text in texts], "a good film", kind="output")
    >>> lc.plots.network(e, positions=[(0, 0), (1, 0), (2, 1)]).axison
    False
    """
    outputs = shown_outputs(e, output, target)
    graph = e.graph
    places = layout(graph) if positions is None else _check_positions(positions, graph.d)
    if len(outputs) > 1:
        draw = partial(network, positions=positions, max_edges=max_edges, palette=palette, dark=dark)
        return output_panels(outputs, ax, draw, _figure_size(places), dark, gap=1.0)
    e = outputs[0]
    limit = colour_limit([e.scores])
    wide, high = _figure_size(places)
    ax = prepare_axes(ax, (wide, high + flip_caption_inches(e, wide)), dark)
    values = edge_values(e)
    edge_limit = colour_limit([values])
    edges = strongest_edges(graph, values, max_edges)
    drawn_values = values[edges] if len(values) else values
    skeleton = 0.3 if graph.kind == "complete" else 0.8  # that all pairs are neighbours tells nothing
    draw_edges(ax, places[graph.edges[edges]], drawn_values, edge_limit, palette, dark, skeleton)
    tints = [rgb_to_hex(colour) for colour in score_colours(faded_scores(e), limit, palette, dark)]
    ink = rgb_to_hex(theme_colours(dark).ink)
    ax.scatter(*places.T, s=dot_area(graph.d), c=tints, edgecolors=ink, linewidths=0.8, zorder=2)
    ax.set_axis_off()
    ax.set_aspect("equal", adjustable="datalim")
    ax.margins(0.12)
    names, fonts = drawable_lines(*(words.shorten(name, _MAX_NAME_LENGTH) for name in graph.names))
    if positions is None and graph.kind in ("ring", "complete") and 3 <= graph.d <= _MAX_RADIAL_NAMES:
        unnamed = 0
        _write_radial_names(ax, names, places, ink, fonts)
    else:
        unnamed = write_names(
            ax, names, places, ink, dot_area(graph.d), e.by_magnitude()[:_MAX_NAMED_UNITS], fonts=fonts
        )
    note = [interaction_caption(e, "edges", figure_number(edge_limit)) if values.any() else ""]
    note += _hidden_notes(len(graph.edges), len(edges), len(values) > 0, unnamed)
    colour_bar(ax, e, limit, palette, dark, note="\n".join(filter(None, note)))
    return ax


def strongest_edges(graph: Graph, values: NDArray[np.float64], max_edges: int | None = None) -> NDArray[np.intp]:
    """The edges that are drawn, as positions in ``graph.edges``: see `max_edges` of `network`.

    >>> strongest_edges(Graph.ring(4), np.array([4.0, -2.0, 0.0, 1.0]), 2).tolist()
    [0, 1]
    >>> len(strongest_edges(Graph.complete(30), np.zeros(0))), len(strongest_edges(Graph.chain(900), np.zeros(0)))
    (0, 899)
    """
    count = len(graph.edges)
    if max_edges is None:
        max_edges = count if count <= max(_ALWAYS_DRAWN_EDGES, 4 * graph.d) else 2 * graph.d
    elif not isinstance(max_edges, int) or isinstance(max_edges, bool) or max_edges < 0:
        raise ShowError(f"Expected max_edges as an integer of at least 0, got {max_edges!r}.")
    if count <= max_edges:
        return np.arange(count)
    if not len(values):  # there is nothing to choose edges by
        return np.zeros(0, np.intp)
    return np.sort(np.argsort(-np.abs(values), kind="stable")[:max_edges])


def _hidden_notes(count: int, drawn: int, interactions: bool, unnamed: int) -> list[str]:
    """What a caption says about edges and names that are not drawn."""
    notes = []
    if drawn < count:
        some = f"the strongest {drawn:,} of {count:,} edges are drawn" if drawn else f"{count:,} edges are not drawn"
        notes.append(some if interactions else f"{some}: the graph is dense, and there are no interactions")
    if unnamed:
        notes.append(f"{words.format_count(unnamed, 'name')} not written, for lack of room")
    return notes


def layout(graph: Graph) -> NDArray[np.float64]:
    """Where to draw the units, `(d, 2)`: chains, rings and grids by their shape, others by distance.

    Others are drawn so that distances on paper come near to distances in the graph, by majorisation of the stress with
    weights 1/distance², from classical scaling on. The same graph always gets the same picture.

    >>> layout(Graph.grid((2, 2))).tolist()
    [[0.0, 0.0], [1.0, 0.0], [0.0, -1.0], [1.0, -1.0]]
    """
    units = np.arange(graph.d, dtype=np.float64)
    if graph.kind == "chain":
        return np.stack([units, np.zeros(graph.d)], axis=1)
    if graph.kind in ("ring", "complete"):
        angle = 2 * np.pi * units / graph.d
        return np.stack([np.sin(angle), np.cos(angle)], axis=1) * graph.d / (2 * np.pi)
    if graph.kind == "grid" and len(graph.shape) <= 3:
        depth, row, column = np.unravel_index(np.arange(graph.d), (1,) * (3 - len(graph.shape)) + graph.shape)
        return np.stack([column + 0.45 * depth, -row + 0.3 * depth], axis=1).astype(np.float64)
    if graph.d > _MAX_LAYOUT_UNITS:
        raise ShowError(f"Expected at most {_MAX_LAYOUT_UNITS:,} units to lay out, got {graph.d:,}. Give positions.")
    return _stress_layout(graph)


def edge_values(e: Explanation) -> NDArray[np.float64]:
    """The interaction of every edge of the graph, reduced if its interval includes zero; empty if there are none."""
    interactions = faded_interactions(e)
    if interactions is None:
        return np.zeros(0)
    first, second = e.graph.edges.T
    return np.asarray(interactions[first, second], np.float64)


def draw_edges(
    ax: Any,
    lines: NDArray[np.float64],
    values: NDArray[np.float64],
    limit: float,
    palette: PaletteName,
    dark: bool,
    width: float = 0.8,
) -> None:
    """Edges as lines `(m, 2, 2)` of a width in points, under them broader ones by their values where there are any."""
    if len(values):
        colour_scale = find_palette(palette)
        tints = [rgb_to_hex(colour_scale.colour(value, limit, dark)) for value in values.tolist()]
        widths = 6 * np.abs(values) / limit
        ax.add_collection(_line_collection(lines, colors=tints, linewidths=widths, zorder=1))
    ax.add_collection(_line_collection(lines, colors=rgb_to_hex(theme_colours(dark).faint), linewidths=width, zorder=1))


def write_names(
    ax: Any,
    names: Sequence[str],
    places: NDArray[np.float64],
    ink: str,
    area: float,
    order: NDArray[np.intp] | None = None,
    room: float = 3,
    fonts: Sequence[str] | None = None,
) -> int:
    """Names beside their dots, in order, where they cover no dot and no name; along a line all of them, slanted.

    The first of an order has its name in any case, where it covers least and on top of all else. Returns the number of
    names that are not written.
    """
    radius = float(np.sqrt(area)) / 2
    spots = points_per_unit(ax, places) * places
    spacing = np.ptp(spots[:, 0]) / max(len(names) - 1, 1)
    style = {"textcoords": "offset points", "fontsize": 8, "color": ink, "parse_math": False, "fontfamily": fonts}
    units = list(range(len(names))) if order is None else order.tolist()
    if (
        np.ptp(spots[:, 1]) == 0
        and 0 < spacing < _LETTER_POINTS * max(map(len, names))
        and len(names) <= _MAX_NAMED_UNITS
    ):
        style |= {"ha": "right", "va": "top", "rotation": 35, "rotation_mode": "anchor"}
        style["fontsize"] = float(np.clip(0.8 * spacing, 4, 8))
        for name, place in zip(names, places, strict=True):
            ax.annotate(name, place, (0, -radius - room), **style)
        return 0
    halo = import_optional("matplotlib.patheffects", "plot").withStroke(
        linewidth=2, foreground=ax.figure.get_facecolor()
    )
    centres, sizes = [*spots], [np.full(2, radius)] * len(spots)
    for i in units:
        half = np.array([_LETTER_POINTS * len(names[i]), _LINE_POINTS]) / 2
        sides = np.array(list(_NAME_SIDES))
        shifts = sides * (radius + room) / np.linalg.norm(sides, axis=1, keepdims=True)
        boxes = spots[i] + shifts + sides * half
        overlap = np.maximum(half + np.array(sizes) - np.abs(boxes[:, None] - np.array(centres)), 0).prod(axis=2)
        best = int(overlap.sum(axis=1).argmin())
        if overlap[best].any() and (order is None or i != units[0]):
            continue
        centres.append(boxes[best])
        sizes.append(half)
        ha, va = list(_NAME_SIDES.values())[best]
        drawn = ax.annotate(names[i], places[i], shifts[best], ha=ha, va=va, zorder=3, **style)
        drawn.set_path_effects([halo])
    return len(names) - (len(centres) - len(spots))


def _write_radial_names(
    ax: Any, names: Sequence[str], places: NDArray[np.float64], ink: str, fonts: Sequence[str]
) -> None:
    """Names around a circle of dots, pointing outwards, so that none covers another however many there are."""
    radius = float(np.sqrt(dot_area(len(names)))) / 2 + 3
    half_width = ax.get_window_extent().size.min() * 36 / ax.figure.dpi  # points from the middle to the nearer side
    share = max(0.35, 1 - (radius + _LETTER_POINTS * max(map(len, names))) / half_width)  # of the circle, without names
    ax.margins((1 / share - 1) / 2)
    style = {"textcoords": "offset points", "fontsize": 8, "color": ink, "parse_math": False, "fontfamily": fonts}
    for name, place in zip(names, places, strict=True):
        outwards = place / (np.linalg.norm(place) or 1.0)
        on_left = outwards[0] < -1e-9
        angle = float(np.degrees(np.arctan2(outwards[1], outwards[0]))) - 180 * on_left
        side = {"ha": "right" if on_left else "left", "va": "center", "rotation_mode": "anchor"}
        ax.annotate(name, place, radius * outwards, rotation=angle, **side, **style)


def points_per_unit(ax: Any, places: NDArray[np.float64]) -> float:
    """About how many points a distance of 1 will be, when the places fill the axes."""
    room = ax.get_window_extent().size * 72 / ax.figure.dpi
    return float((0.8 * room / np.maximum(np.ptp(places, axis=0), 1e-9)).min())


def dot_area(count: int) -> float:
    """The area of a dot in square points, the smaller the more there are."""
    return float(np.clip(6000 / count, 12, 220))


def _stress_layout(graph: Graph) -> NDArray[np.float64]:
    d = graph.d
    if d == 1:
        return np.zeros((1, 2))
    distances = shortest_path(graph.adjacency.copy(), directed=False, unweighted=True)  # SciPy 1.13 wants to write
    distances[np.isinf(distances)] = distances[np.isfinite(distances)].max() + 1  # between parts of the graph
    centre = np.eye(d) - 1 / d
    size, direction = np.linalg.eigh(-centre @ distances**2 @ centre / 2)
    places = direction[:, -2:] * np.sqrt(np.maximum(size[-2:], 0))
    places += np.random.default_rng(0).normal(scale=1e-2, size=places.shape)  # parts dots that would coincide
    np.fill_diagonal(distances, 1.0)
    weight = distances**-2.0
    np.fill_diagonal(weight, 0.0)
    solve = np.linalg.pinv(np.diag(weight.sum(axis=1)) - weight, hermitian=True)
    for _ in range(_LAYOUT_STEPS):
        ratio = weight * distances / np.maximum(scipy.spatial.distance.cdist(places, places), 1e-9)
        places = solve @ (ratio.sum(axis=1)[:, None] * places - ratio @ places)
    return np.asarray(places)


def _check_positions(positions: ArrayLike, d: int) -> NDArray[np.float64]:
    places = np.asarray(positions)
    if places.shape != (d, 2) or places.dtype.kind not in "iuf" or not np.isfinite(places).all():
        raise ShowError(
            f"Expected positions as {d} pairs of finite numbers, got {places.dtype} of shape {places.shape}."
        )
    return places.astype(np.float64)


def _figure_size(places: NDArray[np.float64]) -> tuple[float, float]:
    """Of a new figure: as wide as needed, as high as the layout is."""
    wide, high = np.ptp(places, axis=0).tolist()
    return 6.0, float(np.clip(6.0 * high / (wide or 1.0), 1.2, 6.0)) + 0.8


def _line_collection(segments: NDArray[np.float64], **style: Any) -> Any:
    return import_optional("matplotlib.collections", "plot").LineCollection(segments, **style)
