"""The first samples of a report as plain HTML, for browsers that run no scripts: pictures, sentences and numbers."""

from __future__ import annotations

import html
from collections.abc import Sequence

from .. import words
from ..palette import Palette
from ..static_html.explanation_html import explanation_html
from ..static_html.style import STYLE
from ..styling import ClassStyling, shade_rules
from .samples import Sample, first_shown_entry

_MAX_SAMPLES, _MAX_UNITS = 10, 12  # that are shown: samples, and units of each


def static_page(samples: Sequence[Sample], listed: Sequence[dict[str, object]], palette: Palette) -> str:
    """Write the first samples, each by its first method and output.

    Parameters
    ----------
    samples : all samples of the report.
    listed : what the index says of each.
    palette : the colours of scores.

    Returns
    -------
    A piece of HTML with classes of the style sheet of the page. Nothing in it is a script or a style of its own.
    """
    styling = ClassStyling(palette)
    articles = [_article(sample, entry, styling) for sample, entry in zip(samples[:_MAX_SAMPLES], listed, strict=False)]
    n_omitted = len(samples) - len(articles)
    remark = (
        f" Of {words.format_count(len(samples), 'sample')} the first {len(articles)} are below." if n_omitted else ""
    )
    head = f"<p>This page shows more with JavaScript, and loads nothing from anywhere.{remark}</p>"
    return f"<main>{head}{''.join(articles)}</main>"


def static_style(palette: Palette) -> str:
    """The rules of the style sheet for what `static_page` writes."""
    return STYLE + shade_rules(palette)


def _article(sample: Sample, listed: dict[str, object], styling: ClassStyling) -> str:
    (method, _), (e, output) = list(sample.entries.items())[first_shown_entry(sample)]
    truth = f"The true class is {listed['label']}." if "label" in listed else ""
    body = explanation_html(e, styling, top=_MAX_UNITS, output=output, method=method, remark=truth)
    return f'<article class="lcshap"><h2 dir="auto">{html.escape(str(listed["name"]))}</h2>{body}</article>'
