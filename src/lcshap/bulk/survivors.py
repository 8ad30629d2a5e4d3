"""Explain the rows of a shard whose worker dies, except those that end it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple, Protocol

from .shard_tasks import MAX_TRIES, LostShard, ShardTask
from .worker import FinishedShard

MAX_DEADLY_ROWS = 4  # of a shard; if there are more, the cause is the machine or the model, and not a row
DEADLY_ROW_ERROR = (
    f"Expected an explanation, got none: the worker ended each of {MAX_TRIES} times that it explained it."
)


class TaskEngine(Protocol):
    """What runs tasks."""

    def run(self, tasks: Iterator[ShardTask]) -> Iterator[FinishedShard | LostShard]:
        """Explain shards, in any order."""


class Survivors(NamedTuple):
    """What became of a shard whose worker died.

    Attributes
    ----------
    outcome : the finished shard, in which the deadly rows have an error; or why it cannot be finished.
    deadly : the places in the shard of the rows whose worker dies when it explains them alone.
    """

    outcome: FinishedShard | LostShard
    deadly: tuple[int, ...] = ()


def explain_survivors(engine: TaskEngine, task: ShardTask, lost: LostShard) -> Survivors:
    """Explain all rows of a shard but those that end their worker.

    The shard is bisected until the deadly rows are known. All other rows are then explained together, as if the deadly
    rows could not be read. So the part depends on the manifest and on which rows are deadly, and not on the course of
    the search. If the worker dies again, each row is explained in batches of its own.
    """
    deadly = find_deadly_rows(engine, task)
    if deadly is None or len(deadly) == len(task.shard.rows) > 1:
        return Survivors(lost)
    rows = [
        row._replace(x=None, error=DEADLY_ROW_ERROR) if place in deadly else row
        for place, row in enumerate(task.shard.rows)
    ]
    shard = replace(task.shard, rows=tuple(rows))
    outcome: FinishedShard | LostShard = lost
    for alone in (False, True):
        (outcome,) = engine.run(iter([task._replace(shard=shard, alone=alone)]))
        if isinstance(outcome, FinishedShard):
            break
    return Survivors(outcome, deadly)


def find_deadly_rows(engine: TaskEngine, task: ShardTask) -> tuple[int, ...] | None:
    """The places of the rows whose worker dies whenever it explains them alone; None if there are too many."""
    deadly: list[int] = []
    suspects = [range(len(task.shard.rows))]
    while suspects:
        halves = [half for suspect in suspects for half in _bisect(suspect)]
        suspects = []
        for half in _lost_of(engine, task, halves):
            if len(half) == 1:
                deadly.append(half[0])
            else:
                suspects.append(half)
        if len(deadly) + len(suspects) > MAX_DEADLY_ROWS:
            return None
    return tuple(sorted(deadly))


def _bisect(places: range) -> tuple[range, ...]:
    middle = len(places) // 2
    return (places[:middle], places[middle:]) if middle else (places,)


def _lost_of(engine: TaskEngine, task: ShardTask, groups: Sequence[range]) -> list[range]:
    """The groups of rows whose worker dies. A single row is tried as often as a shard, larger groups once."""
    tasks = [
        task._replace(
            shard=replace(task.shard, number=number, rows=tuple(task.shard.rows[place] for place in group)),
            max_tries=MAX_TRIES if len(group) == 1 else 1,
        )
        for number, group in enumerate(groups)
    ]
    outcomes = engine.run(iter(tasks))
    return [groups[number] for number in sorted(o.number for o in outcomes if isinstance(o, LostShard))]
