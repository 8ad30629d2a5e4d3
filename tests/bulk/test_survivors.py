"""Rows that end their worker, found without processes and in real runs."""

import itertools

import pytest

import bulk_models
import lcshap as lc
from bulk_models import TEXTS, explainer, parts
from lcshap.bulk import explain_dataset
from lcshap.bulk.columns import InputRow
from lcshap.bulk.shard_tasks import MAX_TRIES, LostShard, ShardTask
from lcshap.bulk.shards import Shard
from lcshap.bulk.survivors import DEADLY_ROW_ERROR, explain_survivors, find_deadly_rows
from lcshap.bulk.worker import FinishedShard

DEADLY = [*TEXTS[:8], "deadly id8 w1", *TEXTS[9:14]]


class FakeEngine:
    """Loses each task that has one of the deadly rows, or too many rows that share batches."""

    def __init__(self, deadly=(), max_rows=1000):
        self.deadly, self.max_rows = set(deadly), max_rows
        self.tasks = []

    def run(self, tasks):
        for task in tasks:
            self.tasks.append(task)
            rows = [row.x for row in task.shard.rows if row.error is None]
            if self.deadly & set(rows) or (len(rows) > self.max_rows and not task.alone):
                yield LostShard(task.shard.number, "it died")
            else:
                failed = len(task.shard.rows) - len(rows)
                yield FinishedShard(task.shard.number, repr(task.shard.rows).encode(), 1.0, 1.0, [], [], failed)


def task_of(count):
    return ShardTask(Shard(7, 100, tuple(InputRow(str(k), k) for k in range(count))), {}, "digest")


LOST = LostShard(7, "it died")


@pytest.mark.parametrize("count", [1, 2, 3, 5, 8, 50])
def test_all_deadly_rows_are_found(count):
    for deadly in itertools.chain([()], itertools.combinations(range(count), 1), [(0, count - 1), (1, 2, 3)]):
        engine = FakeEngine(deadly)
        assert find_deadly_rows(engine, task_of(count)) == tuple(sorted({k for k in deadly if k < count}))
        singles = [task for task in engine.tasks if len(task.shard.rows) == 1]
        assert {task.max_tries for task in singles} <= {MAX_TRIES}
        assert {task.max_tries for task in engine.tasks if len(task.shard.rows) > 1} <= {1}


def test_the_search_is_short():
    engine = FakeEngine([17])
    find_deadly_rows(engine, task_of(50))
    assert len(engine.tasks) == 12  # two halves at each of six levels


def test_the_survivors_are_explained_together():
    engine = FakeEngine([3])
    outcome, deadly = explain_survivors(engine, task_of(10), LOST)
    last = engine.tasks[-1]
    assert deadly == (3,)
    assert (outcome.number, outcome.failed) == (7, 1)
    assert (last.shard.start, last.digest, last.alone, last.max_tries) == (100, "digest", False, MAX_TRIES)
    assert [row.error for row in last.shard.rows] == [None] * 3 + [DEADLY_ROW_ERROR] + [None] * 6


def test_rows_that_cannot_share_batches_are_explained_alone():
    engine = FakeEngine(max_rows=6)
    outcome, deadly = explain_survivors(engine, task_of(10), LOST)
    assert isinstance(outcome, FinishedShard)
    assert deadly == ()
    assert [task.alone for task in engine.tasks[-2:]] == [False, True]


@pytest.mark.parametrize(("count", "deadly"), [(50, range(50)), (50, range(0, 50, 10)), (3, range(3))])
def test_too_many_deadly_rows_are_not_the_fault_of_rows(count, deadly):
    engine = FakeEngine(deadly)
    assert explain_survivors(engine, task_of(count), LOST) == (LOST, ())
    assert sum(task.max_tries for task in engine.tasks) < 40


def test_a_deadly_row_is_named_and_all_others_are_explained(tmp_path, in_process):
    """The parts are those of a run in which the row cannot be read, whatever the number of workers."""
    for workers in (1, 2):
        out = tmp_path / str(workers)
        with pytest.warns(UserWarning, match=r"Row 8 \('8'\) has an error .* SIGKILL \(out of memory\?\)\."):
            done = run_with_processes(DEADLY, out, workers)
        assert (done.rows, done.failed, done.complete) == (14, 1, True)
        assert done.error.endswith(DEADLY_ROW_ERROR)
    assert parts(tmp_path / "1") == parts(tmp_path / "2")
    rows = [InputRow(str(k), text) for k, text in enumerate(DEADLY)]
    rows[8] = InputRow("8", None, DEADLY_ROW_ERROR)
    explain_dataset(rows, explainer, tmp_path / "unread", shard_rows=6)
    unread, died = parts(tmp_path / "unread"), parts(tmp_path / "1")
    assert [name for name in unread if unread[name] != died[name]] == ["part-000001.parquet"]  # its digest of inputs
    pairs = zip(lc.bulk.load(tmp_path / "unread"), lc.bulk.load(tmp_path / "1"), strict=True)
    assert all((e.scores == other.scores).all() for e, other in pairs)


def run_with_processes(texts, out, workers, **options):
    """A run by real workers, also where the engine is replaced by one without processes."""
    from lcshap.bulk.local_engine import LocalEngine

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(
            "lcshap.bulk.dataset_run.make_engine", lambda name, work, **given: LocalEngine(work, given["workers"])
        )
        return explain_dataset(texts, explainer, out, workers=workers, shard_rows=6, **options)


def test_a_model_that_always_dies_ends_the_run_soon(tmp_path, monkeypatch):
    texts = [f"deadly {text}" for text in TEXTS]
    engines = []

    def make(name, work, **options):
        engines.append(FakeRun(work))
        return engines[0]

    monkeypatch.setattr("lcshap.bulk.dataset_run.make_engine", make)
    with pytest.raises(lc.errors.BulkError, match=r"got 3 whose workers were lost three times, whatever rows"):
        explain_dataset(texts, explainer, tmp_path, shard_rows=6)
    assert engines[0].tasks < 60


class FakeRun(bulk_models.InProcess):
    """An engine whose workers die of the word deadly."""

    tasks = 0

    def run(self, tasks):
        for task in tasks:
            self.tasks += 1
            if any("deadly" in row.x for row in task.shard.rows if row.error is None):
                yield LostShard(task.shard.number, "it died")
            else:
                yield self.worker.explain(*task.arguments)


def test_deadly_rows_in_the_first_shards_do_not_end_the_run(tmp_path, monkeypatch):
    texts = [f"deadly {text}" if k in (1, 8, 13, 20) else text for k, text in enumerate(TEXTS)]
    monkeypatch.setattr("lcshap.bulk.dataset_run.make_engine", lambda name, work, **options: FakeRun(work))
    with pytest.warns(UserWarning, match="has an error") as warned:
        done = explain_dataset(texts, explainer, tmp_path, shard_rows=6)
    assert [int(str(warning.message).split()[1]) for warning in warned] == [1, 8, 13, 20]
    assert (done.rows, done.failed, done.complete) == (40, 4, True)
