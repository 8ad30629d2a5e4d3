"""A model that fails at its n-th batch, for every n, and Ctrl-C at any moment: nothing is lost or paid twice."""

import signal
import threading
import time
from collections import Counter

import numpy as np
import pytest
import torch

import lcshap as lc
from lcshap.core.table_method import TableMethod

METHODS = [example for kind in lc.METHODS.values() for example in kind.examples()]
GRADIENT = [m for m in METHODS if m.cost(lc.Graph.chain(6)).gradients]
SWEPT = [m for m in METHODS if m not in GRADIENT and not isinstance(m, TableMethod | lc.ReceptiveShapley)]
X = np.array([3.0, -1.0, 2.0, 0.5, 1.5, -2.0])
OTHER = X[::-1].copy()


def value(x):
    """No sum over columns."""
    return x @ np.arange(1.0, 7.0) + 2.0 * x[:, 0] * x[:, 1] - x[:, 3] * x[:, 4] * x[:, 5] + np.tanh(x.sum(axis=1))


class Fails:
    """Fails at one batch, once. Takes note of the rows that it has answered."""

    def __init__(self, at=None, error=None):
        self.at, self.error, self.batches, self.rows = at, error or RuntimeError("the server is gone"), 0, []

    def __call__(self, x):
        self.batches += 1
        if self.batches == self.at:
            raise self.error
        self.rows += [row.tobytes() for row in x]
        return value(x)


def explainer(model, method):
    return lc.Explainer(model, lc.maskers.Tabular(np.zeros(6)), method, kind="output", batch_size=8)


def same(a, b):
    assert type(a) is type(b)
    assert a == b
    assert a.scores.tobytes() == b.scores.tobytes()


def swept(method, work, error=None):
    """Let every batch of some work fail in turn, and go on with the store of the error."""
    uninterrupted = Fails()
    expected = work(explainer(uninterrupted, method), None)
    row_counts = Counter(uninterrupted.rows)  # the empty input is a row of each of several inputs
    assert max(row_counts.values()) <= len(expected)
    for at in range(1, uninterrupted.batches + 1):
        model = Fails(at, error)
        explain = explainer(model, method)
        with pytest.raises(lc.Unfinished) as info:
            work(explain, None)
        assert isinstance(
            info.value, lc.errors.Interrupted if isinstance(error, KeyboardInterrupt) else lc.errors.RunFailedError
        )
        resumed = work(explain, info.value.store)
        for a, b in zip(resumed, expected, strict=True):
            same(a, b)
        assert Counter(model.rows) == row_counts
        for finished, b in zip(info.value.explanations, expected, strict=True):
            assert finished is None or finished.scores.tobytes() == b.scores.tobytes()


@pytest.mark.parametrize("method", SWEPT, ids=str)
class TestSweep:
    def test_one_input(self, method):
        swept(method, lambda explain, store: [explain(X, store=store)])

    def test_a_list(self, method):
        swept(method, lambda explain, store: explain([X, OTHER], store=store))

    def test_ctrl_c(self, method):
        swept(method, lambda explain, store: [explain(X, store=store)], KeyboardInterrupt())


def test_compare():
    methods = [lc.LShapley(1), lc.DeletionPath(30), lc.GraphKernelSHAP(30), lc.InsertionPath(30)]
    swept("auto", lambda explain, store: explain.compare(X, methods, store=store))


def test_another_value_target_and_method_are_free():
    rows = []

    def model(x):
        rows.extend(row.tobytes() for row in x)
        return np.stack([value(x), -value(x), 0 * value(x)], axis=1)

    store = lc.MemoryStore()
    make = lambda method, **o: lc.Explainer(  # noqa: E731
        model, lc.maskers.Tabular(np.zeros(6)), method, kind="logits", store=store, **o
    )
    e = make("shapley")(X)
    assert e.rows == len(rows) == 64
    for other_explainer in (
        make("shapley", target=1),
        make("shapley", value="prob"),
        make("c-shapley"),
        make(lc.DeletionPath(30)),
    ):
        assert other_explainer(X).rows == 0
    assert len(rows) == 64


def test_a_store_is_about_this_model_and_this_input_alone():
    """Resumed with another input, model or reference, nothing wrong comes out."""
    store = lc.MemoryStore()
    method, masker = lc.Shapley(), lc.maskers.Tabular(np.zeros(6))
    make = lambda fn, masker, **o: lc.Explainer(fn, masker, method, kind="output", batch_size=8, **o)  # noqa: E731
    first = make(value, masker, store=store)
    first(X)
    changes = [
        (first, OTHER),
        (make(lambda x: 2 * value(x), masker, store=store), X),
        (make(value, lc.maskers.Tabular(np.ones(6)), store=store), X),
    ]
    for explain, x in changes:
        same(explain(x), make(explain.model, explain.masker)(x))
        assert explain([X, x])[1] == explain([x, X])[0]


def test_the_store_must_be_one():
    with pytest.raises(
        lc.errors.OptionError,
        match=r"Expected a store, such as error\.store, lcshap\.MemoryStore\(\) or the path of a file, got ValueError",
    ):
        explainer(value, "shapley")(X, store=ValueError("another"))


def test_gradient_methods():
    torch.manual_seed(0)
    net = torch.nn.Sequential(torch.nn.Linear(6, 5), torch.nn.Tanh(), torch.nn.Linear(5, 2)).double()
    for method in GRADIENT:
        uninterrupted = lc.Explainer(net, lc.maskers.Tabular(np.zeros(6)), method, kind="logits")(X)
        failing, fails = torch.nn.Sequential(*net), []

        def hook(module, inputs, fails=fails):
            fails.append(1)
            if len(fails) == 2:
                raise RuntimeError("gone")

        failing.register_forward_pre_hook(hook)
        explain = lc.Explainer(failing, lc.maskers.Tabular(np.zeros(6)), method, kind="logits")
        with pytest.raises((lc.Unfinished, RuntimeError)):
            explain(X)
        same(explain(X), uninterrupted)


class TestSignals:
    """A real SIGINT, from a timer, at many moments."""

    @pytest.mark.parametrize("method", list({type(m): m for m in SWEPT}.values()), ids=str)
    def test_interrupted_at_random(self, method):
        class Slow:
            def __init__(self):
                self.rows, self.lost = [], 0

            def __call__(self, x):
                self.lost += len(x)
                time.sleep(2e-4 * len(x))
                answers = value(x)
                self.rows += [row.tobytes() for row in x]
                self.lost -= len(x)
                return answers

        x = np.random.default_rng(3).normal(size=6)
        start = time.perf_counter()
        expected = explainer(Slow(), method)(x)
        total_seconds = time.perf_counter() - start
        rng, interrupted = np.random.default_rng(7), 0
        for _ in range(12):
            model, store = Slow(), lc.MemoryStore()
            explain = explainer(model, method)
            kill = lambda: signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)  # noqa: E731
            timer = threading.Timer(float(rng.uniform(0, 0.7 * total_seconds)), kill)
            try:
                timer.start()
                try:
                    explanation = explain(x, store=store)
                finally:
                    timer.join()
                    time.sleep(0.002)  # a signal that came late is delivered here
            except KeyboardInterrupt:
                interrupted += 1
                explanation = explain(x, store=store)
            same(explanation, expected)
            repeated = len(model.rows) - len(set(model.rows))
            assert repeated <= 8  # at the most the batch that was under way when the signal came
        assert interrupted >= 1
