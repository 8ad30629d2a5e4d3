"""What Ray alone does for calls of actors whose node is gone, on a cluster of two nodes on this machine.

Two actors take one call of half a second at a time. After four calls the second node is removed, so that there is a
place for one actor only. Ray restarts actors as often as needed here (``max_restarts=-1``), and repeats calls as often
as ``max_task_retries`` says. It prints which calls failed, and which were still open when nothing had happened for a
minute.
``python benchmarks/ray_retries.py [2 -1]``
"""

from __future__ import annotations

import argparse
import time
from typing import Any

CALLS, SILENCE = 30, 60.0


def attempt(ray: Any, cluster: Any, second: Any, retries: int) -> str:
    """Make the calls, remove the node, and say what became of the calls."""

    class Sleeper:
        def work(self) -> None:
            time.sleep(0.5)

    kind = ray.remote(num_cpus=1, max_restarts=-1, max_task_retries=retries)(Sleeper)
    idle, left, done, failed, removed = [kind.remote(), kind.remote()], CALLS, 0, [], False
    ray.get([actor.work.remote() for actor in idle])  # both are there
    busy: dict[Any, Any] = {}
    while left or busy:
        while idle and left:
            actor = idle.pop()
            busy[actor.work.remote()], left = actor, left - 1
        ready, _ = ray.wait(list(busy), num_returns=1, timeout=SILENCE)
        if not ready:
            break
        for reference in ready:
            idle.append(busy.pop(reference))
            try:
                ray.get(reference)
                done += 1
            except ray.exceptions.RayError as error:
                failed.append(type(error).__name__)
        if done >= 4 and not removed:
            cluster.remove_node(second, allow_graceful=False)
            removed = True
    kinds = f" ({', '.join(sorted(set(failed)))})" if failed else ""
    return (
        f"{done} of {CALLS} calls done, {len(failed)} failed{kinds}, {len(busy)} open after {SILENCE:.0f} s of silence"
    )


def main() -> None:
    """Try some numbers of retries."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("retries", nargs="*", type=int, default=[2, -1])
    import ray
    from ray.cluster_utils import Cluster

    for retries in parser.parse_args().retries:
        cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
        second = cluster.add_node(num_cpus=1)
        ray.init(address=cluster.address, log_to_driver=False, configure_logging=False)
        try:
            print(f"max_task_retries={retries}: {attempt(ray, cluster, second, retries)}", flush=True)
        finally:
            ray.shutdown()
            cluster.shutdown()


if __name__ == "__main__":
    main()
