import numpy as np

import lcshap as lc
from lcshap.playground.memory import SessionStore


def keys(start, count):
    return [number.to_bytes(16, "big") for number in range(start, start + count)]


def test_it_answers_as_a_memory_store_does():
    """Every explanation is the same, and nothing is asked twice."""
    asked = []
    model = lambda texts: [asked.append(t) or float(len(t)) for t in texts]  # noqa: E731
    one, two = SessionStore(10**8), lc.MemoryStore()
    for store in (one, two):
        explainer = lc.Explainer(model, lc.maskers.Text(), "shapley", kind="output", store=store)
        scores = explainer("to be or not").scores
        assert explainer("to be or not").rows == 0
        np.testing.assert_array_equal(scores, explainer("to be or not").scores)
    assert len(one) == len(two) == 16
    assert len(asked) == 32


def test_the_oldest_inputs_are_forgotten():
    store = SessionStore(100_000)
    for number in range(200):
        store.put(f"space {number}".encode(), keys(0, 50), np.ones((50, 4)))
        assert store.nbytes <= 100_000
    assert not store.get(b"space 0", keys(0, 1))[0].any()
    assert store.get(b"space 199", keys(0, 50))[0].all()


def test_what_is_used_again_is_kept():
    store = SessionStore(50_000)
    store.put(b"first", keys(0, 10), np.ones((10, 1)))
    for number in range(100):
        store.put(f"space {number}".encode(), keys(0, 50), np.ones((50, 1)))
        assert store.get(b"first", keys(0, 10))[0].all()


def test_the_last_input_is_kept_regardless_of_its_size():
    store = SessionStore(1000)
    store.put(b"large", keys(0, 5000), np.ones((5000, 2)))
    assert store.get(b"large", keys(0, 5000))[0].all()
