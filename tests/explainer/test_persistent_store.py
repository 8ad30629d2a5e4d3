"""`Explainer(..., store="calls.db")`: no row is evaluated twice, and answers are never mixed up."""

import logging
import pickle
import sqlite3
import subprocess
import sys

import numpy as np
import pytest
import torch
from sklearn.linear_model import LogisticRegression

import lcshap as lc

X = np.array([3.0, -1.0, 2.0, 0.5, 1.5, -2.0])


class Counts:
    """Two classes; counts the rows that it gets."""

    def __init__(self):
        self.rows = 0

    def __call__(self, x):
        self.rows += len(x)
        score = x @ np.arange(1.0, 7.0) / 6 + x[:, 0] * x[:, 1]
        return np.stack([np.zeros(len(x)), score], axis=1)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "calls.db"


def explainer(model, path, method="shapley", masker=None, **options):
    options = {"kind": "logits", "model_name": "counts", **options}
    return lc.Explainer(model, masker or lc.maskers.Tabular(np.zeros(6)), method, store=path, **options)


@pytest.mark.parametrize(
    "change",
    [
        {"method": "kernel-shap", "budget": 40},
        {"method": lc.LShapley(order=1)},
        {"method": lc.DeletionPath(budget=24)},
        {"method": "auto", "goal": "sufficient"},
        {"target": 0},
        {"target": (1, 0)},
        {"target": "all"},
        {"value": "prob"},
        {"value": "expected_log_prob"},
        {"value": lambda outputs: outputs.sum(axis=-1)},
        {"kind": "output", "target": 1},
        {"batch_size": 3},
        {"curve": True},
    ],
    ids=lambda change: "-".join(change),  # the text of a function would differ between processes
)
def test_no_row_is_evaluated_twice(path, change):
    model = Counts()
    explainer(model, path)(X)
    assert model.rows == 64
    second_model = Counts()
    e = explainer(second_model, path, **change)(X)
    assert second_model.rows == 0
    assert e.rows == 0
    plain = explainer(Counts(), None, **change)(X)
    assert e.scores.tobytes() == plain.scores.tobytes()


def test_missing_rows_are_evaluated(path):
    explainer(Counts(), path, lc.FeatureAblation())(X)
    stored_answers = len(lc.SQLiteStore(path))
    model = Counts()
    assert explainer(model, path)(X).rows == model.rows == 64 - stored_answers > 0


@pytest.mark.parametrize(
    "change",
    [
        {"masker": lc.maskers.Tabular(np.full(6, 0.25))},
        {"masker": lc.maskers.Tabular(np.stack([np.zeros(6), np.ones(6)]))},
        {"masker": lc.maskers.Series(1)},
        {"model_name": "another"},
        {"x": X[::-1].copy()},
        {"x": np.nextafter(X, 9)},
    ],
    ids=lambda change: next(iter(change)),
)
def test_another_input_reference_masker_or_name_gets_nothing(path, change):
    explainer(Counts(), path)(X)
    x = change.pop("x", X)
    model, plain = Counts(), Counts()
    explanation, expected = explainer(model, path, **change).one(x), explainer(plain, None, **change).one(x)
    assert model.rows == plain.rows > 0
    assert explanation.scores.tobytes() == expected.scores.tobytes()


def test_texts(path):
    """Other texts, and other strings for what is absent, never share an answer; equal ones do."""
    asked = []

    def length(texts):
        asked.extend(texts)
        return [float(sum(map(ord, text))) for text in texts]

    def explained(text, **options):
        masker = lc.maskers.Text(**options)
        asked.clear()
        e = lc.Explainer(length, masker, "shapley", kind="output", store=path, model_name="length")(text)
        count = len(asked)
        plain = lc.Explainer(length, masker, "shapley", kind="output")(text)
        assert e.scores.tobytes() == plain.scores.tobytes()
        return count

    assert explained("so very good") == 8
    assert explained("so very good") == 0
    assert explained("so very bad") == 8
    assert explained("so very good", absent="[MASK]") == 8
    assert explained("so very good", units="character") > 0
    assert explained("so very good ") == 8
    assert explained("so very good") == 0


def test_a_function_without_a_name_is_refused_at_once(path):
    with pytest.raises(lc.errors.OptionError, match=r"got a function, an object of Counts.*model_name="):
        explainer(Counts(), path, model_name=None)
    with pytest.raises(lc.errors.OptionError, match="model_name"):
        lc.Explainer(Counts(), lc.maskers.Tabular(np.zeros(6)), kind="logits")(X, store=lc.SQLiteStore(path))
    for wrong in ("", 3):
        with pytest.raises(lc.errors.OptionError, match="Expected model_name as a text"):
            explainer(Counts(), path, model_name=wrong)
    assert lc.Explainer(Counts(), lc.maskers.Tabular(np.zeros(6)), kind="logits", store=lc.MemoryStore())(X).rows > 0


