"""The engine: coalitions of one or many inputs become model rows, in batches that suit the model."""

from __future__ import annotations

import contextlib
import logging
import math
import time
import weakref
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .adapters.base import Model
from .coalitions import Coalitions
from .errors import ModelError
from .game import name
from .maskers.base import Masked, Rows
from .progress import Progress

log = logging.getLogger("lcshap")
Request = tuple[Masked, Coalitions]
_SMALLEST, _LARGEST = 16, 1024  # rows: where the search for a batch size starts and ends
_WORSE = 1.1  # a batch size is worse if a row takes so many times as long
_known: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()


@dataclass
class BatchSize:
    """How many rows to send at once: what the user says, or what turns out fastest while real work is done.

    The sizes 16, 32, 64, ... are tried in turn, twice each, on rows that have to be evaluated anyway, until a row takes
    longer than at the best size twice in a row. The result is remembered for the model.
    """

    model: Any
    given: int | None = None
    best: int = _SMALLEST
    settled: bool = False
    _trials: list[tuple[int, float]] = field(default_factory=list)

    def __post_init__(self) -> None:
        remembered = _recall(self.model)
        if self.given is not None or remembered is not None:
            self.best, self.settled = self.given or remembered or _SMALLEST, True

    @property
    def next(self) -> int:
        """The size for the next batch."""
        return self.best if self.settled else _SMALLEST * 2 ** (len(self._trials) // 2)

    def learn(self, rows: int, seconds: float) -> None:
        """Take note of how long a batch took."""
        if self.settled or rows < self.next:
            return
        self._trials.append((rows, seconds / rows))
        if len(self._trials) % 2:
            return
        fastest: dict[int, float] = {}
        for size, cost in self._trials:
            fastest[size] = min(cost, fastest.get(size, math.inf))
        self.best = min(fastest, key=lambda size: fastest[size])
        recent = list(fastest.values())[-2:]
        worse = len(recent) == 2 and all(cost > _WORSE * fastest[self.best] for cost in recent)
        if worse or rows >= _LARGEST:
            self.settle(self.best)

    def settle(self, size: int) -> None:
        """Stay with this size, also for the next run on this model."""
        self.best, self.settled = max(1, size), True
        if self.given is None:
            _remember(self.model, self.best)
            log.info("batch size %d", self.best)


class Engine:
    """A model with its batch size. `outputs` answers requests of many inputs in shared batches.

    `raw` is the user's own model behind the adapter: the batch size is remembered for that.
    """

    def __init__(
        self, model: Model, batch_size: int | None = None, progress: bool | None = None, raw: Any = None
    ) -> None:
        self.model, self.progress = model, progress
        self.size = BatchSize(model if raw is None else raw, batch_size)
        self.batches = self.rows = 0

    def outputs(self, requests: Sequence[Request]) -> list[NDArray[np.float64]]:
        """The model's answers: for each request an array `(coalitions, rows_per_call, outputs)`.

        Rows of like length travel together, whichever input they belong to. If the model fails, a `ModelError` says
        at which coalition, and its `finished` has the answers so far (NaN where there are none).
        """
        owner = np.repeat(np.arange(len(requests)), [len(c) for _, c in requests])
        within = np.concatenate([np.arange(len(c)) for _, c in requests]) if requests else np.empty(0, int)
        order = np.argsort(_lengths(requests), kind="stable")
        found: list[NDArray[np.float64] | None] = [None] * len(requests)
        bar = Progress(len(order), "model calls", self.progress)
        start = 0
        try:
            while start < len(order):
                per_call = requests[owner[order[start]]][0].rows_per_call
                part = order[start : start + max(1, self.size.next // per_call)]
                part = part[np.lexsort((within[part], owner[part]))]
                answers = self._answer([(requests[o], within[part[owner[part] == o]]) for o in np.unique(owner[part])])
                if answers is None:
                    continue  # out of memory: the batch size is smaller now
                for o, answer in zip(np.unique(owner[part]), answers, strict=True):
                    if found[o] is None:
                        found[o] = np.full((len(requests[o][1]), *answer.shape[1:]), np.nan)
                    found[o][within[part[owner[part] == o]]] = answer
                start += len(part)
                bar.advance(len(part))
        except ModelError as error:
            error.finished = found  # type: ignore[attr-defined]
            raise
        finally:
            bar.close()
        return [f if f is not None else np.empty((0, 1, 1)) for f in found]

    def _answer(self, pieces: list[tuple[Request, NDArray[np.integer]]]) -> list[NDArray[np.float64]] | None:
        """One batch. None where the memory did not suffice and the batch size was halved."""
        coalitions = [c.take(rows) for (_, c), rows in pieces]
        begin = time.perf_counter()
        inputs = [masked.rows(c) for ((masked, _), _), c in zip(pieces, coalitions, strict=True)]
        try:
            answer = np.concatenate([self._predict(rows) for rows in _joined(inputs)])
        except ModelError as error:
            raise ModelError(f"{error} (while evaluating {_where(coalitions)})") from error
        except Exception as error:
            if _out_of_memory(error) and sum(map(len, coalitions)) > 1:
                self.size.settle(max(1, min(self.size.next, sum(map(len, coalitions))) // 2))
                log.warning("out of memory: the batch size is %d now", self.size.best)
                return None
            raise ModelError(f"the model failed while evaluating {_where(coalitions)}: {error!r}") from error
        count = sum(len(rows) for rows in inputs)
        self.size.learn(count, time.perf_counter() - begin)
        self.batches, self.rows = self.batches + 1, self.rows + count
        self._check(answer, count, coalitions)
        parts = np.split(answer, np.cumsum([len(rows) for rows in inputs])[:-1])
        return [a.reshape(len(c), -1, a.shape[1]) for a, c in zip(parts, coalitions, strict=True)]

    def _predict(self, rows: Rows) -> NDArray[np.float64]:
        answer = np.asarray(self.model.predict(rows), np.float64)
        if answer.ndim != 2 or len(answer) != len(rows):
            raise ModelError(f"the model returned shape {answer.shape} for {len(rows)} rows: (rows, outputs) is needed")
        return answer

    def _check(self, answer: NDArray[np.float64], count: int, coalitions: list[Coalitions]) -> None:
        bad = np.flatnonzero(~np.isfinite(answer).all(axis=1))
        if len(bad):
            per_call = count // sum(map(len, coalitions))
            number = int(bad[0]) // per_call
            everything = Coalitions.concat(coalitions) if len({c.d for c in coalitions}) == 1 else coalitions[0]
            where = name(everything, min(number, len(everything) - 1))
            raise ModelError(f"the model returned {answer[bad[0]]} for the coalition {where}")


def _lengths(requests: Sequence[Request]) -> NDArray[np.integer]:
    found = []
    for masked, coalitions in requests:
        lengths = masked.lengths(coalitions)
        found.append(np.zeros(len(coalitions), np.int64) if lengths is None else lengths)
    return np.concatenate(found) if found else np.empty(0, np.int64)


def _joined(inputs: list[Rows]) -> list[Rows]:
    """Rows of different inputs as one batch where they fit: lists, or arrays of one shape and type."""
    if all(isinstance(rows, list) for rows in inputs):
        return [[row for rows in inputs for row in rows]]
    shapes = {(rows.shape[1:], rows.dtype) for rows in inputs}
    return [np.concatenate(inputs)] if len(shapes) == 1 else inputs


def _where(coalitions: list[Coalitions]) -> str:
    first = name(coalitions[0], 0)
    return f"{sum(map(len, coalitions))} coalitions, the first of them {first}"


def _out_of_memory(error: Exception) -> bool:
    return isinstance(error, MemoryError) or "out of memory" in str(error).lower()


def _recall(model: Any) -> int | None:
    try:
        return _known.get(model)
    except TypeError:  # models that cannot be remembered
        return None


def _remember(model: Any, size: int) -> None:
    with contextlib.suppress(TypeError):
        _known[model] = size
