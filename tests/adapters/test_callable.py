import numpy as np
import pytest

from lcshap.adapters.callable import CallableModel
from lcshap.errors import ModelError


def test_a_list_of_strings_reaches_the_function_as_it_is():
    seen = []
    model = CallableModel(lambda rows: seen.append(rows) or [[0.5, 0.5]] * len(rows), "probabilities")
    texts = ["one text", "another"]
    assert model.predict(texts).tolist() == [[0.5, 0.5]] * 2
    assert seen[0] is texts
    assert model.kind == "probabilities"


def test_one_number_a_row_is_one_column_and_precision_is_kept():
    model = CallableModel(lambda rows: rows.sum(axis=1), "output")
    answers = model.predict(np.ones((3, 4), np.float32))
    assert answers.shape == (3, 1)
    assert answers.dtype == np.float32
    assert CallableModel(lambda rows: rows, "output").predict(np.ones((2, 5))).shape == (2, 5)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ([1.0, 2.0], r"for 3 rows, got \(2,\)"),
        (1.0, r"for 3 rows, got \(\)"),
        (np.zeros((3, 0)), r"for 3 rows, got \(3, 0\)"),
        (np.zeros((3, 2, 2)), r"for 3 rows, got \(3, 2, 2\)"),
        (["a", "b", "c"], "real numbers"),
        ((np.zeros(3), np.zeros((3, 2))), r"got a tuple of 2\. Return the one"),
        (np.zeros((3, 2), complex), "real numbers"),
        ([None, 1.0, 2.0], "real numbers"),
        ([[1.0], [1.0, 2.0], [3.0]], "Expected an array from"),
        ([[0.0, 1.0], [0.0, 1.0], [np.nan, 1.0]], r"nan.*row 2"),
        ([0.0, -np.inf, 1.0], r"inf.*row 1"),
        (np.ma.masked_array([0.0, 1.0, 2.0], [False, True, False]), "masked entries.*row 1. Return"),
        (np.ma.masked_array(np.zeros((3, 2)), [[0, 0], [0, 0], [0, 1]]), "masked entries.*row 2"),
        ([np.zeros(2), np.zeros(2), np.ma.masked_array(np.zeros(2), [0, 1])], "masked entries.*row 2"),
    ],
)
def test_wrong_answers(answer, message):
    with pytest.raises(ModelError, match=message):
        CallableModel(lambda rows: answer, "output").predict(["a", "b", "c"])


def test_a_masked_array_without_masked_entries_is_an_array():
    answer = np.ma.masked_array([1.0, 2.0], [False, False])
    assert CallableModel(lambda rows: answer, "output").predict(["a", "b"]).tolist() == [[1], [2]]


def test_the_kind_is_never_guessed():
    with pytest.raises(TypeError, match="kind"):
        CallableModel(len)
    with pytest.raises(ModelError, match='set kind="logits"'):
        CallableModel(len, None)
    with pytest.raises(ModelError, match="Expected a known kind, got 'scores'"):
        CallableModel(len, "scores")
    with pytest.raises(ModelError, match="Expected a function of rows, got int"):
        CallableModel(3, "output")


def test_gradients_are_not_known():
    with pytest.raises(NotImplementedError):
        CallableModel(len, "output").gradient([[1.0]], np.ones((1, 1)))
