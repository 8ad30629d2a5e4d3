"""Many explanations as HTML without scripts: the most important units, and the first inputs."""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...core.explanation import Explanation
from ...core.explanations import Explanations
from ...core.explanations.importance import Importance
from ...core.printable import printable
from .. import words
from ..faded_scores import faded_scores
from ..palette import colour_limit
from ..set_summary import FIRST_INPUTS, TOP_UNITS, first_inputs, importances, set_heading
from ..styling import Styling

_MAX_COMPARED_UNITS = 10
_LEFT = ' style="text-align:left"'


def set_html(xs: Explanations[Any], styling: Styling) -> str:
    """A summary of a set for an element of the class "lcshap": a chart of the most important units, and a table.

    Everything that comes from users or models is escaped, and nothing is a script.
    """
    groups, note = importances(xs)
    charts = [_importance_chart(importance, styling) for importance in groups]
    header, rows = first_inputs(xs)
    more = len(xs) - FIRST_INPUTS
    notes = [note, f"and {words.format_count(more, 'other input')}" if more > 0 else ""]
    table = _table(header, rows) if rows else ""
    heading = f"<p><strong>{html.escape(set_heading(xs))}</strong></p>"
    return heading + "".join(charts) + table + "".join(map(_small_paragraph, notes))


def table_html(title: str, header: Sequence[str], rows: Sequence[Sequence[str]], notes: Sequence[str] = ()) -> str:
    """A table of texts with a title, and sentences below it."""
    heading = f"<p><strong>{html.escape(printable(title, lines=True))}</strong></p>" if title else ""
    return heading + (_table(header, rows) if rows else "") + "".join(map(_small_paragraph, notes))


def comparison_html(xs: Sequence[Explanation], styling: Styling) -> str:
    """Several explanations of one input: a row for each unit, a column for each method."""
    if not len(xs):
        return "<p>No explanations.</p>"
    if xs[0].scores.ndim == 2:
        rows = [(name, words.heading(e), f"{e.calls:,}") for name, e in zip(words.method_names(xs), xs, strict=True)]
        return table_html("", ("method", "explains", "calls"), rows)
    limits, drawn = [colour_limit([e.scores]) for e in xs], [faded_scores(e) for e in xs]
    share = np.max([np.abs(e.scores) / limit for e, limit in zip(xs, limits, strict=True)], axis=0)
    units = sorted(np.argsort(-share, kind="stable")[:_MAX_COMPARED_UNITS].tolist())
    names, lines = words.unit_names(xs[0]), []
    for unit in units:
        cells = [
            f"<td {styling.background(float(scores[unit]), limit)}>{words.format_score(e, unit, limit)}</td>"
            for e, scores, limit in zip(xs, drawn, limits, strict=True)
        ]
        lines.append(f'<tr><th scope="row">{html.escape(names[unit])}</th>{"".join(cells)}</tr>')
    for label, texts in (
        ("residual", [words.format_number(words.rounded_residual(e), e) for e in xs]),
        ("calls", [f"{e.calls:,}" for e in xs]),
    ):
        lines.append(f'<tr><th scope="row">{label}</th>{"".join(f"<td>{text}</td>" for text in texts)}</tr>')
    head = "".join(f'<th scope="col">{html.escape(name)}</th>' for name in words.method_names(xs))
    hidden = len(share) - len(units)
    note = _small_paragraph(f"{words.format_count(hidden, 'other unit')} not shown" if hidden else "")
    return f"<table><tbody><tr><td></td>{head}</tr>{''.join(lines)}</tbody></table>{note}"


def _importance_chart(importance: Importance, styling: Styling) -> str:
    """Bars of the mean of |score|, in the colour of the mean score."""
    limit = float(np.max(importance.mean_abs, initial=0.0)) or 1.0
    rows = []
    for name, size, mean in list(zip(importance.names, importance.mean_abs, importance.mean, strict=True))[:TOP_UNITS]:
        strength = float(mean / size * limit) if size else 0.0
        bar = styling.bar(0.0, 100 * float(size) / limit, strength, limit)
        rows.append(
            f'<tr><th scope="row">{html.escape(words.shorten(name))}</th><td>{words.format_number(size)}</td>'
            f'<td class="lcshap-bar">{bar}</td></tr>'
        )
    hidden = len(importance) - len(rows)
    about = f" for {importance.cohort}" if importance.cohort else ""
    caption = f"mean |score| over {words.format_count(importance.inputs, 'input')}{about}; pale if signs cancel"
    more = f"; {words.format_count(hidden, 'other unit')} not shown" if hidden > 0 else ""
    return f"<table><tbody>{''.join(rows)}</tbody></table>{_small_paragraph(caption + more)}" if rows else ""


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table whose columns of numbers end at the right, and whose columns of texts start at the left."""
    aligned = ["" if _has_numbers([row[k] for row in rows]) else _LEFT for k in range(1, len(header))]
    head = [f'<th scope="col"{align}>{html.escape(printable(name))}</th>' for name, align in _pairs(header, aligned)]
    lines = [f"<tr>{''.join(head)}</tr>"]
    for row in rows:
        first, *cells = [(html.escape(printable(cell)), align) for cell, align in _pairs(row, aligned)]
        columns = "".join(f"<td{align}>{cell}</td>" for cell, align in cells)
        lines.append(f'<tr><th scope="row" style="max-width:45em">{first[0]}</th>{columns}</tr>')
    return f"<table><tbody>{''.join(lines)}</tbody></table>"


def _pairs(cells: Sequence[str], aligned: Sequence[str]) -> list[tuple[str, str]]:
    return list(zip(cells, [_LEFT, *aligned], strict=True))


def _has_numbers(cells: Sequence[str]) -> bool:
    """Whether the cells that are not empty start with a number.

    >>> _has_numbers(["0.5", "-2 ± 1", ""]), _has_numbers(["age +1"])
    (True, False)
    """
    return all(not cell or cell.lstrip("+-").startswith(tuple("0123456789")) for cell in cells)


def _small_paragraph(text: str) -> str:
    return f'<p class="lcshap-small">{html.escape(printable(text))}</p>' if text else ""
