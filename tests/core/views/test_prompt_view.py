"""Views of prompts: their answers, and what is refused."""

import pytest
from saved_views import array, read

import lcshap as lc
from lcshap.core.views import PromptView


def test_parts_of_the_answer():
    view = PromptView(text="so?", spans=[[0, 2]], labels=[0], answer="It is.", answer_spans=[[0, 6], [0, 2]])
    assert view.answer_parts == ("It is.", "It")
    assert view.of_output(1).answer_parts == ("It",)
    assert view.sources.shape == (0, 2)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"answer": None}, "at view.answer: expected a text, got nothing"),
        ({"answer_spans": array([[0, 7]])}, "at view.answer_spans: expected integers from 0 to 6, got 0 to 7"),
        ({"sources": array([[0, 8]])}, "at view.sources: expected integers from 0 to 7, got 0 to 8"),
        ({"spans": array([[2, 0], [3, 7]])}, "end after they start"),
    ],
)
def test_damaged_ones(change, says):
    with pytest.raises(lc.errors.FileFormatError, match=says):
        read("prompt", **change)
