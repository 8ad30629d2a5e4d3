"""The interactions of many inputs: one array, or the numbers of some pairs of units one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from .object_columns import CodedColumn
from .ragged import Ragged, Rows, freeze


@dataclass(frozen=True, eq=False)
class PairArrays:
    """Interactions of many inputs in one array `(n, d, d)` or `(n, d, d, outputs)`; a matrix is made on demand."""

    array: NDArray[np.float64]

    def get(self, row: int) -> sparse.csr_array | tuple[sparse.csr_array, ...]:
        """The matrix of an input, or a matrix for each output."""
        matrix = self.array[row]
        if matrix.ndim == 2:
            return sparse.csr_array(matrix)
        return tuple(sparse.csr_array(matrix[:, :, k]) for k in range(matrix.shape[2]))

    def take(self, rows: Rows) -> PairArrays:
        """The interactions of some of the inputs."""
        return replace(self, array=self.array[rows])


@dataclass(frozen=True, eq=False)
class PairPattern:
    """The pairs of units for which symmetric matrices have entries.

    Attributes
    ----------
    d : the number of units.
    pairs : `(p, 2)`, the smaller unit of a pair first.

    Examples
    --------
    >>> pattern = PairPattern(3, np.array([[0, 1], [1, 2]]))
    >>> pattern.matrix(np.array([5.0, 7.0])).toarray()
    array([[0., 5., 0.],
           [5., 0., 7.],
           [0., 7., 0.]])
    """

    d: int
    pairs: NDArray[np.intp]

    @classmethod
    def of(cls, matrix: sparse.csr_array) -> PairPattern:
        """The pairs above the diagonal of a matrix."""
        first = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
        above = first < matrix.indices
        return cls(matrix.shape[0], np.stack([first[above], matrix.indices[above]], axis=1).astype(np.intp))

    @cached_property
    def layout(self) -> sparse.csr_array:
        """A matrix with the number of its pair, from 0, at each entry."""
        first, second = self.pairs.T
        coordinates = (np.concatenate([first, second]), np.concatenate([second, first]))
        numbers = np.tile(np.arange(len(self.pairs)), 2)
        return sparse.csr_array(sparse.coo_array((numbers, coordinates), shape=(self.d, self.d)))

    def matrix(self, numbers: NDArray[np.float64]) -> sparse.csr_array:
        """The matrix with a number for each pair."""
        layout = self.layout
        return sparse.csr_array((numbers[layout.data], layout.indices.copy(), layout.indptr.copy()), layout.shape)

    def numbers(self, matrix: sparse.csr_array) -> NDArray[np.float64] | None:
        """The number of each pair; None if the matrix has other entries, or is not symmetric."""
        layout = self.layout
        same = np.array_equal(matrix.indptr, layout.indptr) and np.array_equal(matrix.indices, layout.indices)
        if not same or matrix.dtype != np.float64:
            return None
        numbers = np.empty(len(self.pairs))
        numbers[layout.data] = matrix.data
        return numbers if np.array_equal(numbers[layout.data], matrix.data, equal_nan=True) else None


@dataclass(frozen=True, eq=False)
class PairNumbers:
    """Interactions of many inputs as numbers of pairs; equal sets of pairs are stored once.

    Attributes
    ----------
    patterns : the pairs of each input, a `PairPattern`; none for inputs without interactions.
    numbers : the numbers of each input, pair after pair and, within a pair, output after output.
    outputs : the number of outputs of each input; 0 if its interactions are one matrix.

    Examples
    --------
    >>> matrix = PairPattern(2, np.array([[0, 1]])).matrix(np.array([5.0]))
    >>> column = PairNumbers.of([matrix, None, 2 * matrix])
    >>> column.numbers.values, column.get(1), float(column.get(2)[0, 1])
    (array([ 5., 10.]), None, 10.0)
    """

    patterns: CodedColumn
    numbers: Ragged
    outputs: NDArray[np.int32]

    @classmethod
    def of(cls, entries: Sequence[Any]) -> PairNumbers | CodedColumn | None:
        """A column of matrices, None for inputs without; a column of objects if some are not symmetric.

        The column is None if no input has interactions.
        """
        if all(entry is None for entry in entries):
            return None
        known: dict[tuple[int, bytes, bytes], PairPattern] = {}
        patterns: list[PairPattern | None] = []
        rows = []
        for entry in entries:
            if entry is None:
                patterns.append(None)
                rows.append(np.empty(0))
                continue
            matrices = entry if isinstance(entry, tuple) else (entry,)
            if not all(isinstance(matrix, sparse.csr_array) for matrix in matrices):
                return CodedColumn.listed(entries)
            first = matrices[0]
            key = (first.shape[0], first.indptr.tobytes(), first.indices.tobytes())
            pattern = known.get(key) or known.setdefault(key, PairPattern.of(first))
            numbers = [column for matrix in matrices if (column := pattern.numbers(matrix)) is not None]
            if len(numbers) < len(matrices):
                return CodedColumn.listed(entries)
            patterns.append(pattern)
            rows.append(np.stack(numbers, axis=1).ravel())
        outputs = [len(entry) if isinstance(entry, tuple) else 0 for entry in entries]
        return cls(CodedColumn.of(patterns), Ragged.join(rows), np.array(outputs, np.int32))

    @classmethod
    def concatenate(cls, pieces: Sequence[PairNumbers | None], lengths: Sequence[int]) -> PairNumbers:
        """The interactions of all pieces; those of None are missing."""
        patterns: list[PairPattern | None] = []
        for piece, length in zip(pieces, lengths, strict=True):
            patterns += [None] * length if piece is None else [piece.patterns.get(row) for row in range(length)]
        numbers = [
            Ragged.empty_rows(length) if piece is None else piece.numbers
            for piece, length in zip(pieces, lengths, strict=True)
        ]
        outputs = [
            np.zeros(length, np.int32) if piece is None else piece.outputs
            for piece, length in zip(pieces, lengths, strict=True)
        ]
        return cls(CodedColumn.of(patterns), Ragged.concatenate(numbers), np.concatenate(outputs))

    def get(self, row: int) -> sparse.csr_array | tuple[sparse.csr_array, ...] | None:
        """The matrix of an input, or a matrix for each output; None if it has none."""
        pattern = self.patterns.get(row)
        if pattern is None:
            return None
        numbers, outputs = self.numbers[row], int(self.outputs[row])
        if not outputs:
            return pattern.matrix(numbers)
        return tuple(pattern.matrix(column) for column in numbers.reshape(-1, outputs).T)

    def take(self, rows: Rows) -> PairNumbers:
        """The interactions of some of the inputs."""
        return PairNumbers(self.patterns.take(rows), self.numbers.take(rows), self.outputs[rows])

    def fill(self, dense: NDArray[np.float64]) -> None:
        """Write all matrices into an array `(n, d, d)` or `(n, d, d, outputs)`; inputs without stay what they are."""
        codes = self.patterns.codes_of(len(dense))
        for code, pattern in enumerate(self.patterns.objects):
            rows = np.flatnonzero(codes == code)
            first, second = pattern.pairs.T
            numbers = self.numbers.take(rows).values.reshape(len(rows), len(first), *dense.shape[3:])
            dense[rows] = 0.0
            dense[rows[:, None], first, second] = numbers
            dense[rows[:, None], second, first] = numbers


def join_pairs(columns: Sequence[Any], lengths: Sequence[int]) -> PairArrays | PairNumbers | None:
    """Several columns of interactions one after the other; None if they have no common form."""
    arrays = [column.array for column in columns if isinstance(column, PairArrays)]
    if len(arrays) == len(columns) and len({array.shape[1:] for array in arrays}) == 1:
        return PairArrays(freeze(np.concatenate(arrays)))
    if all(column is None or isinstance(column, PairNumbers) for column in columns):
        return PairNumbers.concatenate(columns, lengths)
    return None
