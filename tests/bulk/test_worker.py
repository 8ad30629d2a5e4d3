"""What a worker makes of a shard."""

import os

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import bulk_models
import lcshap as lc
from lcshap.bulk.columns import InputRow
from lcshap.bulk.part_files import decode_row
from lcshap.bulk.shards import Shard
from lcshap.bulk.worker import (
    MAX_BATCH_ROWS,
    MIN_BATCH_ROWS,
    Worker,
    WorkerOptions,
    WorkerServer,
    call_factory,
    choose_batch_size,
    import_factory,
)


def shard(*texts, start=0):
    return Shard(start, start, tuple(InputRow(str(k), text) for k, text in enumerate(texts)))


@pytest.fixture
def threads(monkeypatch):
    """What a worker does to the environment is undone."""
    for name in WorkerOptions("m:f", 1, 1).environment:
        monkeypatch.setenv(name, os.environ.get(name, "1"))


def make_worker(factory=bulk_models.explainer, batch_size=64):
    return Worker(WorkerOptions(factory, batch_size, 1))


def test_a_part_depends_only_on_its_inputs_and_batches(threads):
    worker = make_worker()
    first = worker.explain(shard(*bulk_models.TEXTS[:6]), worker.describe(), "")
    worker.explain(shard("other words", "in between", ""), worker.describe(), "")
    repeated = worker.explain(shard(*bulk_models.TEXTS[:6]), worker.describe(), "")
    assert first.part_bytes == repeated.part_bytes
    assert first.calls == repeated.calls
    assert first.sent_rows == repeated.sent_rows
    other = make_worker(lambda: bulk_models.explainer(batch_size=8))
    assert other.explain(shard(*bulk_models.TEXTS[:6]), other.describe(), "").part_bytes != first.part_bytes


def test_parts_record_why_the_method_was_chosen(threads):
    """The worker chooses as the explainer itself does: 88 calls for eleven words, and all coalitions for two."""

    def factory():
        return lc.Explainer(
            lambda texts: [1.0 * len(t) for t in texts], lc.maskers.Text(), kind="output", model_name="n"
        )

    texts = ["a b c d e f g h i j k", "a b"]
    worker = make_worker(factory)
    done = worker.explain(shard(*texts), worker.describe(), "")
    rows = pq.read_table(pa.BufferReader(done.part_bytes)).to_pylist()
    assert done.calls == [88, 4]
    for row, e in zip(rows, factory().many(texts), strict=True):
        assert decode_row(row, "part").provenance["chosen"] == e.provenance["chosen"]
        assert e.provenance["chosen"]["reason"]


@pytest.mark.parametrize(
    ("inputs", "rows"),
    [
        (["so good"] * 3, MAX_BATCH_ROWS),
        (["w " * 130, lc.errors.MaskerError("unreadable")], 128),
        (["x" * 5000], MIN_BATCH_ROWS),
        ([""], MAX_BATCH_ROWS),
        ([], MIN_BATCH_ROWS),
        ([[1.0, 2.0], (3, 4), np.zeros(2), {"a": 1, "b": "text", "c": None}], MAX_BATCH_ROWS),
        ([{"a": "x" * 5000, "b": 1}], MIN_BATCH_ROWS),
        ([np.zeros((3, 28, 28))], MIN_BATCH_ROWS),
        ([[{"role": "user", "content": "hi"}]], MIN_BATCH_ROWS),
        (["short", np.zeros((2, 2))], MIN_BATCH_ROWS),
        ([3], MIN_BATCH_ROWS),
    ],
)
def test_short_inputs_share_larger_batches(inputs, rows):
    assert choose_batch_size(inputs) == rows


def test_the_batch_size_of_a_shard_is_that_of_its_inputs_alone(threads):
    sizes = []

    def noted(texts):
        sizes.append(len(texts))
        return [1.0 * len(text) for text in texts]

    def factory(**options):
        return lc.Explainer(noted, lc.maskers.Text(), lc.KernelSHAP(24), kind="output", model_name="n", **options)

    worker = make_worker(factory, None)
    assert worker.describe()["batch_size"] == [64, 512, 64_000]
    for texts, largest in (
        (bulk_models.TEXTS, 512),
        ([f"{k} b c " + "x" * 2000 for k in range(10)], 64),
        (bulk_models.TEXTS, 512),
    ):
        sizes.clear()
        done = worker.explain(shard(*texts), worker.describe(), "")
        assert max(sizes) == min(largest, sum(done.sent_rows) - len(texts))
    assert make_worker(factory, 32).describe()["batch_size"] == 32
    assert make_worker(lambda: factory(batch_size=8), 32).describe()["batch_size"] == 8


