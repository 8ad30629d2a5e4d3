"""Points that are coloured by the values of a unit, and the key to their colours."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import words
from .score_table import ValueColumn
from .wording import drawable_lines, figure_number

Floats = NDArray[np.float64]
_MAX_LEGEND_CATEGORIES = 8  # more categories have a colour bar


def draw_coloured(
    ax: Any, x: Floats, y: Floats, values: ValueColumn, name: str, colours: Any, style: dict[str, Any]
) -> None:
    """Draw points coloured by the values of a unit: numbers with a colour bar, categories with a legend.

    The colours of numbers end at the 5th and the 95th percentile; the colour bar has ≤ and ≥ there.
    """
    if 0 < len(values.categories) <= _MAX_LEGEND_CATEGORIES:
        _draw_categories(ax, x, y, values, name, colours, style)
        return
    low, high, texts = colour_ends(values)
    options = {"cmap": colours, "vmin": low, "vmax": high, "plotnonfinite": True, **style}
    _draw_bar(ax, ax.scatter(x, y, c=values.numbers, **options), (low, high), texts, name)


def colour_ends(values: ValueColumn) -> tuple[float, float, tuple[str, str]]:
    """The values at the ends of the colours, and how they are written.

    >>> colour_ends(ValueColumn(np.arange(101.0)))
    (5.0, 95.0, ('≤ 5', '≥ 95'))
    """
    finite = values.numbers[~np.isnan(values.numbers)]
    if not len(finite):
        return 0.0, 1.0, ("", "")
    smallest, largest = float(finite.min()), float(finite.max())
    if values.categories:
        first, last = (words.shorten(values.categories[int(end)], 12) for end in (smallest, largest))
        return smallest, largest, (first, last)
    low, high = (float(end) for end in np.percentile(finite, [5, 95]))
    if low == high:
        low, high = smallest, largest
    below, above = "≤ " if smallest < low else "", "≥ " if largest > high else ""
    return low, high, (below + figure_number(low), above + figure_number(high))


def _draw_categories(
    ax: Any, x: Floats, y: Floats, values: ValueColumn, name: str, colours: Any, style: dict[str, Any]
) -> None:
    last = max(len(values.categories) - 1, 1)
    for code, category in enumerate(values.categories):
        chosen = values.numbers == code
        ax.scatter(x[chosen], y[chosen], color=colours(code / last), label=words.shorten(category, 20), **style)
    missing = np.isnan(values.numbers)
    if missing.any():
        ax.scatter(x[missing], y[missing], color=colours(np.nan), label="missing", **style)
    ink = ax.xaxis.label.get_color()
    (title,), fonts = drawable_lines(name)
    options = {"loc": "center left", "bbox_to_anchor": (1.0, 0.5), "frameon": False, "fontsize": 8, "labelcolor": ink}
    options["alignment"] = "left"
    ax.legend(title=title, **options).get_title().set(color=ink, fontsize=8, fontfamily=fonts)


def _draw_bar(ax: Any, drawn: Any, ends: tuple[float, float], texts: tuple[str, str], name: str) -> None:
    ink = ax.xaxis.label.get_color()
    place: dict[str, Any] = {"ax": ax, "aspect": 30, "pad": 0.02}
    if ax not in ax.figure.axes:  # a panel, which cannot give up room of its own
        place = {"cax": ax.inset_axes([1.02, 0.0, 0.015, 1.0])}
    bar = ax.figure.colorbar(drawn, **place)
    ticks = list(zip(ends, texts, strict=True))[: 2 if ends[0] < ends[1] else 1]
    bar.set_ticks([end for end, _ in ticks], labels=[text for _, text in ticks])
    (label,), fonts = drawable_lines(name)
    bar.set_label(label, color=ink, fontsize=8, labelpad=-8, fontfamily=fonts)
    bar.ax.tick_params(colors=ink, labelsize=8, length=0)
    bar.outline.set_visible(False)
