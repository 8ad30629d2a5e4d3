"""How many rows to send to a model at once."""

from __future__ import annotations

import contextlib
import logging
import os
import time
import weakref
from dataclasses import dataclass, field, replace
from typing import Any

log = logging.getLogger("lcshap")
_WAITED = "/proc/thread-self/schedstat"  # on Linux: nanoseconds that a thread ran, and that it waited for a processor
_START, _LARGEST = 16, 1024  # rows: where the search starts and ends
_BETTER = 0.98  # a larger size must take so much less time a row
_WORSE = 1.1  # beyond so much more time, still larger sizes are not tried
_CLOSE = 0.1  # as close to each other as this, two sizes are tried once more
_HOPELESS = 1.25  # beyond so much, this one is tried again at once, and no other


def clock() -> float:
    """Seconds, without those in which this thread could not run because other programs had the processors.

    By the plain clock, a batch takes several times as long on a busy machine as on a quiet one, at random, which hides
    the few per cent that two sizes differ by. Time that a model waits for an accelerator, a file or a server counts.
    Systems other than Linux do not tell, and the plain clock is taken there.
    """
    now = time.perf_counter()
    try:
        file = os.open(_WAITED, os.O_RDONLY)  # a file object would be reported if Ctrl-C came before it is closed
        try:
            return now - int(os.read(file, 200).split()[1]) / 1e9
        finally:
            os.close(file)
    except (OSError, ValueError, IndexError):
        return now


@dataclass(frozen=True)
class _Duel:
    """Two sizes, tried in turn: what a row took at each, at the least."""

    champion: int
    challenger: int
    queue: tuple[int, ...]
    costs: tuple[tuple[int, float], ...] = ()
    lost: int = 0  # challengers in a row that were no better before
    last: bool = False  # whether it is the first size that is tried once more in the end
    tries: int = 0

    @classmethod
    def of(cls, champion: int, challenger: int, lost: int = 0, last: bool = False) -> _Duel:
        return cls(champion, challenger, (champion, challenger) * 2, lost=lost, last=last)

    def noted(self, cost: float) -> _Duel:
        size, *left = self.queue
        costs = dict(self.costs)
        costs[size] = min(cost, costs.get(size, cost))
        if self.tries == 1 and cost > _HOPELESS * costs[self.champion] and not self.last:
            left = [self.challenger]  # it was slow, or disturbed
        noted = replace(self, queue=tuple(left), costs=tuple(costs.items()), tries=self.tries + 1)
        if noted.tries == 4 and abs(noted.ratio - 1) < _CLOSE:
            return replace(noted, queue=(self.champion, self.challenger))
        return noted

    @property
    def ratio(self) -> float:
        """The time a row takes at the challenger's size over that at the champion's."""
        costs = dict(self.costs)
        return costs[self.challenger] / max(costs[self.champion], 1e-12)


_FIRST = _Duel.of(_START, 2 * _START)
_known: weakref.WeakKeyDictionary[Any, tuple[int, _Duel | None]] = weakref.WeakKeyDictionary()  # None: it is settled


@dataclass
class BatchSize:
    """How many rows to send at once: what the user says, or what turns out fastest while real work is done.

    Starting from 16, the best size so far and one twice as large are tried in turn, twice each (three times where they
    are close), on rows that have to be evaluated anyway. The larger one takes over if a row takes at least 2 % less
    time. Where it does not, one that is larger still gets a chance, unless it was clearly slower. In the end the size
    has to stand against 16 rows once more, so that no accident makes it worse than these for long. Where nothing larger
    is better, 8, 4, 2 and 1 are tried in the same way: of large images even 16 can be too many for the caches.
    The result is remembered for the model; a search that is not finished is too, and goes on in the next run. Times are
    those of `clock`, which other programs hardly disturb.
    """

    model: Any
    given: int | None = None
    best: int = _START
    settled: bool = False
    _duel: _Duel = field(default=_FIRST)

    def __post_init__(self) -> None:
        if self.given is not None:
            self.best, self.settled = self.given, True
            return
        self.best, duel = _recall(self.model)
        self.settled, self._duel = duel is None, duel or _FIRST

    @property
    def next(self) -> int:
        """The size for the next batch."""
        return self.best if self.settled else self._duel.queue[0]

    def next_of(self, rows: int) -> int:
        """The size for the next batch, where so many rows are left: too few to try out a large one say nothing."""
        return self.next if 2 * self.next <= rows else self.best

    def learn(self, size: int, rows: int, seconds: float) -> None:
        """Take note of how long a batch of this size took, which really had so many rows.

        Threads may do so at once: nothing that others read is ever half done.
        """
        duel = self._duel
        if self.settled or size != duel.queue[0]:  # another thread was faster
            return
        duel = duel.noted(seconds / rows)
        if duel.queue:
            self._duel = duel
            _remember(self.model, self.best, duel)
        elif duel.last:
            self.settle(duel.challenger if duel.ratio < 1 else duel.champion)
        else:
            self._decide(duel)

    def _decide(self, duel: _Duel) -> None:
        better = duel.ratio <= _BETTER
        best = duel.challenger if better else duel.champion
        if duel.challenger < duel.champion:  # on the way down
            following = _Duel.of(best, best // 2) if better and best > 1 else None
        else:
            lost = 0 if better else duel.lost + (2 if duel.ratio > _WORSE else 1)
            following = _Duel.of(best, 2 * duel.challenger, lost)
            if lost > 1 or duel.challenger >= _LARGEST:
                following = _Duel.of(best, _START, last=True) if best > _START else _Duel.of(best, best // 2)
        if following is None:
            self.settle(best)
        else:
            self._duel, self.best = following, best
            _remember(self.model, best, following)

    def settle(self, size: int) -> None:
        """Stay with this size, also for the next run on this model."""
        self.best, self.settled = max(1, size), True
        if self.given is None:
            _remember(self.model, self.best, None)
            log.info("batch size %d", self.best)


def _recall(model: Any) -> tuple[int, _Duel | None]:
    """The best size so far for a model, and the duel under way; None where the search is over."""
    try:
        return _known.get(model, (_START, _FIRST))
    except TypeError:  # models that cannot be remembered
        return _START, _FIRST


def _remember(model: Any, size: int, duel: _Duel | None) -> None:
    with contextlib.suppress(TypeError):
        _known[model] = size, duel
