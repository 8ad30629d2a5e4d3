"""Prompts: on the page they have their answer."""

from dataclasses import replace

from showing import ANSWER, prompt, text_view

from lcshap.show.kinds import drawing_of
from lcshap.show.kinds.prompt_drawing import pack_prompt
from lcshap.show.kinds.text_drawing import pack_text
from lcshap.show.pack import ContentPool


def test_the_answer_is_packed_where_it_is_known():
    view = prompt().view
    packed = pack_prompt(view, ContentPool())
    assert packed.pop("answer") == ANSWER
    assert packed == pack_text(view, ContentPool())
    assert "answer" not in drawing_of(None).pack(None, ContentPool())
    assert "answer" not in pack_text(text_view("so good"), ContentPool())
    assert "answer" not in pack_prompt(replace(view, answer="", answer_spans=()), ContentPool())
