"""A model in a process of its own: it dies, hangs and raises there, and answers again."""

import os
import pickle
import threading
import time
from functools import partial

import crashing_model
import numpy as np
import pytest

import lcshap as lc
from lcshap.adapters import IsolatedModel
from lcshap.playground.run_queue import interrupt


@pytest.fixture(scope="module")
def model():
    with IsolatedModel(crashing_model.make, "logits") as isolated:
        yield isolated


def test_it_answers_as_the_model_does(model, capfd):
    texts = ["good", "so good good", "print"]
    np.testing.assert_array_equal(model.predict(texts), [*crashing_model.model(texts[:2]), [0.0, 0.0]])
    assert (model.kind, model.classes, model.remote, model.blends) == ("logits", None, False, False)
    assert capfd.readouterr().out == ""
    e = lc.Explainer(model, lc.maskers.Text(), "shapley")("a good film")
    expected = lc.Explainer(crashing_model.model, lc.maskers.Text(), "shapley", kind="logits")("a good film")
    np.testing.assert_array_equal(e.scores, expected.scores)
    assert e.provenance["model"] == expected.provenance["model"] == "CallableModel"
    assert model.fingerprint("mine") == lc.adapters.CallableModel(crashing_model.model, "logits").fingerprint("mine")


@pytest.mark.parametrize(("word", "reason"), [("die", "exit code 3"), ("crash", "signal SIGSEGV")])
def test_a_crashed_process_is_started_again(model, word, reason):
    before = model._child.process.pid
    explainer = lc.Explainer(model, lc.maskers.Text(), "shapley")
    with pytest.raises(lc.errors.ModelError, match=f"The model ended its process with {reason}. It is started again"):
        explainer(f"{word} young")
    assert model.predict(["good"]).tolist() == [[0.0, 1.0]]
    assert model._child.process.pid != before


def test_what_it_raises_is_raised_here(model):
    with pytest.raises(ValueError, match="sad") as info:
        model.predict(["raise"])
    assert info.value.args == ("sad", 3)
    with pytest.raises(Exception, match="4") as info:
        model.predict(["leave"])
    assert type(info.value).__name__ == "SystemExit"
    with pytest.raises(lc.errors.ModelError, match=r"the full input: ValueError\('sad', 3\)"):
        lc.Explainer(model, lc.maskers.Text())("raise")
    with pytest.raises(NotImplementedError):
        model.gradient(["good"], np.ones((1, 2)))
    with pytest.raises(NotImplementedError):
        model.structure("trees")


@pytest.mark.parametrize(("word", "same"), [("sleep", True), ("stuck", False)])
def test_a_call_that_hangs_is_interrupted(model, word, same):
    """Python code is interrupted in its process; where that does not help, the process is ended."""
    model.predict(["good"])
    before, ended = model._child.process.pid, []

    def work():
        try:
            model.predict([word])
        except KeyboardInterrupt:
            ended.append(time.monotonic())

    thread = threading.Thread(target=work)
    thread.start()
    time.sleep(0.3)
    interrupt(thread)
    thread.join(20)
    assert ended
    assert model.predict(["good"]).tolist() == [[0.0, 1.0]]
    assert (model._child.process.pid == before) is same


def test_one_that_died_in_between_is_not_missed(model):
    model.predict(["good"])
    os.kill(model._child.process.pid, 9)
    model._child.process.join()
    assert model.predict(["good"]).tolist() == [[0.0, 1.0]]


def test_it_travels(model):
    assert pickle.loads(pickle.dumps(model)).predict(["good"]).tolist() == [[0.0, 1.0]]


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (crashing_model.make_nothing, OSError, "no weights"),
        (crashing_model.make_end, lc.errors.ModelError, "exit code 5"),
        (dict, lc.errors.ModelError, "Expected a model, got dict"),
        (lambda: crashing_model.model, lc.errors.OptionError, "at the top of a module"),
    ],
)
def test_what_cannot_be_made(make, error, message):
    with pytest.raises(error, match=message):
        IsolatedModel(make, "logits")


def test_trees_travel():
    tree = pytest.importorskip("sklearn.tree")
    table = np.random.default_rng(0).normal(size=(100, 3))
    model = tree.DecisionTreeRegressor(max_depth=3).fit(table, table[:, 0] + table[:, 1])
    masker = lc.maskers.Tabular(table[:4])
    expected = lc.Explainer(model, masker, "tree-shap")(table[5])
    with IsolatedModel(partial(_same, model)) as isolated:
        e = lc.Explainer(isolated, masker, "tree-shap")(table[5])
    np.testing.assert_array_equal(e.scores, expected.scores)
    assert expected.scores.any()


def test_columns_are_those_of_the_model():
    pandas = pytest.importorskip("pandas")
    linear_model = pytest.importorskip("sklearn.linear_model")
    table = pandas.DataFrame(np.random.default_rng(0).normal(size=(40, 2)), columns=["a", "b"])
    model = linear_model.LogisticRegression().fit(table, table["a"] > 0)
    background, row = table[["b", "a"]].iloc[:5], table[["b", "a"]].iloc[7]
    expected = lc.Explainer(model, background)(row)
    with IsolatedModel(partial(_same, model)) as isolated:
        assert (isolated.feature_names_in_, isolated.readable_outputs) == (["a", "b"], None)
        assert lc.Explainer(isolated, background, value="prob")(row).names == expected.names
    with IsolatedModel(partial(_same, model), "logits") as isolated:
        assert isolated.readable_outputs == "margin"
        np.testing.assert_allclose(lc.Explainer(isolated, background)(row).scores, expected.scores)
    assert abs(expected.scores[0]) > 1


def _same(obj):
    return obj
