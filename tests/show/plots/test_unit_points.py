"""Scores in columns: those from arrays of a set are those of a list of explanations."""

import numpy as np
import pandas as pd
import pytest
from explanation_sets import array_set, failed, row_explanations, text_explanations
from scipy.stats import rankdata

import lcshap as lc
from lcshap.show.plots.unit_points import point_groups, value_ranks


def frame(points):
    columns = {
        "input": points.inputs,
        "name": np.array(points.names)[points.unit],
        "score": points.scores,
        "where": points.where,
        "value": points.values,
    }
    return pd.DataFrame(columns)


@pytest.mark.parametrize("outputs", [None, 2])
def test_a_set_gives_the_same_points_as_a_list(outputs):
    if outputs is None:
        listed = list(row_explanations(7))
    else:
        listed = list(array_set(5, outputs=outputs, targets=["a", "b"])[0])
    from_list, from_set = point_groups(listed), point_groups(lc.Explanations(listed))
    assert list(from_list) == list(from_set)
    for name in from_list:
        pd.testing.assert_frame_equal(frame(from_list[name]), frame(from_set[name]))
        assert from_list[name].sign_labels == from_set[name].sign_labels
        assert from_list[name].tables == from_set[name].tables


def test_totals_are_those_of_pandas():
    xs, scores, _ = array_set(20, 4, names=["d", "b", "c", "a"])
    (points,) = point_groups(xs, key=lambda name: "ab" if name in "ab" else name).values()
    table = pd.DataFrame({"name": np.array(["d", "ab", "c", "ab"] * 20), "score": scores.ravel()})
    groups = table.groupby("name")["score"]
    totals = points.totals()
    assert points.names == ("ab", "c", "d")
    np.testing.assert_allclose(totals["mean"], groups.mean())
    np.testing.assert_allclose(totals["std"], groups.std())
    np.testing.assert_allclose(totals["mean_abs"], groups.agg(lambda s: s.abs().mean()))
    np.testing.assert_allclose(totals["per_input"], groups.agg(lambda s: s.abs().sum() / 20))
    assert totals["count"].tolist() == [40, 20, 20]


def test_texts_and_failed_inputs_of_a_set():
    texts = text_explanations()
    (points,) = point_groups(lc.Explanations([*texts, failed()])).values()
    pd.testing.assert_frame_equal(frame(points), frame(next(iter(point_groups(texts).values()))))


def test_ranks_are_those_of_scipy():
    values = np.random.default_rng(0).integers(0, 9, 50).astype(float)
    np.testing.assert_allclose(value_ranks(values), (rankdata(values) - 1) / 49)
    assert np.isnan(value_ranks(np.full(3, np.nan))).all()
    assert value_ranks(np.array([7.0])).tolist() == [0.0]
