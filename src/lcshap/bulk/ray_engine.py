"""Explain shards on a Ray cluster: actors hold the model, and Ray places and restarts them."""

from __future__ import annotations

import os
import signal
import time
from collections import Counter, deque
from collections.abc import Iterator
from typing import Any, NamedTuple

from ..core.child import Reply
from ..core.redact import describe_error
from ..errors import BulkError, OptionError
from ..extras import import_optional
from .shard_tasks import MAX_TRIES, LostShard, ShardTask
from .shard_timeout import ShardTimeout
from .worker import FinishedShard, WorkerOptions, WorkerServer

_READY_TIMEOUT_SECONDS = 600.0  # How long to wait for the first workers.
_START_ATTEMPTS = 3  # for a new cluster on this machine
_RETRY_PAUSE_SECONDS = 1.0  # The pause before an unreachable worker is tried again.
_RESPONSE_TIMEOUT_SECONDS = 10.0  # A worker that does not answer for this time may be dead.


class RayEngine:
    """Workers that are actors of a Ray cluster.

    Parameters
    ----------
    worker_options : the options of the workers.
    workers : the number of workers, or a pair (minimum, maximum): the run begins with the minimum, and the others join
        when the cluster has room for them (its autoscaler sees that they wait). The default is as many as the CPUs of
        the cluster allow.
    address : the address of a cluster, such as "ray://head:10001" or "auto". The default is the cluster that this
        process is connected to, or else a new one on this machine, which ends with the run.
    num_cpus, num_gpus : the CPUs and GPUs that each actor needs.
    shard_timeout : the seconds that a worker has for a shard, see `ShardTimeout`.
    """

    def __init__(
        self,
        worker_options: WorkerOptions,
        workers: int | tuple[int, int] | None = None,
        address: str | None = None,
        num_cpus: float = 1,
        num_gpus: float = 0,
        shard_timeout: float | None = None,
    ) -> None:
        self.timeout = ShardTimeout(shard_timeout)
        self.ray = import_optional("ray", "ray")
        self._owns_cluster = not self.ray.is_initialized()
        if self._owns_cluster:
            _connect(self.ray, address)
        self.min_workers, self.max_workers = _worker_range(workers, self.ray, num_cpus)
        # Ray restarts an actor that died, on another node if necessary.
        actor_class = self.ray.remote(
            num_cpus=num_cpus,
            num_gpus=num_gpus,
            concurrency_groups={"control": 1},
            max_restarts=-1,
            max_task_retries=MAX_TRIES - 1,
            runtime_env={"env_vars": worker_options.environment},
        )(_Actor)
        self._actors = [actor_class.remote(worker_options) for _ in range(self.max_workers)]

    def describe(self) -> dict[str, Any]:
        """The description of the explainer by the first worker that is ready."""
        references = [actor.describe.remote() for actor in self._actors]
        ready, _ = self.ray.wait(references, num_returns=self.min_workers, timeout=_READY_TIMEOUT_SECONDS)
        if len(ready) < self.min_workers:
            raise BulkError(
                f"Expected {self.min_workers} workers within {_READY_TIMEOUT_SECONDS:g} s, got {len(ready)}. "
                "Ask for fewer workers or for less of num_cpus and num_gpus; the cluster has "
                f"{self.ray.cluster_resources()}."
            )
        return self._get(ready[0]).result()  # type: ignore[no-any-return]

    def run(self, tasks: Iterator[ShardTask]) -> Iterator[FinishedShard | LostShard]:
        """Explain shards. A shard is taken from `tasks` only when a worker is free for it."""
        dispatcher = _Dispatcher(self.ray, self._actors, self.timeout)
        tasks_remain = True
        while tasks_remain or dispatcher.unfinished or dispatcher.requeued:
            while dispatcher.idle and (tasks_remain or dispatcher.requeued):
                task = dispatcher.requeued.popleft() if dispatcher.requeued else next(tasks, None)
                tasks_remain = tasks_remain and task is not None
                if task is not None:
                    dispatcher.send(task)
            for reference in dispatcher.wait_for_calls(tasks_remain):
                task = dispatcher.finish(reference)
                if task is None:  # Another worker has finished this shard.
                    continue
                try:
                    reply = self._get(reference)
                except self.ray.exceptions.RayError as error:
                    if not dispatcher.requeue(task, error):
                        yield LostShard(task.shard.number, dispatcher.reason(task, error))
                    continue
                yield reply.result()

    def _get(self, reference: Any) -> Reply:
        return self.ray.get(reference)  # type: ignore[no-any-return]

    def __enter__(self) -> RayEngine:
        return self

    def __exit__(self, *exception: object) -> None:
        for actor in self._actors:
            self.ray.kill(actor)
        if self._owns_cluster:
            self.ray.shutdown()


