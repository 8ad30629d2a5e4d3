"""A prompt and its answer side by side: which sources each part of the answer rests on."""

from __future__ import annotations

import hashlib
import html

import numpy as np
from numpy.typing import NDArray

from ..core.explanation import Explanation
from ..core.printable import printable
from ..core.support import supporters, unsupported
from ..core.views import PromptView, owners
from .letters import wrapped
from .notebook_pictures import background
from .palette import limit_of
from .terminal_pictures import text_runs
from .words import shorten, signed

Floats = NDArray[np.float64]
_PARTS = 200  # parts of an answer that light their sources

STYLE = """
.lcshap-sides{display:grid;grid-template-columns:3fr 2fr;gap:1.5em;align-items:start}
.lcshap-sides>div{white-space:pre-wrap;overflow-wrap:anywhere}
.lcshap-answer span{border-radius:.2em;cursor:default}
.lcshap-answer span:hover{outline:2px solid currentColor}
.lcshap-none{text-decoration:underline wavy #c33;text-underline-offset:.2em}
@media(max-width:50em){.lcshap-sides{grid-template-columns:1fr}}
"""


def answer_lines(e: Explanation, view: PromptView, width: int) -> list[str]:
    """Each part of the answer with the sources that it rests on, as lines of text."""
    lines: list[str] = []
    for output, part in enumerate(view.answer_parts[: e.scores.reshape(len(e.scores), -1).shape[1]]):
        if output and part.strip() == view.answer_parts[0].strip():  # the only sentence is the whole answer
            continue
        lines += wrapped(f"“{shorten(printable(part.strip()), 200)}” {rests_on(e, output)}.", width)
    return lines


def rests_on(e: Explanation, output: int) -> str:
    """Which sources an output rests on, with their scores, as the end of a sentence."""
    scores, limit = e.scores.reshape(len(e.scores), -1), limit_of([e.scores])
    named = [
        f"{shorten(printable(e.names[unit]), 60)} ({signed(float(scores[unit, output]), limit)})"
        for unit in supporters(e, output)
    ]
    return "rests on " + "; ".join(named) if named else "rests on nothing in the context"


def sides_html(e: Explanation, view: PromptView) -> str:
    """The prompt beside the answer. The mouse over a part of the answer lights its sources; there is no script.

    Parts that rest on nothing in the context are underlined with a wave.
    """
    name = _name(e, view)
    scores = e.scores.reshape(len(e.scores), -1)
    count = min(scores.shape[1], len(view.answer_spans), _PARTS)
    limits = [limit_of([scores[:, k]]) for k in range(count)]
    rules = [f".{name}:has(:where(.lcshap-answer span:hover)) :where(.lcshap-prompt span){{background:none!important}}"]
    rules += [
        f".{name}:has(.a{k}:hover) .u{unit}{{{background(float(scores[unit, k]), limits[k])}!important}}"
        for k in np.flatnonzero(~unsupported(e)[:count]).tolist()
        for unit in np.flatnonzero(np.abs(scores[:, k]) > 0.05 * limits[k]).tolist()
    ]
    rest = _rest(scores[:, 0], limit_of([scores[:, 0]]))
    prompt = "".join(
        html.escape(text) if unit < 0 else f'<span class="u{unit}" style="{rest[unit]}">{html.escape(text)}</span>'
        for text, unit in text_runs(printable(view.text, lines=True), owners(view))
    )
    answer = _answer(e, view, count)
    return (
        f"<style>{STYLE}{''.join(rules)}</style>"
        f'<div class="lcshap-sides {name}"><div class="lcshap-prompt">{prompt}</div>'
        f'<div class="lcshap-answer">{answer}</div></div>'
    )


def _name(e: Explanation, view: PromptView) -> str:
    """A class of its own for each picture, so that the rules of one do not colour another."""
    held = repr((view.text, view.answer)).encode("utf-8", "surrogatepass") + e.scores.tobytes()
    return "lc" + hashlib.sha256(held).hexdigest()[:12]


def _rest(scores: Floats, limit: float) -> list[str]:
    """The colours while the mouse is elsewhere: those of the first output."""
    return [background(float(score), limit) for score in scores]


def _answer(e: Explanation, view: PromptView, count: int) -> str:
    """The answer in its parts. A part that is all of the answer stands for itself only where there is no other."""
    bare, spans = unsupported(e), view.answer_spans[:count].tolist()
    inner = [k for k, (s, t) in enumerate(spans) if (s, t) != (0, len(view.answer))] or list(range(min(count, 1)))
    found, at = [], 0
    for k in sorted(inner, key=lambda k: spans[k]):
        start, end = spans[k]
        if start < at:
            continue
        found.append(html.escape(printable(view.answer[at:start], lines=True)))
        mark = " lcshap-none" if bare[k] else ""
        text = html.escape(printable(view.answer[start:end], lines=True))
        found.append(f'<span class="a{k}{mark}" tabindex="0" title="{html.escape(rests_on(e, k))}">{text}</span>')
        at = end
    return "".join(found) + html.escape(printable(view.answer[at:], lines=True))
