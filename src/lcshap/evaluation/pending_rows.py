"""The rows that a game requests: those in the store, and those that are still to be sent to the model."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..core.coalitions import Coalitions
from ..core.digest import digest
from ..core.game import RowCounter, describe_coalition
from ..core.store import Store
from ..errors import ModelError
from ..maskers.base import Masked
from ..values import FixedValue
from .engine import BatchRequest, Engine, Places
from .progress import Progress

Floats = NDArray[np.float64]


class PendingRows:
    """Coalitions of one input whose values are requested. Equal rows are sent once, also if their coalitions differ.

    Parameters
    ----------
    value : computes values from outputs; None if the outputs themselves are requested, `(n, rows_per_call, outputs)`.
    label : names the input in errors.
    """

    def __init__(
        self,
        engine: Engine,
        masked: Masked,
        coalitions: Coalitions,
        store: Store,
        row_counter: RowCounter,
        value: FixedValue | None,
        label: str = "",
    ) -> None:
        self.masked, self.row_counter, self.label = masked, row_counter, label
        self._store, self._value, self._coalitions = store, value, coalitions
        self._distinct = distinct = masked.distinct(coalitions)
        # Whether each key identifies a single row.
        self._by_row = distinct.rows_per_key * distinct.copies < masked.rows_per_call
        self._namespace = store_space(engine, masked, store)
        if self._by_row:
            self._namespace = digest(self._namespace, "rows")
        self._is_answered, outputs = store.get(self._namespace, distinct.keys)
        self._missing = np.flatnonzero(~self._is_answered)
        self._outputs: Floats | None = None
        if outputs is not None:
            self._set_outputs(np.flatnonzero(self._is_answered), outputs)

    @property
    def complete(self) -> bool:
        """Whether all answers are available."""
        return bool(self._is_answered.all())

    @property
    def question(self) -> BatchRequest:
        """The rows that are still to be sent to the model."""
        key_numbers = None if len(self._missing) == len(self._distinct) else self._missing
        coalitions_per_key = len(self._coalitions) / max(len(self._distinct), 1) if self._by_row else 1.0
        return BatchRequest(
            self.masked, self._distinct, self._deliver, self.row_counter, self.label, coalitions_per_key, key_numbers
        )

    @property
    def values(self) -> Floats:
        """The value of each coalition, when all answers are available."""
        if self._outputs is None:
            return np.empty(0)
        values, index, coalitions = self._outputs, self._distinct.index, self._distinct.coalitions
        if self._by_row:  # the rows of a coalition are next to each other
            values = values if index is None else values[index]
            values, index, coalitions = (
                values.reshape(len(self._coalitions), -1, values.shape[-1]),
                None,
                self._coalitions,
            )
        if self._value is not None:
            try:
                values = self._value(values)
            except ModelError as error:
                raise _name_coalition(error, coalitions, np.arange(len(values))) from error
        return values if index is None else values[index]

    @property
    def finished(self) -> Floats | None:
        """The values, if all answers are available and valid."""
        try:
            return self.values if self.complete else None
        except ModelError:
            return None

    def _deliver(self, places: Places, outputs: Floats) -> None:
        if not len(places):
            return
        rows = self._missing[places]
        if self._value is not None:
            try:
                self._value.check(outputs)
            except ModelError as error:
                raise _name_coalition(error, self._distinct.coalitions, rows) from error
        outputs = outputs if self._distinct.copies == 1 else np.repeat(outputs, self._distinct.copies, axis=1)
        self._set_outputs(rows, outputs)
        self._store.put(self._namespace, [self._distinct.keys[row] for row in rows.tolist()], outputs)
        self._is_answered[rows] = True

    def _set_outputs(self, rows: Places, outputs: Floats) -> None:
        if self._outputs is None:
            self._outputs = np.empty((len(self._distinct), *outputs.shape[1:]))
        if outputs.shape[1:] != self._outputs.shape[1:]:
            before, now = self._outputs.shape[-1], outputs.shape[-1]
            raise ModelError(
                f"Expected as many outputs for every row, got {before} for some rows and {now} for others."
            )
        self._outputs[rows] = outputs


def answer_pending(
    engine: Engine, pending: Sequence[PendingRows], progress: Progress | None = None, isolate_failures: bool = False
) -> list[Floats | Exception]:
    """The values of pending coalitions; with `isolate_failures`, the error of an input on which the model fails."""
    values: list[Floats | Exception] = []
    errors = engine.ask([rows.question for rows in pending], progress, isolate_failures)
    for rows, error in zip(pending, errors, strict=True):
        try:
            values.append(rows.values if error is None else error)
        except ModelError as failure:
            if not isolate_failures:
                raise
            values.append(failure)
    return values


def _name_coalition(error: ModelError, coalitions: Coalitions, rows: Places) -> ModelError:
    """Add the coalition to an error about a single row."""
    if error.row is None:
        return error
    return ModelError(f"{error} (the coalition {describe_coalition(coalitions, int(rows[error.row]))})")


def store_space(engine: Engine, masked: Masked, store: Store | None = None) -> bytes:
    """A digest that distinguishes this model and this input from others in a store."""
    if store is None or not store.persistent:
        return digest(engine.fingerprint, masked.key)
    if not masked.has_stable_key:
        warnings.warn(
            f"{type(masked).__name__} holds a function or another object that only this process can identify. After "
            "a restart, the store will not find its answers again.",
            stacklevel=2,
        )
    return digest(engine.content_fingerprint, masked.key)