class _ActorProcess(NamedTuple):
    """The process of an actor."""

    pid: int
    node: str


def _end_process(ray: Any, process: _ActorProcess) -> None:
    """End the process of an actor at its node, because a stopped process does not obey `ray.kill`."""
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    on_node = NodeAffinitySchedulingStrategy(process.node, soft=False)
    ray.remote(num_cpus=0, max_retries=0)(_kill).options(scheduling_strategy=on_node).remote(process.pid)


def _kill(pid: int) -> None:
    os.kill(pid, signal.SIGKILL)


class _Dispatcher:
    """Sends shards to workers, and sends a shard again if its worker is lost.

    Ray restarts a worker that died when it finds a node for it. If a node is lost and no other node has room, a shard
    that waits there would never be finished. So when there are no more new shards, a shard whose worker does not answer
    is sent to an idle worker as well.

    Shards are sent again here instead of being retried by Ray: until Ray notices that a node is lost, it cannot reach
    the workers there, and would use up all retries within a second. A worker gets no shard before it answers.
    """

    def __init__(self, ray: Any, actors: list[Any], timeout: ShardTimeout) -> None:
        self.ray, self.timeout = ray, timeout
        self.processes: dict[Any, _ActorProcess] = {}  # of each actor, when it answered last
        self.overrun: dict[int, str] = {}  # why the worker of a shard was ended, by the number of the shard
        self.starting = {actor.ping.remote(): actor for actor in actors}  # An actor answers a ping when it is ready.
        self.idle: deque[Any] = deque()
        self.busy: dict[Any, tuple[Any, ShardTask, float]] = {}  # the actor, its task, and when it was sent
        self.ended: set[Any] = set()  # the calls whose worker was ended because they took too long
        self.unfinished: dict[int, int] = {}  # the number of workers that have each unfinished shard
        self.requeued: deque[ShardTask] = deque()  # These shards must be sent again.
        self.failures: Counter[int] = Counter()  # how often the worker of each shard failed

    def send(self, task: ShardTask) -> None:
        actor = self.idle.popleft()
        self.busy[actor.explain.options(max_task_retries=0).remote(*task.arguments)] = (
            actor,
            task,
            self.timeout.now(),
        )
        self.unfinished[task.shard.number] = self.unfinished.get(task.shard.number, 0) + 1

    def wait_for_calls(self, tasks_remain: bool) -> list[Any]:
        """Wait for calls that have ended, and return them. Workers that have become ready are idle from now on."""
        ready, _ = self.ray.wait([*self.busy, *self.starting], num_returns=1, timeout=_RESPONSE_TIMEOUT_SECONDS)
        self._end_stalled()
        for reference in [reference for reference in ready if reference in self.starting]:
            self._check_ready(self.starting.pop(reference), reference)
        if not ready and not tasks_remain and self.idle:
            self._reassign_shards()
        return [reference for reference in ready if reference in self.busy]

    def _check_ready(self, actor: Any, reference: Any) -> None:
        """Mark a worker that has answered as idle; ping it again if it cannot be reached now."""
        try:
            self.processes[actor] = self.ray.get(reference)
        except self.ray.exceptions.ActorUnavailableError:
            time.sleep(_RETRY_PAUSE_SECONDS)
            self.starting[actor.ping.remote()] = actor
        except self.ray.exceptions.RayError:
            self.idle.append(actor)  # The next shard of this worker will show the error.
        else:
            self.idle.append(actor)

    def requeue(self, task: ShardTask, error: Exception) -> bool:
        """Send a shard again if its worker died or could not be reached; return whether it is sent again."""
        self.failures[task.shard.number] += 1
        actor_died = isinstance(error, self.ray.exceptions.RayActorError)
        retry = actor_died and self.failures[task.shard.number] < task.max_tries
        if retry:
            self.requeued.append(task)
        return retry

    def reason(self, task: ShardTask, error: Exception) -> str:
        """Why the worker of a shard was lost."""
        return self.overrun.get(task.shard.number, f"its worker ended with {type(error).__name__}")

    def _end_stalled(self) -> None:
        """End the processes of workers that take too long. Ray starts them again, and the calls raise an error."""
        for reference, (actor, task, started) in self.busy.items():
            reason = self.timeout.overrun(started)
            if reason and reference not in self.ended and actor in self.processes:
                self.ended.add(reference)
                self.overrun[task.shard.number] = reason
                _end_process(self.ray, self.processes[actor])

    def _reassign_shards(self) -> None:
        for actor, task, _ in list(self.busy.values()):
            if self.idle and self.unfinished.get(task.shard.number) == 1 and not self._responds(actor):
                self.send(task)

    def _responds(self, actor: Any) -> bool:
        ping = actor.ping.options(concurrency_group="control").remote()
        return bool(self.ray.wait([ping], timeout=_RESPONSE_TIMEOUT_SECONDS)[0])

    def finish(self, reference: Any) -> ShardTask | None:
        """The task of a call that has ended; None if its shard was finished before."""
        actor, task, started = self.busy.pop(reference)
        if reference not in self.ended:
            self.timeout.record(self.timeout.now() - started)
        self.starting[actor.ping.remote()] = actor
        return task if self.unfinished.pop(task.shard.number, None) is not None else None


