"""Between a game and the engine: what the store knows of some coalitions, and what is left to ask."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.coalitions import Coalitions
from ..core.digest import digest
from ..core.game import Tally, name
from ..core.store import Store
from ..errors import ModelError
from ..maskers.base import Masked
from .engine import Engine, Places, Question
from .progress import Progress
from .values import FixedValue

Floats = NDArray[np.float64]


class Wanted:
    """Coalitions of one input whose values are wanted. Equal rows are asked once, also where their coalitions differ.

    Coalitions that take several rows are asked row by row where the masker can tell their rows apart (`row_keys`).

    Parameters
    ----------
    value : from outputs to values; None: the outputs themselves are wanted, `(n, rows_per_call, outputs)`.
    label : names the input in errors.
    """

    def __init__(
        self,
        engine: Engine,
        masked: Masked,
        coalitions: Coalitions,
        store: Store,
        tally: Tally,
        value: FixedValue | None,
        label: str = "",
    ) -> None:
        self.masked, self.tally, self.label = masked, tally, label
        self._store, self._space, self._value = store, space(engine, masked, store), value
        single = masked.row_keys(coalitions)
        self._split, self._count, self._given = single is not None, len(coalitions), coalitions
        self._place: Places | None = None  # of each coalition (or row) among the distinct ones, if some are equal
        self._rows: list[Any] | None = None
        if single is None:
            keys, self._rows = masked.keyed(coalitions)
            self._keys = list(dict.fromkeys(keys))
            if len(self._keys) < len(keys):
                numbers = dict(zip(self._keys, range(len(self._keys)), strict=True))
                self._place = np.fromiter((numbers[key] for key in keys), np.intp, len(keys))
        else:
            self._keys, self._place = single
        first = None if self._place is None else np.unique(self._place, return_index=True)[1]
        self._background: Places | None = None
        if first is not None and self._split:
            first, self._background = np.divmod(first, masked.rows_per_call)
            self._space = digest(self._space, "rows")
        if first is not None:
            coalitions = coalitions.take(first)
            self._rows = None if self._rows is None else [self._rows[place] for place in first.tolist()]
        self._coalitions = coalitions
        self._known, outputs = store.get(self._space, self._keys)
        self._new = np.flatnonzero(~self._known)
        self._outputs: Floats | None = None
        if outputs is not None:
            self._set(np.flatnonzero(self._known), outputs)

    @property
    def complete(self) -> bool:
        """Whether all answers are there."""
        return bool(self._known.all())

    @property
    def question(self) -> Question:
        """What is left to ask."""
        left, rows, background = self._coalitions, self._rows, self._background
        if len(self._new) < len(self._keys):
            left = left.take(self._new)
            rows = None if rows is None else [rows[place] for place in self._new.tolist()]
            background = None if background is None else background[self._new]
        if not self._split and self.masked.full_is_one_row and len(left) == 1 and left.sizes[0] == left.d:
            once = np.zeros(1, np.intp)  # all its rows are equal
            return Question(self.masked, left, self._deliver_for_all, self.tally, self.label, None, once)
        worth = self._count / max(len(self._keys), 1) if self._split else 1.0
        return Question(self.masked, left, self._deliver, self.tally, self.label, rows, background, worth)

    @property
    def values(self) -> Floats:
        """The value of each coalition, once all answers are there."""
        if self._outputs is None:
            return np.empty(0)
        found, place = self._outputs, self._place
        if self._split:
            found = found[:, 0] if place is None else found[place, 0]
            found, place = found.reshape(self._count, -1, found.shape[-1]), None
        if self._value is not None:
            try:
                found = self._value(found)
            except ModelError as error:
                whose = self._given if self._split else self._coalitions
                raise _named(error, whose, np.arange(len(found))) from error
        return found if place is None else found[place]

    @property
    def finished(self) -> Floats | None:
        """The values, if all answers are there and make values."""
        try:
            return self.values if self.complete else None
        except ModelError:
            return None

    def _deliver(self, places: Places, outputs: Floats) -> None:
        if not len(places):
            return
        rows = self._new[places]
        if self._value is not None:
            try:
                self._value.check(outputs)
            except ModelError as error:
                raise _named(error, self._coalitions, rows) from error
        self._set(rows, outputs)
        self._store.put(self._space, [self._keys[row] for row in rows.tolist()], outputs)
        self._known[rows] = True

    def _deliver_for_all(self, places: Places, outputs: Floats) -> None:
        """The answer to one row as that to all rows of its coalition."""
        self._deliver(places, np.repeat(outputs, self.masked.rows_per_call, axis=1))

    def _set(self, rows: Places, outputs: Floats) -> None:
        if self._outputs is None:
            self._outputs = np.empty((len(self._keys), *outputs.shape[1:]))
        if outputs.shape[1:] != self._outputs.shape[1:]:
            before, now = self._outputs.shape[-1], outputs.shape[-1]
            raise ModelError(
                f"Expected as many outputs for every row, got {before} for some rows and {now} for others."
            )
        self._outputs[rows] = outputs


def answer(
    engine: Engine, wanted: Sequence[Wanted], progress: Progress | None = None, keep: bool = False
) -> list[Floats | Exception]:
    """The values of what is wanted; with `keep`, the error of an input on which the model fails."""
    found: list[Floats | Exception] = []
    errors = engine.ask([want.question for want in wanted], progress, keep)
    for want, error in zip(wanted, errors, strict=True):
        try:
            found.append(want.values if error is None else error)
        except ModelError as bad:
            if not keep:
                raise
            found.append(bad)
    return found


def _named(error: ModelError, coalitions: Coalitions, rows: Places) -> ModelError:
    """The error with the coalition that it is about, where it is about one."""
    if error.row is None:
        return error
    return ModelError(f"{error} (the coalition {name(coalitions, int(rows[error.row]))})")


def space(engine: Engine, masked: Masked, store: Store | None = None) -> bytes:
    """What tells this model and this input from others in a store."""
    if store is None or not store.lasting:
        return digest(engine.fingerprint, masked.key)
    if not masked.lasting:
        warnings.warn(
            f"{type(masked).__name__} holds a function or another object that only this process knows. After "
            "a restart, the store will not find its answers again.",
            stacklevel=2,
        )
    return digest(engine.content_fingerprint, masked.key)
