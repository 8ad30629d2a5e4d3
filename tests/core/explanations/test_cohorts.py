import numpy as np
import pandas as pd
import pytest
from explanation_sets import array_set, failed, frame, row_explanations, text_explanations

import lcshap as lc
from lcshap.core.explanations.cohorts import find_cohorts
from lcshap.errors import OptionError


def stepped(count=60):
    """A set whose scores jump with the age, for Oslo only."""
    people = frame(count)
    steps = 5.0 * ((people["age"] > 50) & (people["city"] == "Oslo"))
    scores = np.stack([steps, np.zeros(count), np.zeros(count)], axis=1)
    return lc.Explanations.from_arrays(scores, 0.0, scores.sum(axis=1), data=people), people


def test_a_tree_finds_the_rule():
    xs, people = stepped()
    cohorts = find_cohorts(xs._columns, 3)
    old = [name for name in cohorts if "age >" in name and "Oslo" in name]
    assert len(old) == 1
    expected = np.flatnonzero((people["age"] > 50) & (people["city"] == "Oslo"))
    assert cohorts[old[0]].tolist() == expected.tolist()
    assert sorted(np.concatenate(list(cohorts.values())).tolist()) == list(range(60))
    assert len(find_cohorts(xs._columns, "tree")) <= 4
    assert xs.importance(by=2)._repr_html_()


def test_missing_values_are_allowed_in_a_tree():
    xs, *_ = array_set(20, data=np.where(np.arange(60).reshape(20, 3) % 7 == 0, np.nan, 1.0))
    assert sum(map(len, find_cohorts(xs._columns, 3).values())) == 20


def test_labels_of_all_kinds():
    columns = array_set(6)[0]._columns
    for labels in ([1, 2, 1, 1, 2, 1], pd.Series([1, 2, 1, 1, 2, 1], index=range(9, 15)), np.array([1, 2, 1, 1, 2, 1])):
        cohorts = find_cohorts(columns, labels)
        assert {name: rows.tolist() for name, rows in cohorts.items()} == {"1": [0, 2, 3, 5], "2": [1, 4]}
    gaps = find_cohorts(columns, ["a", None, np.nan, pd.NA, "a", "a"])
    assert gaps["missing"].tolist() == [1, 2, 3]
    assert list(find_cohorts(columns, [True] * 6)) == ["True"]


def test_failed_inputs_are_in_no_cohort():
    columns = lc.Explanations([failed(), *row_explanations(2)])._columns
    assert find_cohorts(columns, ["a", "a", "b"])["a"].tolist() == [1]
    assert sum(map(len, find_cohorts(columns, 2).values())) == 2


@pytest.mark.parametrize(
    ("by", "message"),
    [
        ("sex", "got 'sex'"),
        ([1, 2], "6 labels"),
        (1, "at least 2"),
        (np.ones((6, 2)), "6 labels"),
        (4, "feature values"),
    ],
)
def test_other_cohorts_are_refused(by, message):
    with pytest.raises(OptionError, match=message):
        find_cohorts(array_set(6)[0]._columns, by)


def test_too_many_labels_are_refused():
    with pytest.raises(OptionError, match="by=4"):
        find_cohorts(array_set(200)[0]._columns, np.arange(200) / 7)


def test_texts_have_no_feature_values():
    with pytest.raises(OptionError, match="feature values"):
        find_cohorts(lc.Explanations(text_explanations())._columns, "tree")


def test_no_inputs():
    assert find_cohorts(lc.Explanations()._columns, []) == {}
    assert find_cohorts(lc.Explanations()._columns, "tree") == {}
