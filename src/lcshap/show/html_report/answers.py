"""What the page needs to show the answer of a language model beside its prompt."""

from __future__ import annotations

import html
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...core.explanation import Explanation
from ...core.support import unsupported
from ...core.views import PromptView, View
from ..prompts import answer_lines, rests_on
from .pack import pack

_WIDE = 10_000  # letters of a line that the browser breaks


def utf16_places(text: str) -> NDArray[np.int64]:
    """Where each character of a text starts, and where the text ends, as JavaScript counts.

    >>> utf16_places("a😀b").tolist()
    [0, 1, 3, 4]
    """
    wide = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4") > 0xFFFF
    return np.asarray(np.arange(len(text) + 1) + np.concatenate([[0], np.cumsum(wide)]), np.int64)


def pack_answer(view: View | None) -> dict[str, Any]:
    """The answer to a prompt, where there is one."""
    return {"answer": view.answer} if isinstance(view, PromptView) and view.answer else {}


def pack_part(e: Explanation, column: int | None) -> dict[str, Any]:
    """Which part of the answer an output is about, what it rests on, and whether that is nothing at all."""
    output, view = column or 0, e.view
    if not isinstance(view, PromptView) or not view.answer or output >= len(view.answer_spans):
        return {}
    part = utf16_places(view.answer)[view.answer_spans[output]]
    made: dict[str, Any] = {"part": pack(part), "rests": rests_on(e, output).replace("-", "−")}
    return made | ({"bare": True} if unsupported(e)[output] else {})


def static_answer(e: Explanation) -> str:
    """Each part of the answer with the sources that it rests on, as HTML without a script."""
    if not isinstance(e.view, PromptView) or not e.view.answer:
        return ""
    lines = (html.escape(line) for line in answer_lines(e, e.view, _WIDE))
    return "".join(f'<p dir="auto">{line}</p>' for line in lines)
