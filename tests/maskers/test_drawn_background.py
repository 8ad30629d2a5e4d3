"""Background rows that are drawn for each coalition: which ones, how often, and that equal rows are found."""

import numpy as np
import pytest

import lcshap as lc
from lcshap.maskers.drawn_background import DrawnBackground

RNG = np.random.default_rng(0)


def drawn(background, x, count=4, order=None, seed=3):
    whole = lc.maskers.Tabular(background).mask(x)
    return DrawnBackground(whole.graph, whole, np.arange(len(background)) if order is None else order, count, seed)


def random_coalitions(n, d):
    return lc.Coalitions.from_dense(RNG.random((n, d)) < 0.5).unique()[0]


def test_rows_are_those_of_the_input_and_of_drawn_background_rows():
    background, x = RNG.normal(size=(12, 5)), RNG.normal(size=5)
    masked, coalitions = drawn(background, x), random_coalitions(20, 5)
    rows = masked.rows(coalitions).reshape(len(coalitions), 4, 5)
    for kept, several in zip(coalitions.dense(), rows, strict=True):
        for row in several:
            np.testing.assert_array_equal(row[kept], x[kept])
            if not kept.all():
                assert (row[~kept] == background[:, ~kept]).all(axis=1).sum() == 1


def places_of(masked, coalitions, background, unit):
    """Which background rows a coalition without this unit takes."""
    rows = masked.rows(coalitions)
    return [int(np.flatnonzero(background[:, unit] == value)[0]) for value in rows[:, unit]]


def test_two_different_rows_are_drawn_from_each_stratum_of_the_order():
    background, order = RNG.normal(size=(24, 6)), RNG.permutation(24)
    rank = np.argsort(order)
    counts = np.zeros(24)
    for seed in range(300):
        masked = drawn(background, np.zeros(6), count=6, order=order, seed=seed)
        places = places_of(masked, lc.Coalitions.from_sets(6, [[1, 2]]), background, 0)
        assert sorted(rank[places] // 8) == [0, 0, 1, 1, 2, 2]
        assert len(set(places)) == 6
        counts[places] += 1
    assert counts.sum() == 1800
    assert (np.abs(counts - 75) < 5 * np.sqrt(75)).all()  # all of them equally often


def test_a_coalition_and_its_complement_get_the_same_rows_and_others_get_others():
    background = RNG.normal(size=(40, 6))
    masked = drawn(background, np.zeros(6), count=8)
    first = places_of(masked, lc.Coalitions.from_sets(6, [[1, 2]]), background, 0)
    complement = places_of(masked, lc.Coalitions.from_sets(6, [[0, 3, 4, 5]]), background, 1)
    other = places_of(masked, lc.Coalitions.from_sets(6, [[1, 3]]), background, 0)
    assert first == complement != other
    again = drawn(background, np.zeros(6), count=8)
    assert masked.key == again.key
    assert places_of(again, lc.Coalitions.from_sets(6, [[1, 2]]), background, 0) == first
    for changed in (drawn(background, np.zeros(6), 8, seed=4), drawn(background, np.zeros(6), 6)):
        assert changed.key != masked.key


@pytest.mark.parametrize("values", [2, 1000])
@pytest.mark.parametrize("frame", [False, True])
def test_equal_rows_are_asked_once_where_there_are_many(values, frame):
    background = RNG.integers(values, size=(16, 4)).astype(float)
    x = np.ones(4)
    if frame:
        pd = pytest.importorskip("pandas")
        background = pd.DataFrame(background, columns=list("abcd")).assign(a=lambda t: t["a"].astype(str))
        x = pd.DataFrame([x], columns=list("abcd")).assign(a="1.0")
    masked = drawn(background, x, count=8)
    coalitions = random_coalitions(9, 4)
    rows, distinct = np.asarray(masked.rows(coalitions)), masked.distinct(coalitions)
    keys_of_rows = len({tuple(row) for row in rows.tolist()})
    if values == 2:
        assert len(distinct) == len(set(distinct.keys)) == keys_of_rows < 0.9 * len(rows)
        made = np.asarray(distinct.make(np.arange(len(distinct))))
        np.testing.assert_array_equal(made[distinct.index], rows)
    else:
        assert distinct.rows_per_key == 8
        assert len(distinct) == len(coalitions)


def test_the_full_input_is_one_row():
    masked = drawn(RNG.normal(size=(16, 4)), np.ones(4))
    assert len(masked.distinct(lc.Coalitions.from_sets(4, [range(4)]))) == 1
