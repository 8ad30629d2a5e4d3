"""Words whose characters become spaces when they are absent."""

import numpy as np
import pytest

import lcshap as lc
from lcshap.core.views import TextView
from lcshap.paper.networks.blanks import Blanks


def test_absent_words_become_blanks():
    masked = Blanks().mask("It just  sucks.")
    assert masked.graph.names == ("It", "just", "sucks.")
    assert masked.rows(lc.Coalitions.from_sets(3, [[0, 1, 2], [1], []])) == [
        "It just  sucks.",
        "   just        ",
        " " * 15,
    ]
    assert isinstance(masked.view, TextView)
    assert masked.view.text == "It just  sucks."
    assert masked.view.labels.tolist() == [0, 1, 2]
    with pytest.raises(
        lc.errors.PlanError, match="Expected coalitions over the 3 units of the input, got coalitions over 2 units"
    ):
        masked.rows(lc.Coalitions.from_sets(2, [[0]]))


def test_every_row_has_the_length_of_the_text():
    text = "  Dré\tsays:\n no."
    rows = Blanks().mask(text).rows(lc.Coalitions.from_sets(3, [[0, 1, 2], [0], [1, 2], []]))
    assert {len(row) for row in rows} == {len(text)}
    assert rows[0] == text
    assert rows[1] == "  Dré\t     \n    "  # what is between the words stays


def test_through_an_explainer():
    model = lambda texts: [float(len(text.rstrip())) for text in texts]  # noqa: E731
    e = lc.Explainer(model, Blanks(), lc.FeatureAblation(), kind="output")("one two six")
    np.testing.assert_array_equal(e.scores, [0.0, 0.0, 4.0])  # "one two" ends where "six" begins


def test_bad_input():
    for wrong in ("", "   "):
        with pytest.raises(lc.errors.MaskerError):
            Blanks().mask(wrong)
    with pytest.raises(lc.errors.MaskerError):
        Blanks().mask(3)
