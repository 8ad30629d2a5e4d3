"""Which texts can be divided into units whose words are counted separately."""

import numpy as np
import pytest

import lcshap as lc
from lcshap.adapters.linear_models import read_weights
from lcshap.evaluation.text_games import count_game
from support import every

text = pytest.importorskip("sklearn.feature_extraction.text")
from sklearn import linear_model, pipeline  # noqa: E402

MODEL = pipeline.make_pipeline(text.CountVectorizer(token_pattern=r"\w+"), linear_model.Ridge())
MODEL.fit(["one two", "three", "one three three", "映画 が 好き"], [1.0, 2.0, 5.0, 3.0])
WEIGHTS = read_weights(MODEL, "predict")


@pytest.mark.parametrize("masker", [lc.maskers.Text(), lc.maskers.Text("sentence", absent="one")], ids=str)
def test_values_are_those_of_the_model(masker):
    masked = masker.mask("one three. two one! three")
    game = count_game(WEIGHTS, masked, np.eye(1))
    coalitions = lc.Coalitions.from_dense(np.array(every(masked.graph.d), bool))
    expected = MODEL.predict(masked.rows(coalitions)) - MODEL[-1].intercept_
    np.testing.assert_allclose(game.values(coalitions), expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    ("masker", "x"),
    [
        (lc.maskers.Text("character"), "one two"),
        (lc.maskers.Text(), "映画が好き"),
        (lc.maskers.Text(splitter="[aeiou]"), "one two"),
        (lc.maskers.Text(splitter="-?[a-z]+"), "one-two"),
    ],
    ids=["letters", "no spaces", "parts of words", "only a hyphen between"],
)
def test_units_that_share_words_are_refused(masker, x):
    with pytest.raises(lc.errors.MethodError, match="Expected units with white space between them"):
        count_game(WEIGHTS, masker.mask(x), np.eye(1))


def test_other_inputs_are_refused():
    with pytest.raises(lc.errors.MethodError, match="Expected a text for a model that counts words, got MaskedTabular"):
        count_game(WEIGHTS, lc.maskers.Tabular([0.0]).mask([1.0]), np.eye(1))
