"""The units that matter most as bars."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...core.explanation import Explanation
from ...core.rounding import round_to_zero
from ...errors import ShowError
from .. import flips, words
from ..check import check_option_count
from ..palette import rgb_to_hex
from .base import PaletteName, shown_outputs, theme_colours
from .by_target import output_panels
from .cohort_bars import draw_cohorts
from .empty_axes import draws_empty_sets
from .score_rows import ROW_INCHES, WIDTH_INCHES, add_caption, bar_colours, label_ends, label_rows, select_unit_rows
from .summary_plots import summary_bars
from .wording import error_text, figure_number, residual_and_cost, subject_and_values


@draws_empty_sets
def bars(
    e: Explanation | Sequence[Explanation],
    ax: Any = None,
    *,
    top: int = 10,
    by: Any = None,
    output: int | None = None,
    target: Any = None,
    palette: PaletteName = "default",
    dark: bool = False,
) -> Any:
    """Draw the units with the largest absolute scores as bars; the last bar is the sum of all other units.

    Scores of sampling methods have their 95 % interval as an error bar, if there are enough samples to estimate it.
    Many explanations are drawn as by `summary_bars`, or, with `by`, as the mean absolute score of each unit in each
    cohort, side by side. `bar` is another name of this function.

    Parameters
    ----------
    e : an explanation, or explanations of many inputs.
    ax : matplotlib axes to draw on; by default those of a new figure.
    top : the number of units that get a bar of their own.
    by : the cohort of each of many inputs, such as ``frame["sex"]``: up to six different labels. Or a number of
        cohorts, which are the leaves of a decision tree, as in `Explanations.importance`.
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
    >>> import numpy as np, lcshap as lc
    >>> e = lc.explain(lambda texts: [1.0 * ("good" in text) for text in texts], "a good film", kind="output")
    >>> ax = lc.plots.bars(e, top=2)
    >>> len(ax.patches)  # two units, and the sum of the others
    3
    >>> explainer = lc.Explainer(lambda rows: rows @ [1.0, 5.0], lc.maskers.Tabular(np.zeros((1, 2))), kind="output")
    >>> ax = lc.plots.bars(explainer(np.eye(2)), by=["old", "young"])
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['old (1 input)', 'young (1 input)']
    """
    if not isinstance(e, Explanation):
        if by is None:
            return summary_bars(e, ax, top=top, output=output, target=target, palette=palette, dark=dark)
        return draw_cohorts(e, by, ax, check_option_count("top", top), output, target, palette, dark)
    if by is not None:
        raise ShowError("Expected explanations of many inputs for by=, got one explanation.")
    outputs = shown_outputs(e, output, target)
    height = 0.9 + ROW_INCHES * len(select_unit_rows(outputs[0], top)[2])

    def draw(e: Explanation, ax: Any) -> None:
        _draw_bars(e, ax, top, palette, dark)

    return output_panels(outputs, ax, draw, (WIDTH_INCHES, height), dark)


def _draw_bars(e: Explanation, ax: Any, top: int, palette: PaletteName, dark: bool) -> None:
    order, others, names = select_unit_rows(e, top)
    lengths = np.append(e.scores[order], e.scores[others].sum() if len(others) else [])
    lengths = round_to_zero(lengths, e.scores, e.base_value, e.full_value)
    ax.barh(range(len(names)), lengths, height=0.7, color=bar_colours(lengths, e.insignificant[order], palette, dark))
    low, high = (bound[order] for bound in e.interval())
    with_interval = np.flatnonzero(np.isfinite(low)) if e.stderr is not None else np.array([], np.intp)
    ends = lengths.copy()
    if len(with_interval):
        half_widths = (high - low)[with_interval] / 2
        ink = rgb_to_hex(theme_colours(dark).ink)
        ax.errorbar(
            lengths[with_interval], with_interval, xerr=half_widths, fmt="none", ecolor=ink, elinewidth=1, capsize=2.5
        )
        ends[with_interval] += np.where(lengths[with_interval] < 0, -half_widths, half_widths)
    ax.axvline(0, color=rgb_to_hex(theme_colours(dark).faint), linewidth=0.8)
    label_rows(ax, names, dark)
    errors = [*(error_text(e, int(unit)) for unit in order), *[""] * (len(lengths) - len(order))]
    labels = [figure_number(x, e) + error for x, error in zip(lengths, errors, strict=True)]
    label_ends(ax, ends, labels, lengths, dark)
    note = ["95 % intervals", *filter(None, [words.faint_note(e)])] if len(with_interval) else []
    add_caption(ax, subject_and_values(e), residual_and_cost(e), note, [flips.path_caption(e)])


bar = bars
