"""Several outputs at once: a row for each output, a column for each unit."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.explanation import Explanation
from .. import words
from ..heat import UNITS, heat_of
from ..palette import hexadecimal
from .base import PaletteName, axes, colour_map, theme
from .wording import LITERAL, check_limit, drawable, number

_CELL, _ROW = 0.26, 0.24  # inches
_LETTER = 0.075  # about the width of a letter
_NAME = 24  # letters of a name


def heatmap(
    e: Explanation,
    ax: Any = None,
    *,
    top: int = UNITS,
    limit: float | None = None,
    palette: PaletteName = "default",
    dark: bool = False,
) -> Any:
    """Draw the score of each unit for each output, on one scale: for classes, or for the tokens of an answer.

    Parameters
    ----------
    e : an explanation of several outputs.
    ax : matplotlib axes to draw on; by default those of a new figure.
    top : the number of units that have a column: those with the largest absolute score for any output, in the order
        of the input.
    limit : the score that gets the full colour; by default the largest absolute score.
    palette : the name of a palette, or a `Palette`.
    dark : whether the figure is for a dark background.

    Returns
    -------
    Axes : the matplotlib axes. They have `show` and `savefig`, and notebooks display them.

    Raises
    ------
    ShowError : if the explanation has only one output.

    Examples
    --------
    >>> import numpy as np, lcshap as lc
    >>> model = lambda texts: np.array([[1.0 * ("good" in t), 1.0 * ("bad" in t)] for t in texts])
    >>> e = lc.explain(model, "good or bad", kind="output", target="all")
    >>> [label.get_text() for label in lc.plots.heatmap(e).get_xticklabels()]
    ['good', 'or', 'bad']
    """
    heat = heat_of(e, top, _NAME)
    limit = check_limit(limit, [np.array(heat.limit)])
    rows = [words.shorten(name, _NAME) for name in heat.outputs]
    beside, above = (_LETTER * max(map(len, names)) for names in (rows, heat.names))
    size = (max(3.4, 0.4 + beside + _CELL * len(heat.names)), 0.9 + above + _ROW * len(rows))
    ax = axes(ax, size, dark)
    drawn = ax.imshow(heat.scores, colour_map(palette, dark), vmin=-limit, vmax=limit, aspect="auto")
    ink, faint = hexadecimal(theme(dark).ink), hexadecimal(theme(dark).faint)
    labels, fonts = drawable(*rows, *heat.names)
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
    against, favour = words.sides(e)
    bar.ax.set_xticks([-limit, 0, limit], [f"{against} {number(-limit)}", "0", f"{favour} +{number(limit)}"])
    for label, side in zip(bar.ax.get_xticklabels(), ("left", "center", "right"), strict=True):
        label.set_horizontalalignment(side)
    bar.ax.tick_params(colors=ink, labelsize=8, length=2)
    bar.outline.set_edgecolor(faint)
    said, _ = drawable(" · ".join(filter(None, [words.cost(e), heat.note])))
    bar.ax.set_xlabel(said[0], color=ink, fontsize=8, **LITERAL)
    return ax
