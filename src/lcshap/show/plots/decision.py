"""The way of many inputs from the base value to the prediction, unit by unit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...core.explanation import Explanation
from ...errors import ShowError
from ...extras import import_optional
from ..check import check_option_count
from ..palette import find_palette, rgb_to_hex
from .base import PaletteName, theme_colours
from .by_target import panels
from .empty_axes import draws_empty_sets
from .instance_heatmap import unit_rows
from .score_rows import add_caption, label_rows
from .score_table import ScoreTable, score_tables

_RELATIVE_TOLERANCE = 1e-9  # of the largest score: residuals below that are rounding errors
_MAX_THICK_PATHS = 5  # more paths than this are drawn as thin lines
_MAX_VECTOR_PATHS = 1000  # more paths than this are stored as pixels in SVG and PDF files


@draws_empty_sets
def decision(
    explanations: Explanation | Sequence[Explanation],
    ax: Any = None,
    *,
    top: int = 15,
    highlight: Sequence[int] = (),
    max_inputs: int = 500,
    output: int | None = None,
    target: Any = None,
    palette: PaletteName = "default",
    dark: bool = False,
) -> Any:
    """Draw a path for each input, from its base value at the bottom to its prediction at the top.

    Each row adds the score of one unit; the units with the largest mean |score| are at the top. All other units are
    added first, together, and what the scores do not explain is added last, if there is such a residual. The colour of
    a path says whether its prediction is above or below its base value; it is grey if they are equal.

    Parameters
    ----------
    explanations : explanations of one or many inputs with the same units.
    ax : matplotlib axes to draw on; by default those of a new figure.
    top : the number of units that have a row of their own.
    highlight : the numbers of inputs whose paths are drawn thick, on top of all others.
    max_inputs : if there are more inputs, a random sample of this size is drawn, and the caption says so. Highlighted
        inputs are always drawn.
    output, target : the number of the output to draw, or the name of its target; by default each has a panel.
    palette : the name of a palette, or a `Palette`.
    dark : whether the figure is for a dark background.

    Returns
    -------
    Axes : the matplotlib axes. They have `show` and `savefig`, and notebooks display them.

    Raises
    ------
    ShowError : if inputs have different units, or an option is not valid.

    Examples
    --------
    >>> import numpy as np, lcshap as lc
    >>> explainer = lc.Explainer(lambda rows: rows @ [1.0, 5.0], lc.maskers.Tabular(np.zeros((1, 2))), kind="output")
    >>> ax = lc.plots.decision(explainer(np.array([[1.0, 1.0], [2.0, -1.0]])))
    >>> [path[:, 0].tolist() for path in ax.collections[0].get_segments()]
    [[0.0, 1.0, 6.0], [0.0, 2.0, -3.0]]
    """
    check_option_count("top", top)
    check_option_count("max_inputs", max_inputs)
    tables = score_tables(explanations, output, target)
    n_given = next(iter(tables.values())).n_given
    if any(not isinstance(number, int | np.integer) or not 0 <= number < n_given for number in highlight):
        raise ShowError(f"Expected highlight as numbers of inputs from 0 to {n_given - 1}, got {highlight!r:.60}.")

    def draw(table: ScoreTable, ax: Any) -> None:
        _draw_paths(table, ax, top, np.asarray(highlight, np.intp), max_inputs, palette, dark)

    return panels(tables, ax, draw, lambda table: (6.4, 1.3 + 0.27 * min(top + 1, len(table.names))), dark)


def _draw_paths(
    table: ScoreTable,
    ax: Any,
    top: int,
    highlight: NDArray[np.intp],
    max_inputs: int,
    palette: PaletteName,
    dark: bool,
) -> None:
    steps, names = unit_rows(table, top)
    residuals = table.predictions - table.base_values - table.scores.sum(axis=1)
    if np.abs(residuals).max() > _RELATIVE_TOLERANCE * max(np.abs(table.scores).max(), np.abs(table.predictions).max()):
        steps, names = np.hstack([residuals[:, None], steps]), ["residual", *names]
    notes = table.facts
    marked = np.isin(table.positions, highlight)
    drawn = np.ones(len(table), bool)
    if len(table) > max_inputs:
        notes.append(f"a sample of {max_inputs:,} is drawn")
        drawn = np.isin(table.positions, table.sample(max_inputs).positions) | marked
    stops = np.cumsum(np.hstack([table.base_values[:, None], steps[:, ::-1]]), axis=1)
    rows = np.arange(len(names), -1, -1) - 0.5
    paths = np.stack([stops, np.broadcast_to(rows, stops.shape)], axis=2)
    rises = np.sign(table.predictions - table.base_values)
    faint = rgb_to_hex(theme_colours(dark).faint)
    for row in rows.tolist():
        ax.axhline(row, color=faint, linewidth=0.3, zorder=0)
    ax.axvline(float(table.base_values.mean()), color=faint, linewidth=0.8, linestyle=":", zorder=0)
    _add_paths(ax, paths[drawn], rises[drawn], marked[drawn], palette, dark)
    label_rows(ax, names, dark)
    ax.set(ylim=(len(names) - 0.45, -0.55), xlim=_bounds(stops[drawn]))
    _add_legend(ax, palette, dark)
    add_caption(ax, ["from the base value to the prediction", *notes])


def _bounds(stops: NDArray[np.float64]) -> tuple[float, float]:
    margin = 0.03 * (float(np.ptp(stops)) or 1.0)
    return float(stops.min()) - margin, float(stops.max()) + margin


def _add_paths(
    ax: Any,
    paths: NDArray[np.float64],
    rises: NDArray[np.float64],
    marked: NDArray[np.bool_],
    palette: PaletteName,
    dark: bool,
) -> None:
    lines = import_optional("matplotlib.collections", "plot").LineCollection
    colour_scale = find_palette(palette)
    below, above = (rgb_to_hex(colour_scale.colour(sign, 1.0, dark)) for sign in (-1.0, 1.0))
    colours = np.array([rgb_to_hex(theme_colours(dark).faint), above, below])[rises.astype(int)]
    alpha = float(np.clip(20 / np.sqrt(len(paths)) / 8, 0.15, 1.0))
    width = 2.0 if len(paths) <= _MAX_THICK_PATHS else 0.9
    for chosen, style in ((~marked, {"linewidths": width, "alpha": alpha}), (marked, {"linewidths": 2.4, "zorder": 3})):
        if chosen.any():
            pixels = np.count_nonzero(chosen) > _MAX_VECTOR_PATHS
            ax.add_collection(lines(paths[chosen], colors=colours[chosen], rasterized=pixels, **style), autolim=False)


def _add_legend(ax: Any, palette: PaletteName, dark: bool) -> None:
    line = import_optional("matplotlib.lines", "plot").Line2D
    colour_scale = find_palette(palette)
    marks = [
        line([], [], color=rgb_to_hex(colour_scale.colour(sign, 1.0, dark)), label=label)
        for sign, label in ((1.0, "prediction above the base value"), (-1.0, "below"))
    ]
    style = {"frameon": False, "fontsize": 8, "handlelength": 1.2, "labelcolor": rgb_to_hex(theme_colours(dark).ink)}
    ax.legend(handles=marks, loc="lower right", bbox_to_anchor=(1, 1), borderaxespad=0.1, ncols=2, **style)
