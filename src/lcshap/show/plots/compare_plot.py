"""Several methods on one input, one below the other or side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...core.explanation import Explanation
from ...core.views import ImageView, TextView
from ...errors import ShowError
from .. import words
from ..faded_scores import faded_scores
from ..palette import colour_limit, ink_on, rgb_to_hex
from .base import (
    PaletteName,
    check_explanations,
    colour_map,
    one_output,
    prepare_axes,
    score_colours,
    theme_colours,
    view_of,
)
from .empty_axes import draws_empty_sets
from .image_plot import image
from .score_rows import label_rows
from .text_layout import WIDTH_INCHES, TextPage, TextRow, split_into_pieces
from .wording import LITERAL, drawable_lines, error_text, figure_number, residual_and_cost, subject_and_values

_MAX_ROWS = 40  # rows of a heat map
_OWN_SCALES = "each column has its own scale: its largest |score| has the full colour"


@draws_empty_sets
def compare(
    explanations: Sequence[Explanation],
    names: Sequence[str] | None = None,
    ax: Any = None,
    *,
    shared: bool = False,
    output: int | None = None,
    target: Any = None,
    palette: PaletteName = "default",
    dark: bool = False,
) -> Any:
    """Draw explanations of one input by several methods, as in Table 2 of the paper.

    A text has one row for each method, and images are drawn side by side. All other inputs are drawn as a table with a
    row for each unit and a column for each method. If there are more than 40 units, the table has those with the
    strongest colours.

    Parameters
    ----------
    explanations : explanations of the same input.
    names : the names of the methods; by default those recorded in the explanations, with the parameters in which they
        differ.
    ax : matplotlib axes to draw on; by default those of a new figure.
    shared : whether all methods share one scale of colours. By default, the largest score of each method has the full
        colour.
    output, target : the number of the output to draw, or the name of its target, if the explanations have several.
    palette : the name of a palette, or a `Palette`.
    dark : whether the figure is for a dark background.

    Returns
    -------
    Axes : the matplotlib axes. They have `show` and `savefig`, and notebooks display them.

    Raises
    ------
    ShowError : if there are no explanations, if they are not of the same input, or if the number of names differs
        from theirs.

    Examples
    --------
    >>> import lcshap as lc
    >>> explainer = lc.Explainer(lambda texts: [1.0 * ("good" in t) for t in texts], lc.maskers.Text(), kind="output")
    >>> explanations = explainer.compare("a good film", ["shapley", "feature-ablation"])
    >>> lc.plots.compare(explanations, names=["exact", "leave one out"]).axison
    False
    """
    explanations = [one_output(e, output, target) for e in check_explanations(explanations)]
    names = words.method_names(explanations) if names is None else [str(name) for name in names]
    if len(names) != len(explanations):
        raise ShowError(f"Expected {len(explanations)} names, one for each explanation, got {len(names)}.")
    limits = [colour_limit([other.scores for other in explanations] if shared else [e.scores]) for e in explanations]
    kinds = {type(e.view) for e in explanations}
    if kinds == {TextView}:
        return _draw_texts(explanations, names, ax, limits, shared, palette, dark)
    if len({e.names for e in explanations}) > 1:
        raise ShowError("Expected explanations of one input, got explanations with different units.")
    if kinds == {ImageView}:
        return _draw_images(explanations, names, ax, limits, palette, dark)
    ax = _draw_table(explanations, names, ax, limits, palette, dark)
    if len(explanations) > 1:
        note = f"one scale: the full colour is ±{figure_number(limits[0])}" if shared else _OWN_SCALES
        ax.set_xlabel("\n".join(filter(None, [ax.get_xlabel(), note])), fontsize=8)
    return ax


def _draw_texts(
    explanations: list[Explanation],
    names: list[str],
    ax: Any,
    limits: list[float],
    shared: bool,
    palette: PaletteName,
    dark: bool,
) -> Any:
    views = [view_of(e, TextView) for e in explanations]
    if len({view.text for view in views}) > 1:
        raise ShowError("Expected explanations of one input, got explanations of different texts.")
    fit, ax = ax is None, prepare_axes(ax, (WIDTH_INCHES, 1), dark)
    rows = [
        TextRow(
            split_into_pieces(view),
            score_colours(faded_scores(e), limit, palette, dark),
            label=(
                words.shorten(name),
                " · ".join([*residual_and_cost(e), *([] if shared else [f"full colour: ±{figure_number(limit)}"])]),
            ),
        )
        for e, view, name, limit in zip(explanations, views, names, limits, strict=True)
    ]
    page = TextPage(ax, rows, dark)
    facts = (
        subject_and_values(explanations[0]) if len({tuple(subject_and_values(e)) for e in explanations}) == 1 else []
    )
    scale_note = [] if shared else ["each row has its own scale"]
    page.finish(
        [*facts, *scale_note],
        figure_number(limits[0]) if shared else "",
        palette,
        fit,
        words.sign_labels(explanations[0]),
    )
    return ax


def _draw_images(
    explanations: list[Explanation], names: list[str], ax: Any, limits: list[float], palette: PaletteName, dark: bool
) -> Any:
    ax = prepare_axes(ax, (2.7 * len(explanations), 3.6), dark)
    ax.set_axis_off()
    share = 1 / len(explanations)
    for k, (e, name, limit) in enumerate(zip(explanations, names, limits, strict=True)):
        panel = ax.inset_axes([(k + 0.05) * share, 0.25, 0.9 * share, 0.6])
        drawn = image(e, panel, limit=limit, palette=palette, dark=dark)
        (title,), fonts = drawable_lines(words.shorten(name))
        note = f"{title}\n{words.cost_text(e)}"
        drawn.set_title(note, fontsize=9, color=rgb_to_hex(theme_colours(dark).ink), fontfamily=fonts, **LITERAL)
    return ax


def _draw_table(
    explanations: list[Explanation], names: list[str], ax: Any, limits: list[float], palette: PaletteName, dark: bool
) -> Any:
    scores: NDArray[np.float64] = np.stack([e.scores for e in explanations], axis=1)
    share = scores / limits
    strongest = np.argsort(-np.abs(share).max(axis=1), kind="stable")[:_MAX_ROWS]
    rows = np.sort(strongest) if len(strongest) == len(scores) else strongest
    ax = prepare_axes(ax, (2.2 + 1.3 * len(explanations), 1.1 + 0.26 * len(rows)), dark)
    ax.imshow(share[rows], colour_map(palette, dark), vmin=-1, vmax=1, aspect="auto", interpolation="nearest")
    fills = [score_colours(column[rows], limit, palette, dark) for column, limit in zip(scores.T, limits, strict=True)]
    for (row, column), score in np.ndenumerate(scores[rows]):
        ink = rgb_to_hex(ink_on(fills[column][row]))
        label = figure_number(score, explanations[column]) + error_text(explanations[column], int(rows[row]))
        ax.text(column, row, label, color=ink, ha="center", va="center", fontsize=8)
    unit_names = words.unit_names(explanations[0], max_length=24)
    label_rows(ax, [unit_names[i] for i in rows], dark)
    ax.set_ylim(len(rows) - 0.5, -0.5)
    heads, fonts = drawable_lines(*(words.shorten(name, 20) for name in names))
    notes = ["\n".join([head, *residual_and_cost(e)]) for head, e in zip(heads, explanations, strict=True)]
    ax.set_xticks(range(len(explanations)), notes, fontsize=8, fontfamily=fonts, **LITERAL)
    ax.tick_params(axis="x", length=0, labeltop=True, labelbottom=False)
    ax.spines["bottom"].set_visible(False)
    if len(rows) < len(scores):
        ax.set_xlabel(f"the strongest {len(rows)} of {len(scores):,} units", fontsize=8)
    return ax