class _Actor:
    """A worker as a Ray actor. Errors are replies and are not raised, so that Ray retries only workers that died."""

    def __init__(self, worker_options: WorkerOptions) -> None:
        self.server = WorkerServer(worker_options)

    def ping(self) -> _ActorProcess:
        """Answer at once, also while a shard is being explained."""
        ray = import_optional("ray", "ray")
        return _ActorProcess(os.getpid(), ray.get_runtime_context().get_node_id())

    def describe(self) -> Reply:
        """See `Worker.describe`."""
        return Reply.from_call(self.server.call, "describe")

    def explain(self, *task: Any) -> Reply:
        """See `Worker.explain`."""
        return Reply.from_call(self.server.call, "explain", *task)


def _worker_range(workers: int | tuple[int, int] | None, ray: Any, num_cpus: float) -> tuple[int, int]:
    if workers is None:
        capacity = ray.cluster_resources().get("CPU", 1) / max(num_cpus, 1e-9)
        return 1, max(1, int(capacity))
    min_workers, max_workers = (workers, workers) if isinstance(workers, int) else workers
    if not 1 <= min_workers <= max_workers:
        raise OptionError(f"Expected workers as a number of at least 1 or as a range such as (2, 8), got {workers!r}.")
    return min_workers, max_workers


def _connect(ray: Any, address: str | None) -> None:
    """Connect to a cluster, or start one on this machine, which a busy machine may need several attempts for.

    Raises
    ------
    BulkError : if there is no cluster.
    """
    options = {"address": address, "log_to_driver": False, "include_dashboard": False}
    if address is None:  # Options of a new cluster; an existing cluster takes none.
        options["configure_logging"] = False
    for attempt in range(1, _START_ATTEMPTS + 1):
        try:
            ray.init(**options)
            return
        except Exception as error:
            ray.shutdown()
            if address is not None or attempt == _START_ATTEMPTS:
                where = "on this machine" if address is None else f"at {address!r}"
                raise BulkError(f"Expected a Ray cluster {where}, got none: {describe_error(error)}.") from error
            time.sleep(_RETRY_PAUSE_SECONDS * attempt)
