"""Keys of coalitions: equal exactly where the sets are."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lcshap as lc
from lcshap.core.store_keys import KEY_BYTES, row_keys, set_keys


@given(st.integers(1, 6), st.data())
def test_equal_for_equal_sets_however_they_are_stored(d, data):
    sets = data.draw(st.lists(st.sets(st.integers(0, d - 1)), min_size=1, max_size=12))
    kept = lc.Coalitions.from_sets(d, sets)
    lacking = lc.Coalitions.from_sets(d, [set(range(d)) - s for s in sets])
    lacking = lc.Coalitions(d, lacking.indices, lacking.offsets, ~lacking.removed)
    keys = set_keys(kept)
    assert set_keys(lacking) == keys
    assert all(len(key) == KEY_BYTES for key in keys)
    for key, units in zip(keys, sets, strict=True):
        for other_key, other in zip(keys, sets, strict=True):
            assert (key == other_key) == (units == other)


@pytest.mark.parametrize("d", [40, 5_000])
def test_large_sets_short_and_long_ones(d):
    rng = np.random.default_rng(0)
    mask = rng.random((60, d)) < rng.choice([0.001, 0.02, 0.5, 0.99], size=(60, 1))
    mask = np.concatenate([mask, mask[::-1]])
    keys = set_keys(lc.Coalitions.from_dense(mask))
    assert keys[:60] == keys[60:][::-1]
    assert len(set(keys)) == len(np.unique(mask, axis=0))


@pytest.mark.parametrize("d", [12, 3_000])
def test_idle_units_do_not_count(d):
    rng = np.random.default_rng(1)
    idle = rng.random(d) < 0.6
    mask = rng.random((40, d)) < 0.5
    other = np.where(idle, rng.random((40, d)) < 0.5, mask)
    assert set_keys(lc.Coalitions.from_dense(mask), idle) == set_keys(lc.Coalitions.from_dense(other), idle)
    changed = mask.copy()
    changed[:, np.flatnonzero(~idle)[0]] ^= True
    keys, changed_keys = (set_keys(lc.Coalitions.from_dense(m), idle) for m in (mask, changed))
    assert not any(a == b for a, b in zip(keys, changed_keys, strict=True))


def test_rows():
    assert row_keys([b"a", b"b", b"a"])[0] == row_keys([b"a"])[0] != row_keys([b"b"])[0]


@pytest.mark.parametrize("d", [1_016, 1_017, 3_000])
@pytest.mark.parametrize("idle", [False, True])
def test_a_set_and_its_complement_have_different_keys(d, idle):
    """Both are stored by the same few numbers: once as what is kept, once as what is removed."""
    sets = [[], [0], [5, 8], [d - 1], range(0, d, 2)]
    kept = lc.Coalitions.from_sets(d, sets)
    removed = lc.Coalitions(d, kept.indices, kept.offsets, ~kept.removed)
    resting = np.arange(d) == 3 if idle else None
    keys = set_keys(lc.Coalitions.concat([kept, removed]), resting)
    assert len(set(keys)) == 2 * len(sets)
    assert keys[: len(sets)] == set_keys(kept, resting)
    assert keys[len(sets) :] == set_keys(removed, resting)


def test_a_store_does_not_take_a_set_of_many_units_for_its_complement():
    d = 1_100
    sets = lc.Coalitions.from_sets(d, [[], [0], [1, 2]])
    complements = lc.Coalitions(d, sets.indices, sets.offsets, ~sets.removed)
    plain = lc.Game(lambda kept: kept.sum(axis=1).astype(float), d)
    model = lc.Explainer(lambda rows: (rows > 0).sum(axis=1), lc.maskers.Tokens(), kind="output").game(np.ones(d, int))
    for game in (plain, model):
        assert game.evaluate(sets).tolist() == [0, 1, 2]
        assert game.evaluate(complements).tolist() == [d, d - 1, d - 2]
