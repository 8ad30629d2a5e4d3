"""What the store knows of some coalitions, and what is left to ask."""

import numpy as np
import pytest

import lcshap as lc
from lcshap.adapters import CallableModel
from lcshap.core.game import RowCounter
from lcshap.evaluation.engine import Engine
from lcshap.evaluation.pending_rows import PendingRows, answer_pending, store_space
from lcshap.maskers.text import MaskedText
from lcshap.values import Value


def parts(fn=lambda texts: [float(len(t)) for t in texts], text="very very bad"):
    return Engine(CallableModel(fn, "output"), 2), lc.maskers.Text().mask(text), lc.MemoryStore()


SETS = lc.Coalitions.from_sets(3, [[0, 2], [1, 2], [0], [0, 1, 2], [1]])


def test_equal_rows_are_one_question():
    engine, masked, store = parts()
    want = PendingRows(engine, masked, SETS, store, RowCounter(), None)
    assert [t for t in masked.rows(want.question.coalitions)] == ["very bad", "very", "very very bad"]
    (values,) = answer_pending(engine, [want])
    assert values[:, 0, 0].tolist() == [8, 8, 4, 13, 4]
    assert len(store) == want.row_counter.rows == 3


def test_the_texts_that_keys_are_made_of_are_not_made_again(monkeypatch):
    row_counts, rows = [], MaskedText.rows
    monkeypatch.setattr(MaskedText, "rows", lambda self, sets: row_counts.append(len(sets)) or rows(self, sets))
    for long in (False, True):  # rows of long texts are made batch by batch: all at once would fill the memory
        row_counts.clear()
        if long:
            monkeypatch.setattr("lcshap.maskers.text._MAX_KEPT_LETTERS", 5)
        engine, masked, store = parts()
        answer_pending(engine, [PendingRows(engine, masked, SETS[:2], store, RowCounter(), None)])
        want = PendingRows(engine, masked, SETS, store, RowCounter(), None)
        assert (want.question.distinct.make is None) == long
        if not long:
            assert want.question.rows(np.arange(2)) == ["very", "very very bad"]
        assert answer_pending(engine, [want])[0][:, 0, 0].tolist() == [8, 8, 4, 13, 4]
        assert row_counts == ([2, 1, 5, 2] if long else [2, 5])


def test_stored_rows_are_not_in_the_request():
    engine, masked, store = parts()
    answer_pending(engine, [PendingRows(engine, masked, SETS[:2], store, RowCounter(), None)])
    want = PendingRows(engine, masked, SETS, store, RowCounter(), None)
    assert len(want.question.coalitions) == 2
    assert want.finished is None
    answer_pending(engine, [want])
    assert want.finished[:, 0, 0].tolist() == [8, 8, 4, 13, 4]


def test_values_name_the_coalition_that_makes_none():
    engine, masked, store = parts()
    fixed = Value(lambda outputs: np.where(outputs[:, 0] == 4, np.inf, outputs[:, 0])).resolve(
        np.array([[13.0]]), "output"
    )
    with pytest.raises(lc.errors.ModelError, match=r"finite.*\(the coalition \{0\}\)"):
        answer_pending(engine, [PendingRows(engine, masked, SETS, store, RowCounter(), fixed)])
    assert len(store) == 3  # the answers themselves are fine
    (kept,) = answer_pending(
        engine, [PendingRows(engine, masked, SETS, store, RowCounter(), fixed)], isolate_failures=True
    )
    assert isinstance(kept, lc.errors.ModelError)


def test_a_bad_answer_is_noticed_in_its_batch():
    asked = []

    def model(texts):
        asked.extend(texts)
        return [[0.5, 0.4] for _ in texts]

    masked, store = lc.maskers.Text().mask("a b c d e f g h"), lc.MemoryStore()
    engine = Engine(CallableModel(model, "probabilities"), 4)
    fixed = Value("prob", 0).resolve(np.array([[0.5, 0.5]]), "probabilities")
    want = PendingRows(engine, masked, lc.Shapley().plan(masked.graph).coalitions, store, RowCounter(), fixed)
    with pytest.raises(
        lc.errors.ModelError, match=r"Expected probabilities that sum to 1 from the model, got \[0\.5 0\.4\] for row 0,"
    ):
        answer_pending(engine, [want])
    assert len(asked) == 4


def test_spaces_differ_by_model_input_and_reference():
    model = CallableModel(lambda x: x, "output")
    other_model = CallableModel(lambda x: x, "output")
    tabular = lc.maskers.Tabular
    spaces = {
        store_space(Engine(m), tabular(reference).mask(x))
        for m in (model, other_model)
        for reference in ([0.0, 0.0], [0.0, 1.0])
        for x in ([1.0, 2.0], [2.0, 1.0])
    }
    assert len(spaces) == 8
    assert store_space(Engine(model), tabular([0.0, 0.0]).mask([1.0, 2.0])) in spaces


@pytest.mark.parametrize(("options", "rows"), [({}, 1), ({"pin": [1]}, 1), ({"drop": [1]}, 7)], ids=str)
def test_the_full_input_is_one_row_if_it_does_not_depend_on_the_background(options, rows):
    """Of a table whose background agrees nowhere; a dropped column takes the values of the background there too."""
    asked = []

    def model(table):
        asked.append(len(table))
        return table @ [1.0, 20.0, 300.0]

    background = np.arange(21.0).reshape(7, 3) / 8
    e = lc.Explainer(model, lc.maskers.Tabular(background, **options), lc.Shapley(), kind="output")([5.0, 6.0, 7.0])
    assert asked[0] == rows
    assert sum(asked) == e.rows == 7 * (e.calls - 1) + rows
    kept = [c for c in range(3) if c not in (*options.get("pin", ()), *options.get("drop", ()))]
    weights = np.array([1.0, 20.0, 300.0])
    np.testing.assert_allclose(e.scores, ((np.array([5.0, 6.0, 7.0]) - background.mean(axis=0)) * weights)[kept])
