"""The first samples of a report as plain HTML, for browsers that run no scripts: pictures, sentences and numbers."""

from __future__ import annotations

import base64
import html
from collections.abc import Sequence

import numpy as np

from ...core.explanation import Explanation
from ...core.printable import printable
from ...core.views import ImageView, TextView, owners
from .. import words
from ..notebook_pictures import heat_picture, png
from ..palette import limit_of
from ..sentences import lead_parts
from ..terminal_pictures import text_runs
from .answers import static_answer
from .samples import Sample, opened

_SAMPLES, _UNITS, _LETTERS = 10, 12, 5000  # that are shown: samples, units of each, letters of a text
SHADES = 10  # strengths of a colour, each a class of the style sheet


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
    return head + "".join(shown)


def shades() -> str:
    """The rules of the style sheet for the colours of scores: n10 for the most negative, p10 for the most positive."""
    return "".join(
        f".{letter}{k} {{ background: color-mix(in srgb, var(--{side}) {100 * k // SHADES}%, var(--background)); }}\n"
        for letter, side in (("n", "negative"), ("p", "positive"))
        for k in range(1, SHADES + 1)
    )


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
        f"{_picture(e)}{static_answer(whole)}{_table(e)}"
        f'<p class="note">{numbers}</p></article>'
    )


def _picture(e: Explanation) -> str:
    if isinstance(e.view, TextView):
        limit, text = limit_of([e.scores]), printable(e.view.text, lines=True)[:_LETTERS]
        runs = text_runs(text, owners(e.view)[: len(text)])
        marks = (_mark(part, 0.0 if unit < 0 else float(e.scores[unit]), limit) for part, unit in runs)
        return f'<p dir="auto">{"".join(marks)}</p>'
    if isinstance(e.view, ImageView):
        data = base64.b64encode(png(heat_picture(e, e.view)[1])).decode()
        return f'<img alt="The scores over the image" src="data:image/png;base64,{data}">'
    return ""


def _mark(text: str, score: float, limit: float) -> str:
    shade = shade_of(score, limit)
    return f'<span class="{shade}">{html.escape(text)}</span>' if shade else html.escape(text)


def shade_of(score: float, limit: float) -> str:
    """The class of a score; empty where it has no colour.

    >>> shade_of(1.0, 1.0), shade_of(-0.52, 1.0), shade_of(0.01, 1.0)
    ('p10', 'n5', '')
    """
    strength = min(SHADES, round(SHADES * abs(score) / limit)) if np.isfinite(score) else 0
    return f"{'p' if score > 0 else 'n'}{strength}" if strength else ""


def _table(e: Explanation) -> str:
    limit, names = limit_of([e.scores]), words.unit_names(e)
    rows = "".join(
        f'<tr><th scope="row">{html.escape(words.shorten(names[unit], 80))}</th>'
        f'<td class="number {shade_of(float(e.scores[unit]), limit)}">{words.score(e, unit, limit)}</td></tr>'
        for unit in words.leading(e, _UNITS)
    )
    others = len(e.scores) - _UNITS
    more = f'<tr><th scope="row">{words.others(others)}</th><td></td></tr>' if others > 0 else ""
    return f"<table><tbody>{rows}{more}</tbody></table>"
