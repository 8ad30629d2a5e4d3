"""Rows that stand for a table: against all choices on small tables, and against random rows on large ones."""

import sys
from itertools import combinations, permutations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from tables import model, people, polars_people

import lcshap as lc
from lcshap.errors import MaskerError
from lcshap.maskers import Tabular, representatives
from lcshap.maskers.representatives import _assign_rows, _distances, _find_medoids, _initial_medoids


def test_the_distance_is_gowers():
    table = pd.DataFrame({"x": [0.0, 5.0, np.nan, 10.0], "c": [0, 1, -1, 1]})
    far = _distances([table["x"].to_numpy(), table["c"].to_numpy()])
    assert far.tolist() == [[0, 0.75, 1, 1], [0.75, 0, 1, 0.25], [1, 1, 0, 1], [1, 0.25, 1, 0]]


@pytest.mark.parametrize("n", [6, 7, 8])
def test_the_assignment_is_the_best_balanced_one(n):
    """Against all permutations."""
    far = np.random.default_rng(n).random((n, 3))
    owner = _assign_rows(far)
    sizes = np.bincount(owner, minlength=3)
    assert sizes.max() - sizes.min() <= 1
    size = -(-n // 3)
    slots = [c for c in range(3) for _ in range(size)]
    best = np.inf
    for order in set(permutations(slots, n)):
        counts = [order.count(c) for c in range(3)]
        if max(counts) - min(counts) <= 1:
            best = min(best, sum(far[i, c] for i, c in enumerate(order)))
    assert far[np.arange(n), owner].sum() == pytest.approx(best)


def test_the_choice_is_near_the_best_of_all():
    rng = np.random.default_rng(1)
    for _ in range(5):
        table = rng.normal(size=(9, 2))
        far = _distances(list(table.T))
        costs = {}
        for medoids in combinations(range(9), 3):
            owner = _assign_rows(far[:, list(medoids)])
            costs[medoids] = far[np.arange(9), np.array(medoids)[owner]].sum()
        rows = representatives(table, 3)
        chosen = tuple(int(np.flatnonzero((table == row).all(axis=1))[0]) for row in rows)
        assert costs[chosen] <= 1.15 * min(costs.values())


def test_rounds_make_the_choice_better_than_the_start():
    """By hand: 0, 2, 2 and 3 belong to one row and 4, 7 and 8 to the other; 2 is in the middle of the first four."""
    table = np.array([0.0, 2, 2, 3, 4, 7, 8])
    assert table[_initial_medoids(_distances([table]), 2)].tolist() == [3, 7]
    assert representatives(table[:, None], 2).tolist() == [[2], [7]]


def test_the_best_round_is_kept(monkeypatch):
    """Assignments in which the second round is the best: neither the start nor the last rows are returned."""
    far = _distances([np.array([0.0, 1, 2, 10, 11, 12])])
    rounds = iter([[0, 1, 0, 1, 0, 1], [0, 0, 0, 1, 1, 1], [1, 1, 1, 0, 0, 0]])
    monkeypatch.setattr(sys.modules[_find_medoids.__module__], "_assign_rows", lambda _: np.array(next(rounds)))
    assert _initial_medoids(far, 2).tolist() == [2, 4]
    assert _find_medoids(far, 2).tolist() == [2, 3]  # the rows in the middle of the first assignment; then 1 and 4
    assert next(rounds, None) is None


def test_their_average_is_that_of_the_data():
    """The game of 20 representatives is nearer to that of all rows than those of most random choices are."""
    data = people(400)
    x = data[77:78]

    def base(background):
        rows = Tabular(background).mask(x).rows(lc.Coalitions.from_sets(6, [[], [0], [1], [0, 1, 2], [2, 3, 4]]))
        return model(rows).reshape(5, -1).mean(axis=1)

    truth = base(data)
    chosen = np.abs(base(representatives(data, 20)) - truth).max()
    rng = np.random.default_rng(0)
    random = [np.abs(base(data.iloc[rng.choice(400, 20, replace=False)]) - truth).max() for _ in range(100)]
    assert chosen < np.quantile(random, 0.4)


@pytest.mark.parametrize("data", [people(50), polars_people(50), people(50)[["age", "income"]].to_numpy()])
def test_rows_of_the_same_kind(data):
    chosen = representatives(data, 7)
    assert type(chosen) is type(data)
    assert len(chosen) == 7
    repeated = representatives(data, 7)
    assert chosen.equals(repeated) if hasattr(chosen, "equals") else np.array_equal(chosen, repeated, equal_nan=True)
    assert len(representatives(data, 50)) == 50
    assert len(representatives(data, 1)) == 1


def test_many_rows():
    data = np.random.default_rng(0).normal(size=(20_000, 3))
    chosen = representatives(data, 30)
    assert chosen.shape == (30, 3)
    assert np.abs(chosen.mean(axis=0)).max() < 0.15
    assert len(representatives(data, 1500)) == 1500


def test_a_masker_takes_a_summary():
    data = people(100)
    masker = Tabular(data, summary=8, graph="mutual-information")
    assert masker.mask(data[3:4]).background.equals(representatives(data, 8))
    explainer = lc.Explainer(model, masker, lc.Shapley(), kind="output")
    assert "512 model rows: 8 background rows a call" in explainer.preview(data[3:4])
    assert explainer.setup.record["masker"]["parameters"]["summary"] == 8
    assert Tabular(pl.from_pandas(data[["age"]]), summary=3).mask([4]).rows_per_call == 3
    assert Tabular(np.arange(20.0).reshape(10, 2), summary=2).mask([4, 5]).rows_per_call == 2


@pytest.mark.parametrize(("data", "k"), [([1.0, 2.0], 1), (np.zeros((0, 2)), 1), (np.zeros((3, 2)), 4)])
def test_what_cannot_be_chosen_from(data, k):
    with pytest.raises(MaskerError, match="Expected"):
        representatives(data, k)


def test_a_number_is_no_background():
    with pytest.raises(lc.errors.MaskerError, match=r"Expected a row or a table.*Tabular\(data, summary=50\)"):
        Tabular(50)
