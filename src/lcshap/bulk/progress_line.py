"""The line that shows the progress of a run."""

from __future__ import annotations

import sys
import time

from ..evaluation.progress import shows_progress

_REDRAW_SECONDS = 0.5  # the minimum between two updates


class ProgressLine:
    """Counts finished rows, and shows their rate, the remaining time and the errors on one line of standard error.

    Parameters
    ----------
    total : the number of rows of the data set; None if it is not known.
    done : the number of rows that were finished before.
    failed : the number of these rows that have an error.
    show : whether to show the line; None shows it on a terminal.
    """

    def __init__(self, total: int | None, done: int, failed: int, show: bool | None = None) -> None:
        self.total, self.done_before, self.done, self.failed = total, done, done, failed
        self.show = shows_progress(show)
        self.started, self.last_drawn = time.monotonic(), 0.0

    def advance(self, rows: int, failed: int) -> None:
        """Count a finished shard."""
        self.done, self.failed = self.done + rows, self.failed + failed
        now = time.monotonic()
        if self.show and now - self.last_drawn > _REDRAW_SECONDS:
            self.last_drawn = now
            print(f"\r\033[K{self.text(now - self.started)}", end="", file=sys.stderr, flush=True)

    def text(self, elapsed: float) -> str:
        """The text of the line after `elapsed` seconds.

        >>> line = ProgressLine(1000, 0, 0, show=False)
        >>> line.advance(100, 2)
        >>> line.text(50.0)
        '100 of 1,000 inputs (10 %), 2.0/s, 7 min 30 s left, 2 errors'
        """
        rate = (self.done - self.done_before) / max(elapsed, 1e-9)
        phrases = [f"{self.done:,} inputs" if self.total is None else self._count_and_percentage(self.total)]
        phrases.append(f"{rate:,.1f}/s")
        if self.total is not None and rate > 0:
            phrases.append(f"{format_duration(max(0, self.total - self.done) / rate)} left")
        phrases.append(f"{self.failed:,} {'error' if self.failed == 1 else 'errors'}")
        return ", ".join(phrases)

    def _count_and_percentage(self, total: int) -> str:
        return f"{self.done:,} of {total:,} inputs ({100 * self.done // max(total, 1)} %)"

    def close(self) -> None:
        """Clear the line."""
        if self.last_drawn:
            print("\r\033[K", end="", file=sys.stderr, flush=True)


def format_duration(seconds: float) -> str:
    """A duration as text.

    >>> [format_duration(s) for s in (0.004, 0.4, 12, 450, 10_000, 400_000)]
    ['4 ms', '0.4 s', '12 s', '7 min 30 s', '2 h 46 min', '4 d 15 h']
    """
    if 0 < seconds < 0.095:
        return f"{1000 * seconds:.2g} ms"
    if seconds < 10:
        return f"{seconds:.1f} s"
    whole_seconds = int(seconds)
    for size, unit, subunit_size, subunit in ((86400, "d", 3600, "h"), (3600, "h", 60, "min"), (60, "min", 1, "s")):
        if whole_seconds >= size:
            return f"{whole_seconds // size} {unit} {whole_seconds % size // subunit_size} {subunit}"
    return f"{whole_seconds} s"
