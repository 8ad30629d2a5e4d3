"""A text with its units highlighted: words that flow, at any size of the figure, with arcs for interactions."""

from __future__ import annotations

from textwrap import wrap as fill
from typing import Any

from ...core.explanation import Explanation
from ...core.views import TextView
from ...errors import ShowError
from .. import flips, words
from ..faded_scores import faded_scores
from ..interaction_pairs import interaction_caption, pairs_of
from ..palette import find_palette
from .base import PaletteName, prepare_axes, score_colours, shown_outputs, view_of
from .compare_plot import compare
from .empty_axes import draws_one
from .text_layout import WIDTH_INCHES, TextPage, TextRow, split_into_pieces
from .wording import check_limit, figure_number, residual_and_cost, subject_and_values

_MAX_ARCS = 10
_MAX_FACT_LENGTH = 64  # letters of a fact below the text at the most: longer ones would make all letters small


@draws_one
def text(
    e: Explanation,
    ax: Any = None,
    *,
    interactions: bool | int = True,
    limit: float | None = None,
    output: int | None = None,
    target: Any = None,
    palette: PaletteName = "default",
    dark: bool = False,
) -> Any:
    """Draw a text with a colour behind each unit that shows its score.

    The words are laid out when the figure is drawn. They wrap to the width of the axes, and are drawn smaller if they
    would not fit. A new figure is as high as the text needs.

    Parameters
    ----------
    e : an explanation of a text.
    ax : matplotlib axes to draw on; by default those of a new figure.
    interactions : whether to draw the largest pair interactions as arcs, if the explanation has any; or how many of
        them, by default up to ten. Interactions whose 95 % interval contains 0 are left out.
    limit : the score that gets the full colour; by default the largest absolute score.
    output, target : the number of the output to draw, or the name of its target, if the explanation has several; by
        default each has a row, on one scale, without interactions.
    palette : the name of a palette, or a `Palette`.
    dark : whether the figure is for a dark background.

    Returns
    -------
    Axes : the matplotlib axes. They have `show` and `savefig`, and notebooks display them.

    Raises
    ------
    ShowError : if the explanation is not of a text, or an option is not valid.

    Examples
    --------
    >>> import lcshap as lc
    >>> e = lc.explain(lambda texts: [1.0 * ("good" in text) for text in texts], "a good film", kind="output")
    >>> lc.plots.text(e).axison
    False
    """
    outputs, view = shown_outputs(e, output, target), view_of(e, TextView)
    if len(outputs) > 1:
        return compare(outputs, words.output_names(e), ax, shared=True, palette=palette, dark=dark)
    e = outputs[0]
    limit = check_limit(limit, [e.scores])
    fit, ax = ax is None, prepare_axes(ax, (WIDTH_INCHES, 1), dark)
    facts = [*subject_and_values(e), *residual_and_cost(e), *filter(None, [words.faint_note(e)])]
    page = TextPage(ax, [_make_row(e, view, limit, interactions, palette, dark)], dark)
    arcs = page.rows[0].arcs
    if interactions:
        largest = figure_number(max(abs(v) for _, _, v in arcs)) if arcs else ""
        facts += interaction_caption(e, "arcs", largest, left_out=True).splitlines()
    page.finish(
        [*facts, *fill(flips.path_caption(e), _MAX_FACT_LENGTH)],
        figure_number(limit),
        palette,
        fit,
        words.sign_labels(e),
    )
    return ax


# -- what is written ------------------------------------------------------------------------------------------------


def _make_row(
    e: Explanation, view: TextView, limit: float, interactions: bool | int, palette: PaletteName, dark: bool
) -> TextRow:
    pieces = split_into_pieces(view)
    drawn = {piece.unit for piece in pieces}
    arcs = [arc for arc in _largest_arcs(e, interactions) if drawn.issuperset(arc[:2])]
    colour_scale = find_palette(palette)
    strong = [colour_scale.colour(value, abs(value), dark) for _, _, value in arcs]
    return TextRow(pieces, score_colours(faded_scores(e), limit, palette, dark), arcs, strong)


def _largest_arcs(e: Explanation, interactions: bool | int) -> list[tuple[int, int, float]]:
    """The pairs of units that interact most, each from left to right; the largest last, which is drawn on top."""
    if not isinstance(interactions, int) or interactions < 0:
        raise ShowError(f"Expected interactions as True, False or the number of pairs to draw, got {interactions!r}.")
    pairs = pairs_of(e)
    if pairs is None:
        return []
    order = pairs.by_magnitude[: _MAX_ARCS if interactions is True else int(interactions)]
    return [(*pairs.units[k].tolist(), float(pairs.values[k])) for k in order[::-1]]
