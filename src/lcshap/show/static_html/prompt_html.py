"""A prompt and its answer side by side, as HTML without scripts."""

from __future__ import annotations

import hashlib
import html

import numpy as np

from ...core.explanation import Explanation
from ...core.printable import printable
from ...core.support import unsupported
from ...core.views import PromptView
from ..coloured_html import colour_spans
from ..faded_scores import faded_scores
from ..ink import text_runs
from ..palette import colour_limit
from ..prompts import answer_lines, describe_sources
from ..styling import Styling

_MAX_LINKED_PARTS = 200  # parts of an answer that light their sources
_UNWRAPPED_WIDTH = 10_000  # letters of a line that the browser breaks


def sides_html(e: Explanation, view: PromptView, styling: Styling, output: int = 0) -> str:
    """The prompt beside the answer. Parts that are not supported by the context have a wavy underline.

    The prompt is coloured for one output. Where the page allows rules of its own, the mouse over a part of the answer
    highlights the sources of this part. Elsewhere, a line below names the sources of each part.

    Parameters
    ----------
    e : an explanation of a prompt with an answer, of one output or of several.
    view : its view.
    styling : how colours are written.
    output : the output that colours the prompt.
    """
    single = e if e.scores.ndim == 1 else e.output(output)
    runs = text_runs(printable(view.text, lines=True)[: styling.longest_text], view.owners)
    prompt = colour_spans(runs, single, styling, name_units=styling.own_rules)
    name, style, lines = _css_class(e, view), "", list[str]()
    if styling.own_rules:
        style = f"<style>{_hover_rules(e, view, styling, name)}</style>"
    else:
        lines = [f'<p dir="auto">{html.escape(line)}</p>' for line in answer_lines(e, view, _UNWRAPPED_WIDTH)]
    return (
        f'{style}<div class="lcshap-sides {name}"><div class="lcshap-prompt" dir="auto">{prompt}</div>'
        f'<div class="lcshap-answer" dir="auto">{_answer_html(e, view)}</div></div>{"".join(lines)}'
    )


def _hover_rules(e: Explanation, view: PromptView, styling: Styling, name: str) -> str:
    """While the mouse is over a part of the answer, its sources are coloured and the rest of the prompt is not."""
    scores, drawn = (array.reshape(len(array), -1) for array in (e.scores, faded_scores(e)))
    count = _count_linked_parts(e, view)
    limits = [colour_limit([scores[:, k]]) for k in range(count)]
    rules = [f".{name}:has(:where(.lcshap-answer span:hover)) :where(.lcshap-prompt span){{background:none!important}}"]
    rules += [
        f".{name}:has(.a{k}:hover) .u{unit}{{{styling.declaration(float(drawn[unit, k]), limits[k])}!important}}"
        for k in np.flatnonzero(~unsupported(e)[:count]).tolist()
        for unit in np.flatnonzero(np.abs(scores[:, k]) > 0.05 * limits[k]).tolist()
    ]
    return "".join(rules)


def _count_linked_parts(e: Explanation, view: PromptView) -> int:
    outputs = 1 if e.scores.ndim == 1 else e.scores.shape[1]
    return min(outputs, len(view.answer_spans), _MAX_LINKED_PARTS)


def _css_class(e: Explanation, view: PromptView) -> str:
    """A class of its own for each picture, so that the rules of one do not colour another."""
    content = repr((view.text, view.answer)).encode("utf-8", "surrogatepass") + e.scores.tobytes()
    return "lc" + hashlib.sha256(content).hexdigest()[:12]


def _answer_html(e: Explanation, view: PromptView) -> str:
    """The answer in its parts. A part that is all of the answer stands for itself only where there is no other."""
    count = _count_linked_parts(e, view)
    is_unsupported, spans = unsupported(e), view.answer_spans[:count].tolist()
    inner = [k for k, (s, t) in enumerate(spans) if (s, t) != (0, len(view.answer))] or list(range(min(count, 1)))
    parts, position = [], 0
    for k in sorted(inner, key=lambda k: spans[k]):
        start, end = spans[k]
        if start < position:
            continue
        parts.append(html.escape(printable(view.answer[position:start], lines=True)))
        mark = " lcshap-none" if is_unsupported[k] else ""
        text = html.escape(printable(view.answer[start:end], lines=True))
        parts.append(
            f'<span class="a{k}{mark}" tabindex="0" title="{html.escape(describe_sources(e, k))}">{text}</span>'
        )
        position = end
    return "".join(parts) + html.escape(printable(view.answer[position:], lines=True))
