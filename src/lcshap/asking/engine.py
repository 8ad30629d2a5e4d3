"""The engine: coalitions of one or many inputs become model rows, in batches that suit the model."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..adapters.base import Model
from ..adapters.callable import check_answers
from ..core.coalitions import Coalitions
from ..core.digest import digest, token
from ..core.game import Tally, name
from ..core.redact import described, redacted
from ..errors import ModelError, Unfinished
from ..maskers.base import Blend, Masked, Rows
from ..maskers.frames import join_frames
from ..maskers.many import is_frame
from . import batch_size
from .batch_size import BatchSize
from .progress import Progress

log = logging.getLogger("lcshap")
Places = NDArray[np.intp]
_MEMORY = 1 << 26  # bytes that the rows of a batch may take where rows are large


@dataclass(frozen=True, eq=False)
class Question:
    """What is to be asked about one input.

    Attributes
    ----------
    masked, coalitions : the input, and the coalitions of it whose rows are wanted.
    deliver : takes some of them (where they stand in `coalitions`) and their answers `(n, rows_per_call, outputs)`, as
        soon as they are there. A `ModelError` that it raises counts as a failure of the model.
    tally : counts the rows that are sent.
    label : names the input in errors.
    made : the rows, one for each coalition, where they are there already.
    background : the number of the background row for each coalition, where single rows are asked; None: all rows of a
        coalition are asked together.
    worth : how many coalitions an answer counts for, to show the progress.
    """

    masked: Masked
    coalitions: Coalitions
    deliver: Callable[[Places, NDArray[np.float64]], None]
    tally: Tally
    label: str = ""
    made: list[Any] | None = None
    background: Places | None = None
    worth: float = 1.0

    @property
    def each(self) -> int:
        """How many rows are asked for each coalition."""
        return self.masked.rows_per_call if self.background is None else 1

    def rows(self, places: Places) -> Rows:
        """The rows of some coalitions."""
        if self.made is not None:
            return [self.made[place] for place in places.tolist()]
        if self.background is not None:
            return self.masked.rows_of(self.coalitions.take(places), self.background[places])
        return self.masked.rows(self.coalitions.take(places))

    def blend(self, places: Places) -> Blend | None:
        """What these rows are blended from, where they are and nobody has made them yet."""
        if self.made is not None or self.background is not None:
            return None
        return self.masked.blend(self.coalitions.take(places))


Piece = tuple[Question, Places]  # some coalitions of a question


class Engine:
    """A model with its batch size. `ask` answers the questions of many inputs in shared batches.

    `raw` is the user's own model behind the adapter: the batch size is remembered for that, and its answers are. `name`
    is what the user calls it, for stores that outlive the process.
    """

    def __init__(self, model: Model, batch_size: int | None = None, raw: Any = None, name: str | None = None) -> None:
        self.model, self.name = model, name
        self._content: bytes | None = None
        self.raw = model if raw is None else raw
        self.size = BatchSize(self.raw, batch_size or model.batch_size)

    @property
    def fingerprint(self) -> bytes:
        """What tells this model from others in a store."""
        raw = self.raw
        if isinstance(raw, str | os.PathLike):  # a file: another one after it was written again
            stat = os.stat(raw)
            return digest(type(self.model).__name__, self.model.kind, os.fspath(raw), stat.st_mtime_ns, stat.st_size)
        return digest(type(self.model).__name__, self.model.kind, token(raw))

    @property
    def content_fingerprint(self) -> bytes:
        """What tells this model from others in a store that outlives the process, as of the last `identify`."""
        return self._content or self.identify()

    def identify(self) -> bytes:
        """Read what the model holds. `OptionError` where it needs a name and has none."""
        before, self._content = self._content, self.model.fingerprint(self.name)
        if before not in (None, self._content):
            log.warning("the model has changed: what the store knows of it as it was is not used")
        return self._content

    def ask(
        self, questions: Sequence[Question], progress: Progress | None = None, keep: bool = False
    ) -> list[Exception | None]:
        """Ask the model. Answers are delivered batch by batch.

        Rows of like length travel together, whichever input they belong to. If the model fails, the error says at
        which coalition; what it has answered before, in the same batch too, has been delivered.

        Parameters
        ----------
        keep : a failure ends only the question that it belongs to, and is returned in its place. A batch of several
            inputs that fails is asked again, input by input, to find out whose failure it is.
        """
        owner = np.repeat(np.arange(len(questions)), [len(q.coalitions) for q in questions])
        within = np.concatenate([np.arange(len(q.coalitions)) for q in questions]) if questions else np.empty(0, int)
        left = np.argsort(_lengths(questions), kind="stable")
        errors: list[Exception | None] = [None] * len(questions)
        while len(left):
            first = questions[owner[left[0]]]
            size = self._rows_at_once(first.masked, len(left) * first.each)
            count = max(1, size // first.each)
            # Sizes are tried on rows of middle length: those of the first batches are shorter than most.
            start = 0 if self.size.settled else max(0, len(left) - count) // 2
            part = np.sort(left[start : start + count])  # rows of one input together
            cuts = np.flatnonzero(np.diff(owner[part])) + 1 if len(questions) > 1 else ()
            pieces = np.split(part, cuts) if len(cuts) else [part]
            owners = [int(owner[piece[0]]) for piece in pieces]
            batch = [(questions[o], within[piece]) for o, piece in zip(owners, pieces, strict=True)]
            try:
                if not self._answer(batch, size):
                    continue  # out of memory: the batch size is smaller now
            except ModelError as error:
                if not keep:
                    raise
                found = [error] if len(batch) == 1 else [self._fails(piece) for piece in batch]
                for number, failure in zip(owners, found, strict=True):
                    errors[number] = failure
            left = np.concatenate([left[:start], left[start + count :]]) if start else left[count:]
            if any(errors):
                left = left[[errors[o] is None for o in owner[left]]]
            if progress is not None:
                progress.advance(sum(len(places) * question.worth for question, places in batch))
        return errors

    def _rows_at_once(self, masked: Masked, left: int) -> int:
        """How many rows of this input to send: the next size to try, or the best so far where memory forbids that."""
        size = self.size.next_of(left)
        most = max(1, _MEMORY // masked.row_bytes) if masked.row_bytes else size
        return size if size <= most else min(self.size.best, most)

    def _fails(self, piece: Piece) -> ModelError | None:
        """Ask about the rows of one input alone; the error, if there is one."""
        try:
            while not self._answer([piece], self.size.best):
                pass
        except ModelError as error:
            return error
        return None

    def _answer(self, batch: list[Piece], size: int) -> bool:
        """Ask about one batch and deliver. False where the memory did not suffice: the batch size was halved."""
        begin = None if self.size.settled else batch_size.clock()
        calls = sum(len(places) for _, places in batch)
        count = sum(len(places) * question.each for question, places in batch)
        answers: list[NDArray[np.float64]] = []
        try:
            blends = [question.blend(places) for question, places in batch] if self.model.blends else [None]
            if all(isinstance(blend, Blend) for blend in blends) and len({b.x.shape for b in blends if b}) == 1:
                answers.append(self._check(self.model.predict_blends([b for b in blends if b]), count))
            else:
                for rows in _joined([question.rows(places) for question, places in batch]):
                    for some in _cut(rows, size):
                        answers.append(self._check(self.model.predict(some), len(some)))
        except Exception as error:
            if _out_of_memory(error) and calls > 1:
                self.size.settle(max(1, min(self.size.next, calls) // 2))
                log.warning("out of memory: the batch size is %d now", self.size.best)
                return False
            _deliver(batch, _so_far(error, answers, count))
            raise _failure(error, batch, sum(map(len, answers))) from error
        except KeyboardInterrupt as error:
            _deliver(batch, _so_far(error, answers, count))
            raise
        if begin is not None and calls >= size // batch[0][0].each:  # a full batch
            self.size.learn(size, count, batch_size.clock() - begin)
        _deliver(batch, np.concatenate(answers) if len(answers) > 1 else answers[0], complete=True)
        return True

    def _check(self, answers: Any, count: int) -> NDArray[np.float64]:
        """The answers as numbers of our own: a model may use its buffer again."""
        return check_answers(answers, count, "the model").astype(np.float64)


def _deliver(batch: list[Piece], answers: NDArray[np.float64] | None, complete: bool = False) -> None:
    """Hand out the answers of a batch; of one that failed on the way, those of coalitions that are complete."""
    end = 0
    failure: ModelError | None = None
    for question, places in batch if answers is not None else ():
        assert answers is not None
        per_call = question.each
        start, end = end, end + len(places) * per_call
        part = answers[start:end].reshape(len(places), per_call, -1)
        if not complete:
            there = ~np.isnan(part).any(axis=(1, 2))
            places, part = places[there], part[there]
        question.tally.rows += len(places) * per_call
        try:
            question.deliver(places, part)
        except ModelError as error:  # the other questions still get their answers
            failure = failure or error
    if failure is not None:
        raise failure


def _failure(error: Exception, batch: list[Piece], before: int) -> ModelError:
    """The error for the user: where it happened, and what the model says about it, without secrets."""
    row = getattr(error, "row", None)
    labels = dict.fromkeys(question.label for question, _ in batch if question.label)
    who = f"{' or '.join(labels)}, " if labels else ""
    count = sum(len(places) for _, places in batch)
    if row is not None:
        where = _in_words(_name_row(batch, before + row))
    else:
        question, places = batch[0]
        first = _in_words(name(question.coalitions, int(places[0])))
        where = first if count == 1 else f"a batch of {count} coalitions that starts with {first}"
    own = isinstance(error, ModelError)
    said = redacted(str(error)) if own else f"{described(error)} {batch[0][0].masked.hint}".rstrip()
    return ModelError(f"The model failed on {who}{where}: {said}", row)


def _in_words(coalition: str) -> str:
    """A coalition as errors name it."""
    return {"V": "the full input", "∅": "the input with all units absent"}.get(coalition, f"the coalition {coalition}")


def _so_far(error: BaseException, answers: list[NDArray[np.float64]], count: int) -> NDArray[np.float64] | None:
    """The answers to a batch that came, `(count, outputs)` with NaN elsewhere: full ones, then those of the error."""
    partial = error.answers if isinstance(error, ModelError | Unfinished) else None
    answers = [*answers, *([] if partial is None else [partial])]
    if not answers:
        return None
    missing = np.full((count - sum(map(len, answers)), answers[0].shape[1]), np.nan)
    return np.concatenate([*answers, missing], dtype=np.float64)


def _name_row(batch: list[Piece], row: int) -> str:
    """The coalition that a row of a batch belongs to."""
    for question, places in batch:
        per_call = question.each
        if row < len(places) * per_call:
            return name(question.coalitions, int(places[row // per_call]))
        row -= len(places) * per_call
    raise AssertionError("a row beyond the batch")


def _lengths(questions: Sequence[Question]) -> NDArray[np.integer]:
    found = []
    for question in questions:
        lengths = question.masked.lengths(question.coalitions)
        found.append(np.zeros(len(question.coalitions), np.int64) if lengths is None else lengths)
    return np.concatenate(found) if found else np.empty(0, np.int64)


def _joined(inputs: list[Rows]) -> list[Rows]:
    """Rows of different inputs as one batch where they fit: lists, arrays of one shape and type, like DataFrames."""
    if all(isinstance(rows, list) for rows in inputs):
        return [[row for rows in inputs for row in rows]]
    if is_frame(inputs[0]):
        return inputs if len(inputs) == 1 else join_frames(inputs)
    shapes = {(rows.shape[1:], rows.dtype) for rows in inputs}
    return [np.concatenate(inputs)] if len(shapes) == 1 else inputs


def _cut(rows: Any, size: int) -> list[Rows]:
    """Rows in batches: those of one coalition may be more than a batch holds."""
    if len(rows) <= size:
        return [rows]
    places: Any = getattr(rows, "iloc", rows)
    return [places[start : start + size] for start in range(0, len(rows), size)]


def _out_of_memory(error: Exception) -> bool:
    return isinstance(error, MemoryError) or "out of memory" in str(error).lower()
