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
from ..faint import drawn_scores
from ..palette import hexadecimal, ink_on, limit_of
from .bars import label_rows
from .base import PaletteName, axes, colour_map, colours, one_output, theme, view_of
from .image import image
from .page import WIDTH, Page, Row, cut
from .wording import LITERAL, about, closing, drawable, error_of, number

_MOST = 40  # rows of a heat map


def compare(
    explanations: Sequence[Explanation],
    names: Sequence[str] | None = None,
    ax: Any = None,
    *,
    shared: bool = False,
    output: int | None = None,
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
    output : the number of the output to draw, if the explanation has several.
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
    >>> found = explainer.compare("a good film", ["shapley", "feature-ablation"])
    >>> lc.plots.compare(found, names=["exact", "leave one out"]).axison
    False
    """
    found = check_explanations(explanations, output)
    names = words.method_names(found) if names is None else [str(name) for name in names]
    if len(names) != len(found):
        raise ShowError(f"Expected {len(found)} names, one for each explanation, got {len(names)}.")
    limits = [limit_of([e.scores for e in found] if shared else [own.scores]) for own in found]
    kinds = {type(e.view) for e in found}
    if kinds == {TextView}:
        return _texts(found, names, ax, limits, shared, palette, dark)
    if len({e.names for e in found}) > 1:
        raise ShowError("Expected explanations of one input, got explanations with different units.")
    if kinds == {ImageView}:
        return _images(found, names, ax, limits, palette, dark)
    return _table(found, names, ax, limits, palette, dark)


def check_explanations(explanations: Sequence[Explanation], output: int | None) -> list[Explanation]:
    """One output of each, if these are explanations."""
    found = [explanations] if isinstance(explanations, Explanation) else list(explanations)
    if not found or not all(isinstance(e, Explanation) for e in found):
        raise ShowError("Expected a list of at least one explanation, got none.")
    return [one_output(e, output) for e in found]


def _texts(
    found: list[Explanation],
    names: list[str],
    ax: Any,
    limits: list[float],
    shared: bool,
    palette: PaletteName,
    dark: bool,
) -> Any:
    views = [view_of(e, TextView) for e in found]
    if len({view.text for view in views}) > 1:
        raise ShowError("Expected explanations of one input, got explanations of different texts.")
    fit, ax = ax is None, axes(ax, (WIDTH, 1), dark)
    rows = [
        Row(
            cut(view),
            colours(drawn_scores(e), limit, palette, dark),
            label=(words.shorten(name), " · ".join([*closing(e), *([] if shared else [f"±{number(limit)}"])])),
        )
        for e, view, name, limit in zip(found, views, names, limits, strict=True)
    ]
    page = Page(ax, rows, dark)
    facts = about(found[0]) if len({tuple(about(e)) for e in found}) == 1 else []
    own = [] if shared else ["the largest score of each row has the full colour"]
    page.finish([*facts, *own], number(limits[0]) if shared else "", palette, fit, words.sides(found[0]))
    return ax


def _images(
    found: list[Explanation], names: list[str], ax: Any, limits: list[float], palette: PaletteName, dark: bool
) -> Any:
    ax = axes(ax, (2.7 * len(found), 3.6), dark)
    ax.set_axis_off()
    share = 1 / len(found)
    for k, (e, name, limit) in enumerate(zip(found, names, limits, strict=True)):
        part = ax.inset_axes([(k + 0.05) * share, 0.25, 0.9 * share, 0.6])
        own = image(e, part, limit=limit, palette=palette, dark=dark)
        (title,), fonts = drawable(words.shorten(name))
        note = f"{title}\n{words.cost(e)}"
        own.set_title(note, fontsize=9, color=hexadecimal(theme(dark).ink), fontfamily=fonts, **LITERAL)
    return ax


def _table(
    found: list[Explanation], names: list[str], ax: Any, limits: list[float], palette: PaletteName, dark: bool
) -> Any:
    scores: NDArray[np.float64] = np.stack([e.scores for e in found], axis=1)
    share = scores / limits
    strongest = np.argsort(-np.abs(share).max(axis=1), kind="stable")[:_MOST]
    rows = np.sort(strongest) if len(strongest) == len(scores) else strongest
    ax = axes(ax, (2.2 + 1.3 * len(found), 1.1 + 0.26 * len(rows)), dark)
    ax.imshow(share[rows], colour_map(palette, dark), vmin=-1, vmax=1, aspect="auto", interpolation="nearest")
    fills = [colours(column[rows], limit, palette, dark) for column, limit in zip(scores.T, limits, strict=True)]
    for (row, column), score in np.ndenumerate(scores[rows]):
        ink = hexadecimal(ink_on(fills[column][row]))
        said = number(score, found[column]) + error_of(found[column], int(rows[row]))
        ax.text(column, row, said, color=ink, ha="center", va="center", fontsize=8)
    left = words.unit_names(found[0], most=24)
    label_rows(ax, [left[i] for i in rows], dark)
    ax.set_ylim(len(rows) - 0.5, -0.5)
    heads, fonts = drawable(*(words.shorten(name, 20) for name in names))
    notes = ["\n".join([head, *closing(e)]) for head, e in zip(heads, found, strict=True)]
    ax.set_xticks(range(len(found)), notes, fontsize=8, fontfamily=fonts, **LITERAL)
    ax.tick_params(axis="x", length=0, labeltop=True, labelbottom=False)
    ax.spines["bottom"].set_visible(False)
    if len(rows) < len(scores):
        ax.set_xlabel(f"the strongest {len(rows)} of {len(scores):,} units", fontsize=8)
    return ax
