"""The number of rows that are sent to a model at once."""

from __future__ import annotations

import contextlib
import logging
import os
import time
import weakref
from dataclasses import dataclass, field, replace
from typing import Any

log = logging.getLogger("lcshap")
_SCHEDSTAT_PATH = (
    # On Linux, nanoseconds for which a thread ran, and for which it waited for a processor.
    "/proc/thread-self/schedstat"
)
_START_ROWS, _MAX_ROWS = 16, 1024  # the batch sizes with which the search starts and ends
_WIN_RATIO = 0.98  # the other size is better if its time per row is at most this share
_CLEAR_LOSS_RATIO = 1.1  # beyond this ratio of times, still larger sizes are not tried
_CLOSE_MARGIN = 0.1  # if their times differ by less than this share, two sizes are tried once more
_RETRY_RATIO = 1.25  # beyond this ratio in the first trial, the candidate is tried again immediately


def clock() -> float:
    """Seconds, without the time in which this thread could not run because other programs used the processors.

    By the wall clock, a batch may take several times as long on a busy machine as on a quiet one, which hides the
    difference of a few per cent between two sizes. Time in which a model waits for an accelerator, a file or a server
    counts. Systems other than Linux do not report the waiting time, so that the wall clock is used there.
    """
    now = time.perf_counter()
    try:
        file = os.open(
            _SCHEDSTAT_PATH, os.O_RDONLY
        )  # a file object would be reported if Ctrl-C came before it is closed
        try:
            return now - int(os.read(file, 200).split()[1]) / 1e9
        finally:
            os.close(file)
    except (OSError, ValueError, IndexError):
        return now


@dataclass(frozen=True)
class _SizeComparison:
    """Two batch sizes that are tried in turn, with the shortest time per row of each."""

    current: int
    candidate: int
    queue: tuple[int, ...]
    costs: tuple[tuple[int, float], ...] = ()
    losses: int = 0  # consecutive candidates before this one that were no better
    is_last: bool = False  # whether the candidate is the start size, which is tried once more in the end
    trials: int = 0

    @classmethod
    def start(cls, current: int, candidate: int, losses: int = 0, is_last: bool = False) -> _SizeComparison:
        return cls(current, candidate, (current, candidate) * 2, losses=losses, is_last=is_last)

    def with_cost(self, cost: float) -> _SizeComparison:
        """Return the comparison after a trial in which a row took this long."""
        size, *queue = self.queue
        costs = dict(self.costs)
        costs[size] = min(cost, costs.get(size, cost))
        if self.trials == 1 and cost > _RETRY_RATIO * costs[self.current] and not self.is_last:
            queue = [self.candidate]  # the first trial was slow, perhaps because of other processes
        comparison = replace(self, queue=tuple(queue), costs=tuple(costs.items()), trials=self.trials + 1)
        if comparison.trials == 4 and abs(comparison.ratio - 1) < _CLOSE_MARGIN:
            return replace(comparison, queue=(self.current, self.candidate))
        return comparison

    @property
    def ratio(self) -> float:
        """The time per row at the candidate size divided by that at the current size."""
        costs = dict(self.costs)
        return costs[self.candidate] / max(costs[self.current], 1e-12)


_FIRST_COMPARISON = _SizeComparison.start(_START_ROWS, 2 * _START_ROWS)
_search_state: weakref.WeakKeyDictionary[Any, tuple[int, _SizeComparison | None]] = (
    weakref.WeakKeyDictionary()
)  # None when the search is over


@dataclass
class BatchSize:
    """The number of rows to send at once: that of the user, or the fastest one for the actual work.

    Starting from 16, the best size so far and one twice as large are tried in turn, twice each (three times if they are
    close), on rows that have to be evaluated anyway. The larger one replaces the other if a row takes at least 2 % less
    time. If it does not, a size that is larger still is tried too, unless this one was clearly slower. In the end, the
    size is compared with 16 rows once more, so that a disturbed measurement cannot make it worse than these for long.
    If nothing larger is better, 8, 4, 2 and 1 are tried in the same way, because even 16 large images can exceed the
    caches. The result is remembered for the model; so is a search that is not finished, which continues in the next
    run. Times are those of `clock`, which other programs hardly disturb.
    """

    model: Any
    fixed: int | None = None
    best: int = _START_ROWS
    search_finished: bool = False
    _comparison: _SizeComparison = field(default=_FIRST_COMPARISON)

    def __post_init__(self) -> None:
        if self.fixed is not None:
            self.best, self.search_finished = self.fixed, True
            return
        self.best, comparison = _recall(self.model)
        self.search_finished, self._comparison = comparison is None, comparison or _FIRST_COMPARISON

    @property
    def next(self) -> int:
        """The size for the next batch."""
        return self.best if self.search_finished else self._comparison.queue[0]

    def next_for(self, rows: int) -> int:
        """The size for the next batch of `rows` pending rows: a size is tried only if they fill two such batches."""
        return self.next if 2 * self.next <= rows else self.best

    def learn(self, size: int, rows: int, seconds: float) -> None:
        """Record how many seconds a batch of this size took, which contained `rows` rows.

        Several threads may call this at the same time, because every update is a single assignment.
        """
        comparison = self._comparison
        if self.search_finished or size != comparison.queue[0]:  # another thread has measured this size meanwhile
            return
        comparison = comparison.with_cost(seconds / rows)
        if comparison.queue:
            self._comparison = comparison
            _remember(self.model, self.best, comparison)
        elif comparison.is_last:
            self.finish_search(comparison.candidate if comparison.ratio < 1 else comparison.current)
        else:
            self._decide(comparison)

    def _decide(self, comparison: _SizeComparison) -> None:
        candidate_wins = comparison.ratio <= _WIN_RATIO
        best = comparison.candidate if candidate_wins else comparison.current
        if comparison.candidate < comparison.current:  # sizes are being reduced
            next_comparison = _SizeComparison.start(best, best // 2) if candidate_wins and best > 1 else None
        else:
            losses = 0 if candidate_wins else comparison.losses + (2 if comparison.ratio > _CLEAR_LOSS_RATIO else 1)
            next_comparison = _SizeComparison.start(best, 2 * comparison.candidate, losses)
            if losses > 1 or comparison.candidate >= _MAX_ROWS:
                next_comparison = (
                    _SizeComparison.start(best, _START_ROWS, is_last=True)
                    if best > _START_ROWS
                    else _SizeComparison.start(best, best // 2)
                )
        if next_comparison is None:
            self.finish_search(best)
        else:
            self._comparison, self.best = next_comparison, best
            _remember(self.model, best, next_comparison)

    def finish_search(self, size: int) -> None:
        """Keep this size, also for the next run of this model."""
        self.best, self.search_finished = max(1, size), True
        if self.fixed is None:
            _remember(self.model, self.best, None)
            log.info("batch size %d", self.best)


def _recall(model: Any) -> tuple[int, _SizeComparison | None]:
    """The best size so far for a model, and the present comparison; None if the search is finished."""
    try:
        return _search_state.get(model, (_START_ROWS, _FIRST_COMPARISON))
    except TypeError:  # the model cannot be the key of a dictionary
        return _START_ROWS, _FIRST_COMPARISON


def _remember(model: Any, size: int, comparison: _SizeComparison | None) -> None:
    with contextlib.suppress(TypeError):
        _search_state[model] = size, comparison
