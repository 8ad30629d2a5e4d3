"""All scores of many inputs: a row for each unit, a point for each input."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...core.explanation import Explanation
from ..check import check_option_count
from ..palette import rgb_to_hex
from .base import PaletteName, theme_colours, value_map
from .by_target import panels
from .empty_axes import draws_empty_sets
from .score_rows import add_caption, label_rows
from .unit_points import Key, UnitPoints, point_groups, value_ranks

_SWARM_BINS = 80  # in which points of a swarm lie on top of each other
_MAX_VECTOR_POINTS = 10_000  # more points than this are stored as pixels in SVG and PDF files


@draws_empty_sets
def beeswarm(
    explanations: Explanation | Sequence[Explanation],
    ax: Any = None,
    *,
    top: int = 20,
    key: Key | None = None,
    max_inputs: int = 2000,
    output: int | None = None,
    target: Any = None,
    palette: PaletteName = "default",
    dark: bool = False,
) -> Any:
    """Draw all scores of the units that matter most over many inputs, one point for each input.

    For tables, the colour of a point is the rank of the value of the feature, from its lowest to its highest; it is
    grey if the value is missing or is not a number. For other inputs, it is the place of the unit in the input. Colours
    do not show the sign here, so they differ from the colours of scores in other figures. If inputs are explained for
    several classes, each class has a panel of its own.

    Parameters
    ----------
    explanations : explanations of many inputs.
    ax : matplotlib axes to draw on; by default those of a new figure.
    top, key : as in `summary`.
    max_inputs : if there are more inputs, a random sample of this size is drawn (always the same one), together with
        the smallest and the largest score of each unit. The caption says so. The order of the units and the ranks of
        the values are those of all inputs.
    output, target : the number of the output to draw, or the name of its target; by default each has a panel.
    palette : the name of a palette, or a `Palette`.
    dark : whether the figure is for a dark background.

    Returns
    -------
    Axes : the matplotlib axes. They have `show` and `savefig`, and notebooks display them.

    Raises
    ------
    ShowError : if there are no explanations, or an option is not valid.

    Examples
    --------
    >>> import lcshap as lc
    >>> explainer = lc.Explainer(lambda texts: [1.0 * ("good" in t) for t in texts], lc.maskers.Text(), kind="output")
    >>> explanations = explainer(["a good film", "a bad film"])
    >>> ax = lc.plots.beeswarm(explanations, top=1)
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['good (1)']
    """
    check_option_count("top", top)
    check_option_count("max_inputs", max_inputs)
    groups = point_groups(explanations, key, output, target)

    def draw(points: UnitPoints, ax: Any) -> None:
        _draw_swarm(points, ax, top, max_inputs, palette, dark)

    return panels(groups, ax, draw, lambda points: (6.8, 0.9 + 0.32 * min(top, len(points.names))), dark)


def _draw_swarm(points: UnitPoints, ax: Any, top: int, max_inputs: int, palette: PaletteName, dark: bool) -> None:
    units = points.strongest(top)
    rows = np.full(len(points.names), -1)
    rows[units] = np.arange(len(units))
    hues = point_hues(points, units)
    drawn = (rows[points.unit] >= 0) & _sampled(points, units, max_inputs)
    scores, row, hue = points.scores[drawn], rows[points.unit[drawn]], hues[drawn]
    ax.axvline(0, color=rgb_to_hex(theme_colours(dark).faint), linewidth=0.8, zorder=0)
    options = {"cmap": value_map(palette, dark), "vmin": 0, "vmax": 1, "plotnonfinite": True, "linewidths": 0}
    options |= {"rasterized": len(scores) > _MAX_VECTOR_POINTS, "s": 14 if len(scores) <= _MAX_VECTOR_POINTS else 8}
    swarm = ax.scatter(scores, row + swarm_offsets(scores, row), c=hue, **options)
    label_rows(ax, points.labels(units), dark)
    draw_value_bar(ax, swarm, points.tables, dark)
    add_caption(ax, [*points.facts, *points.selection_note(len(units)), *_notes(points, hue, max_inputs)])


def point_hues(points: UnitPoints, units: NDArray[np.intp]) -> NDArray[np.float64]:
    """From 0 to 1: the ranks of the values within each unit for tables, the places in the input for other inputs."""
    if not points.tables:
        return points.where
    hues = np.full(len(points.unit), np.nan)
    for unit in units.tolist():
        chosen = np.flatnonzero(points.unit == unit)
        hues[chosen] = value_ranks(points.values[chosen])
    return hues


def _sampled(points: UnitPoints, units: NDArray[np.intp], max_inputs: int) -> NDArray[np.bool_]:
    """Which scores are drawn: all of them, or those of a sample of inputs and the extremes of each unit."""
    if points.n_inputs <= max_inputs:
        return np.ones(len(points.unit), bool)
    chosen = np.zeros(points.n_inputs, bool)
    chosen[np.random.default_rng(0).choice(points.n_inputs, max_inputs, replace=False)] = True
    drawn = chosen[points.inputs]
    for unit in units.tolist():
        places = np.flatnonzero(points.unit == unit)
        drawn[places[[points.scores[places].argmin(), points.scores[places].argmax()]]] = True
    return drawn


def _notes(points: UnitPoints, hues: NDArray[np.float64], max_inputs: int) -> list[str]:
    """What a caption has to say about the points that are drawn."""
    notes = ["score"]
    if points.n_inputs > max_inputs:
        notes.append(f"a sample of {max_inputs:,} inputs and the extremes are drawn")
    if np.isnan(hues).any():
        notes.append("grey: no number")
    return notes


def swarm_offsets(scores: NDArray[np.float64], rows: NDArray[np.integer]) -> NDArray[np.float64]:
    """How far each point is moved off the middle of its row, so that points side by side can be told apart.

    Each row has its own scale, so that the distribution of a unit with large scores is visible beside that of a unit
    whose scores are nearly all zero.

    >>> swarm_offsets(np.array([1.0, 1.0, 1.0, 5.0]), np.array([0, 0, 0, 0])).round(2).tolist()
    [0.0, 0.15, -0.15, 0.0]
    """
    width = np.ptp(scores) / _SWARM_BINS or 1.0
    columns = np.floor((scores - scores.min()) / width).astype(np.int64)
    bins = rows * (columns.max() + 1) + columns
    order = np.argsort(bins, kind="stable")
    firsts = np.searchsorted(bins[order], bins[order])
    number = np.empty(len(bins), np.int64)
    number[order] = np.arange(len(bins)) - firsts
    steps = (number + 1) // 2 * np.where(number % 2, 1, -1)
    largest = np.ones(rows.max() + 1)
    np.maximum.at(largest, rows, np.abs(steps))
    return np.asarray(steps * np.minimum(0.15, 0.42 / largest)[rows])


def draw_value_bar(ax: Any, drawn: Any, tables: bool, dark: bool) -> None:
    """The colour bar of feature values, or of places in the input."""
    ends, label = (("low", "high"), "value, by rank") if tables else (("start", "end"), "place")
    ink = rgb_to_hex(theme_colours(dark).ink)
    place = {"ax": ax, "aspect": 30, "shrink": 0.7, "pad": 0.02}
    if ax not in ax.figure.axes:  # a panel, which cannot give up room of its own
        place = {"cax": ax.inset_axes([1.02, 0.15, 0.015, 0.7])}
    bar = ax.figure.colorbar(drawn, ticks=[0, 1], **place)
    bar.set_ticks([0, 1], labels=ends)
    bar.set_label(label, color=ink, fontsize=8, labelpad=-12)
    bar.ax.tick_params(colors=ink, labelsize=8, length=0)
    bar.outline.set_visible(False)
