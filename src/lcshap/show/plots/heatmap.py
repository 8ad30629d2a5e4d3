"""Several outputs of one input at once: a row for each output, a column for each unit. Or many inputs at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...core.explanation import Explanation
from .. import words
from ..check import check_option_count
from ..heat_table import MAX_TABLE_UNITS, make_heat_table
from ..palette import rgb_to_hex
from .base import PaletteName, colour_map, prepare_axes, theme_colours
from .empty_axes import draws_empty_sets
from .instance_heatmap import draw_instances
from .wording import LITERAL, check_limit, drawable_lines, figure_number

_CELL_INCHES, _ROW_INCHES = 0.26, 0.24  # inches
_LETTER_INCHES = 0.075  # about the width of a letter
_MAX_UNIT_ROWS = 15  # units with a row of their own in the heat map of many inputs
_MAX_NAME_LENGTH = 24  # letters of a name


@draws_empty_sets
def heatmap(
    e: Explanation | Sequence[Explanation],
    ax: Any = None,
    *,
    top: int | None = None,
    limit: float | None = None,
    order: str | Sequence[int] = "clustering",
    output: int | None = None,
    target: Any = None,
    palette: PaletteName = "default",
    dark: bool = False,
) -> Any:
    """Draw scores as a heat map: of one input for several outputs, or of many inputs.

    For one explanation, it has a row for each output and a column for each unit, on one scale: for classes, or for the
    tokens of an answer. For many explanations, it has a row for each unit and a column for each input, and the
    predictions as a line above. Inputs with similar scores are side by side. Of more than 1,000 inputs, a random sample
    is drawn, and the caption says so.

    Parameters
    ----------
    e : an explanation of several outputs, or explanations of many inputs with the same units.
    ax : matplotlib axes to draw on; by default those of a new figure.
    top : for one explanation, the number of units that have a column (60): those with the largest absolute score for
        any output, in the order of the input. For many, the number of units that have a row (15): those with the
        largest mean absolute score; the last row is the sum of all others.
    limit : the score that gets the full colour; by default the largest absolute score. For many inputs, it is the 99th
        percentile of the absolute scores, and the colour bar states this.
    order : the order of many inputs: "clustering" (hierarchical, by Ward's method), "prediction", "none", or the
        numbers of the inputs to draw.
    output, target : for many explanations, the number of the output to draw, or the name of its target; by default each
        has a panel.
    palette : the name of a palette, or a `Palette`.
    dark : whether the figure is for a dark background.

    Returns
    -------
    Axes : the matplotlib axes. They have `show` and `savefig`, and notebooks display them.

    Raises
    ------
    ShowError : if a single explanation has only one output, or many explanations have different units.

    Examples
    --------
    >>> import numpy as np, lcshap as lc
    >>> model = lambda texts: np.array([[1.0 * ("good" in t), 1.0 * ("bad" in t)] for t in texts])
    >>> e = lc.explain(model, "good or bad", kind="output", target="all")
    >>> [label.get_text() for label in lc.plots.heatmap(e).get_xticklabels()]
    ['good', 'or', 'bad']
    >>> explainer = lc.Explainer(lambda rows: rows @ [1.0, 5.0], lc.maskers.Tabular(np.zeros((1, 2))), kind="output")
    >>> ax = lc.plots.heatmap(explainer(np.random.default_rng(0).normal(size=(30, 2))))
    >>> [label.get_text() for label in ax.get_yticklabels()], ax.images[0].get_array().shape
    (['1', '0'], (2, 30))
    """
    if not isinstance(e, Explanation):
        top = check_option_count("top", _MAX_UNIT_ROWS if top is None else top)
        return draw_instances(e, ax, top, limit, order, output, target, palette, dark)
    return _draw_outputs(e, ax, MAX_TABLE_UNITS if top is None else top, limit, palette, dark)


def _draw_outputs(e: Explanation, ax: Any, top: int, limit: float | None, palette: PaletteName, dark: bool) -> Any:
    heat = make_heat_table(e, top, _MAX_NAME_LENGTH)
    limit = check_limit(limit, [np.array(heat.limit)])
    rows = [words.shorten(name, _MAX_NAME_LENGTH) for name in heat.outputs]
    beside, above = (_LETTER_INCHES * max(map(len, names)) for names in (rows, heat.names))
    size = (max(3.4, 0.4 + beside + _CELL_INCHES * len(heat.names)), 0.9 + above + _ROW_INCHES * len(rows))
    ax = prepare_axes(ax, size, dark)
    drawn = ax.imshow(heat.scores, colour_map(palette, dark), vmin=-limit, vmax=limit, aspect="auto")
    ink, faint = rgb_to_hex(theme_colours(dark).ink), rgb_to_hex(theme_colours(dark).faint)
    labels, fonts = drawable_lines(*rows, *heat.names)
    style = {"fontsize": 8, "fontfamily": fonts, **LITERAL}
    ax.set_yticks(range(len(rows)), labels[: len(rows)], **style)
    ax.set_xticks(range(len(heat.names)), labels[len(rows) :], rotation=90, **style)
    ax.xaxis.tick_top()
    ax.tick_params(length=0)
    for spine in ax.spines.values():
        spine.set_visible(False)
    height = ax.get_window_extent().height * 72 / ax.figure.dpi
    place = ax.inset_axes([0, -15 / height, 1, 7 / height])  # as wide as the cells, so that both ends can be named
    bar = ax.figure.colorbar(drawn, cax=place, orientation="horizontal", ticks=[-limit, 0, limit])
    against, favour = words.sign_labels(e)
    bar.ax.set_xticks(
        [-limit, 0, limit], [f"{against} {figure_number(-limit)}", "0", f"{favour} +{figure_number(limit)}"]
    )
    for label, side in zip(bar.ax.get_xticklabels(), ("left", "center", "right"), strict=True):
        label.set_horizontalalignment(side)
    bar.ax.tick_params(colors=ink, labelsize=8, length=2)
    bar.outline.set_edgecolor(faint)
    captions, _ = drawable_lines(" · ".join(filter(None, [words.cost_text(e), heat.note])))
    bar.ax.set_xlabel(captions[0], color=ink, fontsize=8, **LITERAL)
    return ax
