"""Explain shards on the cores of this machine: each worker is a process that explains one shard at a time."""

from __future__ import annotations

import os
import pickle
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import connection
from typing import Any, NamedTuple

from ..core.child import Child, ChildDiedError
from ..errors import BulkError, OptionError
from .shard_tasks import LostShard, ShardTask
from .shard_timeout import ShardTimeout, StoppedProcesses
from .worker import FinishedShard, WorkerOptions, WorkerServer

_POLL_SECONDS = 1.0  # the time between two checks of the workers


class _BusyWorker(NamedTuple):
    """A worker with its task, the number of times that the task was tried before, and when it was sent."""

    worker: Child
    task: ShardTask
    tries: int
    started: float


class LocalEngine:
    """Workers that are processes of this machine.

    Parameters
    ----------
    worker_options : the options of the workers.
    workers : the number of workers. The default is the number of cores that this process may use, divided by the
        number of threads of the model.
    shard_timeout : the seconds that a worker has for a shard, see `ShardTimeout`.
    """

    def __init__(
        self, worker_options: WorkerOptions, workers: int | None = None, shard_timeout: float | None = None
    ) -> None:
        if workers is not None and (not isinstance(workers, int) or isinstance(workers, bool) or workers < 1):
            raise OptionError(f"Expected a number of workers of at least 1, got {workers!r}.")
        self.worker_options = worker_options
        self.workers = workers or max(1, _count_cores() // worker_options.threads)
        self.timeout = ShardTimeout(shard_timeout)
        self.stopped = StoppedProcesses(self.timeout)
        _check_picklable(worker_options)
        self._children: list[Child] = []

    def describe(self) -> dict[str, Any]:
        """The description of the explainer by a worker."""
        return self.ask("describe")  # type: ignore[no-any-return]

    def ask(self, name: str, *arguments: Any) -> Any:
        """Call a method of `Worker` in an idle worker, and return its result."""
        worker = self._children[0] if self._children else self._start()
        try:
            return worker.ask("call", name, *arguments).result()
        except ChildDiedError as error:
            raise BulkError(
                f"Expected a worker that is ready, got one that ended with {error}. Its output is above. In a "
                "script, call explain_dataset below `if __name__ == '__main__':`."
            ) from None

    def run(self, tasks: Iterator[ShardTask]) -> Iterator[FinishedShard | LostShard]:
        """Explain shards. A shard is taken from `tasks` only when a worker is free for it."""
        retries: deque[tuple[ShardTask, int]] = deque()  # tasks with the number of times they were tried
        idle, busy = deque(self._children), dict[Any, _BusyWorker]()
        while True:
            while len(busy) < self.workers:
                queued = retries.popleft() if retries else next(((task, 0) for task in tasks), None)
                if queued is None:
                    break
                task, tries = queued
                worker = idle.popleft() if idle else self._start()
                worker.send("call", "explain", *task.arguments)
                busy[worker.connection] = _BusyWorker(worker, task, tries, self.timeout.now())
            if not busy:
                return
            ready = connection.wait(list(busy), _POLL_SECONDS)
            reasons = {channel: self._stalled(b) for channel, b in busy.items() if channel not in ready}
            stalled = {channel: reason for channel, reason in reasons.items() if reason}
            for channel, reason in [*dict.fromkeys(ready, "").items(), *stalled.items()]:
                worker, task, tries, started = busy.pop(channel)
                try:
                    if reason:
                        worker.process.kill()
                        worker.end()
                        raise ChildDiedError(reason)
                    done = worker.receive().result()
                except ChildDiedError as error:
                    self._children.remove(worker)
                    if tries + 1 < task.max_tries:
                        retries.append((task, tries + 1))
                    else:
                        yield LostShard(task.shard.number, reason or f"its worker ended with {error}")
                    continue
                self.timeout.record(self.timeout.now() - started)
                idle.append(worker)
                yield done

    def _stalled(self, busy: _BusyWorker) -> str | None:
        """Why a worker has to be replaced; None if it has not."""
        pid = busy.worker.process.pid
        return self.timeout.overrun(busy.started) or (None if pid is None else self.stopped.reason(pid))

    def _start(self) -> Child:
        with _temporary_environment(self.worker_options.environment):
            worker = Child(WorkerServer, self.worker_options)
        self._children.append(worker)
        return worker

    def __enter__(self) -> LocalEngine:
        return self

    def __exit__(self, *exception: object) -> None:
        for worker in self._children:
            worker.end()
        self._children.clear()


@contextmanager
def _temporary_environment(variables: dict[str, str]) -> Iterator[None]:
    """Set environment variables for the processes that are started in this context."""
    previous = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, previous_value in previous.items():
            if previous_value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = previous_value


def _count_cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _check_picklable(worker_options: WorkerOptions) -> None:
    try:
        pickle.dumps(worker_options)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise OptionError(
            f"Expected a factory that other processes can import, got {worker_options.factory!r} ({error}). Define it "
            "at the top of a module, or give its name as package.module:function."
        ) from error
