"""Explainers, their stores and their errors go from process to process."""

import multiprocessing
import pickle

import numpy as np
import pytest
from fuzz import pickling

import lcshap as lc
from lcshap import errors

TEXT = "to be or not to be"


def lengths(texts):
    return [float(len(text)) for text in texts]


def failing(texts):
    if "not" not in texts[0]:
        raise OSError("token=abc")
    return lengths(texts)


@pytest.mark.filterwarnings(r"ignore:os.fork\(\) was called:RuntimeWarning")  # by JAX, if a test before has imported it
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded, use of fork:DeprecationWarning")
def test_every_quick_adapter_is_pickled_and_every_error_too():
    summary = pickling.run(names=("callable", "sklearn", "onnx"), spawn=False)
    assert summary["failures"] == []
    assert (summary["pickled"], summary["forked"]) == (5, 10)
    assert summary["errors"] > 15


def explain(explainer):
    return explainer(TEXT)


def test_errors_cross_a_pool():
    """An error that cannot be unpickled would leave the pool waiting for ever."""
    large = lc.Explainer(lengths, lc.maskers.Text(), lc.Shapley(), kind="output", max_calls=10)
    broken = lc.Explainer(failing, lc.maskers.Text(), lc.Shapley(), kind="output", batch_size=1)
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        with pytest.raises(lc.errors.PlanTooLargeError) as info:
            pool.map_async(explain, [large]).get(60)
        assert info.value.calls == 64
        with pytest.raises(errors.RunFailedError, match="OSError") as info:
            pool.map_async(explain, [broken]).get(60)
        assert len(info.value.store) > 0
        assert info.value.explanations == [None]
        explanations = pool.map_async(explain, [lc.Explainer(lengths, lc.maskers.Text(), kind="output")]).get(60)
    np.testing.assert_array_equal(explanations[0].scores, lc.explain(lengths, TEXT, kind="output").scores)


def test_a_store_is_pickled_with_all_answers():
    store = lc.MemoryStore()
    explainer = lc.Explainer(lengths, lc.maskers.Text(), lc.Shapley(), kind="output", store=store)
    expected = explainer(TEXT)
    again = pickle.loads(pickle.dumps(store))
    assert len(again) == len(store) == expected.rows
    resumed = explainer(TEXT, store=again)
    assert resumed.rows == 0
    assert resumed.scores.tolist() == expected.scores.tolist()
    assert len(pickle.loads(pickle.dumps(lc.MemoryStore()))) == 0
