import numpy as np
import pandas as pd
import pytest
from explanation_sets import array_set, failed, frame, row_explanations, text_explanations

import lcshap as lc
from lcshap.errors import OptionError


def test_means_and_standard_errors_are_those_of_numpy():
    xs, scores, _ = array_set(40, 5)
    importance = xs.importance(k=2)
    order = np.argsort(-np.abs(scores).mean(axis=0))
    scores = scores[:, order]
    ranks = np.argsort(np.argsort(-np.abs(scores), axis=1), axis=1)
    first = (ranks < 2) * 1.0
    assert importance.names == tuple(str(i) for i in order)
    for name, values in (("mean_abs", np.abs(scores)), ("mean", scores), ("first_share", first)):
        np.testing.assert_allclose(getattr(importance, name), values.mean(axis=0))
        np.testing.assert_allclose(getattr(importance, f"{name}_stderr"), values.std(axis=0, ddof=1) / np.sqrt(40))
    assert importance.count.tolist() == [40] * 5
    assert importance.inputs == 40
    assert importance.first_share.sum() == pytest.approx(2)


def test_words_are_joined_and_absent_words_count_as_zero():
    explanations = text_explanations(("Good, good film", "bad film", "film"))
    xs = lc.Explanations([*explanations, failed()])
    importance = xs.importance(k=1)
    table = importance.to_dataframe().set_index("name")
    good = np.array([np.abs(explanations[0].scores[:2]).sum(), 0, 0])
    assert table.loc["good", "mean_abs"] == pytest.approx(good.mean())
    assert table.loc["good", "mean_abs_stderr"] == pytest.approx(good.std(ddof=1) / np.sqrt(3))
    assert table.loc["good", "count"] == 1
    assert table.loc["film", "count"] == 3
    assert table.loc["bad", "first_share"] == pytest.approx(1 / 3)
    summary = lc.plots.summary(explanations).set_index("name")
    for name in summary.index:
        assert table.loc[name, "mean_abs"] == pytest.approx(summary.loc[name, "per_input"])


def test_cohorts_by_labels():
    xs, *_ = array_set(30, data=frame(30))
    labels = frame(30)["city"]
    cohorts = xs.importance(by=labels)
    assert set(cohorts.names) == {"Oslo", "Rome"}
    for name in cohorts.names:
        expected = xs.where(labels == name).importance()
        assert cohorts[name].names == expected.names
        np.testing.assert_allclose(cohorts[name].mean_abs, expected.mean_abs)
        np.testing.assert_allclose(cohorts[name].first_share_stderr, expected.first_share_stderr)
    assert cohorts[0].inputs >= cohorts[1].inputs
    table = cohorts.to_dataframe()
    assert len(table) == 6
    assert set(table["cohort"]) == {"Oslo", "Rome"}
    with pytest.raises(KeyError, match="Oslo"):
        _ = cohorts["Paris"]
    assert len(cohorts) == len(list(cohorts)) == 2


def test_targets_are_cohorts():
    xs = lc.Explanations([*row_explanations(6), failed()])
    with pytest.raises(OptionError, match=r"by=xs\.targets"):
        xs.importance()
    cohorts = xs.importance(by=xs.targets)
    assert {c.cohort: c.inputs for c in cohorts} == {"no": 3, "yes": 3}


def test_one_output_of_several():
    xs, scores, _ = array_set(20, outputs=2)
    importance = xs.importance(output=1)
    np.testing.assert_allclose(importance.mean_abs, np.sort(np.abs(scores[:, :, 1]).mean(axis=0))[::-1])
    with pytest.raises(OptionError, match="output=0"):
        xs.importance()


def test_a_single_input_has_no_standard_error_and_no_input_no_units():
    importance = array_set(1)[0].importance()
    assert np.isnan(importance.mean_stderr).all()
    assert "±" not in repr(importance)
    empty = lc.Explanations().importance()
    assert len(empty) == empty.inputs == 0
    assert "0 inputs" in repr(empty)
    assert isinstance(empty.to_dataframe(), pd.DataFrame)


@pytest.mark.parametrize("k", [0, -1, 1.5, True])
def test_k_is_a_whole_number(k):
    with pytest.raises(OptionError, match="k as a whole number"):
        array_set()[0].importance(k=k)


def test_displays():
    importance = array_set(30, 12, names=[f"<u{i}>" for i in range(12)])[0].importance()
    assert repr(importance).splitlines()[0] == "Importance over 30 inputs"
    assert repr(importance).splitlines()[-1] == "and 2 others"
    assert "&lt;u3&gt;" in importance._repr_html_()
    assert "<u3>" not in importance._repr_html_()
    cohorts = array_set(4)[0].importance(by=list("abab"))
    assert cohorts._repr_html_().count("Importance over 2 inputs of") == 2
    assert "of a\n" in repr(cohorts)
