"""What the page needs to show the answer of a language model beside its prompt."""

from __future__ import annotations

from typing import Any

from ...core.explanation import Explanation
from ...core.support import unsupported
from ...core.views import PromptView
from ..pack import pack_array, utf16_offsets
from ..prompts import describe_sources


def pack_answer_span(e: Explanation, column: int | None) -> dict[str, Any]:
    """Which part of the answer an output is about, the sources that support it, and whether there are none."""
    output, view = column or 0, e.view
    if not isinstance(view, PromptView) or not view.answer or output >= len(view.answer_spans):
        return {}
    span = utf16_offsets(view.answer)[view.answer_spans[output]]
    entry: dict[str, Any] = {"part": pack_array(span), "rests": describe_sources(e, output).replace("-", "−")}
    return entry | ({"bare": True} if unsupported(e)[output] else {})
