"""The first samples of a report as plain HTML, for browsers that run no scripts: pictures, sentences and numbers."""

from __future__ import annotations

import html
from collections.abc import Sequence

from ...core.explanation import Explanation
from .. import words
from ..faint import drawn_scores
from ..palette import limit_of
from ..sentences import lead_parts
from .answers import static_answer
from .samples import Sample, opened
from .static_pictures import shade_of, static_picture

_SAMPLES, _UNITS = 10, 12  # that are shown: samples, and units of each


def static_page(samples: Sequence[Sample], listed: Sequence[dict[str, object]]) -> str:
    """Write the first samples, each by its first method and output.

    Parameters
    ----------
    samples : all samples of the report.
    listed : what the index says of each.

    Returns
    -------
    A piece of HTML with classes of the style sheet of the page. Nothing in it is a script or a style of its own.
    """
    shown = [_article(sample, entry) for sample, entry in zip(samples[:_SAMPLES], listed, strict=False)]
    left = len(samples) - len(shown)
    rest = f" Of {words.count(len(samples), 'sample')} the first {len(shown)} are below." if left else ""
    head = f"<p>This page shows more with JavaScript, and loads nothing from anywhere.{rest}</p>"
    return f"<main>{head}{''.join(shown)}</main>"


def _article(sample: Sample, listed: dict[str, object]) -> str:
    (method, _), (whole, column) = list(sample.entries.items())[opened(sample)]
    e = whole if column is None else whole.output(column)
    said = "".join(
        f"<em>{html.escape(part)}</em>" if k % 2 else html.escape(part) for k, part in enumerate(lead_parts(e))
    )
    truth = html.escape(f" The true class is {listed['label']}.") if "label" in listed else ""
    numbers = f"{html.escape(method)}: {html.escape(words.ending(e))}"
    return (
        f'<article><h2 dir="auto">{html.escape(str(listed["name"]))}</h2><p>{said}{truth}</p>'
        f"{static_picture(e)}{static_answer(whole)}{_table(e)}"
        f'<p class="note">{numbers}</p></article>'
    )


def _table(e: Explanation) -> str:
    limit, names, drawn = limit_of([e.scores]), words.unit_names(e), drawn_scores(e)
    rows = "".join(
        f'<tr><th scope="row">{html.escape(words.shorten(names[unit], 80))}</th>'
        f'<td class="number {shade_of(float(drawn[unit]), limit)}">{words.score(e, unit, limit)}</td></tr>'
        for unit in words.leading(e, _UNITS)
    )
    others = len(e.scores) - _UNITS
    more = f'<tr><th scope="row">{words.others(others)}</th><td></td></tr>' if others > 0 else ""
    return f"<table><tbody>{rows}{more}</tbody></table>"
