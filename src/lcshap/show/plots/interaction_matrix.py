"""The interactions of pairs of units as a matrix."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...core.explanation import Explanation
from ...errors import ShowError
from ..check import check_option_count
from ..palette import colour_limit, ink_on, rgb_to_hex
from .base import PaletteName, colour_map, magnitude_map, theme_colours
from .by_target import panels
from .empty_axes import draws_empty_sets
from .score_table import ScoreTable, score_tables
from .wording import LITERAL, drawable_lines, figure_number

_MAX_NUMBERED_UNITS = 12  # matrices of more units have no numbers in their cells
_CELL_INCHES = 0.42


@draws_empty_sets
def interaction_matrix(
    explanations: Explanation | Sequence[Explanation],
    ax: Any = None,
    *,
    top: int = 15,
    output: int | None = None,
    target: Any = None,
    palette: PaletteName = "default",
    dark: bool = False,
) -> Any:
    """Draw the interactions of all pairs of units: of one input, or their mean absolute values over many inputs.

    The interaction of one input has a sign, and the colours of scores. Means of absolute values over many inputs have
    another colour, which is the stronger the larger they are. Each pair has one cell, below the diagonal. A pair whose
    interaction was not computed, or is 0 for all inputs, has an empty cell.

    Parameters
    ----------
    explanations : explanations with interactions, of one or many inputs with the same units.
    ax : matplotlib axes to draw on; by default those of a new figure.
    top : the number of units: those with the largest sum of |interaction|, in the order of the input.
    output, target : the number of the output to draw, or the name of its target; by default each has a panel.
    palette : the name of a palette, or a `Palette`.
    dark : whether the figure is for a dark background.

    Returns
    -------
    Axes : the matplotlib axes. They have `show` and `savefig`, and notebooks display them.

    Raises
    ------
    ShowError : if there are no interactions, or fewer than two units.

    Examples
    --------
    >>> import lcshap as lc
    >>> v = lc.Game(lambda kept: 1.0 * (kept[:, 0] & kept[:, 1]), 3)
    >>> e = lc.LShapley(interactions=True).explain(v, lc.Graph.chain(3, names=["a", "b", "c"]))
    >>> ax = lc.plots.interaction_matrix(e)
    >>> [text.get_text() for text in ax.texts]
    ['+1.00']
    """
    check_option_count("top", top, 2)
    tables = score_tables(explanations, output, target, interactions=True)
    for table in tables.values():
        _check_pairs(table)

    def draw(table: ScoreTable, ax: Any) -> None:
        _draw_matrix(table, ax, top, palette, dark)

    return panels(tables, ax, draw, lambda table: _figure_size(min(top, len(table.names))), dark)


def _check_pairs(table: ScoreTable) -> None:
    if table.interactions is None:
        raise ShowError(
            "Expected explanations with interactions, got none. Compute them with a method such as "
            "GraphKernelSHAP(..., interactions=True)."
        )
    if len(table.names) < 2:
        raise ShowError("Expected at least two units, which have an interaction, got one.")


def _figure_size(count: int) -> tuple[float, float]:
    return 2.6 + _CELL_INCHES * count, 1.9 + _CELL_INCHES * count


def pair_strengths(table: ScoreTable) -> NDArray[np.float64]:
    """The matrix that is drawn, `(d, d)`: the interactions of one input, or their mean absolute values."""
    assert table.interactions is not None
    matrix = table.interactions[0] if len(table) == 1 else np.nanmean(np.abs(table.interactions), axis=0)
    matrix = np.array(matrix, np.float64)
    np.fill_diagonal(matrix, 0.0)
    return matrix


def _draw_matrix(table: ScoreTable, ax: Any, top: int, palette: PaletteName, dark: bool) -> None:
    matrix, single = pair_strengths(table), len(table) == 1
    units = np.sort(np.argsort(-np.abs(matrix).sum(axis=1), kind="stable")[:top])
    cells = matrix[np.ix_(units, units)][1:, :-1]
    empty = (np.tri(*cells.shape) == 0) | (cells == 0)
    limit = colour_limit([matrix])
    colours = colour_map(palette, dark) if single else magnitude_map(palette, dark)
    low = -limit if single else 0.0
    masked = np.ma.array(cells, mask=empty)  # type: ignore[no-untyped-call]
    image = ax.imshow(
        masked, colours.with_extremes(bad=rgb_to_hex(theme_colours(dark).background)), vmin=low, vmax=limit
    )
    names = [table.labels[unit] for unit in units]
    _label_sides(ax, names, dark)
    if len(units) <= _MAX_NUMBERED_UNITS:
        _write_numbers(ax, masked, image, single)
    note = [*table.facts] if not single else [*filter(None, [table.subject])]
    if len(units) < len(table.names):
        note.append(f"the strongest {len(units)} of {len(table.names)} units")
    quantity = "interaction" if single else "mean |interaction|"
    _draw_scale(ax, image, table, (low, limit), quantity, " · ".join(note), dark)


def _label_sides(ax: Any, names: Sequence[str], dark: bool) -> None:
    labels, fonts = drawable_lines(*names)
    style = {"fontsize": 8, "fontfamily": fonts, **LITERAL}
    ax.set_yticks(range(len(names) - 1), labels[1:], **style)
    ax.set_xticks(range(len(names) - 1), labels[:-1], rotation=45, ha="right", rotation_mode="anchor", **style)
    ax.tick_params(length=0)
    for spine in ax.spines.values():
        spine.set_visible(False)


def _write_numbers(ax: Any, cells: Any, image: Any, signed: bool) -> None:
    """Write each interaction into its cell, with three digits of the largest one."""
    limit = image.get_clim()[1]
    decimals = int(np.clip(2 - np.floor(np.log10(limit)), 0, 6))
    for (row, column), value in np.ndenumerate(cells.filled(0.0)):
        if not cells.mask[row, column]:
            r, g, b = (round(255 * channel) for channel in image.to_rgba(value)[:3])
            rounded = round(float(value), decimals) + 0.0  # adding zero turns -0.0 into 0.0
            number = f"{rounded:{'+' if signed and rounded else ''}.{decimals}f}".replace("-", "−")
            style = {"color": rgb_to_hex(ink_on((r, g, b))), "fontsize": 7, "ha": "center", "va": "center"}
            ax.text(column, row, number, **style)


def _draw_scale(
    ax: Any, image: Any, table: ScoreTable, ends: tuple[float, float], quantity: str, note: str, dark: bool
) -> None:
    """A colour bar in the empty half of the matrix, and a caption below its names."""
    ink = rgb_to_hex(theme_colours(dark).ink)
    place = ax.inset_axes([0.62, 0.93, 0.38, 0.03])
    bar = ax.figure.colorbar(image, cax=place, orientation="horizontal")
    bar.set_ticks(list(ends), labels=[figure_number(end) for end in ends])
    bar.ax.tick_params(colors=ink, labelsize=8, length=2)
    bar.outline.set_edgecolor(rgb_to_hex(theme_colours(dark).faint))
    bar.ax.set_title(quantity, fontsize=8, color=ink)
    (caption,), fonts = drawable_lines(note)
    ax.set_xlabel(caption, fontsize=8, color=ink, fontfamily=fonts, **LITERAL)
