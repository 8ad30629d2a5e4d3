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

from ..adapters.base import Model
from ..adapters.callable import check_answers
from ..core.coalitions import Coalitions
from ..core.game import name
from ..errors import ModelError
from ..maskers.base import Blend, Masked, Rows
from .progress import Progress

log = logging.getLogger("lcshap")
Request = tuple[Masked, Coalitions]
_SMALLEST, _LARGEST = 16, 1024  # rows: where the search for a batch size starts and ends
_WORSE = 1.1  # a batch size is worse if a row takes so many times as long
_NEAR = 1.5  # and is not tried again if so many times
_known: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()


@dataclass
class BatchSize:
    """How many rows to send at once: what the user says, or what turns out fastest while real work is done.

    The sizes 16, 32, 64, ... are tried in turn, twice each, on rows that have to be evaluated anyway, until a row takes
    longer than at the best size twice in a row. Those that came near the best are tried twice more, since a long batch
    is disturbed more easily than a short one. Of sizes that are about as fast the largest wins: it has the least
    overhead. The result is remembered for the model.
    """

    model: Any
    given: int | None = None
    best: int = _SMALLEST
    settled: bool = False
    _queue: list[int] = field(default_factory=lambda: [_SMALLEST, _SMALLEST])
    _costs: dict[int, float] = field(default_factory=dict)
    _final: bool = False

    def __post_init__(self) -> None:
        remembered = _recall(self.model)
        if self.given is not None or remembered is not None:
            self.best, self.settled = self.given or remembered or _SMALLEST, True

    @property
    def next(self) -> int:
        """The size for the next batch."""
        return self.best if self.settled else self._queue[0]

    def learn(self, rows: int, seconds: float) -> None:
        """Take note of how long a batch took."""
        if self.settled or rows < self.next:
            return
        size = self._queue.pop(0)
        self._costs[size] = min(seconds / rows, self._costs.get(size, math.inf))
        fastest = min(self._costs.values())
        self.best = max(size for size, cost in self._costs.items() if cost <= _WORSE * fastest)
        if self._queue:
            return
        recent = list(self._costs.values())[-2:]
        worse = len(recent) == 2 and all(cost > _WORSE * fastest for cost in recent)
        if self._final:
            self.settle(self.best)
        elif worse or size >= _LARGEST:
            self._final = True
            self._queue = 2 * [size for size, cost in self._costs.items() if cost <= _NEAR * fastest]
        else:
            self._queue = [2 * size, 2 * size]

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
        self.size = BatchSize(model if raw is None else raw, batch_size or model.batch_size)
        self.batches = self.rows = 0

    def outputs(self, requests: Sequence[Request]) -> list[NDArray[np.float64]]:
        """The model's answers: for each request an array `(coalitions, rows_per_call, outputs)`.

        Rows of like length travel together, whichever input they belong to. If the model fails, or on Ctrl-C, the
        error says at which coalition, and its `finished` has the answers so far (NaN where there are none).
        """
        owner = np.repeat(np.arange(len(requests)), [len(c) for _, c in requests])
        within = np.concatenate([np.arange(len(c)) for _, c in requests]) if requests else np.empty(0, int)
        order = np.argsort(_lengths(requests), kind="stable")
        found = _Found(requests)
        bar = Progress(len(order), "model calls", self.progress)
        start = 0
        try:
            while start < len(order):
                per_call = requests[owner[order[start]]][0].rows_per_call
                part = order[start : start + max(1, self.size.next // per_call)]
                part = np.sort(part)  # rows of one input together
                cuts = np.flatnonzero(np.diff(owner[part])) + 1
                pieces = [(int(owner[p[0]]), within[p]) for p in (np.split(part, cuts) if len(cuts) else [part])]
                try:
                    answer = self._answer([(requests[o][0], requests[o][1].take(rows)) for o, rows in pieces])
                except (ModelError, KeyboardInterrupt) as error:
                    found.add(pieces, getattr(error, "answers", None))
                    raise
                if answer is None:
                    continue  # out of memory: the batch size is smaller now
                found.add(pieces, answer)
                start += len(part)
                bar.advance(len(part))
        except (ModelError, KeyboardInterrupt) as error:
            error.finished = found.answers  # type: ignore[union-attr]
            raise
        finally:
            bar.close()
        return [f if f is not None else np.empty((0, 1, 1)) for f in found.answers]

    def _answer(self, batch: list[Request]) -> NDArray[np.float64] | None:
        """One batch, `(rows, outputs)`. None where the memory did not suffice and the batch size was halved."""
        begin = time.perf_counter()
        calls = sum(len(coalitions) for _, coalitions in batch)
        count = sum(len(coalitions) * masked.rows_per_call for masked, coalitions in batch)
        answers: list[NDArray[np.float64]] = []
        blends = [m.blend(c) for m, c in batch] if self.model.blends else [None]
        try:
            if all(isinstance(blend, Blend) for blend in blends) and len({b.x.shape for b in blends if b}) == 1:
                answers.append(self._check(self.model.predict_blends([b for b in blends if b]), count))
            else:
                for rows in _joined([masked.rows(coalitions) for masked, coalitions in batch]):
                    answers.append(self._check(self.model.predict(rows), len(rows)))
        except Exception as error:
            if _out_of_memory(error) and calls > 1:
                self.size.settle(max(1, min(self.size.next, calls) // 2))
                log.warning("out of memory: the batch size is %d now", self.size.best)
                return None
            raise _failure(error, batch, answers, count) from error
        except KeyboardInterrupt as error:
            error.answers = _so_far(error, answers, count)  # type: ignore[attr-defined]
            raise
        self.size.learn(count, time.perf_counter() - begin)
        self.batches, self.rows = self.batches + 1, self.rows + count
        return np.concatenate(answers)

    def _check(self, answers: Any, count: int) -> NDArray[np.float64]:
        return check_answers(answers, count, "the model").astype(np.float64, copy=False)


class _Found:
    """The answers so far, by request."""

    def __init__(self, requests: Sequence[Request]) -> None:
        self.requests = requests
        self.answers: list[NDArray[np.float64] | None] = [None] * len(requests)

    def add(self, pieces: list[tuple[int, NDArray[np.integer]]], answer: NDArray[np.float64] | None) -> None:
        """Put the rows of a batch where they belong: `pieces` has the request and its coalitions, in the same order."""
        if answer is None:
            return
        end = 0
        for o, rows in pieces:
            known = self.answers[o]
            masked, coalitions = self.requests[o]
            start, end = end, end + len(rows) * masked.rows_per_call
            if known is None:
                known = np.full((len(coalitions), masked.rows_per_call, answer.shape[1]), np.nan)
                self.answers[o] = known
            if known.shape[2] != answer.shape[1]:
                raise ModelError(f"the model gave {known.shape[2]} outputs for some rows, {answer.shape[1]} for others")
            known[rows] = answer[start:end].reshape(len(rows), *known.shape[1:])


def _failure(error: Exception, batch: list[Request], answers: list[NDArray[np.float64]], count: int) -> ModelError:
    """The error for the user: where it happened, with the answers that did come."""
    before = sum(map(len, answers))
    row = getattr(error, "row", None)
    if row is not None:
        where = f"the coalition {_name_row(batch, before + row)}"
    else:
        where = f"{sum(len(c) for _, c in batch)} coalitions, the first of them {name(batch[0][1], 0)}"
    said = str(error) if isinstance(error, ModelError) else repr(error)
    return ModelError(f"the model failed while evaluating {where}: {said}", row, _so_far(error, answers, count))


def _so_far(error: BaseException, answers: list[NDArray[np.float64]], count: int) -> NDArray[np.float64] | None:
    """The answers to a batch that came, `(count, outputs)` with NaN elsewhere: full ones, then those of the error."""
    partial = getattr(error, "answers", None)
    answers = [*answers, *([] if partial is None else [partial])]
    if not answers:
        return None
    missing = np.full((count - sum(map(len, answers)), answers[0].shape[1]), np.nan)
    return np.concatenate([*answers, missing], dtype=np.float64)


def _name_row(batch: list[Request], row: int) -> str:
    """The coalition that a row of a batch belongs to."""
    for masked, coalitions in batch:
        rows = len(coalitions) * masked.rows_per_call
        if row < rows:
            return name(coalitions, row // masked.rows_per_call)
        row -= rows
    raise AssertionError("a row beyond the batch")


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
