"""Shards on a Ray cluster: actors hold the model, and Ray places and restarts them."""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Iterator
from typing import Any

from ..errors import BulkError, OptionError
from ..extras import need
from .local import TRIES, Lost, Task, revived, told
from .work import Done, Work, Worker

_PATIENCE = 600.0  # seconds in which the first workers must be ready
_PAUSE = 1.0  # seconds before a worker that could not be reached is asked again
_SILENCE = 10.0  # seconds after which a worker that does not answer may be gone


class RayEngine:
    """Workers that are actors of a Ray cluster.

    Parameters
    ----------
    work : what workers are told.
    workers : how many, or a pair: with the least of them the run begins, the others join as the cluster has room for
        them (its autoscaler sees that they wait). By default as many as the CPUs of the cluster allow.
    address : of a cluster, such as "ray://head:10001" or "auto". By default the one that this process is connected to,
        or else a new one on this machine, which ends with the run.
    num_cpus, num_gpus : what each actor needs.
    """

    def __init__(
        self,
        work: Work,
        workers: int | tuple[int, int] | None = None,
        address: str | None = None,
        num_cpus: float = 1,
        num_gpus: float = 0,
    ) -> None:
        self.ray = need("ray", "ray")
        self._ours = not self.ray.is_initialized()
        if self._ours:
            self.ray.init(address=address, log_to_driver=False, include_dashboard=False, **_quiet(address))
        self.least, self.most = _range(workers, self.ray, num_cpus)
        # A dead actor is made again, on another node if need be.
        kind = self.ray.remote(
            num_cpus=num_cpus,
            num_gpus=num_gpus,
            concurrency_groups={"control": 1},
            max_restarts=-1,
            max_task_retries=TRIES - 1,
            runtime_env={"env_vars": work.environment},
        )(_Actor)
        self._actors = [kind.remote(work) for _ in range(self.most)]

    def describe(self) -> dict[str, Any]:
        """What the first worker that is ready says about its explainer."""
        asked = [actor.describe.remote() for actor in self._actors]
        ready, _ = self.ray.wait(asked, num_returns=self.least, timeout=_PATIENCE)
        if len(ready) < self.least:
            raise BulkError(
                f"Expected {self.least} workers within {_PATIENCE:g} s, got {len(ready)}. Ask for fewer workers or for "
                f"less of num_cpus and num_gpus; the cluster has {self.ray.cluster_resources()}."
            )
        good, answer = self._get(ready[0])
        if not good:
            raise revived(*answer)
        return answer  # type: ignore[no-any-return]

    def run(self, tasks: Iterator[Task]) -> Iterator[Done | Lost]:
        """Explain shards. A shard is taken from `tasks` when a worker is free for it, never before."""
        flight = _Flight(self.ray, self._actors)
        left = True
        while left or flight.open or flight.back:
            while flight.idle and (left or flight.back):
                task = flight.back.popleft() if flight.back else next(tasks, None)
                left = left and task is not None
                if task is not None:
                    flight.send(task)
            for reference in flight.landed(left):
                task = flight.finish(reference)
                if task is None:  # it was finished by another worker before
                    continue
                try:
                    good, answer = self._get(reference)
                except self.ray.exceptions.RayError as error:
                    if not flight.give_back(task, error):
                        yield Lost(task.shard.number, type(error).__name__)
                    continue
                if not good:
                    raise revived(*answer)
                yield answer

    def _get(self, reference: Any) -> tuple[bool, Any]:
        return self.ray.get(reference)  # type: ignore[no-any-return]

    def __enter__(self) -> RayEngine:
        return self

    def __exit__(self, *exception: object) -> None:
        for actor in self._actors:
            self.ray.kill(actor)
        if self._ours:
            self.ray.shutdown()


