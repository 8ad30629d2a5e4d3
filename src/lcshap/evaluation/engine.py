"""The engine, which sends the rows of the coalitions of one or many inputs to the model in batches."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..adapters.base import Model
from ..adapters.callable import check_answers
from ..adapters.model_state import model_state
from ..core.coalitions import Coalitions
from ..core.digest import digest, identity_token
from ..core.game import RowCounter, describe_coalition
from ..core.redact import describe_error, error_text, redact
from ..errors import LcshapError, ModelError, Unfinished, row_of
from ..maskers.base import Blend, Masked, Rows
from ..maskers.dataframes import join_frames
from ..maskers.distinct import DistinctRows
from ..maskers.input_lists import is_frame
from . import batch_size
from .batch_size import BatchSize
from .progress import Progress

log = logging.getLogger("lcshap")
Places = NDArray[np.intp]
_MAX_LISTED_INPUTS = 3  # in an error
_TABLE_ROWS = 1 << 13  # of a table that are sent at once if no batch size is set
_MAX_BATCH_BYTES = 1 << 26  # the largest size of a batch, which limits batches of large rows


@dataclass(frozen=True, eq=False)
class BatchRequest:
    """The rows of one input that are sent to the model.

    Attributes
    ----------
    masked, distinct : the input, and its different rows.
    deliver : takes the positions of some of the requested keys and their answers `(n, rows_per_key, outputs)`, as soon
        as they are available. A `ModelError` that it raises counts as a failure of the model.
    row_counter : counts the rows that are sent.
    label : names the input in errors.
    coalitions_per_key : how many coalitions a key counts for in the progress.
    key_numbers : the numbers of the requested keys; None for all keys.
    """

    masked: Masked
    distinct: DistinctRows
    deliver: Callable[[Places, NDArray[np.float64]], None]
    row_counter: RowCounter
    label: str = ""
    coalitions_per_key: float = 1.0
    key_numbers: Places | None = None

    @cached_property
    def coalitions(self) -> Coalitions:
        """A coalition with the rows of each requested key."""
        return self.distinct.coalitions if self.key_numbers is None else self.distinct.coalitions.take(self.key_numbers)

    @property
    def rows_per_key(self) -> int:
        """The number of rows that are sent for each key."""
        return self.distinct.rows_per_key

    def rows(self, places: Places) -> Rows:
        """The rows of some keys."""
        make = self.distinct.make
        if make is None:
            return self.masked.rows(self.coalitions.take(places))
        return make(places if self.key_numbers is None else self.key_numbers[places])

    def blend(self, places: Places) -> Blend | None:
        """The `Blend` of these rows, if they are the rows of whole coalitions and are not made yet."""
        return self.masked.blend(self.coalitions.take(places)) if self.distinct.make is None else None


Piece = tuple[BatchRequest, Places]  # some coalitions of a request
Gate = Callable[[int], AbstractContextManager[object]]  # takes the number of rows of a batch


class Engine:
    """A model with its batch size. `ask` evaluates the requests of many inputs in shared batches.

    Parameters
    ----------
    model, batch_size : the adapter, and the number of rows that it gets at once; by default the fastest one.
    raw : the user's own model behind the adapter. The batch size and the answers are remembered for this object.
    name : the user's name for the model, for persistent stores.
    gate : a function that takes the number of rows of a batch and returns a context manager. The engine enters it
        before each batch and leaves it when the answers are delivered. It can wait until the model is free, count rows,
        or raise an exception, which ends the work before the model is called. By default nothing is done.
    """

    def __init__(
        self,
        model: Model,
        batch_size: int | None = None,
        raw: Any = None,
        name: str | None = None,
        gate: Gate = nullcontext,
    ) -> None:
        self.model, self.name, self.gate = model, name, gate
        self._content: bytes | None = None
        self._state: tuple[bytes, str | None] | None = None
        self.raw = model if raw is None else raw
        self.size = BatchSize(self.raw, batch_size or model.batch_size)

    @property
    def fingerprint(self) -> bytes:
        """A digest that distinguishes this model, in its state of the last `observe`, from others in a store."""
        raw, (state, _) = self.raw, self._state or self.observe()
        if isinstance(raw, str | os.PathLike):  # a file may be overwritten by another model
            stat = os.stat(raw)
            return digest(type(self.model).__name__, self.model.kind, os.fspath(raw), stat.st_mtime_ns, stat.st_size)
        return digest(type(self.model).__name__, self.model.kind, identity_token(raw), state)

    def observe(self) -> tuple[bytes, str | None]:
        """Read the state of the model, and return it with the name of code that it cannot see; see `model_state`."""
        self._state = model_state(self.raw)
        return self._state

    @property
    def content_fingerprint(self) -> bytes:
        """A digest that distinguishes this model in a persistent store, as of the last `identify`."""
        return self._content or self.identify()

    def identify(self) -> bytes:
        """Compute the fingerprint of the content of the model. `OptionError` if the model needs a name and has none."""
        previous, self._content = self._content, self.model.fingerprint(self.name)
        if previous not in (None, self._content):
            log.warning("the model has changed: stored answers of its earlier state are not used")
        return self._content

    def ask(
        self, questions: Sequence[BatchRequest], progress: Progress | None = None, isolate_failures: bool = False
    ) -> list[Exception | None]:
        """Send all requests to the model. Answers are delivered batch by batch.

        Rows of similar length share a batch, also if they belong to different inputs. If the model fails, the error
        names the coalition; earlier answers, also those of the same batch, have been delivered.

        Parameters
        ----------
        isolate_failures : whether a failure ends only the request that it belongs to, and is returned at its position.
            If a batch of several inputs fails, it is sent again, input by input, to find the input that fails.
        """
        owner = np.repeat(np.arange(len(questions)), [len(q.coalitions) for q in questions])
        place_in_question = (
            np.concatenate([np.arange(len(q.coalitions)) for q in questions]) if questions else np.empty(0, int)
        )
        pending = np.argsort(_row_lengths(questions), kind="stable")
        errors: list[Exception | None] = [None] * len(questions)
        while len(pending):
            first_question = questions[owner[pending[0]]]
            size = self._rows_at_once(first_question.masked, len(pending) * first_question.rows_per_key)
            count = max(1, size // first_question.rows_per_key)
            # Batch sizes are measured on rows of medium length, because the first rows are shorter than most.
            start = 0 if self.size.search_finished else max(0, len(pending) - count) // 2
            selected = np.sort(pending[start : start + count])  # sorted, so that the rows of an input stay together
            cuts = np.flatnonzero(np.diff(owner[selected])) + 1 if len(questions) > 1 else ()
            pieces = np.split(selected, cuts) if len(cuts) else [selected]
            owners = [int(owner[piece[0]]) for piece in pieces]
            batch = [(questions[o], place_in_question[piece]) for o, piece in zip(owners, pieces, strict=True)]
            try:
                if not self._ask_batch(batch, size):
                    continue  # the model ran out of memory, and the batch size was reduced
            except ModelError as error:
                if not isolate_failures:
                    raise
                failures = [error] if len(batch) == 1 else [self._ask_alone(piece) for piece in batch]
                for number, failure in zip(owners, failures, strict=True):
                    errors[number] = failure
            pending = np.concatenate([pending[:start], pending[start + count :]]) if start else pending[count:]
            if any(errors):
                pending = pending[[errors[o] is None for o in owner[pending]]]
            if progress is not None:
                progress.advance(sum(len(places) * question.coalitions_per_key for question, places in batch))
        return errors

    def predict_rows(self, rows: Rows) -> NDArray[np.float64]:
        """The outputs `(n, outputs)` of the model for rows of a table, in large batches; `ModelError` if it fails.

        Nothing is stored, and no batch size is searched: rows of tables are cheap.
        """
        size = self.size.fixed or _TABLE_ROWS
        answers = []
        for chunk in _split_rows(rows, size):
            with self.gate(len(chunk)):
                try:
                    answers.append(self._check(self.model.predict(chunk), len(chunk)))
                except LcshapError:
                    raise
                except Exception as error:
                    raise ModelError(f"The model failed on rows of a table: {describe_error(error)}") from error
        return np.concatenate(answers) if len(answers) > 1 else answers[0]

    def _rows_at_once(self, masked: Masked, pending_rows: int) -> int:
        """The number of rows to send: the next size to try, or the best so far if that exceeds the memory."""
        size = self.size.next_for(pending_rows)
        max_rows = max(1, _MAX_BATCH_BYTES // masked.row_bytes) if masked.row_bytes else size
        return size if size <= max_rows else min(self.size.best, max_rows)

    def _ask_alone(self, piece: Piece) -> ModelError | None:
        """Send the rows of one input alone, and return the error, if there is one."""
        try:
            while not self._ask_batch([piece], self.size.best):
                pass
        except ModelError as error:
            return error
        return None

    def _ask_batch(self, batch: list[Piece], size: int) -> bool:
        """Send one batch and deliver the answers. Returns False if memory ran out and the batch size was halved."""
        with self.gate(sum(len(places) * question.rows_per_key for question, places in batch)):
            return self._send_batch(batch, size)

    def _send_batch(self, batch: list[Piece], size: int) -> bool:
        started = None if self.size.search_finished else batch_size.clock()
        calls = sum(len(places) for _, places in batch)
        count = sum(len(places) * question.rows_per_key for question, places in batch)
        answers: list[NDArray[np.float64]] = []
        try:
            blends = [question.blend(places) for question, places in batch] if self.model.blends else [None]
            if all(isinstance(blend, Blend) for blend in blends) and len({b.x.shape for b in blends if b}) == 1:
                answers.append(self._check(self.model.predict_blends([b for b in blends if b]), count))
            else:
                for rows in _join_rows([question.rows(places) for question, places in batch]):
                    for chunk in _split_rows(rows, size):
                        answers.append(self._check(self.model.predict(chunk), len(chunk)))
        except Exception as error:
            if _out_of_memory(error) and calls > 1:
                self.size.finish_search(max(1, min(self.size.next, calls) // 2))
                log.warning("out of memory: the batch size is %d now", self.size.best)
                return False
            _deliver(batch, _partial_answers(error, answers, count))
            raise _model_error(error, batch, sum(map(len, answers))) from error
        except KeyboardInterrupt as error:
            _deliver(batch, _partial_answers(error, answers, count))
            raise
        if started is not None and calls >= size // batch[0][0].rows_per_key:  # only full batches are timed
            self.size.learn(size, count, batch_size.clock() - started)
        _deliver(batch, np.concatenate(answers) if len(answers) > 1 else answers[0], complete=True)
        return True

    def _check(self, answers: Any, count: int) -> NDArray[np.float64]:
        """Check the answers and copy them, because a model may reuse its buffer."""
        return check_answers(answers, count, "the model").astype(np.float64)


def _deliver(batch: list[Piece], answers: NDArray[np.float64] | None, complete: bool = False) -> None:
    """Deliver the answers of a batch; if the batch failed, only those of complete coalitions."""
    end = 0
    failure: ModelError | None = None
    for question, places in batch if answers is not None else ():
        assert answers is not None
        per_call = question.rows_per_key
        start, end = end, end + len(places) * per_call
        outputs = answers[start:end].reshape(len(places), per_call, -1)
        if not complete:
            answered = ~np.isnan(outputs).any(axis=(1, 2))
            places, outputs = places[answered], outputs[answered]
        question.row_counter.rows += len(places) * per_call
        try:
            question.deliver(places, outputs)
        except ModelError as error:  # the other requests still get their answers
            failure = failure or error
    if failure is not None:
        raise failure


def _model_error(error: Exception, batch: list[Piece], answered_rows: int) -> ModelError:
    """Make the error for the user, with the rows at which the model failed and its message without secrets."""
    count = sum(len(places) * question.rows_per_key for question, places in batch)
    row = row_of(error, count - answered_rows)
    labels = dict.fromkeys(question.label for question, _ in batch if question.label)
    inputs = f"{_one_of(list(labels))}, " if labels else ""
    count = sum(len(places) for _, places in batch)
    if row is not None:
        place = coalition_in_words(_name_row(batch, answered_rows + row))
    else:
        question, places = batch[0]
        first_coalition = coalition_in_words(describe_coalition(question.coalitions, int(places[0])))
        place = first_coalition if count == 1 else f"a batch of {count} coalitions that starts with {first_coalition}"
    is_model_error = isinstance(error, ModelError)
    message = redact(str(error)) if is_model_error else f"{describe_error(error)} {batch[0][0].masked.hint}".rstrip()
    return ModelError(f"The model failed on {inputs}{place}: {message}", row)


def _one_of(labels: list[str]) -> str:
    """Say that an error belongs to one of several inputs; only the first and the last of many are named.

    >>> _one_of(["input 0", "input 1"]), _one_of([f"input {i}" for i in range(9)])
    ('input 0 or input 1', 'one of 9 inputs from input 0 to input 8')
    """
    if len(labels) <= _MAX_LISTED_INPUTS:
        return " or ".join(labels)
    return f"one of {len(labels)} inputs from {labels[0]} to {labels[-1]}"


def coalition_in_words(coalition: str) -> str:
    """The description of a coalition in error messages."""
    return {"V": "the full input", "∅": "the input with all units absent"}.get(coalition, f"the coalition {coalition}")


def _partial_answers(
    error: BaseException, answers: list[NDArray[np.float64]], count: int
) -> NDArray[np.float64] | None:
    """The answers of a batch that failed, `(count, outputs)`: those received, those in the error, then NaN."""
    partial = error.answers if isinstance(error, ModelError | Unfinished) else None
    answers = [*answers, *([] if partial is None else [partial])]
    if not answers:
        return None
    missing = np.full((count - sum(map(len, answers)), answers[0].shape[1]), np.nan)
    return np.concatenate([*answers, missing], dtype=np.float64)


def _name_row(batch: list[Piece], row: int) -> str:
    """The coalition that a row of a batch belongs to."""
    for question, places in batch:
        per_call = question.rows_per_key
        if row < len(places) * per_call:
            return describe_coalition(question.coalitions, int(places[row // per_call]))
        row -= len(places) * per_call
    raise AssertionError("a row beyond the batch")


def _row_lengths(questions: Sequence[BatchRequest]) -> NDArray[np.integer]:
    row_lengths = []
    for question in questions:
        lengths = question.distinct.lengths
        row_lengths.append(
            np.zeros(len(question.coalitions), np.int64) if lengths is None else lengths(question.coalitions)
        )
    return np.concatenate(row_lengths) if row_lengths else np.empty(0, np.int64)


def _join_rows(inputs: list[Rows]) -> list[Rows]:
    """Join rows of different inputs if possible: lists, arrays of one shape and type, DataFrames of the same types."""
    if all(isinstance(rows, list) for rows in inputs):
        return [[row for rows in inputs for row in rows]]
    if is_frame(inputs[0]):
        return inputs if len(inputs) == 1 else join_frames(inputs)
    shapes = {(rows.shape[1:], rows.dtype) for rows in inputs}
    return [np.concatenate(inputs)] if len(shapes) == 1 else inputs


def _split_rows(rows: Any, size: int) -> list[Rows]:
    """Split rows into batches, because a single coalition may have more rows than a batch holds."""
    if len(rows) <= size:
        return [rows]
    indexer: Any = getattr(rows, "iloc", rows)
    return [indexer[start : start + size] for start in range(0, len(rows), size)]


def _out_of_memory(error: Exception) -> bool:
    return isinstance(error, MemoryError) or "out of memory" in error_text(error).lower()
