import numpy as np
import pytest
from explanation_sets import array_set, failed, row_explanations, text_explanations

import lcshap as lc
from lcshap.errors import OptionError
from support import table_game


@pytest.mark.parametrize("outputs", [None, 2])
def test_arrays_are_those_of_the_explanations(outputs):
    explanations = list(row_explanations(4, outputs))
    xs = lc.Explanations(explanations)
    np.testing.assert_array_equal(xs.scores, np.stack([e.scores for e in explanations]))
    np.testing.assert_array_equal(xs.values, xs.scores)
    np.testing.assert_array_equal(xs.base_values, np.stack([e.base_value for e in explanations]))
    np.testing.assert_array_equal(xs.predictions, np.stack([e.full_value for e in explanations]))
    assert xs.names == ("age", "dose", "city")
    assert xs.calls.tolist() == [8] * 4
    assert xs.rows.tolist() == [e.rows for e in explanations]
    assert xs.stderr is None
    assert xs.interactions is None
    assert xs.method == xs.methods[0] == "Shapley()"


def test_failed_inputs_have_no_numbers():
    first, second = row_explanations(2)
    xs = lc.Explanations([first, failed(), second])
    assert np.isnan(xs.scores[1]).all()
    np.testing.assert_array_equal(xs.scores[[0, 2]], [first.scores, second.scores])
    assert np.isnan(xs.base_values[1])
    assert np.isnan(xs.calls[1])
    assert np.isnan(xs.predictions[1])
    assert all(np.isnan(value) for value in xs.data[1])
    assert xs.targets.tolist() == ["no", None, "yes"]
    assert list(xs.errors) == [1]


def test_units_that_differ_have_no_array_but_scores_of_one_input():
    explanations = text_explanations()
    xs = lc.Explanations(explanations)
    for name in ("scores", "values", "names"):
        with pytest.raises(OptionError, match=r"scores_of\(i\) for one input, or to_dataframe\(\)"):
            getattr(xs, name)
    np.testing.assert_array_equal(xs.scores_of(-1), explanations[-1].scores)
    assert xs.base_values.shape == (3,)
    assert xs.data == [("a", "good", "film"), ("bad",), ("not", "so", "good")]
    assert xs.data == [e.data for e in explanations]


def test_units_of_equal_number_need_equal_names():
    xs = lc.Explanations(text_explanations(("good film", "good day")))
    with pytest.raises(OptionError, match="'film' and 'day'"):
        _ = xs.scores


def test_outputs_that_differ_have_no_array():
    xs = lc.Explanations([*row_explanations(1), *row_explanations(1, 2)])
    with pytest.raises(OptionError, match="one number, 2 outputs"):
        _ = xs.base_values


def test_inputs_without_standard_errors_beside_others_have_nan():
    game, _ = table_game(5, 3)
    graph = lc.Graph.chain(5)
    exact, estimate = lc.Shapley().explain(game, graph), lc.GraphKernelSHAP(16).explain(game, graph)
    xs = lc.Explanations([exact, estimate, failed()])
    assert np.isnan(xs.stderr[0]).all()
    np.testing.assert_array_equal(xs.stderr[1], estimate.stderr)
    assert np.isnan(xs.stderr[2]).all()
    assert lc.Explanations([estimate, estimate]).stderr.shape == (2, 5)
    with pytest.raises(OptionError, match="2: Shapley"):
        _ = xs.method


@pytest.mark.parametrize("outputs", [None, 2])
def test_interactions_are_dense(outputs):
    graph = lc.Graph.chain(4)
    explanations = [
        lc.GraphKernelSHAP(14, interactions="all").explain(table_game(4, seed, outputs)[0], graph) for seed in range(2)
    ]
    xs = lc.Explanations(explanations)
    for row, e in enumerate(explanations):
        matrices = e.interactions if outputs else [e.interactions]
        stacked = np.stack([m.toarray() for m in matrices], axis=-1)
        np.testing.assert_array_equal(xs.interactions[row], stacked if outputs else stacked[..., 0])
    assert np.isnan(lc.Explanations([*explanations, failed()]).interactions[2]).all()


def test_data_of_tables():
    explanations = list(row_explanations(3))
    xs = lc.Explanations(explanations)
    assert xs.data.dtype == object
    assert xs.data[:, 2].tolist() == ["Oslo", "Rome", "Oslo"]
    assert xs.data[0, 0] == explanations[0].view.values[0]
    assert np.isnan(xs.data[1, 1])
    assert [e.data.tolist()[2] for e in explanations] == ["Oslo", "Rome", "Oslo"]


def test_numbers_of_tables_are_not_copied():
    data = np.random.default_rng(0).normal(size=(6, 3))
    xs, *_ = array_set(data=data, copy=False)
    assert np.shares_memory(xs.data, data)
    assert xs.data.dtype == np.float64


def test_targets():
    assert array_set(outputs=2, targets=["a", "b"])[0].targets.tolist() == [["a", "b"]] * 6
    assert array_set(2, targets="a")[0].targets.tolist() == ["a", "a"]
    assert array_set(2)[0].targets.tolist() == [None, None]
    assert array_set(2, targets=["a", "b"])[0].targets.tolist() == ["a", "b"]
    contrast = lc.Explanations([lc.Explanation(np.ones(1), 0.0, 1.0, lc.Graph.chain(1), 2, {"targets": [["a", "b"]]})])
    assert contrast.targets.tolist() == ["a rather than b"]


@pytest.mark.parametrize("name", ["scores", "base_values", "predictions", "data", "calls", "targets"])
def test_arrays_cannot_be_written_to(name):
    xs = lc.Explanations(list(row_explanations(2)))
    with pytest.raises(ValueError, match="read-only"):
        getattr(xs, name)[0] = 1


def test_an_empty_set_has_empty_arrays():
    xs = lc.Explanations([])
    assert xs.scores.shape == (0, 0)
    assert xs.base_values.shape == xs.predictions.shape == xs.targets.shape == xs.calls.shape == (0,)
    assert xs.names == ()
    assert xs.data is xs.stderr is xs.interactions is xs.method is None
    assert xs.errors == {}