class _Flight:
    """The shards that are with workers.

    Ray makes a worker that died again when it has found a place for it. If a node is gone and there is no other place,
    nobody would ever finish a shard that waits there. So when no shard is left to hand out, a shard whose worker does
    not answer is given to one that is free.

    Shards are handed out again here, and not repeated by Ray: until it has noticed that a node is gone, it cannot reach
    the workers there, and would spend all repetitions within a second. A worker gets no shard before it answers.
    """

    def __init__(self, ray: Any, actors: list[Any]) -> None:
        self.ray = ray
        self.coming = {actor.ping.remote(): actor for actor in actors}  # answered as soon as an actor lives
        self.idle: deque[Any] = deque()
        self.busy: dict[Any, tuple[Any, Task]] = {}
        self.open: dict[int, int] = {}  # shards that are not finished, and how many workers have them
        self.back: deque[Task] = deque()  # shards that are to be handed out again
        self.returned: Counter[int] = Counter()  # how often a shard came back

    def send(self, task: Task) -> None:
        actor = self.idle.popleft()
        self.busy[actor.explain.options(max_task_retries=0).remote(*task)] = actor, task
        self.open[task.shard.number] = self.open.get(task.shard.number, 0) + 1

    def landed(self, left: bool) -> list[Any]:
        """Calls that have ended. Workers that have come to life are idle from now on."""
        ready, _ = self.ray.wait([*self.busy, *self.coming], num_returns=1, timeout=_SILENCE)
        for reference in [reference for reference in ready if reference in self.coming]:
            self._greet(self.coming.pop(reference), reference)
        if not ready and not left and self.idle:
            self._hand_over()
        return [reference for reference in ready if reference in self.busy]

    def _greet(self, actor: Any, reference: Any) -> None:
        """A worker that has answered is idle; one that cannot be reached now is asked again."""
        try:
            self.ray.get(reference)
        except self.ray.exceptions.ActorUnavailableError:
            time.sleep(_PAUSE)
            self.coming[actor.ping.remote()] = actor
        except self.ray.exceptions.RayError:
            self.idle.append(actor)  # the next shard tells what is wrong
        else:
            self.idle.append(actor)

    def give_back(self, task: Task, error: Exception) -> bool:
        """Whether a shard is to be handed out again, because its worker died or could not be reached."""
        self.returned[task.shard.number] += 1
        gone = isinstance(error, self.ray.exceptions.RayActorError)
        again = gone and self.returned[task.shard.number] < TRIES
        if again:
            self.back.append(task)
        return again

    def _hand_over(self) -> None:
        for actor, task in list(self.busy.values()):
            if self.idle and self.open.get(task.shard.number) == 1 and not self._answers(actor):
                self.send(task)

    def _answers(self, actor: Any) -> bool:
        ping = actor.ping.options(concurrency_group="control").remote()
        return bool(self.ray.wait([ping], timeout=_SILENCE)[0])

    def finish(self, reference: Any) -> Task | None:
        """The shard of a call that has ended; None where it was finished before."""
        actor, task = self.busy.pop(reference)
        self.coming[actor.ping.remote()] = actor
        return task if self.open.pop(task.shard.number, None) is not None else None


class _Actor:
    """A worker as Ray holds it. What goes wrong is told and not raised: what dies is repeated, not what is wrong."""

    def __init__(self, work: Work) -> None:
        self.worker: Worker | None = None
        self.work = work

    def _told(self, name: str, *arguments: Any) -> tuple[bool, Any]:
        try:
            self.worker = self.worker or Worker(self.work)
            return True, getattr(self.worker, name)(*arguments)
        except Exception as error:
            return False, told(error)

    def ping(self) -> None:
        """Answer at once, also while a shard is being explained."""

    def describe(self) -> tuple[bool, Any]:
        """See `Worker.describe`."""
        return self._told("describe")

    def explain(self, *task: Any) -> tuple[bool, Any]:
        """See `Worker.explain`."""
        return self._told("explain", *task)


def _range(workers: int | tuple[int, int] | None, ray: Any, num_cpus: float) -> tuple[int, int]:
    if workers is None:
        room = ray.cluster_resources().get("CPU", 1) / max(num_cpus, 1e-9)
        return 1, max(1, int(room))
    least, most = (workers, workers) if isinstance(workers, int) else workers
    if not 1 <= least <= most:
        raise OptionError(f"Expected workers as a number of at least 1 or as a range such as (2, 8), got {workers!r}.")
    return least, most


def _quiet(address: str | None) -> dict[str, Any]:
    """Options of a new cluster on this machine; an existing one takes none."""
    return {} if address is not None else {"configure_logging": False}
