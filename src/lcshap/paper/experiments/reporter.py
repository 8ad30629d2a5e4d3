"""The progress of a study and the time that remains, printed after every sample."""

from __future__ import annotations

import sys
from collections.abc import Callable

Report = Callable[[int, int, float], None]  # samples done, all samples, remaining seconds


def make_reporter(name: str, progress: Report | bool | None) -> Report:
    """Return the function to call after each sample: `progress` itself, one that prints, or one that does nothing."""
    if callable(progress):
        return progress
    if not (sys.stderr.isatty() if progress is None else progress):
        return lambda done, total, seconds: None

    def show(done: int, total: int, seconds: float) -> None:
        end = "\n" if done == total else ""
        print(
            f"\r{name}: {done} of {total} samples, {duration(seconds)} left \033[K",
            end=end,
            file=sys.stderr,
            flush=True,
        )

    return show


def duration(seconds: float) -> str:
    """Format a duration.

    >>> duration(42), duration(600), duration(9000)
    ('42 s', '10 min', '2.5 h')
    """
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"
