import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lcshap as lc
from lcshap import Coalitions
from lcshap.core import coalitions
from lcshap.core import unique as _unique


@st.composite
def batches(draw, max_d=9):
    """Sets with repeats, some stored by what they keep, some by what they lack; and the same as frozensets."""
    d = draw(st.integers(1, max_d))
    sets = draw(st.lists(st.frozensets(st.integers(0, d - 1)), max_size=30))
    removed = np.array(draw(st.lists(st.booleans(), min_size=len(sets), max_size=len(sets))), bool)
    stored = Coalitions.from_sets(d, sets)
    everything = frozenset(range(d))
    meant = [everything - s if r else s for s, r in zip(sets, removed, strict=True)]
    return Coalitions(d, stored.indices, stored.offsets, removed), meant


@settings(max_examples=200, deadline=None)
@given(batches())
def test_all_views_of_a_batch_agree(batch):
    c, sets = batch
    assert [frozenset(s) for s in c] == sets
    assert c.sizes.tolist() == [len(s) for s in sets]
    dense = c.dense()
    assert dense.shape == (len(sets), c.d)
    assert [frozenset(np.flatnonzero(row).tolist()) for row in dense] == sets
    assert Coalitions.from_dense(dense) == c
    assert [frozenset(s) for s in c.canonical()] == sets
    assert (2 * np.diff(c.canonical().offsets) <= c.d).all()
    assert c[1:4] == c.take(np.arange(len(c))[1:4])
    assert np.array_equal(c.dense(2, 5), dense[2:5])


@settings(max_examples=200, deadline=None)
@given(batches())
def test_unique_keeps_each_set_once_by_size_then_by_appearance(batch):
    c, sets = batch
    unique, inverse = c.unique()
    assert unique.take(inverse) == c
    expected = sorted(dict.fromkeys(sets), key=len)  # dict keeps first appearances, sorted is stable
    assert [frozenset(s) for s in unique] == expected


@settings(max_examples=50, deadline=None)
@given(batches())
def test_hash_collisions_are_noticed_and_mended(batch):
    """With a hash that sees nothing (salt 0) or little (salt 1), the answer is the same."""
    c, _ = batch
    unique, inverse = c.unique()
    honest, salts = _unique.hash_integers, []

    def poor(numbers, salt=0):
        salts.append(salt)
        return honest(numbers, salt) if salt > 1 else np.asarray(numbers).astype(np.uint64) * np.uint64(salt)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(coalitions, "hash_integers", poor)
        unique_again, inverse_again = c.unique()
    assert unique_again == unique
    assert inverse_again.tolist() == inverse.tolist()
    if len(unique) > 1:
        assert max(salts) > 0


def test_a_hopeless_hash_raises_instead_of_merging():
    c = Coalitions.from_sets(3, [[0], [1]])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(coalitions, "hash_integers", lambda numbers, salt=0: np.zeros(len(numbers), np.uint64))
        with pytest.raises(AssertionError, match="hash is broken"):
            c.unique()


def test_small_pieces_change_nothing(monkeypatch):
    rng = np.random.default_rng(0)
    c = Coalitions.from_dense(rng.random((5000, 12)) < 0.4)
    unique, inverse = c.unique()
    monkeypatch.setattr(_unique, "_PIECE_ITEMS", 50)
    monkeypatch.setattr(coalitions, "_CHUNK_CELLS", 64)
    unique_again, inverse_again = c.unique()
    assert unique_again == unique
    assert np.array_equal(inverse_again, inverse)


def test_many_units_take_little_memory():
    d = 1_000_000
    table = np.arange(1000)[:, None] + np.arange(3)
    c = Coalitions.concat([Coalitions.from_table(d, table), Coalitions.from_table(d, table, removed=True)])
    assert c.nbytes < 50_000
    assert c.sizes.tolist() == [3] * 1000 + [d - 3] * 1000
    unique, _ = c.unique()
    assert len(unique) == 2000
    assert unique.nbytes < 50_000


def test_bad_sets():
    with pytest.raises(
        lc.errors.PlanError, match=r"Expected units from 0 to 2 in every coalition, got the coalition \[1, 3\]"
    ):
        Coalitions.from_sets(3, [[0], [1, 3]])
    with pytest.raises(lc.errors.PlanError, match="the same number of units"):
        Coalitions.concat([Coalitions.from_sets(3, [[0]]), Coalitions.from_sets(4, [[0]])])
    with pytest.raises(IndexError):
        Coalitions.from_sets(3, [[0]])[1]
