"""The line that says how far a run is."""

from __future__ import annotations

import sys
import time

from ..asking.progress import is_shown

_PAUSE = 0.5  # seconds between two lines


class Line:
    """Counts rows and shows the rate, the time left and the errors so far, on one line of standard error.

    Parameters
    ----------
    total : rows of the data set; None where nobody knows.
    done : rows that were finished before.
    failed : those of them that have an error.
    show : whether to show it; None: on a terminal.
    """

    def __init__(self, total: int | None, done: int, failed: int, show: bool | None = None) -> None:
        self.total, self.before, self.done, self.failed = total, done, done, failed
        self.show = is_shown(show)
        self.started, self.drawn = time.monotonic(), 0.0

    def advance(self, rows: int, failed: int) -> None:
        """Take note of a finished shard."""
        self.done, self.failed = self.done + rows, self.failed + failed
        now = time.monotonic()
        if self.show and now - self.drawn > _PAUSE:
            self.drawn = now
            print(f"\r\033[K{self.text(now - self.started)}", end="", file=sys.stderr, flush=True)

    def text(self, elapsed: float) -> str:
        """What the line says after so many seconds.

        >>> line = Line(1000, 0, 0, show=False)
        >>> line.advance(100, 2)
        >>> line.text(50.0)
        '100 of 1,000 inputs (10 %), 2.0/s, 7 min 30 s left, 2 errors'
        """
        rate = (self.done - self.before) / max(elapsed, 1e-9)
        parts = [f"{self.done:,} inputs" if self.total is None else self._share(self.total)]
        parts.append(f"{rate:,.1f}/s")
        if self.total is not None and rate > 0:
            parts.append(f"{spell(max(0, self.total - self.done) / rate)} left")
        parts.append(f"{self.failed:,} {'error' if self.failed == 1 else 'errors'}")
        return ", ".join(parts)

    def _share(self, total: int) -> str:
        return f"{self.done:,} of {total:,} inputs ({100 * self.done // max(total, 1)} %)"

    def close(self) -> None:
        """Wipe the line."""
        if self.drawn:
            print("\r\033[K", end="", file=sys.stderr, flush=True)


def spell(seconds: float) -> str:
    """A time for people.

    >>> [spell(s) for s in (0.004, 0.4, 12, 450, 10_000, 400_000)]
    ['4 ms', '0.4 s', '12 s', '7 min 30 s', '2 h 46 min', '4 d 15 h']
    """
    if 0 < seconds < 0.095:
        return f"{1000 * seconds:.2g} ms"
    if seconds < 10:
        return f"{seconds:.1f} s"
    whole = int(seconds)
    for size, name, below, small in ((86400, "d", 3600, "h"), (3600, "h", 60, "min"), (60, "min", 1, "s")):
        if whole >= size:
            return f"{whole // size} {name} {whole % size // below} {small}"
    return f"{whole} s"
