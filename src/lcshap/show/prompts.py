"""A prompt and its answer: the sources that support each part of the answer."""

from __future__ import annotations

from ..core.explanation import Explanation
from ..core.printable import printable
from ..core.support import supporting_units
from ..core.views import PromptView
from .palette import colour_limit
from .terminal_text import wrap_lines
from .words import format_signed, shorten


def answer_lines(e: Explanation, view: PromptView, width: int) -> list[str]:
    """Each part of the answer with the sources that support it, as lines of text."""
    lines: list[str] = []
    for output, sentence in enumerate(view.answer_parts[: e.scores.reshape(len(e.scores), -1).shape[1]]):
        if output and sentence.strip() == view.answer_parts[0].strip():  # the only sentence is the whole answer
            continue
        lines += wrap_lines(f"“{shorten(printable(sentence.strip()), 200)}” {describe_sources(e, output)}.", width)
    return lines


def describe_sources(e: Explanation, output: int) -> str:
    """The sources that support an output, with their scores, as the end of a sentence."""
    scores, limit = e.scores.reshape(len(e.scores), -1), colour_limit([e.scores])
    named = [
        f"{shorten(printable(e.names[unit]), 60)} ({format_signed(float(scores[unit, output]), limit)})"
        for unit in supporting_units(e, output)
    ]
    return "is supported by " + "; ".join(named) if named else "is not supported by the context"
