"""A batch of coalitions, stored sparsely: the units that are kept, or, where that is shorter, those removed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import overload

import numpy as np
from numpy.typing import NDArray

from ..errors import PlanError
from .unique import concatenate_ranges, group_equal, hash_integers, sort_small

_CHUNK_CELLS = 1 << 20  # how many indices or dense cells a step handles at once: bounds the memory of every method here


@dataclass(frozen=True, eq=False)
class Coalitions:
    """`n` sets of units out of `d`: set `r` is ``indices[offsets[r]:offsets[r+1]]``, or all but these.

    Within a set, indices are ascending and without repeats. `removed[r]` says that the indices of set `r` are the units
    taken away. So all 3-grams of a million words, and all texts that lack one 3-gram, both take three numbers a set.

    Parameters
    ----------
    d : the number of units.
    indices, offsets : the sets, one after the other, and where each of them starts and ends.
    removed : for each set, whether its indices are the units that are absent, and not those that are present.

    Examples
    --------
    >>> c = Coalitions.from_sets(4, [[0, 2], [], [0, 1, 2, 3]])
    >>> len(c), c[0], c.sizes.tolist()
    (3, (0, 2), [2, 0, 4])
    >>> c.dense().astype(int).tolist()
    [[1, 0, 1, 0], [0, 0, 0, 0], [1, 1, 1, 1]]
    """

    d: int
    indices: NDArray[np.int32]
    offsets: NDArray[np.int64]
    removed: NDArray[np.bool_]

    @classmethod
    def from_sets(cls, d: int, sets: Iterable[Iterable[int]]) -> Coalitions:
        """From any sets of units; each must lie in ``range(d)``."""
        rows = [sorted(set(s)) for s in sets]
        for row in rows:
            if row and not (row[0] >= 0 and row[-1] < d):
                raise PlanError(f"Expected units from 0 to {d - 1} in every coalition, got the coalition {row}.")
        flat = np.array([i for row in rows for i in row], np.int32)
        offsets = np.concatenate([[0], np.cumsum([len(row) for row in rows], dtype=np.int64)])
        return cls(d, flat, offsets, np.zeros(len(rows), bool))

    @classmethod
    def from_dense(cls, mask: NDArray[np.bool_]) -> Coalitions:
        """From `mask`, a boolean array `(n, d)`: one row for each coalition, True where the unit is kept."""
        n, d = mask.shape
        offsets = np.zeros(n + 1, np.int64)
        np.cumsum(np.count_nonzero(mask, axis=1), out=offsets[1:])
        flat = np.empty(offsets[-1], np.int32)
        step = max(1, _CHUNK_CELLS // max(d, 1))
        for start in range(0, n, step):
            stop = min(start + step, n)
            flat[offsets[start] : offsets[stop]] = np.nonzero(mask[start:stop])[1]
        return cls(d, flat, offsets, np.zeros(n, bool))

    @classmethod
    def from_table(cls, d: int, table: NDArray[np.integer], removed: bool = False) -> Coalitions:
        """From `table`, an integer array `(n, size)`: sets of one size among `d` units, each row ascending. With
        `removed`, the rows name the units that are absent."""
        n, size = table.shape
        flat = np.ascontiguousarray(table, np.int32).ravel()
        return cls(d, flat, np.arange(n + 1, dtype=np.int64) * size, np.full(n, removed))

    @classmethod
    def concat(cls, parts: Sequence[Coalitions]) -> Coalitions:
        """The coalitions of all `parts`, one batch after the other."""
        if len({p.d for p in parts}) != 1:
            raise PlanError(
                f"Expected coalitions over the same number of units, got {sorted({p.d for p in parts})} units."
            )
        lengths = np.concatenate([np.diff(p.offsets) for p in parts])
        return cls(
            parts[0].d,
            np.concatenate([p.indices for p in parts]),
            np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
            np.concatenate([p.removed for p in parts]),
        )

    def __len__(self) -> int:
        return len(self.removed)

    @property
    def sizes(self) -> NDArray[np.int64]:
        """How many units each coalition keeps."""
        lengths = np.diff(self.offsets)
        return np.where(self.removed, self.d - lengths, lengths)

    @property
    def nbytes(self) -> int:
        """Memory held."""
        return self.indices.nbytes + self.offsets.nbytes + self.removed.nbytes

    @overload
    def __getitem__(self, key: int) -> tuple[int, ...]: ...
    @overload
    def __getitem__(self, key: slice) -> Coalitions: ...
    def __getitem__(self, key: int | slice) -> tuple[int, ...] | Coalitions:
        if isinstance(key, slice):
            return self.take(np.arange(*key.indices(len(self))))
        row = range(len(self))[key]
        stored = self.indices[self.offsets[row] : self.offsets[row + 1]]
        units = np.setdiff1d(np.arange(self.d), stored) if self.removed[row] else stored
        return tuple(units.tolist())

    def __iter__(self) -> Iterator[tuple[int, ...]]:
        return (self[row] for row in range(len(self)))

    def __eq__(self, other: object) -> bool:
        """The same sets in the same order, however they are stored."""
        if not isinstance(other, Coalitions) or self.d != other.d or len(self) != len(other):
            return False
        a, b = self.canonical(), other.canonical()
        return (
            np.array_equal(a.removed, b.removed)
            and np.array_equal(a.offsets, b.offsets)
            and np.array_equal(a.indices, b.indices)
        )

    __hash__ = None  # type: ignore[assignment]

    def take(self, rows: NDArray[np.integer]) -> Coalitions:
        """These rows, in this order; a run of rows one after the other is not copied."""
        rows = np.asarray(rows)
        if len(rows) and rows[-1] - rows[0] == len(rows) - 1 and (np.diff(rows) == 1).all() and rows[0] >= 0:
            bounds = self.offsets[rows[0] : rows[-1] + 2]
            run = slice(rows[0], rows[-1] + 1)
            return Coalitions(self.d, self.indices[bounds[0] : bounds[-1]], bounds - bounds[0], self.removed[run])
        starts = self.offsets[rows]
        lengths = self.offsets[rows + 1] - starts
        offsets = np.zeros(len(rows) + 1, np.int64)
        np.cumsum(lengths, out=offsets[1:])
        flat = np.empty(offsets[-1], np.int32)
        for chunk in _split_into_chunks(offsets):
            flat[offsets[chunk.start] : offsets[chunk.stop]] = self.indices[
                concatenate_ranges(starts[chunk], lengths[chunk])
            ]
        return Coalitions(self.d, flat, offsets, self.removed[rows])

    def dense(self, start: int = 0, stop: int | None = None) -> NDArray[np.bool_]:
        """Rows `start:stop` as a new boolean array, True where the unit is kept."""
        start, stop, _ = slice(start, stop).indices(len(self))
        removed = self.removed[start:stop]
        flat = np.zeros(len(removed) * self.d, bool)  # filled by one index: several times as fast as by two
        bounds = self.offsets[start : stop + 1]
        rows = np.repeat(np.arange(len(removed)) * self.d, np.diff(bounds))
        flat[rows + self.indices[bounds[0] : bounds[-1]]] = True
        mask = flat.reshape(len(removed), self.d)
        if removed.any():
            mask ^= removed[:, None]
        return mask

    def canonical(self) -> Coalitions:
        """The same sets, each stored by what is shorter: its kept units (also on a tie) or its removed ones."""
        lengths = np.diff(self.offsets)
        needs_flip = np.where(self.removed, 2 * lengths >= self.d, 2 * lengths > self.d)
        flipped_rows = np.flatnonzero(needs_flip)
        if not len(flipped_rows):
            return self
        chunks = np.array_split(flipped_rows, -(-len(flipped_rows) * max(self.d, 1) // _CHUNK_CELLS))
        flipped = []
        for rows in chunks:
            batch = self.take(rows)
            complement = Coalitions.from_dense(batch.dense() ^ ~batch.removed[:, None])
            flipped.append(Coalitions(self.d, complement.indices, complement.offsets, ~batch.removed))
        combined = Coalitions.concat([self, *flipped])
        rows = np.arange(len(self))
        rows[flipped_rows] = len(self) + np.arange(len(flipped_rows))
        return combined.take(rows)

    def unique(self) -> tuple[Coalitions, NDArray[np.int32]]:
        """Each distinct coalition once, ordered by size and then by first appearance; and where each row went.

        ``unique.take(inverse) == self``. Ordering by size lets batches hold inputs of like length.
        """
        c = self.canonical()
        lengths = np.diff(c.offsets)

        def compute_hashes(salt: int) -> NDArray[np.uint64]:
            keys = hash_integers(np.arange(self.d + 1), salt)
            h = np.zeros(len(c), np.uint64)
            for chunk in _split_into_chunks(c.offsets):
                bounds = c.offsets[chunk.start : chunk.stop + 1]
                cumulated = np.zeros(bounds[-1] - bounds[0] + 1, np.uint64)
                np.cumsum(keys[c.indices[bounds[0] : bounds[-1]]], out=cumulated[1:])
                h[chunk] = np.diff(cumulated[bounds - bounds[0]])
            h[c.removed] += keys[-1]
            return h

        def all_equal(rows: NDArray[np.intp], other_rows: NDArray[np.intp]) -> bool:
            if not (
                np.array_equal(lengths[rows], lengths[other_rows])
                and np.array_equal(c.removed[rows], c.removed[other_rows])
            ):
                return False
            for start in range(0, len(rows), _CHUNK_CELLS // 8):
                chunk = slice(start, start + _CHUNK_CELLS // 8)
                mine, theirs = c.take(rows[chunk]), c.take(other_rows[chunk])
                if not np.array_equal(mine.indices, theirs.indices):
                    return False
            return True

        lowest = np.zeros(len(c), np.int64)
        lowest[lengths > 0] = c.indices[c.offsets[:-1][lengths > 0]]
        first, inverse = group_equal(compute_hashes, all_equal, lowest)
        # Canonical sets that keep at most half of the units come by length, those that keep more by what they lack.
        first_lengths, max_length = lengths[first], lengths.max(initial=0)
        order, _ = sort_small(np.where(c.removed[first], 2 * max_length + 1 - first_lengths, first_lengths))
        position = np.empty(len(first), np.int32)
        position[order] = np.arange(len(first))
        return c.take(first[order]), position[inverse]


def _split_into_chunks(offsets: NDArray[np.int64]) -> Iterator[slice]:
    """Cut rows into runs of at most `_CHUNK_CELLS` indices and rows each, or of one row."""
    start, rows = 0, len(offsets) - 1
    while start < rows:
        stop = int(np.searchsorted(offsets, offsets[start] + _CHUNK_CELLS, side="right")) - 1
        stop = min(max(start + 1, stop), start + _CHUNK_CELLS, rows)
        yield slice(start, stop)
        start = stop
