"""Rows of a table that are equal are asked once, whichever coalition and background row they come from."""

from itertools import product

import numpy as np
import pandas as pd
import polars as pl
import pytest

import lcshap as lc
from lcshap.maskers import Tabular
from lcshap.maskers.row_agreement import RowAgreement


def distinct(x, background, units, pinned=()):
    """All rows that coalitions make, each once: cell by cell, in plain Python."""
    rows = set()
    for kept in product((False, True), repeat=len(units)):
        columns_of_x = {c for unit, keep in zip(units, kept, strict=True) if keep for c in unit} | set(pinned)
        rows |= {tuple(x[c] if c in columns_of_x else row[c] for c in range(len(x))) for row in background}
    return rows


class Counting:
    """A model that counts the rows it is asked about and never sees one twice."""

    def __init__(self):
        self.seen = []

    def __call__(self, rows):
        cells = [tuple(row) for row in (rows.to_numpy() if hasattr(rows, "to_numpy") else rows).tolist()]
        self.seen += cells
        return np.array([sum((c + 1) * v * row[(c + 1) % len(row)] for c, v in enumerate(row)) for row in cells], float)


RNG = np.random.default_rng(3)
X = [1, 0, 2, 1, 7]
ROWS = RNG.integers(0, 3, (12, 5)).tolist()


def make(rows, kind):
    if kind == "array":
        return np.array(rows, float)
    columns = {name: [row[c] for row in rows] for c, name in enumerate("abcde")}
    return pd.DataFrame(columns) if kind == "pandas" else pl.DataFrame(columns)


@pytest.mark.parametrize("kind", ["array", "pandas", "polars"])
@pytest.mark.parametrize(
    ("options", "units", "pinned"),
    [
        ({}, [[0], [1], [2], [3], [4]], ()),
        ({"pin": [1], "drop": [0]}, [[2], [3], [4]], (1,)),
        ({"groups": {"both": [0, 3]}}, [[0, 3], [1], [2], [4]], ()),
    ],
)
def test_every_row_is_evaluated_once(kind, options, units, pinned):
    model = Counting()
    e = lc.Explainer(model, Tabular(make(ROWS, kind), **options), lc.Shapley(), kind="output")(X)
    assert len(model.seen) == len(set(model.seen)) == e.rows
    assert set(model.seen) == distinct(X, ROWS, units, pinned)
    assert e.rows < e.calls * len(ROWS)


def test_scores_are_those_of_all_rows():
    """Against a background that agrees nowhere but by the model, which rounds."""
    apart = np.array(ROWS, float) + np.linspace(0.001, 0.002, 60).reshape(12, 5)
    rounded = lc.Explainer(lambda rows: Counting()(np.round(rows)), Tabular(apart), lc.Shapley(), kind="output")(X)
    e = lc.Explainer(Counting(), Tabular(np.array(ROWS, float)), lc.Shapley(), kind="output")(X)
    np.testing.assert_allclose(e.scores, rounded.scores, atol=1e-9)
    assert rounded.rows == (rounded.calls - 1) * 12 + 1  # the full input is one row


def test_a_stored_row_is_not_evaluated_again():
    store, model = lc.MemoryStore(), Counting()
    masker = Tabular(np.array(ROWS, float))
    for method in (lc.Shapley(), lc.KernelSHAP(30), lc.DeletionPath(20)):
        lc.Explainer(model, masker, method, kind="output", store=store)(X)
    assert len(model.seen) == len(set(model.seen))


def test_a_row_of_the_background_costs_one_row():
    model = Counting()
    background = np.array([X, [9, 9, 9, 9, 9]], float)
    e = lc.Explainer(model, Tabular(background), lc.Shapley(), kind="output")(X)
    assert e.rows == 2**5  # x itself is one of them


def test_a_failure_names_the_coalition_and_keeps_the_rows_before():
    def fails(rows):
        if any(row[4] == 7 and row[0] != 1 for row in rows.tolist()):
            raise ValueError("seven")
        return rows.sum(axis=1)

    background = np.array([[1, 0, 0, 0, 0], [2, 0, 0, 0, 0], [1, 0, 0, 0, 1]], float)
    with pytest.raises(lc.errors.ModelError, match="seven") as caught:
        lc.Explainer(fails, Tabular(background), lc.Shapley(), kind="output", batch_size=1)(X)
    assert "{4}" in str(caught.value) or "4" in str(caught.value)
    model = Counting()
    lc.Explainer(model, Tabular(background), lc.Shapley(), kind="output")(X)
    assert len(model.seen) == len(distinct(X, background.tolist(), [[c] for c in range(5)]))


def test_inputs_with_and_without_agreement_share_batches():
    background = np.array(ROWS, float)
    inputs = np.array([X, [1.5, 2.5, 3.5, 4.5, 5.5], [0.1, 1, 2, 0, 1]])
    model = Counting()
    batched = lc.Explainer(model, Tabular(background), lc.Shapley(), kind="output")(inputs)
    for x, e in zip(inputs, batched, strict=True):
        single = lc.Explainer(Counting(), Tabular(background), lc.Shapley(), kind="output")(x)
        np.testing.assert_array_equal(e.scores, single.scores)
        assert e.rows == single.rows


def test_tables_without_agreement_are_compared_by_coalition():
    rows = RNG.random((20, 6))
    masked = Tabular(rows[1:]).mask(rows[0])
    distinct = masked.distinct(lc.Coalitions.from_sets(6, [[0], [1], [0]]))
    assert (len(distinct), distinct.rows_per_key, distinct.index.tolist()) == (2, 19, [0, 1, 0])
    assert distinct.make is None
    same = RowAgreement.from_values(np.zeros((3, 2), int), np.arange(2), np.arange(2), np.empty(0, int), 2)
    assert same.codes.tolist() == [[0, 0, 0], [0, 0, 0]]


@pytest.mark.parametrize("d", [5, 40, 70])  # 64 bits hold the first, not the last
def test_keys_are_equal_exactly_where_rows_are(d):
    codes = RNG.integers(0, 3, (4, d + 1)).astype(np.uint8)
    sets = [list(np.flatnonzero(RNG.random(d) < 0.9)) for _ in range(60)]
    sets += sets[:5]
    keys, place, first = RowAgreement(codes).keys(lc.Coalitions.from_sets(d, sets))
    rows = [tuple(0 if c in kept else int(row[c]) for c in range(d + 1)) for kept in map(set, sets) for row in codes]
    firsts = list(dict.fromkeys(rows))
    assert len(keys) == len(set(keys)) == len(firsts)
    assert {len(key) for key in keys} == {16}
    assert place.tolist() == [firsts.index(row) for row in rows]
    assert first.tolist() == [rows.index(row) for row in firsts]
    row_keys, where, _ = RowAgreement(codes).keys(
        lc.Coalitions.from_sets(d, sets[7:8])
    )  # the same key whatever is asked beside it
    assert [row_keys[k] for k in where] == [keys[k] for k in place[28:32]]
    assert RowAgreement(codes).keys(lc.Coalitions.from_sets(d, []))[0] == []
