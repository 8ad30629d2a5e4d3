"""A row of a table with a few background rows for each coalition, drawn so that they represent all of them."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.coalitions import Coalitions
from .base import Masked, Rows, check_units
from .distinct import DistinctRows
from .masked_table import MaskedTabular

_MIN_SAVED_SHARE = 0.1  # of the rows: equal rows are looked up one by one only if they are this many
_STEP = np.uint64(0x9E3779B97F4A7C15)  # the increments and factors of the generator SplitMix64
_FACTORS = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)


@dataclass(frozen=True, eq=False)
class DrawnBackground(Masked):
    """A row of a table whose coalitions take `count` background rows each, instead of all of them.

    The background is sorted and cut into strata of equal size, and two rows of each are drawn: their difference tells
    how much a mean over such rows varies. A coalition and its complement get the same rows, and other coalitions
    others. The same seed draws the same rows.

    Attributes
    ----------
    whole : the row with all background rows.
    order : the numbers of all background rows, in the order in which they are cut.
    count : how many of them a coalition takes; an even number.
    seed : of the draws; another one for each data row.

    Examples
    --------
    >>> from lcshap.maskers import Tabular
    >>> whole = Tabular([[0.0, 0], [1, 1], [2, 2], [3, 3]]).mask([9.0, 9.0])
    >>> drawn = DrawnBackground(whole.graph, whole, np.arange(4), 2, seed=1)
    >>> drawn.rows(Coalitions.from_sets(2, [[0], [1]])).tolist()
    [[9.0, 1.0], [9.0, 3.0], [1.0, 9.0], [3.0, 9.0]]
    """

    whole: MaskedTabular
    order: NDArray[np.intp]
    count: int
    seed: int

    @property
    def content(self) -> tuple[Any, ...]:
        """The row, the background, and everything that the draws depend on."""
        return self.whole.key, self.order, self.count, self.seed

    @property
    def rows_per_call(self) -> int:
        """How many background rows a coalition takes."""
        return self.count

    @property
    def hint(self) -> str:
        """What to do about rows that a model cannot take."""
        return self.whole.hint

    def rows(self, coalitions: Coalitions) -> Rows:
        """The rows of each coalition, one for each background row that was drawn for it."""
        return self.whole.single_rows(*self._single(coalitions))

    def distinct(self, coalitions: Coalitions) -> DistinctRows:
        """Row by row where enough of the rows are equal, else by coalition. The rows are made once, and kept."""
        check_units(coalitions, self.graph)
        row_coalitions, background = self._single(coalitions)
        rows = self.whole.single_rows(row_coalitions, background)
        codes = np.ascontiguousarray(self.whole.row_codes(row_coalitions, background, rows))
        row_bytes = codes.view(np.dtype((np.void, codes.dtype.itemsize * codes.shape[1]))).ravel()
        unique, first, index = np.unique(row_bytes, return_index=True, return_inverse=True)
        if len(unique) > (1 - _MIN_SAVED_SHARE) * len(row_bytes):
            row_numbers = np.arange(len(row_bytes)).reshape(-1, self.count)
            distinct = super().distinct(coalitions)
            return replace(distinct, make=lambda places: _take(rows, row_numbers[places].ravel()))
        keys = [hashlib.blake2b(code.tobytes(), digest_size=16).digest() for code in unique]
        return DistinctRows(keys, row_coalitions.take(first), index, make=lambda places: _take(rows, first[places]))

    def _single(self, coalitions: Coalitions) -> tuple[Coalitions, NDArray[np.intp]]:
        """For each row a coalition and the number of a background row."""
        numbers = self.order[self._draw(coalitions.dense())]
        return coalitions.take(np.repeat(np.arange(len(coalitions)), self.count)), numbers.ravel()

    def _draw(self, kept: NDArray[np.bool_]) -> NDArray[np.intp]:
        """The places of the background rows of each coalition, `(n, count)`, those of a stratum side by side."""
        pairs = kept == kept[:, :1]  # the one of a coalition and its complement that has the first unit
        weights = _mix(np.arange(1, kept.shape[1] + 1, dtype=np.uint64) * _STEP)
        states = (pairs * weights).sum(axis=1, dtype=np.uint64) + _mix(np.array([self.seed], np.uint64) + _STEP)
        steps = np.arange(1, self.count + 1, dtype=np.uint64) * _STEP
        uniform = (_mix(_mix(states)[:, None] + steps) >> np.uint64(11)) * 2.0**-53
        strata, size = self.count // 2, 2 * len(self.order) / self.count
        first, distance = uniform[:, :strata] * size, 1 + uniform[:, strata:] * (size - 2)
        both = np.stack([first, (first + distance) % size], axis=2)  # at least one row apart
        places = (both + np.arange(strata)[:, None] * size).reshape(len(kept), self.count)
        return np.asarray(np.minimum(places, len(self.order) - 1), np.intp)


def _take(rows: Rows, numbers: NDArray[np.intp]) -> Rows:
    """Some rows of an array or a DataFrame."""
    indexer: Any = getattr(rows, "iloc", rows)
    return indexer[numbers]


def _mix(states: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The outputs of SplitMix64 for some states: numbers that look random, and depend on nothing else."""
    for shift, factor in zip((30, 27), _FACTORS, strict=True):
        states = (states ^ (states >> np.uint64(shift))) * factor
    return np.asarray(states ^ (states >> np.uint64(31)))
