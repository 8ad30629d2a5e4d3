"""What runs over data sets take: memory, and what a second worker brings; `bulk_batches` is about shared batches.

``memory``: the peak memory of the main process and of its worker, for short texts and a model that takes no time, by
the number of inputs. ``workers``: the seconds of two workers and of one on a model that keeps the processor busy, in
turn; and how many cores this machine really had meanwhile, by two plain processes against one.
``python benchmarks/bulk_scaling.py memory workers [--inputs 1000 5000 20000]``
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
import statistics
import tempfile
import time
from pathlib import Path

import lcshap as lc

WORDS = ("a", "film", "that", "is", "not", "bad", "but", "never", "really", "funny", "and", "far", "too", "long")


def text(number: int) -> str:
    """A short text; no two are the same."""
    size = 6 + number % 9
    return f"n{number} " + " ".join(WORDS[(number * 7 + 3 * k) % len(WORDS)] for k in range(size))


# -- memory ----------------------------------------------------------------------------------------------------


def light() -> lc.Explainer:
    """An explainer of lengths."""
    return lc.Explainer(lengths, lc.maskers.Text(), lc.KernelSHAP(32), kind="output", model_name="lengths")


def lengths(texts: list[str]) -> list[float]:
    """A model that takes no time."""
    return [float(len(one)) for one in texts]


def peak(who: int = resource.RUSAGE_SELF) -> float:
    """The peak memory of this process, or of its children, in MB."""
    return resource.getrusage(who).ru_maxrss / 1024


def _memory(count: int, pipe: object) -> None:
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "texts.csv"
        with data.open("w") as file:
            file.write("text\n")
            file.writelines(f"{text(k)}\n" for k in range(count))
        lc.bulk.explain_dataset(data, light, Path(folder) / "out", workers=1, progress=False)
        mine = peak()
        read = sum(1 for _ in lc.bulk.load(Path(folder) / "out"))
    assert read == count
    pipe.send((mine, peak(resource.RUSAGE_CHILDREN), peak()))  # type: ignore[attr-defined]


def memory(counts: list[int]) -> None:
    """Print the peaks."""
    first: tuple[float, ...] = ()
    for count in counts:
        ours, theirs = multiprocessing.get_context("spawn").Pipe()
        process = multiprocessing.get_context("spawn").Process(target=_memory, args=(count, theirs))
        process.start()
        found = ours.recv()
        process.join()
        first = first or found
        ratios = ", ".join(f"{now / before:.2f}" for now, before in zip(found, first, strict=True))
        print(
            f"memory  {count:>6,} inputs: main process {found[0]:.0f} MB, worker {found[1]:.0f} MB, main process after "
            f"reading all back {found[2]:.0f} MB; over those of the first: {ratios}"
        )


# -- workers ----------------------------------------------------------------------------------------------------


def busy(texts: list[str]) -> list[float]:
    """Keeps the processor busy for a millisecond a row."""
    end = time.process_time() + 1e-3 * len(texts)
    while time.process_time() < end:
        pass
    return lengths(texts)


def heavy() -> lc.Explainer:
    """An explainer of a model that keeps the processor busy."""
    return lc.Explainer(busy, lc.maskers.Text(), lc.KernelSHAP(32), kind="output", model_name="busy")


def _spin(seconds: float) -> None:
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass


def _plain(processes: int, seconds: float) -> float:
    """Wall seconds of so many processes that each take some seconds of a processor."""
    crew = [multiprocessing.get_context("fork").Process(target=_spin, args=(seconds,)) for _ in range(processes)]
    start = time.perf_counter()
    for one in crew:
        one.start()
    for one in crew:
        one.join()
    return time.perf_counter() - start


def _marks(out: Path, workers: int, inputs: int) -> float:
    """Seconds from the first finished part to the last: processes start before, and the model is loaded."""
    lc.bulk.explain_dataset(
        [text(k) for k in range(inputs)], heavy, out, workers=workers, shard_rows=20, progress=False
    )
    times = sorted(path.stat().st_mtime for path in (out / "parts").iterdir())
    return (times[-1] - times[workers - 1]) / (len(times) - workers)


def workers(inputs: int, rounds: int) -> None:
    """Print how much faster two workers are than one."""
    found, room = [], []
    for _ in range(rounds):
        with tempfile.TemporaryDirectory() as folder:
            one, two = (_marks(Path(folder) / str(count), count, inputs) for count in (1, 2))
        found.append(one / two)
        room.append(2 * _plain(1, 3.0) / _plain(2, 3.0))
        print(
            f"workers {1e3 * one:,.0f} ms a shard by one, {1e3 * two:,.0f} by two: {found[-1]:.2f} times as fast; two"
        )
        print(f"        plain processes do {room[-1]:.2f} times the work of one")
    print(f"workers median {statistics.median(found):.2f}, of plain processes {statistics.median(room):.2f}")


def main() -> None:
    """Run what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", nargs="+", choices=["memory", "workers"])
    parser.add_argument("--inputs", type=int, nargs="+", default=[1000, 5000, 20000])
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    if "memory" in given.what:
        memory(given.inputs)
    if "workers" in given.what:
        workers(400, given.rounds)


if __name__ == "__main__":
    main()
