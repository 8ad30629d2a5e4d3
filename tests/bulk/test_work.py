"""What a worker makes of a shard."""

import os

import numpy as np
import pytest

import bulk_models
import lcshap as lc
from lcshap.bulk.cells import Row
from lcshap.bulk.shards import Shard
from lcshap.bulk.work import LEAST, MOST, Work, Worker, find, make, rows_at_once


def shard(*texts, start=0):
    return Shard(start, start, tuple(Row(str(k), text) for k, text in enumerate(texts)))


@pytest.fixture
def threads(monkeypatch):
    """What a worker does to the environment is undone."""
    for name in Work("m:f", 1, 1).environment:
        monkeypatch.setenv(name, os.environ.get(name, "1"))


def made(factory=bulk_models.explainer, batch_size=64):
    return Worker(Work(factory, batch_size, 1))


def test_a_part_depends_on_the_make_up_of_batches_and_on_nothing_else(threads):
    worker = made()
    first = worker.explain(shard(*bulk_models.TEXTS[:6]), worker.describe(), "")
    worker.explain(shard("other words", "in between", ""), worker.describe(), "")
    again = worker.explain(shard(*bulk_models.TEXTS[:6]), worker.describe(), "")
    assert first.part == again.part
    assert first.calls == again.calls
    assert first.sent == again.sent
    other = made(lambda: bulk_models.explainer(batch_size=8))
    assert other.explain(shard(*bulk_models.TEXTS[:6]), other.describe(), "").part != first.part


@pytest.mark.parametrize(
    ("inputs", "rows"),
    [
        (["so good"] * 3, MOST),
        (["w " * 130, lc.MaskerError("unreadable")], 128),
        (["x" * 5000], LEAST),
        ([""], MOST),
        ([], LEAST),
        ([[1.0, 2.0], (3, 4), np.zeros(2), {"a": 1, "b": "text", "c": None}], MOST),
        ([{"a": "x" * 5000, "b": 1}], LEAST),
        ([np.zeros((3, 28, 28))], LEAST),
        ([[{"role": "user", "content": "hi"}]], LEAST),
        (["short", np.zeros((2, 2))], LEAST),
        ([3], LEAST),
    ],
)
def test_short_inputs_share_larger_batches(inputs, rows):
    assert rows_at_once(inputs) == rows


def test_the_batch_size_of_a_shard_is_that_of_its_inputs_alone(threads):
    sizes = []

    def noted(texts):
        sizes.append(len(texts))
        return [1.0 * len(text) for text in texts]

    def factory(**options):
        return lc.Explainer(noted, lc.maskers.Text(), lc.KernelSHAP(24), kind="output", model_name="n", **options)

    worker = made(factory, None)
    assert worker.describe()["batch_size"] == [64, 512, 64_000]
    for texts, largest in (
        (bulk_models.TEXTS, 512),
        ([f"{k} b c " + "x" * 2000 for k in range(10)], 64),
        (bulk_models.TEXTS, 512),
    ):
        sizes.clear()
        done = worker.explain(shard(*texts), worker.describe(), "")
        assert max(sizes) == min(largest, sum(done.sent) - len(texts))
    assert made(factory, 32).describe()["batch_size"] == 32
    assert made(lambda: factory(batch_size=8), 32).describe()["batch_size"] == 8


def test_a_worker_with_another_model_is_refused(threads):
    worker = made()
    expected = {**worker.describe(), "model": {"name": "the one of the manifest"}}
    with pytest.raises(lc.BulkError, match=r"got one with another model"):
        worker.explain(shard("so good"), expected, "")


def test_rows_that_are_no_inputs_spoil_no_others(threads):
    def table():
        return lc.Explainer(
            bulk_models.two, lc.maskers.Tabular(np.zeros(3)), "shapley", kind="output", target=0, model_name="two"
        )

    worker = made(table)
    rows = shard(3, [1.0, 2.0, 3.0], None, [1.0, 2.0], {"a": 1})
    done = worker.explain(rows, worker.describe(), "")
    assert done.failed == 4
    assert [calls is None for calls in done.calls] == [True, False, True, True, True]


def test_threads_are_capped(threads):
    torch = pytest.importorskip("torch")
    before = torch.get_num_threads()
    try:
        made()
        assert torch.get_num_threads() == 1
        assert os.environ["LCSHAP_THREADS"] == os.environ["OMP_NUM_THREADS"] == "1"
        model, _, _ = lc.models.demo.demo_text()
        assert model.session.get_session_options().intra_op_num_threads == 1
    finally:
        torch.set_num_threads(before)


def test_factories_by_name():
    assert find("bulk_models:explainer") is find("bulk_models.explainer") is bulk_models.explainer
    for name, match in (
        ("explainer", "package.module:function, got 'explainer'"),
        ("no_such_module_at_all:f", "No module named"),
        ("bulk_models:nothing", "no attribute 'nothing'"),
        ("bulk_models:TEXTS", "can be called, got 'bulk_models:TEXTS', which is list"),
    ):
        with pytest.raises(lc.OptionError, match=match):
            find(name)
    with pytest.raises(lc.OptionError, match=r"returns an lcshap.Explainer, got int"):
        make("bulk_models:no_explainer")


def test_a_factory_that_fails():
    def broken():
        raise RuntimeError("no weights")

    with pytest.raises(lc.BulkError, match=r"Expected the factory .*broken' to make .*RuntimeError.*no weights"):
        make(broken)