def test_a_worker_with_another_model_is_refused(threads):
    worker = make_worker()
    expected = {**worker.describe(), "model": {"name": "the one of the manifest"}}
    with pytest.raises(lc.errors.BulkError, match=r"got one with another model"):
        worker.explain(shard("so good"), expected, "")


def test_invalid_rows_do_not_affect_others(threads):
    def table():
        return lc.Explainer(
            bulk_models.two, lc.maskers.Tabular(np.zeros(3)), "shapley", kind="output", target=0, model_name="two"
        )

    worker = make_worker(table)
    rows = shard(3, [1.0, 2.0, 3.0], None, [1.0, 2.0], {"a": 1})
    done = worker.explain(rows, worker.describe(), "")
    assert done.failed == 4
    assert [calls is None for calls in done.calls] == [True, False, True, True, True]


@pytest.mark.parametrize(
    "texts", [["broken"], ["broken", ""], ["", ""], ["broken", "so good"], ["broken", "broken too", "so good"]]
)
def test_failed_rows_are_no_outage_if_others_succeed(threads, texts):
    worker = make_worker()
    done = worker.explain(shard(*texts), worker.describe(), "")
    assert done.stopped is None
    assert done.part_bytes
    assert done.failed == sum(text != "so good" for text in texts)


@pytest.mark.parametrize("texts", [["broken", "broken too"], ["broken", "", "broken too"]])
def test_a_model_that_fails_for_all_of_several_rows_stops_the_run(threads, texts):
    worker = make_worker()
    done = worker.explain(shard(*texts), worker.describe(), "")
    assert "the service is gone" in done.stopped
    assert done.part_bytes == b""
    assert done.failed == len(texts)


def test_threads_are_capped(threads):
    torch = pytest.importorskip("torch")
    before = torch.get_num_threads()
    try:
        make_worker()
        assert torch.get_num_threads() == 1
        assert os.environ["LCSHAP_THREADS"] == os.environ["OMP_NUM_THREADS"] == "1"
        model, _, _ = lc.paper.networks.demo.demo_text()
        assert model.session.get_session_options().intra_op_num_threads == 1
    finally:
        torch.set_num_threads(before)


def test_factories_by_name():
    colon, dot = import_factory("bulk_models:explainer"), import_factory("bulk_models.explainer")
    assert colon is dot is bulk_models.explainer
    for name, match in (
        ("explainer", "package.module:function, got 'explainer'"),
        ("no_such_module_at_all:f", "No module named"),
        ("bulk_models:nothing", "no attribute 'nothing'"),
        ("bulk_models:TEXTS", "can be called, got 'bulk_models:TEXTS', which is list"),
    ):
        with pytest.raises(lc.errors.OptionError, match=match):
            import_factory(name)
    with pytest.raises(lc.errors.OptionError, match=r"returns an lcshap.Explainer, got int"):
        call_factory("bulk_models:no_explainer")


def test_a_factory_that_fails():
    def broken():
        raise RuntimeError("no weights")

    with pytest.raises(lc.errors.BulkError, match=r"Expected the factory .*broken' to make .*RuntimeError.*no weights"):
        call_factory(broken)


def test_all_errors_of_a_worker_are_lcshap_errors(threads):
    def broken():
        raise lc.errors.StoreError("damaged")

    with pytest.raises(lc.errors.StoreError, match="damaged"):
        WorkerServer(WorkerOptions(broken, 64, 1)).call("describe")

    server = WorkerServer(WorkerOptions(bulk_models.explainer, 64, 1))

    def lost(*_):
        raise ConnectionError("https://me:secret@host")

    assert server.worker is None  # made when it is asked
    assert server.call("describe") == make_worker().describe()
    server.worker.describe = lost
    with pytest.raises(lc.errors.BulkError, match=r"A worker failed: ConnectionError") as info:
        server.call("describe")
    assert "secret" not in str(info.value)
