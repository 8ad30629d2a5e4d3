"""The time that a worker has for a shard."""

from __future__ import annotations

import math
import time
from pathlib import Path

from ..errors import OptionError

_SLOWEST_FACTOR = 10.0  # the default limit in terms of the slowest shard so far
_MIN_SECONDS = 600.0  # the smallest default limit
_MAX_STEP_SECONDS = 20.0  # between two looks at the clock; a longer step means that this process did not run
_STOPPED_SECONDS = 60.0  # how long a process may be stopped


class ShardTimeout:
    """Says which shards take too long.

    The limit is the option of the user, or ten times the slowest shard that was finished in this run, and at least ten
    minutes. Before the first shard is finished, nothing is known, and there is no limit unless the user sets one.

    Time in which this process did not run does not count, such as after Ctrl-Z.

    Parameters
    ----------
    seconds : the limit of the user.

    Examples
    --------
    >>> timeout = ShardTimeout()
    >>> print(timeout.limit)
    None
    >>> timeout.record(3.0)
    >>> timeout.record(90.0)
    >>> timeout.limit
    900.0
    >>> ShardTimeout(30.0).limit
    30.0
    """

    def __init__(self, seconds: float | None = None) -> None:
        is_number = isinstance(seconds, int | float) and not isinstance(seconds, bool)
        if seconds is not None and not (is_number and 0 < seconds < math.inf):
            raise OptionError(f"Expected shard_timeout as a number of seconds above 0, got {seconds!r}.")
        self.seconds = seconds
        self.slowest: float | None = None
        self.elapsed = 0.0
        self.last_look = time.monotonic()

    @property
    def limit(self) -> float | None:
        """The seconds that a shard may take; None if there is no limit yet."""
        if self.seconds is not None:
            return self.seconds
        return None if self.slowest is None else max(_MIN_SECONDS, _SLOWEST_FACTOR * self.slowest)

    def now(self) -> float:
        """The seconds since the beginning in which this process ran."""
        time_now = time.monotonic()
        self.elapsed += min(time_now - self.last_look, _MAX_STEP_SECONDS)
        self.last_look = time_now
        return self.elapsed

    def record(self, seconds: float) -> None:
        """Record the time of a finished shard."""
        self.slowest = max(self.slowest or 0.0, seconds)

    def overrun(self, started: float) -> str | None:
        """Why a shard that was sent at a time of `now` takes too long; None if it does not."""
        if self.limit is None or self.now() - started <= self.limit:
            return None
        return f"it took longer than {self.limit:,.0f} s (shard_timeout)"


class StoppedProcesses:
    """Recognizes processes of this machine that were stopped by SIGSTOP, on Linux. Elsewhere, none is recognized."""

    def __init__(self, timeout: ShardTimeout) -> None:
        self.timeout = timeout
        self.stopped_since: dict[int, float] = {}

    def reason(self, pid: int) -> str | None:
        """Why a process has to be replaced; None if it runs, or was stopped for a short time only."""
        if not is_stopped(pid):
            self.stopped_since.pop(pid, None)
            return None
        now = self.timeout.now()
        stopped = now - self.stopped_since.setdefault(pid, now)
        return f"it was stopped for {stopped:.0f} s" if stopped >= _STOPPED_SECONDS else None


def is_stopped(pid: int) -> bool:
    """Whether a process is stopped.

    >>> import os
    >>> is_stopped(os.getpid())
    False
    """
    try:
        status = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
    return status.rpartition(")")[2].split()[0] == "T"
