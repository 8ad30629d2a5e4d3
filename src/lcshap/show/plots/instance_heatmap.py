"""The scores of many inputs as a heat map: a column for each input, a row for each unit, the predictions above."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.cluster.hierarchy import linkage

from ...core.explanation import Explanation
from ...errors import ShowError
from .. import words
from ..palette import clip_limit, rgb_to_hex
from .base import PaletteName, colour_map, theme_colours
from .by_target import GAP_INCHES, panels
from .score_rows import label_rows
from .score_table import ScoreTable, score_tables
from .wording import LITERAL, check_limit, drawable_lines, figure_number

_MAX_INPUTS = 1000  # inputs that have a column; clustering compares all pairs of them
_PREDICTION_INCHES, _GAP_INCHES = 0.6, 0.06  # the height of the line of predictions, and the space below it
_ORDERS = ("clustering", "prediction", "none")


def draw_instances(
    explanations: Sequence[Explanation],
    ax: Any,
    top: int,
    limit: float | None,
    order: str | Sequence[int],
    output: int | None,
    target: Any,
    palette: PaletteName,
    dark: bool,
) -> Any:
    """Draw many explanations, see `heatmap`."""
    tables = score_tables(explanations, output, target)

    def draw(table: ScoreTable, ax: Any) -> None:
        _draw_table(table, ax, top, limit, order, palette, dark)

    gap = GAP_INCHES + _PREDICTION_INCHES + _GAP_INCHES + 0.2
    return panels(tables, ax, draw, lambda table: (6.8, 2.0 + 0.24 * min(top + 1, len(table.names))), dark, gap)


def _draw_table(
    table: ScoreTable,
    ax: Any,
    top: int,
    limit: float | None,
    order: str | Sequence[int],
    palette: PaletteName,
    dark: bool,
) -> None:
    facts = table.facts
    if isinstance(order, str) and len(table) > _MAX_INPUTS:
        facts.append(f"a sample of {_MAX_INPUTS:,} is drawn")
        table = table.sample(_MAX_INPUTS)
    columns = _column_order(table, order)
    rows, names = unit_rows(table, top)
    cells = rows[columns].T
    full, clipped = clip_limit(cells) if limit is None else (check_limit(limit, []), False)
    image = ax.imshow(cells, colour_map(palette, dark), vmin=-full, vmax=full, aspect="auto", interpolation="nearest")
    label_rows(ax, names, dark)
    ax.set_ylim(len(names) - 0.5, -0.5)
    ax.set_xticks([])
    ax.spines["bottom"].set_visible(False)
    _draw_predictions(ax, table, columns, dark)
    notes = [*facts, _order_note(order)]
    _draw_bar(ax, image, table, full, clipped, " · ".join(notes), dark)


def unit_rows(table: ScoreTable, top: int) -> tuple[NDArray[np.float64], list[str]]:
    """The scores `(n, rows)` of the strongest units and the sum of all others, and the names of the rows."""
    order = table.strongest()
    top = top + 1 if len(order) == top + 1 else top  # a single other unit takes no more space than the line of others
    units, others = order[:top], order[top:]
    labels = table.labels
    names = [labels[unit] for unit in units]
    if not len(others):
        return table.scores[:, units], names
    sums = table.scores[:, others].sum(axis=1, keepdims=True)
    return np.hstack([table.scores[:, units], sums]), [*names, words.others_text(len(others))]


def cluster_order(scores: NDArray[np.float64], predictions: NDArray[np.float64]) -> NDArray[np.intp]:
    """An order in which inputs with similar scores are neighbours: the leaves of a tree by Ward's method.

    Where two clusters are joined, the one with the lower mean prediction comes first.

    >>> cluster_order(np.array([[0.0], [9.0], [0.1], [9.2]]), np.array([5.0, 1.0, 4.0, 0.0])).tolist()
    [3, 1, 2, 0]
    """
    count = len(scores)
    if count < 3:
        return np.argsort(predictions, kind="stable")
    leaves = {number: [number] for number in range(count)}
    means = {number: float(predictions[number]) for number in range(count)}
    for step, (a, b) in enumerate(linkage(scores, "ward")[:, :2].astype(int).tolist()):
        first, second = (a, b) if means[a] <= means[b] else (b, a)
        joined = leaves.pop(first) + leaves.pop(second)
        leaves[count + step] = joined
        means[count + step] = float(predictions[joined].mean())
    return np.array(leaves[2 * count - 2], np.intp)


def _column_order(table: ScoreTable, order: str | Sequence[int]) -> NDArray[np.intp]:
    if isinstance(order, str):
        if order not in _ORDERS:
            raise ShowError(f"Expected order as one of {', '.join(_ORDERS)}, or the numbers of inputs, got {order!r}.")
        if order == "prediction":
            return np.argsort(table.predictions, kind="stable")
        return np.arange(len(table)) if order == "none" else cluster_order(table.scores, table.predictions)
    numbers = np.asarray(order)
    if numbers.ndim != 1 or numbers.dtype.kind not in "iu" or not np.isin(numbers, table.positions).all():
        raise ShowError(f"Expected order as numbers of inputs from 0 to {table.n_given - 1}, got {order!r:.60}.")
    place = {int(number): row for row, number in enumerate(table.positions)}
    return np.array([place[int(number)] for number in numbers], np.intp)


def _order_note(order: str | Sequence[int]) -> str:
    if not isinstance(order, str):
        return "inputs in a given order"
    notes = {
        "clustering": "similar inputs side by side (Ward)",
        "prediction": "inputs by prediction",
        "none": "inputs in their order",
    }
    return notes[order]


def _draw_predictions(ax: Any, table: ScoreTable, columns: NDArray[np.intp], dark: bool) -> None:
    """A line above the cells: the prediction of each input, and the mean base value."""
    height = ax.get_window_extent().height / ax.figure.dpi
    place = [0, 1 + _GAP_INCHES / height, 1, _PREDICTION_INCHES / height]
    line = ax.inset_axes(place)
    colours = theme_colours(dark)
    ink, faint = rgb_to_hex(colours.ink), rgb_to_hex(colours.faint)
    line.set_facecolor(rgb_to_hex(colours.background))
    line.plot(np.arange(len(columns)), table.predictions[columns], color=ink, linewidth=1.0, drawstyle="steps-mid")
    line.axhline(float(table.base_values.mean()), color=faint, linewidth=0.8, linestyle=":")
    line.set_xlim(ax.get_xlim())
    line.margins(y=0.15)
    line.set_xticks([])
    line.tick_params(colors=ink, labelsize=7, length=2)
    line.locator_params(axis="y", nbins=3)
    line.set_ylabel("prediction", fontsize=8, color=ink, rotation=0, ha="right", va="center")
    for side, spine in line.spines.items():
        spine.set_visible(side == "left")
        spine.set_color(faint)


def _draw_bar(ax: Any, image: Any, table: ScoreTable, limit: float, clipped: bool, note: str, dark: bool) -> None:
    height = ax.get_window_extent().height * 72 / ax.figure.dpi
    place = ax.inset_axes([0, -15 / height, 1, 7 / height])
    colours = theme_colours(dark)
    ink = rgb_to_hex(colours.ink)
    bar = ax.figure.colorbar(image, cax=place, orientation="horizontal", ticks=[-limit, 0, limit])
    against, favour = words.sign_labels(table.first)
    low, high = ("≤ ", "≥ ") if clipped else ("", "")
    bar.ax.set_xticks(
        [-limit, 0, limit], [f"{against} {low}{figure_number(-limit)}", "0", f"{favour} {high}+{figure_number(limit)}"]
    )
    for label, side in zip(bar.ax.get_xticklabels(), ("left", "center", "right"), strict=True):
        label.set_horizontalalignment(side)
    bar.ax.tick_params(colors=ink, labelsize=8, length=2)
    bar.outline.set_edgecolor(rgb_to_hex(colours.faint))
    (caption,), fonts = drawable_lines(note)
    bar.ax.set_xlabel(caption, color=ink, fontsize=8, fontfamily=fonts, **LITERAL)
