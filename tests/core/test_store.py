"""What is known, by key: against a dict."""

import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lcshap as lc
from lcshap.core.store import Answers

KEYS = [bytes([n]) * 16 for n in range(8)]


@given(st.lists(st.lists(st.integers(0, 7), unique=True, max_size=5), max_size=6), st.lists(st.integers(0, 7)))
def test_answers_are_a_dict(added, requested):
    """In blocks, with repeats among them, looked up at any time."""
    answers, oracle = Answers(), {}
    for block, members in enumerate(added):
        answers.add([KEYS[m] for m in members], np.array([[m, m**2] for m in members], float).reshape(-1, 2))
        oracle |= {m: [m, m**2] for m in members}
        if block % 2:
            assert len(answers) == len(oracle)
    assert answers.contains([KEYS[m] for m in requested]).tolist() == [m in oracle for m in requested]
    new = [requested[i] for i in answers.missing_positions([KEYS[m] for m in requested])]
    assert new == list(dict.fromkeys(m for m in requested if m not in oracle))
    stored = [m for m in requested if m in oracle]
    if stored:
        assert answers.look_up([KEYS[m] for m in stored]).tolist() == [oracle[m] for m in stored]


def test_what_was_added_is_a_copy():
    answers, numbers = Answers(), np.array([1.0])
    answers.add(KEYS[:1], numbers)
    numbers[0] = 9
    assert answers.look_up(KEYS[:1]).tolist() == [1]


def test_wrong_shapes():
    answers = Answers()
    with pytest.raises(lc.errors.GameError, match="one answer for each of 2 coalitions, got 1"):
        answers.add(KEYS[:2], np.zeros(1))
    answers.add(KEYS[:1], np.zeros((1, 2)))
    with pytest.raises(lc.errors.GameError, match=r"shape \(2,\), as before, got \(3,\)"):
        answers.add(KEYS[1:2], np.zeros((1, 3)))


def test_a_memory_store_keeps_spaces_apart():
    store = lc.MemoryStore()
    store.put(b"a", KEYS[:2], np.array([1.0, 2.0]))
    store.put(b"b", KEYS[1:3], np.array([3.0, 4.0]))
    is_stored, numbers = store.get(b"a", KEYS[:3])
    assert is_stored.tolist() == [True, True, False]
    assert numbers.tolist() == [1, 2]
    is_stored, numbers = store.get(b"b", KEYS[:3])
    assert is_stored.tolist() == [False, True, True]
    assert numbers.tolist() == [3, 4]
    is_stored, numbers = store.get(b"c", KEYS)
    assert not is_stored.any()
    assert numbers is None
    assert len(store) == 4
    assert "4 answers about 2 inputs" in repr(store)


def test_threads_share_a_store():
    store = lc.MemoryStore()

    def work(number):
        for n in range(200):
            key = bytes([number]) + n.to_bytes(15, "big")
            store.put(b"s", [key], np.array([float(n)]))
            is_stored, numbers = store.get(b"s", [key])
            assert is_stored.all()
            assert numbers.tolist() == [n]

    threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(store) == 1600


def test_a_game_with_a_store_evaluates_rows_once():
    evaluated = []
    game = lc.Game(
        lambda kept: evaluated.extend(map(bytes, kept)) or kept.sum(axis=1) ** 2.0,
        6,
        batch_size=7,
        store=lc.MemoryStore(),
    )
    graph = lc.Graph.chain(6)
    first, second = lc.LShapley(1).explain(game, graph), lc.Shapley().explain(game, graph)
    assert len(evaluated) == len(set(evaluated)) == 64
    assert first.rows + second.rows == 64
    plain = lc.Game(lambda kept: kept.sum(axis=1) ** 2.0, 6)
    assert second.scores.tolist() == lc.Shapley().explain(plain, graph).scores.tolist()


def test_a_game_that_fails_goes_on_where_it_was():
    evaluated = []

    def fn(kept):
        if len(evaluated) > 20 and fn.fails:
            raise RuntimeError("gone")
        evaluated.extend(map(bytes, kept))
        return kept.sum(axis=1) ** 2.0

    fn.fails = True
    game = lc.Game(fn, 6, batch_size=5, store=lc.MemoryStore())
    with pytest.raises(RuntimeError, match="gone"):
        lc.Shapley().explain(game, lc.Graph.chain(6))
    fn.fails = False
    e = lc.Shapley().explain(game, lc.Graph.chain(6))
    assert len(evaluated) == len(set(evaluated)) == 64
    assert abs(e.residual) < 1e-9
