"""Prompts: texts, with the answers of language models."""

from __future__ import annotations

from typing import Any

from ...core.views import PromptView
from ..pack import ContentPool
from .base import Drawing
from .text_drawing import pack_text, text_html, text_lines


def pack_prompt(view: PromptView, pool: ContentPool) -> dict[str, Any]:
    """What the page needs of a text, and the answer where it is known."""
    return pack_text(view, pool, **({"answer": view.answer} if view.answer else {}))


PROMPT = Drawing(text_lines, text_html, pack_prompt, ("text",))
