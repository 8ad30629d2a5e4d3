"""Many explanations at once: which words or features matter over a whole set of inputs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...core.explanation import Explanation
from ...extras import import_optional
from ..check import check_option_count
from ..palette import find_palette, rgb_to_hex
from .base import PaletteName, theme_colours
from .by_target import panels
from .empty_axes import draws_empty_sets, is_empty_set
from .score_rows import add_caption, label_ends, label_rows
from .unit_points import Key, UnitPoints, point_groups
from .wording import figure_number

_SUMMARY_COLUMNS = ("name", "count", "mean", "mean_abs", "std", "where", "per_input")


def summary(
    explanations: Explanation | Sequence[Explanation],
    top: int | None = 20,
    *,
    key: Key | None = None,
    output: int | None = None,
    target: Any = None,
) -> Any:
    """A table of the units that matter most over many inputs: a pandas DataFrame, the most important first.

    Units are the same if their names are: features of tables by their names, words of texts without case and the
    punctuation around them.

    Parameters
    ----------
    explanations : explanations of many inputs.
    top : how many units; None for all.
    key : another way to make one of several names: a function from a name to what it counts as.
    output, target : the number of an output, or the name of a target. By default, all of them.

    Returns
    -------
    A row for each unit: `name`; `count`, how often it occurs; `mean`, `mean_abs` and `std` of its scores and their
    absolute values where it occurs; `where`, its mean place in the input from 0, the first unit, to 1, the last; and
    `per_input`, the sum of its absolute scores over the number of inputs, by which rows are sorted. Scores of different
    classes are never mixed: where inputs are explained for several, each has rows of its own, and the first column,
    `target`, says of what. To explain one class for all inputs, give the explainer a `target`.

    Raises
    ------
    ShowError : if there are no explanations, or an option is not valid.

    Examples
    --------
    >>> import lcshap as lc
    >>> explainer = lc.Explainer(lambda texts: [1.0 * ("good" in t) for t in texts], lc.maskers.Text(), kind="output")
    >>> lc.plots.summary(explainer(["a good film", "a bad film"]))["name"].tolist()
    ['good', 'a', 'bad', 'film']
    """
    if top is not None:
        check_option_count("top", top)
    pandas = import_optional("pandas", "pandas")
    if is_empty_set(explanations):
        return pandas.DataFrame(columns=_SUMMARY_COLUMNS)
    groups = point_groups(explanations, key, output, target)
    tables = []
    for points in groups.values():
        table = pandas.DataFrame({"name": points.names, **points.totals()})
        tables.append(table.iloc[points.strongest(top)].reset_index(drop=True))
    if len(tables) == 1:
        return tables[0]
    for table, name in zip(tables, groups, strict=True):
        table.insert(0, "target", name)
    return pandas.concat(tables, ignore_index=True)


@draws_empty_sets
def summary_bars(
    explanations: Explanation | Sequence[Explanation],
    ax: Any = None,
    *,
    top: int = 20,
    key: Key | None = None,
    output: int | None = None,
    target: Any = None,
    palette: PaletteName = "default",
    dark: bool = False,
) -> Any:
    """Draw the units that matter most over many inputs as bars. Their length is `per_input` of `summary`.

    A bar has two parts: the positive scores of the unit, and its negative scores, each summed over the inputs and
    divided by their number. The number of occurrences follows the name of a unit that does not occur once in every
    input. If inputs are explained for several classes, each class has a panel of its own.

    Parameters
    ----------
    explanations : explanations of many inputs.
    ax : matplotlib axes to draw on; by default those of a new figure.
    top, key : as in `summary`.
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
    >>> ax = lc.plots.summary_bars(explanations)
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['good (1)', 'a', 'bad (1)', 'film']
    """
    check_option_count("top", top)
    groups = point_groups(explanations, key, output, target)

    def draw(points: UnitPoints, ax: Any) -> None:
        _draw_stacked_bars(points, ax, top, palette, dark)

    return panels(groups, ax, draw, lambda points: (6.4, 1.1 + 0.28 * min(top, len(points.names))), dark)


def _draw_stacked_bars(points: UnitPoints, ax: Any, top: int, palette: PaletteName, dark: bool) -> None:
    units = points.strongest(top)
    rows = np.arange(len(units))
    start = np.zeros(len(units))
    colour_scale = find_palette(palette)
    for sign, label in zip((1.0, -1.0), points.sign_labels[::-1], strict=True):
        sums = np.bincount(points.unit, np.maximum(sign * points.scores, 0), len(points.names))[units]
        lengths = sums / points.n_inputs
        colour = rgb_to_hex(colour_scale.colour(sign, 1.0, dark))
        ax.barh(
            rows, lengths, left=start, height=0.7, color=colour, label=f"{label} (scores {'>' if sign > 0 else '<'} 0)"
        )
        start = start + lengths
    label_rows(ax, points.labels(units), dark)
    label_ends(ax, start, [figure_number(length) for length in start], np.ones(len(units)), dark)
    ax.set_xlim(left=0)
    style = {"frameon": False, "fontsize": 8, "handlelength": 1.0, "labelcolor": rgb_to_hex(theme_colours(dark).ink)}
    ax.legend(loc="lower right", bbox_to_anchor=(1, 1), borderaxespad=0.1, ncols=2, **style)
    *subject, count = points.facts
    note = points.selection_note(len(units))
    add_caption(ax, [*subject, "|score|, summed over an input", f"mean of {count}", *note])
