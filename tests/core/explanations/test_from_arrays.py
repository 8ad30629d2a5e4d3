import tracemalloc

import numpy as np
import pandas as pd
import pytest
from explanation_sets import array_set, frame

import lcshap as lc
from lcshap.errors import OptionError


@pytest.mark.parametrize("outputs", [None, 2])
def test_every_number_is_where_it_was(outputs):
    shape = (6, 3) if outputs is None else (6, 3, outputs)
    stderr = np.random.default_rng(1).random(shape)
    xs, scores, base = array_set(outputs=outputs, stderr=stderr, dof=4, calls=range(6), rows=9, method="mine")
    for i, e in enumerate(xs):
        np.testing.assert_array_equal(e.scores, scores[i])
        np.testing.assert_array_equal(e.base_value, base[i])
        np.testing.assert_array_equal(e.stderr, stderr[i])
        np.testing.assert_allclose(e.residual, 0, atol=1e-12)
        assert (e.dof, e.calls, e.rows, e.provenance["method"]) == (4, i, 9, "mine")
    np.testing.assert_array_equal(xs.stderr, stderr)
    assert xs == list(xs)


def test_one_base_value_for_all_inputs():
    xs = lc.Explanations.from_arrays(np.ones((3, 2)), 0.5, [2.5, 2.5, 2.5])
    assert xs.base_values.tolist() == [0.5] * 3
    assert lc.Explanations.from_arrays(np.ones((3, 2, 4)), np.arange(4), np.ones((3, 4))).base_values.shape == (3, 4)


def test_names_and_values_of_a_frame():
    people = frame(6)
    xs, *_ = array_set(data=people)
    assert xs.names == ("age", "dose", "city")
    assert xs.data[:, 2].tolist() == people["city"].tolist()
    assert xs.data[:, 0].astype(float).tolist() == people["age"].tolist()
    assert xs[0].view.unit_texts == {2: people["city"][0]}


@pytest.mark.parametrize("missing", [None, np.nan, pd.NA, pd.NaT])
def test_missing_values_are_nan_and_read_as_missing(missing):
    xs, *_ = array_set(1, data=pd.DataFrame([[1, "3", missing]], dtype=object))
    assert xs.data[0, :2].tolist() == [1.0, "3"]
    assert np.isnan(xs.data[0, 2])
    assert xs[0].view.texts == ("", "3", "missing")


def test_missing_numbers_read_as_missing():
    xs, *_ = array_set(2, data=np.array([[1, np.nan, 2], [3, 4, 5]]))
    assert xs[0].view.texts == ("", "missing", "")
    assert xs[1].view.texts == ()
    assert xs.data.dtype == np.float64


def test_interactions_are_sparse_matrices_of_one_input():
    pairs = np.random.default_rng(0).normal(size=(6, 3, 3, 2))
    pairs = pairs + pairs.swapaxes(1, 2)
    xs, *_ = array_set(outputs=2, interactions=pairs)
    np.testing.assert_array_equal(xs.interactions, pairs)
    np.testing.assert_array_equal(xs[1:][0].interactions[1].toarray(), pairs[1, :, :, 1])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"names": ["a"]}, "3 names"),
        ({"data": np.ones((5, 3))}, r"data of shape \(6, 3\)"),
        ({"graph": lc.Graph.chain(4)}, "graph of 3 units"),
        ({"stderr": np.ones((6, 2))}, r"stderr of shape \(6, 3\)"),
        ({"stderr": -np.ones((6, 3))}, "at least 0"),
        ({"interactions": np.ones((6, 3))}, r"\(6, 3, 3\)"),
        ({"interactions": np.arange(54.0).reshape(6, 3, 3)}, "symmetric"),
        ({"targets": ["a", "b"]}, "targets"),
        ({"calls": -1}, "calls"),
        ({"calls": [1.5] * 6}, "calls"),
        ({"rows": [1]}, "rows"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(options, message):
    with pytest.raises(OptionError, match=message):
        array_set(**options)


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ((np.ones(3), 0, 1), r"\(inputs, units\)"),
        ((np.ones((2, 0)), 0, 1), r"\(inputs, units\)"),
        (([["a"]], 0, 1), "numbers as scores"),
        ((np.ones((2, 3)), [1, 2, 3], 1), r"base_values of shape \(2,\)"),
        ((np.ones((2, 3)), 0, np.ones((2, 2))), r"predictions of shape \(2,\)"),
    ],
)
def test_numbers_that_do_not_fit_are_refused(arrays, message):
    with pytest.raises(OptionError, match=message):
        lc.Explanations.from_arrays(*arrays)


def test_arrays_are_copied_unless_that_is_switched_off():
    scores = np.ones((2, 3))
    xs = lc.Explanations.from_arrays(scores, 0, 3)
    same = lc.Explanations.from_arrays(scores, 0, 3, copy=False)
    scores[:] = 2
    assert xs.scores.max() == 1
    assert same.scores.min() == 2


def test_the_memory_is_that_of_the_arrays():
    scores, data = np.ones((20_000, 20)), np.ones((20_000, 20))
    values = np.ones(20_000)
    tracemalloc.start()
    xs = lc.Explanations.from_arrays(scores, values, values, data=data, stderr=scores, calls=1)
    size, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    exposed = sum(a.nbytes for a in (xs.scores, xs.data, xs.stderr, xs.base_values, xs.predictions))
    assert size < 1.1 * exposed
    assert peak < 1.5 * exposed


def test_no_inputs():
    xs = lc.Explanations.from_arrays(np.ones((0, 3)), [], [], names=["a", "b", "c"])
    assert len(xs) == 0
    assert xs == []