def test_a_model_that_was_trained_on_is_another_one(path, caplog):
    """Noticed by the same explainer too, from one call to the next."""
    torch.manual_seed(0)
    module = torch.nn.Linear(6, 2)
    explain = explainer(module, path, model_name=None)
    first = explain(X)
    assert (first.rows, explain(X).rows) == (64, 0)
    with torch.no_grad():
        module.weight += 0.5
    with caplog.at_level(logging.WARNING, "lcshap"):
        after_training = explain(X)
    assert after_training.rows == 64
    assert "the model has changed" in caplog.text
    assert after_training.scores.tobytes() == explainer(module, None, model_name=None)(X).scores.tobytes()
    with torch.no_grad():
        module.weight -= 0.5
    torch.manual_seed(0)
    assert explainer(torch.nn.Linear(6, 2), path, model_name=None)(X).rows == 0


def test_an_estimator_that_was_fitted_again(path):
    data = np.random.default_rng(0).normal(size=(40, 6))
    models = [LogisticRegression().fit(data, data[:, column] > 0) for column in (0, 0, 1)]
    row_counts = [
        lc.Explainer(model, lc.maskers.Tabular(np.zeros(6)), "shapley", store=path)(X).rows for model in models
    ]
    assert row_counts == [64, 0, 64]


def test_a_failure_is_followed_by_another_process(path):
    """What was answered before the model broke is in the file."""
    model = Counts()

    def breaks(x):
        if model.rows >= 40:
            raise ConnectionError("gone")
        return model(x)

    with pytest.raises(lc.errors.RunFailedError) as info:
        explainer(breaks, path, batch_size=8)(X)
    info.value.store.close()
    code = f"""
import numpy as np, lcshap as lc
def ask(x):
    score = x @ np.arange(1.0, 7.0) / 6 + x[:, 0] * x[:, 1]
    return np.stack([np.zeros(len(x)), score], axis=1)
ways = lc.Explainer(ask, lc.maskers.Tabular(np.zeros(6)), "shapley", kind="logits", model_name="counts",
                    store={str(path)!r})
e = ways(np.array({X.tolist()}))
print(e.rows, e.scores.tolist())
"""
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert printed == f"{64 - model.rows} {explainer(Counts(), None)(X).scores.tolist()}\n"


def test_an_explainer_travels_with_the_path_of_its_store(path):
    model = LogisticRegression().fit(np.eye(6), [0, 1] * 3)
    explain = lc.Explainer(model, lc.maskers.Tabular(np.zeros(6)), "shapley", store=path)
    assert explain(X).rows == 64
    unpickled = pickle.loads(pickle.dumps(explain))
    assert unpickled.store.path == str(path)
    assert unpickled(X).rows == 0
    assert f"store=SQLiteStore({str(path)!r})" in repr(explain)


def test_inputs_without_a_stable_key_are_warned_of(path):
    class Mine(lc.maskers.base.Masked):  # no dataclass: nobody knows what its rows depend on
        def rows(self, coalitions):
            return np.where(coalitions.dense(), X, 0.0)

    class Masker(lc.maskers.base.Masker):
        def mask(self, x):
            return Mine(lc.Graph.chain(6))

    with pytest.warns(UserWarning, match="holds a function or another object that only this process can identify"):
        explainer(Counts(), path, masker=Masker()).one(X)


def test_a_decision_is_available_after_answers_were_removed(path):
    """Another process may forget the input that is being worked on; then the model is asked again."""
    model = Counts()
    game = explainer(model, path).game(X)
    coalitions = lc.Coalitions.from_sets(6, [[0], [1, 2], range(6)])
    game.evaluate(coalitions)
    expected = game.decision_unchanged(coalitions)
    connection = sqlite3.connect(path)
    connection.execute("DELETE FROM answers")
    connection.execute("DELETE FROM inputs")
    connection.commit()
    connection.close()
    before = model.rows
    assert game.decision_unchanged(coalitions).tolist() == expected.tolist()
    assert model.rows == before + 3


def test_a_damaged_store_stops_the_explainer(path):
    path.write_bytes(b"not a database, but the notes of somebody" * 40)
    with pytest.raises(lc.errors.StoreError, match="not a database"):
        explainer(Counts(), path)
    with pytest.raises(lc.errors.OptionError, match="Expected a store"):
        explainer(Counts(), 3)
