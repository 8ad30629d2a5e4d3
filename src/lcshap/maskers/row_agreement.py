"""Which rows of a table are equal although their coalitions or background rows differ."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..core.coalitions import Coalitions
from ..core.store_keys import row_keys

_SAMPLED_COALITIONS = 16  # coalitions from which the share of equal rows is estimated
# Rows are compared one by one only if this saves at least this share of them, because it takes time.
_MIN_SHARE_SAVED = 0.1
_MAX_CODES = 1 << 22  # codes in memory at once


@dataclass(frozen=True, eq=False)
class RowAgreement:
    """The values of all background rows as small numbers, so that rows can be compared before they are made.

    Attributes
    ----------
    codes : `(M, d + 1)`, one column for each unit and one for the columns that are always absent. Two background rows
        have the same number if they have the same values there; the number is 0 if these are the values of x.
    """

    codes: NDArray[np.unsignedinteger]

    @classmethod
    def from_values(
        cls,
        values: NDArray[np.intp],
        units: NDArray[np.intp],
        labels: NDArray[np.intp],
        absent: NDArray[np.intp],
        d: int,
    ) -> RowAgreement:
        """Read from `values` `(1 + M, columns)`: numbers that are equal if two rows agree in a column, x first.

        Parameters
        ----------
        units, labels : the columns that belong to units, and the unit of each.
        absent : the columns that are always absent.
        d : the number of units.
        """
        codes = np.zeros((len(values) - 1, d + 1), np.intp)
        order = np.argsort(labels, kind="stable")
        columns = np.split(units[order], np.searchsorted(labels[order], np.arange(1, d)))
        unit_codes = np.stack([values[:, c[0]] if len(c) == 1 else _number_rows(values[:, c]) for c in columns], axis=1)
        codes[:, :d] = np.where(unit_codes == unit_codes[0], 0, unit_codes - unit_codes.min() + 1)[1:]
        if len(absent):
            codes[:, d] = _number_rows(values[1:, absent])
        return cls(codes.astype(np.min_scalar_type(codes.max(initial=0))))

    @cached_property
    def worthwhile(self) -> bool:
        """Whether enough rows are equal, by the rows of some random coalitions of all sizes, always the same ones."""
        count, d = len(self.codes), self.codes.shape[1] - 1
        if count == 1 or not self._has_equal_values:
            return False
        kept = (
            np.random.default_rng(0).random((_SAMPLED_COALITIONS, d))
            < (np.arange(_SAMPLED_COALITIONS)[:, None] + 0.5) / _SAMPLED_COALITIONS
        )
        kept = np.unique(
            kept[:, ~(self.codes[:, :-1] == 0).all(axis=0)], axis=0
        )  # equal coalitions are evaluated only once in any case
        return self._count_distinct(kept) <= (1 - _MIN_SHARE_SAVED) * len(kept) * count

    def _count_distinct(self, kept: NDArray[np.bool_]) -> int:
        """Count different rows by sums of random numbers; a collision has negligible probability."""
        table = np.random.default_rng(1).integers(1 << 63, size=(int(self.codes.max()) + 1, self.codes.shape[1]))
        table[0] = 0
        random_codes = np.take_along_axis(table, self.codes.astype(np.intp), axis=0)
        idle = (self.codes == 0).all(axis=0)
        absent = np.concatenate([~kept, np.ones((len(kept), int(not idle[-1])), bool)], axis=1)
        return len(np.unique(absent.astype(np.int64) @ random_codes[:, ~idle].T))

    @property
    def _has_equal_values(self) -> bool:
        """Whether any unit has the same values in two background rows, or those of x in only some of them."""
        ordered = np.sort(self.codes[:, :-1], axis=0)
        return bool(((ordered[1:] == ordered[:-1]).any(axis=0) | (ordered[0] == 0)).any())

    def keys(self, coalitions: Coalitions) -> tuple[list[bytes], NDArray[np.intp], NDArray[np.intp]]:
        """16 bytes for each of the different rows, which of them the row of each coalition and background row is, and
        the first place of each among these.

        Few units with few values are packed into 64 bits, so that only different rows need a key.
        """
        shifted = self._shifted_codes
        if shifted is None or not len(coalitions):
            hashes = self._hash_rows(coalitions)
            numbers = {key: number for number, key in enumerate(dict.fromkeys(hashes))}
            index = np.fromiter((numbers[key] for key in hashes), np.intp, len(hashes))
            return list(numbers), index, np.unique(index, return_index=True)[1]
        step = max(1, _MAX_CODES // self.codes.size)
        packed = [self._absent_units(coalitions, start, step).astype(np.uint64) @ shifted.T
                  for start in range(0, len(coalitions), step)]  # fmt: skip
        words, first_index, inverse = np.unique(np.concatenate(packed).ravel(), return_index=True, return_inverse=True)
        order = np.argsort(first_index)  # the order of the coalitions, in which neighbouring rows have similar lengths
        flat = np.stack([words[order], np.zeros_like(words)], axis=1).tobytes()
        keys = [flat[offset : offset + 16] for offset in range(0, len(flat), 16)]
        return keys, np.argsort(order)[inverse.ravel()], first_index[order]

    @cached_property
    def _shifted_codes(self) -> NDArray[np.uint64] | None:
        """The codes, shifted so that the sum over a row is unique; None if 64 bits are not enough."""
        bits = [int(max_code).bit_length() for max_code in self.codes.max(axis=0)]
        if sum(bits) > 64:
            return None
        shifts = np.concatenate([[0], np.cumsum(bits)[:-1]]).astype(np.uint64)
        return np.asarray(self.codes.astype(np.uint64) << np.minimum(shifts, np.uint64(63)))

    def _hash_rows(self, coalitions: Coalitions) -> list[bytes]:
        """A key for each coalition and background row, equal exactly if these rows are equal."""
        keys: list[bytes] = []
        width = self.codes.shape[1] * self.codes.itemsize
        step = max(1, _MAX_CODES // self.codes.size)
        for start in range(0, len(coalitions), step):
            absent = self._absent_units(coalitions, start, step)
            flat = np.multiply(absent[:, None], self.codes, dtype=self.codes.dtype).tobytes()
            keys += row_keys(flat[offset : offset + width] for offset in range(0, len(flat), width))
        return keys

    @staticmethod
    def _absent_units(coalitions: Coalitions, start: int, step: int) -> NDArray[np.bool_]:
        """Which units are absent from some coalitions; the columns that are always absent come last."""
        kept = coalitions.dense(start, start + step)
        return np.concatenate([~kept, np.ones((len(kept), 1), bool)], axis=1)


def number_columns(rows: NDArray[np.generic]) -> NDArray[np.intp]:
    """A number for the value of each row in each column of numbers, equal if the bits are equal.

    >>> number_columns(np.array([[1.0, 0.0], [1.0, -0.0], [2.0, 0.0]]))
    array([[0, 0],
           [0, 1],
           [1, 0]])
    """
    bits = np.ascontiguousarray(rows).view(f"u{rows.dtype.itemsize}")
    return np.stack([np.unique(column, return_inverse=True)[1] for column in bits.T], axis=1).astype(np.intp)


def _number_rows(values: NDArray[np.intp]) -> NDArray[np.intp]:
    """A number for each row, equal for equal rows."""
    return np.unique(values, axis=0, return_inverse=True)[1].ravel().astype(np.intp)
