"""What is printed does nothing to a terminal."""

import unicodedata

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lcshap as lc
from lcshap.core.printable import printable

HOSTILE = "\x1b[2J\x1b]0;owned\x07\u202egnp.exe\x9b31m\ud800\n\r"


@settings(deadline=None)
@given(st.text())
def test_nothing_printable_controls_a_terminal(text):
    harmless_text = printable(text)
    assert len(harmless_text) == len(text)
    kinds = {unicodedata.category(c) for c in harmless_text}
    assert not kinds & {"Cc", "Cs", "Zl", "Zp"}
    harmless_text.encode("utf-8")
    assert not set(harmless_text) & set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def test_long_texts_are_cut():
    assert printable("x" * 10**6, max_length=4) == "xxx…"
    assert printable("abcd", max_length=4) == "abcd"


def harmless(text):
    return printable(text, lines=True) == text


class TestExplanations:
    @pytest.mark.parametrize("outputs", [None, 2])
    def test_repr_passes_no_control_character_of_names_and_record(self, outputs):
        scores = np.ones(2) if outputs is None else np.ones((2, outputs))
        value = 0.0 if outputs is None else np.zeros(outputs)
        graph = lc.Graph.chain(2, names=[HOSTILE, "b" * 10**6])
        e = lc.Explanation(scores, value, value, graph, 4, {"method": HOSTILE})
        assert harmless(repr(e))
        assert harmless(str(e))
        assert len(repr(e)) < 600

    def test_locality(self):
        game = lc.Game(lambda kept: kept.sum(axis=1) * 1.0, 6)
        locality = lc.locality(game, lc.Graph.chain(6, names=[HOSTILE] * 6), [lc.LShapley(1)])
        object.__setattr__(locality.distances[0], "method", HOSTILE)
        assert harmless(str(locality))
        assert harmless(repr(locality))


def test_class_names_in_errors():
    with pytest.raises(lc.errors.ModelError, match="Expected the name of a class as the target, got") as error:
        lc.Explainer(
            lambda texts: [[0.5, 0.5]] * len(texts),
            lc.maskers.Text(),
            kind="probabilities",
            classes=[HOSTILE, "b"],
            target="c",
        )("so good")
    assert harmless(str(error.value))
