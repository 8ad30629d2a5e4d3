"""Time series: a line for each channel, over or in the colours of its units."""

from __future__ import annotations

import html
from typing import Any

import numpy as np

from ...core.explanation import Explanation
from ...core.printable import printable
from ...core.views import SeriesView
from ..coloured_html import fill_attribute
from ..faded_scores import faded_scores
from ..ink import MAX_LINES, Ink, Line, text_runs
from ..pack import ContentPool, pack_array, pack_labels
from ..palette import colour_limit
from ..styling import Styling
from ..terminal_text import display_width, fit_to_width
from .base import Drawing

_BAR_CHARACTERS = "▁▂▃▄▅▆▇█"
_MAX_CHANNELS = 24  # that are drawn without scripts
_STYLE = """\
.lcshap .lcshap-series{width:100%;height:4.5em}
.lcshap .lcshap-series polyline{fill:none;stroke:currentColor;stroke-width:1.3px;vector-effect:non-scaling-stroke}
"""


def series_lines(e: Explanation, view: SeriesView, width: int, ink: Ink) -> list[str]:
    """A bar a step, or for several, in the colour of their unit; a line a channel."""
    series, labels, names = view.series, view.labels, [printable(n) for n in view.channels]
    room = min(12, max(map(display_width, names))) if len(names) > 1 else 0
    lines: list[Line] = []
    for channel, name in list(enumerate(names))[:MAX_LINES]:
        step_groups = np.array_split(np.arange(len(series)), min(width - room - 2, len(series)))
        heights = np.array([series[steps, channel].mean() for steps in step_groups])
        level = (heights - heights.min()) / (np.ptp(heights) or 1.0)
        units = labels[[steps[len(steps) // 2] for steps in step_groups], channel]
        bars = "".join(_BAR_CHARACTERS[int(7.999 * height)] for height in level)
        lines.append([(fit_to_width(name, room) + "  " if room else "", -1), *text_runs(bars, units)])
    if len(names) > MAX_LINES:
        lines.append([(f"… {len(names) - MAX_LINES} more channels", -1)])
    return [row for line in lines for row in ink.lines(line, letters=True)]


def series_html(e: Explanation, view: SeriesView, styling: Styling) -> str:
    """Each channel as a line over the colours of its units."""
    limit, drawn, figures = colour_limit([e.scores]), faded_scores(e).tolist(), []
    for channel, name in list(enumerate(view.channels))[:_MAX_CHANNELS]:
        line, units = view.series[:, channel].astype(np.float64), view.labels[:, channel]
        height = 36 - 32 * (line - line.min()) / (np.ptp(line) or 1.0)
        points = " ".join(f"{x},{y:.1f}" for x, y in enumerate(height.tolist()))
        starts = np.flatnonzero(np.diff(units, prepend=-2)).tolist()
        boxes = "".join(
            f'<rect {fill_attribute(int(units[a]), drawn, limit, styling)} x="{a - 0.5}" y="0" '
            f'width="{b - a}" height="40"/>'
            for a, b in zip(starts, [*starts[1:], len(line)], strict=True)
        )
        title = html.escape(printable(name))
        figures.append(
            f'<figure><figcaption class="lcshap-small" dir="auto">{title}</figcaption>'
            f'<svg class="lcshap-series" role="img" aria-label="{title}" viewBox="-0.5 0 {len(line)} 40" '
            f'preserveAspectRatio="none">{boxes}<polyline points="{points}"/></svg></figure>'
        )
    return "".join(figures)


def pack_series(view: SeriesView, pool: ContentPool) -> dict[str, Any]:
    """All numbers, by step and channel."""
    about = {"kind": "series", "channels": list(view.channels), "length": len(view.series)}
    return {**about, "series": pack_array(view.series.astype(np.float64).ravel()), **pack_labels(view, pool)}


SERIES = Drawing(series_lines, series_html, pack_series, ("series",), style=_STYLE)
