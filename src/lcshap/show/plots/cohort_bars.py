"""The mean |score| of each unit in several groups of inputs, side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...core.explanation import Explanation
from ...errors import ShowError
from .. import words
from ..palette import rgb_to_hex
from .base import PaletteName, theme_colours, value_map
from .by_target import panels
from .score_rows import add_caption, label_rows
from .score_table import ScoreTable, score_tables

_MAX_COHORTS = 6  # groups that can be told apart by their colours


def draw_cohorts(
    explanations: Explanation | Sequence[Explanation],
    by: Any,
    ax: Any,
    top: int,
    output: int | None,
    target: Any,
    palette: PaletteName,
    dark: bool,
) -> Any:
    """Draw bars with cohorts side by side, see `bars`."""
    tables = score_tables(explanations, output, target)
    codes, names = cohort_codes(by, next(iter(tables.values())).n_given)

    def draw(table: ScoreTable, ax: Any) -> None:
        _draw_groups(table, codes[table.positions], names, ax, top, palette, dark)

    row = 0.12 + 0.16 * len(names)
    return panels(tables, ax, draw, lambda table: (6.4, 1.1 + row * min(top, len(table.names))), dark)


def cohort_codes(by: Any, count: int) -> tuple[NDArray[np.intp], list[str]]:
    """The number of the cohort of each input, and the names of the cohorts.

    >>> codes, names = cohort_codes(["f", "m", None, "f"], 4)
    >>> codes.tolist(), names
    ([0, 1, 2, 0], ['f', 'm', 'missing'])
    """
    labels = np.asarray(by, object) if not hasattr(by, "to_numpy") else by.to_numpy().astype(object)
    if labels.ndim != 1 or len(labels) != count:
        raise ShowError(f"Expected by as {count:,} labels, one for each input, got shape {labels.shape}.")
    present = np.array([label is not None and bool(label == label) for label in labels.tolist()], bool)
    texts = np.array([str(label) for label in labels.tolist()], object)
    names, codes = np.unique(texts[present].astype(str), return_inverse=True)
    numbers = np.full(count, len(names), np.intp)
    numbers[present] = codes.ravel()
    listed = [*names.tolist(), *(["missing"] if not present.all() else [])]
    if len(listed) > _MAX_COHORTS:
        raise ShowError(
            f"Expected at most {_MAX_COHORTS} cohorts, got {len(listed)}. Join some of them, or cut numbers into "
            "classes, as with pandas.cut."
        )
    return numbers, listed


def _draw_groups(
    table: ScoreTable,
    codes: NDArray[np.intp],
    names: Sequence[str],
    ax: Any,
    top: int,
    palette: PaletteName,
    dark: bool,
) -> None:
    units = table.strongest(top)
    colours, height = value_map(palette, dark), 0.8 / len(names)
    ink = rgb_to_hex(theme_colours(dark).ink)
    for k, name in enumerate(names):
        members = np.abs(table.scores[codes == k][:, units])
        label = f"{words.shorten(name)} ({words.format_count(len(members), 'input')})"
        if not len(members):
            ax.barh([], [], color=colours(k / max(len(names) - 1, 1)), label=label)
            continue
        rows = np.arange(len(units)) - 0.4 + height * (k + 0.5)
        error = members.std(axis=0, ddof=1) / np.sqrt(len(members)) if len(members) > 1 else None
        style = {"color": colours(k / max(len(names) - 1, 1)), "error_kw": {"ecolor": ink, "elinewidth": 0.8}}
        ax.barh(rows, members.mean(axis=0), height=0.92 * height, xerr=error, label=label, **style)
    labels = table.labels
    label_rows(ax, [labels[unit] for unit in units], dark)
    ax.set_xlim(left=0)
    ax.legend(
        loc="lower right",
        bbox_to_anchor=(1, 1),
        borderaxespad=0.1,
        ncols=min(len(names), 3),
        frameon=False,
        fontsize=8,
        handlelength=1.0,
        labelcolor=ink,
    )
    add_caption(ax, [*filter(None, [table.subject]), "mean |score|, with its standard error over inputs"])
