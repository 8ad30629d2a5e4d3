"""The value of a unit against its score, coloured by the value of another unit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...core.explanation import Explanation
from ..check import check_option_count
from ..palette import rgb_to_hex
from .base import PaletteName, theme_colours, value_map
from .by_target import panels
from .empty_axes import draws_empty_sets
from .interaction_partner import find_partner
from .score_rows import add_note_below
from .score_table import ScoreTable, score_tables
from .value_axis import draw_histogram, label_values, place_values
from .value_colours import draw_coloured
from .wording import LITERAL, drawable_lines

_MAX_VECTOR_POINTS = 10_000  # more points than this are stored as pixels in SVG and PDF files


@draws_empty_sets
def scatter(
    explanations: Explanation | Sequence[Explanation],
    unit: int | str | None = None,
    ax: Any = None,
    *,
    colour_by: int | str | bool | None = None,
    max_inputs: int = 20_000,
    output: int | None = None,
    target: Any = None,
    palette: PaletteName = "default",
    dark: bool = False,
) -> Any:
    """Draw the value of a unit against its score, one point for each input (a dependence plot).

    Points are coloured by the value of the unit that interacts most with the first one. With interactions in the
    explanations, it is the one with the largest mean |interaction|. Without, it is the one whose value changes the
    score most among inputs with similar values of the first unit: the inputs are sorted by that value and cut into
    groups of about the same size, and the slopes of the score in the ranks of the other unit, times the standard
    deviation of the ranks, are averaged over groups as absolute values. The caption says which rule was used.

    Categories have columns of points, and missing values have a column of their own at the right. The grey bars at the
    bottom are a histogram of numbers.

    Parameters
    ----------
    explanations : explanations of many rows of a table.
    unit : the unit, by its name or number. By default the one with the largest mean |score|.
    ax : matplotlib axes to draw on; by default those of a new figure.
    colour_by : another unit that colours the points, or False for one colour.
    max_inputs : if there are more inputs, a random sample of this size is drawn, and the caption says so.
    output, target : the number of the output to draw, or the name of its target; by default each has a panel.
    palette : the name of a palette, or a `Palette`.
    dark : whether the figure is for a dark background.

    Returns
    -------
    Axes : the matplotlib axes. They have `show` and `savefig`, and notebooks display them.

    Raises
    ------
    ShowError : if the inputs are not rows of a table with the same columns, or there is no such unit.

    Examples
    --------
    >>> import numpy as np, lcshap as lc
    >>> x = np.random.default_rng(0).normal(size=(40, 3))
    >>> explainer = lc.Explainer(lambda rows: rows[:, 0] * rows[:, 1], lc.maskers.Tabular(x[:5]), kind="output")
    >>> ax = lc.plots.scatter(explainer(x), 0)
    >>> ax.get_ylabel(), ax.get_xlabel()
    ('score of 0', '0')
    """
    check_option_count("max_inputs", max_inputs)
    tables = score_tables(explanations, output, target, interactions=colour_by is None or colour_by is True)

    def draw(table: ScoreTable, ax: Any) -> None:
        _draw_scatter(table, unit, ax, colour_by, max_inputs, palette, dark)

    return panels(tables, ax, draw, lambda table: (6.0, 4.0), dark)


def _draw_scatter(
    table: ScoreTable,
    unit: int | str | None,
    ax: Any,
    colour_by: int | str | bool | None,
    max_inputs: int,
    palette: PaletteName,
    dark: bool,
) -> None:
    chosen = int(table.strongest(1)[0]) if unit is None else table.find_unit(unit)
    partner, rule = _choose_partner(table, chosen, colour_by)
    notes = [*table.facts]
    if len(table) > max_inputs:
        notes.append(f"a sample of {max_inputs:,} is drawn")
        table = table.sample(max_inputs)
    column = table.column(chosen)
    x = place_values(column)
    colours = theme_colours(dark)
    ax.axhline(0, color=rgb_to_hex(colours.faint), linewidth=0.8, zorder=0)
    style = {"s": 16, "linewidths": 0, "rasterized": len(table) > _MAX_VECTOR_POINTS}
    if partner is None:
        style["color"] = value_map(palette, dark)(0.5)
        ax.scatter(x, table.scores[:, chosen], **style)
    else:
        other = table.column(partner)
        draw_coloured(ax, x, table.scores[:, chosen], other, table.labels[partner], value_map(palette, dark), style)
        notes += [f"colour: {table.labels[partner]}{rule}"]
        notes += ["grey: missing"] if np.isnan(other.numbers).any() else []
    label_values(ax, column, rgb_to_hex(colours.faint))
    draw_histogram(ax, column, rgb_to_hex(colours.faint))
    (name,), fonts = drawable_lines(table.labels[chosen])
    ax.set_ylabel(f"score of {name}", fontfamily=fonts, color=rgb_to_hex(colours.ink), **LITERAL)
    ax.set_xlabel(name, fontfamily=fonts, **LITERAL)
    add_note_below(ax, notes)


def _choose_partner(table: ScoreTable, unit: int, colour_by: int | str | bool | None) -> tuple[int | None, str]:
    """The unit that colours the points, and by which rule it was chosen."""
    table.column(unit)  # refuses inputs without values before anything is computed
    if colour_by is False or (colour_by is None and len(table.names) == 1):
        return None, ""
    if colour_by is None or colour_by is True:
        return find_partner(table, unit)
    return table.find_unit(colour_by), ""
