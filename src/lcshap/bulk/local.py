"""Shards on the cores of this machine: one process a worker, which takes a shard at a time."""

from __future__ import annotations

import os
import pickle
import signal
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from multiprocessing import connection
from typing import Any, NamedTuple

from .. import errors
from ..core.child import PATIENCE, Child
from ..core.redact import described
from ..errors import BulkError, LcshapError, OptionError
from .shards import Shard
from .work import Done, Work, Worker

TRIES = 3  # of a shard whose worker dies


class Task(NamedTuple):
    """A shard, and what a worker has to know to explain it: see `Worker.explain`."""

    shard: Shard
    expected: dict[str, Any]
    digest: str


class Lost(NamedTuple):
    """A shard whose workers died, each time it was tried."""

    number: int
    why: str


class LocalEngine:
    """Workers that are processes of this machine.

    Parameters
    ----------
    work : what workers are told.
    workers : how many; by default one for each core that this process may use, shared out by the threads of the model.
    """

    def __init__(self, work: Work, workers: int | None = None) -> None:
        if workers is not None and (not isinstance(workers, int) or isinstance(workers, bool) or workers < 1):
            raise OptionError(f"Expected a number of workers of at least 1, got {workers!r}.")
        self.work = work
        self.workers = workers or max(1, _cores() // work.threads)
        _check_picklable(work)
        self._crew: list[_Process] = []

    def describe(self) -> dict[str, Any]:
        """What a worker says about its explainer."""
        return self.ask("describe")  # type: ignore[no-any-return]

    def ask(self, name: str, *arguments: Any) -> Any:
        """What a method of `Worker` returns, in a worker that has nothing else to do."""
        worker = self._crew[0] if self._crew else self._start()
        worker.send(name, *arguments)
        answer = worker.receive()
        if answer is None:
            raise BulkError(
                f"Expected a worker that is ready, got one that ended with {worker.exit_code}. What it said stands "
                "above. In a script, call explain_dataset below `if __name__ == '__main__':`."
            )
        return answer

    def run(self, tasks: Iterator[Task]) -> Iterator[Done | Lost]:
        """Explain shards. A shard is taken from `tasks` when a worker is free for it, never before."""
        again: deque[tuple[Task, int]] = deque()  # with the tries that it has had
        idle, busy = deque(self._crew), dict[Any, tuple[_Process, Task, int]]()
        while True:
            while len(busy) < self.workers:
                found = again.popleft() if again else next(((task, 0) for task in tasks), None)
                if found is None:
                    break
                worker = idle.popleft() if idle else self._start()
                worker.send("explain", *found[0])
                busy[worker.connection] = (worker, found[0], found[1] + 1)
            if not busy:
                return
            for ready in connection.wait(list(busy)):
                worker, task, tries = busy.pop(ready)
                answer = worker.receive()
                if answer is not None:
                    idle.append(worker)
                    yield answer
                    continue
                self._crew.remove(worker)
                why = f"its worker ended with {worker.exit_code}"
                if tries < TRIES:
                    again.append((task, tries))
                else:
                    yield Lost(task.shard.number, why)

    def _start(self) -> _Process:
        with _environment(self.work.environment):
            worker = _Process(self.work)
        self._crew.append(worker)
        return worker

    def __enter__(self) -> LocalEngine:
        return self

    def __exit__(self, *exception: object) -> None:
        for worker in self._crew:
            worker.end()
        self._crew.clear()


class _Process(Child):
    """The main process's side of a worker."""

    def __init__(self, work: Work) -> None:
        super().__init__(_serve, work)

    def send(self, name: str, *arguments: Any) -> None:
        with suppress(OSError):  # it has died: that is noticed when its answer is read
            self.connection.send((name, arguments))

    def receive(self) -> Any:
        """The answer; None if the worker has died. What it raised is raised here."""
        try:
            good, answer = self.connection.recv()
        except (EOFError, OSError):
            self.process.join(PATIENCE)
            self.connection.close()
            return None
        if not good:
            raise revived(*answer)
        return answer


def _serve(channel: Any, work: Work) -> None:
    """The worker's side: make the explainer, then answer until nobody asks."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the main process, which ends the workers
    worker: Worker | None = None
    while True:
        try:
            name, arguments = channel.recv()
        except (EOFError, OSError):
            return
        answer: tuple[bool, Any]
        try:
            worker = worker or Worker(work)
            answer = (True, getattr(worker, name)(*arguments))
        except Exception as error:
            answer = (False, told(error))
        try:
            channel.send(answer)
        except OSError:
            return


def told(error: Exception) -> tuple[str, str]:
    """An error as plain texts: its kind and what it says, without secrets."""
    if isinstance(error, LcshapError):
        return type(error).__name__, str(error)
    return "BulkError", f"A worker failed: {described(error)}"


def revived(kind: str, message: str) -> Exception:
    """The error of a worker, in the main process."""
    found = getattr(errors, kind, BulkError)
    made: Exception = found(message)
    return made


@contextmanager
def _environment(variables: dict[str, str]) -> Iterator[None]:
    """Variables that a process which is started meanwhile finds in its environment."""
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _check_picklable(work: Work) -> None:
    try:
        pickle.dumps(work)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise OptionError(
            f"Expected a factory that other processes can import, got {work.factory!r} ({error}). Define it at the top "
            "of a module, or give its name as package.module:function."
        ) from error
