"""Parts of an input in the colours of their units, as HTML without scripts."""

from __future__ import annotations

import html
from collections.abc import Iterable

from ..core.explanation import Explanation
from .faded_scores import faded_scores
from .ink import Run
from .palette import colour_limit
from .styling import Styling
from .words import format_signed


def colour_spans(runs: Iterable[Run], e: Explanation, styling: Styling, name_units: bool = False) -> str:
    """Text on the colours of its units, whose scores show under the mouse; `name_units` gives unit 3 the class u3."""
    limit, drawn, parts = colour_limit([e.scores]), faded_scores(e).tolist(), []
    for text, unit in runs:
        written = html.escape(text)
        colour = styling.background(drawn[unit], limit) if unit >= 0 else ""
        if colour:
            name = f'class="u{unit}" ' if name_units else ""
            written = f'<span {name}{colour} title="{format_signed(float(e.scores[unit]), limit)}">{written}</span>'
        parts.append(written)
    return "".join(parts)


def fill_attribute(unit: int, drawn: list[float], limit: float, styling: Styling) -> str:
    """The colour of a shape that belongs to a unit, or to none."""
    return styling.fill(drawn[unit] if unit >= 0 else 0.0, limit)
