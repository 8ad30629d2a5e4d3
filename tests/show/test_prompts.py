import numpy as np
import pytest

import lcshap as lc
from lcshap.show.prompts import answer_lines
from lcshap.show.terminal import render_explanation

ANSWER = "Hansen built it. <b>Norway</b> is cold."
SPANS = np.array([[0, len(ANSWER)], [0, 16], [17, len(ANSWER)]])


class FixedModel(lc.adapters.Model):
    """A language model whose log-probabilities are known: the second sentence is supported by nothing."""

    kind, target, classes = "output", "all", ["whole", "first", "second"]
    answer_and_spans = ANSWER, SPANS

    def predict(self, rows):
        parts = np.array([[5.0 * ("Hansen" in row) - 6, 0.1 * ("boats" in row) - 2] for row in rows])
        return np.c_[parts.sum(axis=1), parts]


@pytest.fixture(scope="module")
def e():
    prompt = lc.maskers.Prompt("{sources}\n\nWho built it?")
    sources = ["Ole Hansen built the lighthouse.", "There are <i>boats</i>.", "Bread is baked."]
    return lc.Explainer(FixedModel(), prompt, lc.Shapley())({"sources": sources})


def test_each_part_names_its_sources_or_that_there_are_none(e):
    lines = " ".join(answer_lines(e, e.view, 200))
    assert "“Hansen built it.” is supported by Ole Hansen built the lighthouse. (+5.000)." in lines
    assert "is cold.” is not supported by the context." in lines
    assert "is not supported by the context" in render_explanation(e, width=200)
    one = render_explanation(e.output(1), width=200)
    assert "“Hansen built it.” is supported by Ole Hansen" in one
    assert "is not supported" not in one


def test_an_answer_of_one_sentence_is_told_once():
    class Single(FixedModel):
        answer_and_spans, classes = (ANSWER[:16], SPANS[[1, 1]]), ["whole", "first"]

        def predict(self, rows):
            return super().predict(rows)[:, [1, 1]]

    prompt = lc.maskers.Prompt("{sources}\n\nWho built it?")
    e = lc.Explainer(Single(), prompt, lc.Shapley())({"sources": ["Ole Hansen built it.", "Bread is baked."]})
    assert answer_lines(e, e.view, 200) == ["“Hansen built it.” is supported by Ole Hansen built it. (+5.000)."]
