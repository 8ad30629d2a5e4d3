"""Which rows of a table are equal although their coalitions or background rows differ."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..core.coalitions import Coalitions
from ..core.keys import row_keys

_SAMPLE = 16  # coalitions that tell how many rows are equal
_WORTHWHILE = 0.1  # telling single rows apart takes time: it pays where at least this share of the rows is saved
_CELLS = 1 << 22  # how many codes are held at once: bounds the memory


@dataclass(frozen=True, eq=False)
class Agreement:
    """The values of all background rows as small numbers, so that rows can be compared before they are made.

    Attributes
    ----------
    codes : `(M, d + 1)`, one column for each unit and one for the columns that are always absent. Two background rows
        have the same number where they have the same values there; the number is 0 where the unit has the values of x.
    """

    codes: NDArray[np.unsignedinteger]

    @classmethod
    def of(cls, values: NDArray[np.intp], units: NDArray[np.intp], labels: NDArray[np.intp], absent: NDArray[np.intp],
           d: int) -> Agreement:  # fmt: skip
        """Read from `values` `(1 + M, columns)`: numbers, equal where two rows agree in a column, x first.

        Parameters
        ----------
        units, labels : the columns that belong to units, and the unit of each.
        absent : the columns that are always absent.
        d : the number of units.
        """
        codes = np.zeros((len(values) - 1, d + 1), np.intp)
        order = np.argsort(labels, kind="stable")
        columns = np.split(units[order], np.searchsorted(labels[order], np.arange(1, d)))
        found = np.stack([values[:, c[0]] if len(c) == 1 else _number(values[:, c]) for c in columns], axis=1)
        codes[:, :d] = np.where(found == found[0], 0, found - found.min() + 1)[1:]
        if len(absent):
            codes[:, d] = _number(values[1:, absent])
        return cls(codes.astype(np.min_scalar_type(codes.max(initial=0))))

    @cached_property
    def worthwhile(self) -> bool:
        """Whether enough rows are equal, by the rows of some random coalitions of all sizes, always the same ones."""
        count, d = len(self.codes), self.codes.shape[1] - 1
        if count == 1 or not self._any:
            return False
        kept = np.random.default_rng(0).random((_SAMPLE, d)) < (np.arange(_SAMPLE)[:, None] + 0.5) / _SAMPLE
        kept = np.unique(
            kept[:, ~(self.codes[:, :-1] == 0).all(axis=0)], axis=0
        )  # equal coalitions are asked once anyway
        return self._distinct(kept) <= (1 - _WORTHWHILE) * len(kept) * count

    def _distinct(self, kept: NDArray[np.bool_]) -> int:
        """How many different rows there are, by sums of random numbers: right but for an accident."""
        table = np.random.default_rng(1).integers(1 << 63, size=(int(self.codes.max()) + 1, self.codes.shape[1]))
        table[0] = 0
        marks = np.take_along_axis(table, self.codes.astype(np.intp), axis=0)
        idle = (self.codes == 0).all(axis=0)
        absent = np.concatenate([~kept, np.ones((len(kept), int(not idle[-1])), bool)], axis=1)
        return len(np.unique(absent.astype(np.int64) @ marks[:, ~idle].T))

    @property
    def _any(self) -> bool:
        """Whether any unit has the same values in two background rows, or those of x in only some of them."""
        ordered = np.sort(self.codes[:, :-1], axis=0)
        return bool(((ordered[1:] == ordered[:-1]).any(axis=0) | (ordered[0] == 0)).any())

    def keys(self, coalitions: Coalitions) -> tuple[list[bytes], NDArray[np.intp]]:
        """16 bytes for each of the different rows, and which of them the row of each coalition and background row is.

        Few units with few values are packed into 64 bits, so that only different rows need a key of their own.
        """
        marks = self._packed
        if marks is None or not len(coalitions):
            found = self._hashed(coalitions)
            numbers = {key: number for number, key in enumerate(dict.fromkeys(found))}
            return list(numbers), np.fromiter((numbers[key] for key in found), np.intp, len(found))
        step = max(1, _CELLS // self.codes.size)
        packed = [self._absent(coalitions, start, step).astype(np.uint64) @ marks.T
                  for start in range(0, len(coalitions), step)]  # fmt: skip
        words, first, place = np.unique(np.concatenate(packed).ravel(), return_index=True, return_inverse=True)
        order = np.argsort(first)  # rows as they come: coalitions are in a good order for the model
        flat = np.stack([words[order], np.zeros_like(words)], axis=1).tobytes()
        return [flat[at : at + 16] for at in range(0, len(flat), 16)], np.argsort(order)[place.ravel()]

    @cached_property
    def _packed(self) -> NDArray[np.uint64] | None:
        """The codes, shifted so that those of a row can be added up without a loss; None where 64 bits do not do."""
        bits = [int(most).bit_length() for most in self.codes.max(axis=0)]
        if sum(bits) > 64:
            return None
        shifts = np.concatenate([[0], np.cumsum(bits)[:-1]]).astype(np.uint64)
        return np.asarray(self.codes.astype(np.uint64) << np.minimum(shifts, np.uint64(63)))

    def _hashed(self, coalitions: Coalitions) -> list[bytes]:
        """A key for each coalition and background row, equal exactly where these rows are equal."""
        keys: list[bytes] = []
        width = self.codes.shape[1] * self.codes.itemsize
        step = max(1, _CELLS // self.codes.size)
        for start in range(0, len(coalitions), step):
            absent = self._absent(coalitions, start, step)
            flat = np.multiply(absent[:, None], self.codes, dtype=self.codes.dtype).tobytes()
            keys += row_keys(flat[at : at + width] for at in range(0, len(flat), width))
        return keys

    @staticmethod
    def _absent(coalitions: Coalitions, start: int, step: int) -> NDArray[np.bool_]:
        """Which units are absent from some coalitions; the columns that always are come last."""
        kept = coalitions.dense(start, start + step)
        return np.concatenate([~kept, np.ones((len(kept), 1), bool)], axis=1)


def number_columns(rows: NDArray[np.generic]) -> NDArray[np.intp]:
    """For each column of numbers, which value each row has: equal where the bits are.

    >>> number_columns(np.array([[1.0, 0.0], [1.0, -0.0], [2.0, 0.0]]))
    array([[0, 0],
           [0, 1],
           [1, 0]])
    """
    bits = np.ascontiguousarray(rows).view(f"u{rows.dtype.itemsize}")
    return np.stack([np.unique(column, return_inverse=True)[1] for column in bits.T], axis=1).astype(np.intp)


def _number(values: NDArray[np.intp]) -> NDArray[np.intp]:
    """A number for each row, equal for equal rows."""
    return np.unique(values, axis=0, return_inverse=True)[1].ravel().astype(np.intp)
