"""An axis of feature values: numbers, categories in columns, and missing values in a column of their own."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...extras import import_optional
from .. import words
from .score_table import ValueColumn
from .wording import LITERAL, drawable_lines, figure_number

_MAX_JITTERED_VALUES = 12  # so many different numbers are drawn as columns of points side by side
_JITTER_SHARE = 0.2  # of the distance between two columns, to either side
_HISTOGRAM_BINS, _MIN_HISTOGRAM_INPUTS = 24, 30
_HISTOGRAM_SHARE = 0.12  # of the height of the axes, that the highest bar takes
_MISSING_LABEL_SHARE = 0.13  # of the width of the values, that the word "missing" takes to the left
_MISSING_GAP = 0.09  # of the width of the values, between them and the column of missing values


def place_values(column: ValueColumn) -> NDArray[np.float64]:
    """Where the values of a unit are drawn: few different ones spread out, missing ones at the right.

    >>> place_values(ValueColumn(np.array([1.5, 3.5, np.nan]))).tolist()
    [1.5, 3.5, 3.68]
    """
    finite = ~np.isnan(column.numbers)
    noise = np.random.default_rng(0).uniform(-_JITTER_SHARE, _JITTER_SHARE, len(finite))
    x = column.numbers + noise * _jitter_width(column)
    place, width = missing_place(column)
    x[~finite] = place + (width * noise[~finite] if np.count_nonzero(~finite) > 1 else 0.0)
    return x


def _jitter_width(column: ValueColumn) -> float:
    """The distance between columns of points; 0 if there are so many different numbers that they form no columns."""
    if column.categories:
        return 1.0
    different = np.unique(column.numbers[~np.isnan(column.numbers)])
    if len(different) > _MAX_JITTERED_VALUES or len(column.numbers) <= 2 * len(different):
        return 0.0
    return float(np.diff(different).min()) if len(different) > 1 else 1.0


def missing_place(column: ValueColumn) -> tuple[float, float]:
    """The middle of the column of missing values, and the distance of its sides from the values."""
    numbers = column.numbers[~np.isnan(column.numbers)]
    if not len(numbers):
        return 0.0, 1.0
    if column.categories:
        return float(len(column.categories)), 1.0
    width = _MISSING_GAP * (float(np.ptp(numbers)) or 1.0)
    return float(numbers.max()) + width, width


def label_values(ax: Any, column: ValueColumn, line_colour: str) -> None:
    """Name categories, and the column of missing values, below the axis."""
    missing = np.isnan(column.numbers)
    place, width = missing_place(column)
    if column.categories:
        names = [words.shorten(name, 14) for name in column.categories] + ["missing"] * bool(missing.any())
        labels, fonts = drawable_lines(*names)
        slanted = {"rotation": 30, "ha": "right", "rotation_mode": "anchor"} if sum(map(len, names)) > 60 else {}
        ax.set_xticks(range(len(labels)), labels, fontfamily=fonts, **slanted, **LITERAL)
        ax.set_xlim(-0.6, len(labels) - 0.4)
    elif missing.any() or _jitter_width(column):
        ticks = _number_ticks(column)
        places = [*ticks, *([place] if missing.any() else [])]
        ax.set_xticks(places, [*(figure_number(tick) for tick in ticks), "missing"][: len(places)])
    if missing.any() and not missing.all():
        ax.axvline(place - width / 2, color=line_colour, linewidth=0.6, linestyle=":")


def draw_histogram(ax: Any, column: ValueColumn, colour: str) -> None:
    """Draw how numbers are distributed, as faint bars at the bottom; columns of points show it by themselves."""
    numbers = column.numbers[~np.isnan(column.numbers)]
    if column.categories or _jitter_width(column) or len(numbers) < _MIN_HISTOGRAM_INPUTS:
        return
    counts, edges = np.histogram(numbers, _HISTOGRAM_BINS)
    style = {"width": np.diff(edges), "align": "edge", "color": colour, "alpha": 0.25, "linewidth": 0, "zorder": 0}
    ax.bar(edges[:-1], _HISTOGRAM_SHARE * counts / counts.max(), transform=ax.get_xaxis_transform(), **style)


def _number_ticks(column: ValueColumn) -> list[float]:
    """Round numbers among the values; the values themselves if they form columns of points."""
    numbers = column.numbers[~np.isnan(column.numbers)]
    if not len(numbers) or _jitter_width(column):
        return [float(number) for number in np.unique(numbers)]
    ticks = import_optional("matplotlib.ticker", "plot").MaxNLocator(6).tick_values(numbers.min(), numbers.max())
    end = missing_place(column)[0] - _MISSING_LABEL_SHARE * float(np.ptp(numbers))  # the label needs room
    return [float(tick) for tick in ticks if numbers.min() <= tick <= end]
