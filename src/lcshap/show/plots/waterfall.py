"""How the units that matter most lead from the base value to the full value."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.explanation import Explanation
from .. import flips, words
from ..palette import rgb_to_hex
from .base import PaletteName, shown_outputs, theme_colours
from .by_target import output_panels
from .empty_axes import draws_one
from .score_rows import ROW_INCHES, WIDTH_INCHES, add_caption, bar_colours, label_ends, label_rows, select_unit_rows
from .wording import figure_number, subject_and_values


@draws_one
def waterfall(
    e: Explanation,
    ax: Any = None,
    *,
    top: int = 10,
    output: int | None = None,
    target: Any = None,
    palette: PaletteName = "default",
    dark: bool = False,
) -> Any:
    """Draw the way from the base value to the full value, in steps: the largest scores, all others, and the residual.

    Parameters
    ----------
    e : an explanation.
    ax : matplotlib axes to draw on; by default those of a new figure.
    top : the number of units that get a step of their own.
    output, target : the number of the output to draw, or the name of its target, if the explanation has several; by
        default each has a panel, or only the predicted class where all classes of a table are explained by default.
    palette : the name of a palette, or a `Palette`.
    dark : whether the figure is for a dark background.

    Returns
    -------
    Axes : the matplotlib axes. They have `show` and `savefig`, and notebooks display them.

    Raises
    ------
    ShowError : if `top` is below 1, or there is no such output, or there are more than eight.

    Examples
    --------
    >>> import lcshap as lc
    >>> e = lc.explain(lambda texts: [1.0 * ("good" in text) for text in texts], "a good film", kind="output")
    >>> ax = lc.plots.waterfall(e, top=2)
    >>> ax.get_xlabel()
    'output 0 · 8 calls'
    """
    outputs = shown_outputs(e, output, target)
    height = 1.2 + ROW_INCHES * (len(select_unit_rows(outputs[0], top)[2]) + 1)

    def draw(e: Explanation, ax: Any) -> None:
        _draw_waterfall(e, ax, top, palette, dark)

    return output_panels(outputs, ax, draw, (WIDTH_INCHES, height), dark)


def _draw_waterfall(e: Explanation, ax: Any, top: int, palette: PaletteName, dark: bool) -> None:
    order, others, names = select_unit_rows(e, top)
    steps = np.append(e.scores[order], e.scores[others].sum() if len(others) else [])
    fills = [*bar_colours(steps, e.insignificant[order], palette, dark), rgb_to_hex(theme_colours(dark).faint)]
    steps = np.append(steps, e.residual)
    stops = e.base_value + np.cumsum(steps)
    starts = np.append(e.base_value, stops[:-1])
    ax.barh(range(len(steps)), steps, left=starts, height=0.7, color=fills)
    faint = rgb_to_hex(theme_colours(dark).faint)
    ax.vlines(stops[:-1], np.arange(len(steps) - 1) - 0.35, np.arange(1, len(steps)) + 0.35, faint, linewidth=0.8)
    label_rows(ax, [*names, "residual"], dark)
    label_ends(ax, stops, [_signed_number(x, e) for x in steps], steps, dark, float(e.base_value))
    _mark_ends(ax, e, len(steps), dark)
    add_caption(ax, [*subject_and_values(e)[:-1], words.cost_text(e)], [flips.path_caption(e)])


def _mark_ends(ax: Any, e: Explanation, n_steps: int, dark: bool) -> None:
    """Write the base value above the first step and the full value below the last one.

    Dotted lines lead from there to the steps. They are no longer than that, so that they cross no label.
    """
    ink = rgb_to_hex(theme_colours(dark).ink)
    above, below = -0.65, n_steps - 0.35
    ends = (
        (e.base_value, above, above + 1, 2, words.base_value_text(e, figure_number), "bottom"),
        (e.full_value, below, below - 1, -2, words.full_value_text(e, figure_number), "top"),
    )
    for x, row, end, shift, name, va in ends:
        ax.vlines(x, row, end, ink, linewidth=0.8, linestyle=":", zorder=0.5)
        place = {"xy": (x, row), "xytext": (0, shift), "textcoords": "offset points", "va": va}
        ax.annotate(name, **place, ha="center", color=ink, fontsize=9)
    ax.set_ylim(n_steps + 0.4, -1.4)


def _signed_number(x: float, e: Explanation) -> str:
    number = figure_number(x, e)
    return number if number in ("0", "nan") or number.startswith("−") else f"+{number}"
