"""Enumerate the connected sets of a graph, all units at once, one size after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..unique import group_equal, hash_integers
from .graph import Graph

_NEIGHBOURS_PER_STEP = 1 << 22  # This bounds the memory between two checks of the limit.
# For each way to extend a set by a unit, without the members of the set: hashes, their order and the boundary.
_BYTES_PER_EXTENSION = 64


@dataclass(frozen=True)
class SetsOfSize:
    """All connected sets of one size.

    `members` is `(n, size)`, each row ascending. `boundary` is an `(n, d)` boolean sparse matrix: the units outside a
    set that are next to it. Rooted sets (see `connected_sets`) have a `root` each, otherwise `roots` is None.
    """

    members: NDArray[np.int32]
    boundary: sparse.csr_array
    roots: NDArray[np.int32] | None = None

    @property
    def centres(self) -> NDArray[np.int32]:
        """The roots, of sets that have them."""
        assert self.roots is not None
        return self.roots

    @property
    def size(self) -> int:
        """How many units each set has."""
        return int(self.members.shape[1])


def connected_sets(
    graph: Graph,
    order: int | None = None,
    max_size: int | None = None,
    check: Callable[[int, int], None] = lambda sets, indices: None,
    room: Callable[[int, int], None] = lambda sets, nbytes: None,
) -> Iterator[SetsOfSize]:
    """Yield the connected sets by size.

    Without `order`, every connected set of the graph once. With it, every pair of a root `i` and a connected set
    `U ∋ i` within `N_k(i)`, k = `order`; the boundary then counts units of `N_k(i)` only.

    A set of size s + 1 is a set of size s with one unit of its boundary, so each size follows from the one before by a
    sparse product with the adjacency matrix. No shape of graph is special: a chain costs what its edges cost.

    Parameters
    ----------
    max_size : largest size to yield.
    check : called as the work goes on, always before the memory for a size is taken, with how many distinct sets there
        are at least and how many unit indices they hold; it raises to stop.
    room : called before the memory for a size is taken, with how many sets there are at least and how many bytes are
        held then, earlier sizes included; it raises to stop.
    """
    rooted = order is not None
    members = np.arange(graph.d, dtype=np.int32)[:, None]
    roots = members[:, 0] if rooted else None
    balls = graph.grow_balls()
    ball = next(balls)
    set_count, indices, held_bytes = 0.0, 0, 0
    while len(members):
        size = members.shape[1]
        # A set of this size around its root, and its boundary, lie within `size` edges of the root.
        if order is not None and size <= order:
            ball = next(balls, ball)
        # Each distinct set is found once for each of its units at the most: this never overestimates.
        set_count += len(members) / (size if rooted else 1)
        indices += members.size
        check(int(set_count), indices)
        # The largest number of times that the same set of the next size is generated.
        max_repeats = size * (size + 1) if rooted else size + 1
        pieces, extensions = [], 0
        for rows in _split_rows(graph, members, ball if rooted else None, roots):
            piece = _find_boundary(graph, members[rows], None if roots is None else ball[roots[rows]])
            pieces.append(piece)
            extensions += piece.nnz
            if size != max_size:
                new_sets = extensions / max_repeats
                check(int(set_count + new_sets), indices + int(new_sets * (size + 1)))
                room(
                    int(set_count), held_bytes + members.nbytes + extensions * (_BYTES_PER_EXTENSION + 12 * (size + 1))
                )
        held_bytes += members.nbytes + 5 * extensions
        boundary = sparse.csr_array(sparse.vstack(pieces, format="csr"))
        yield SetsOfSize(members, boundary, roots)
        if size == max_size:
            return
        members, roots = _extend_sets(members, boundary, roots)


def _split_rows(
    graph: Graph, members: NDArray[np.int32], ball: sparse.csr_array | None, roots: NDArray[np.int32] | None
) -> Iterator[slice]:
    """Cut the rows so that each piece looks at about `_NEIGHBOURS_PER_STEP` neighbours."""
    work = graph.degrees[members].sum(axis=1) + members.shape[1]
    if ball is not None:
        work = work + np.diff(ball.indptr)[roots]
    marks = np.searchsorted(
        np.cumsum(work), np.arange(_NEIGHBOURS_PER_STEP, work.sum() + _NEIGHBOURS_PER_STEP, _NEIGHBOURS_PER_STEP)
    )
    start = 0
    for stop in np.unique(np.minimum(marks + 1, len(members))).tolist():
        yield slice(start, stop)
        start = stop


def as_matrix(members: NDArray[np.int32], d: int) -> sparse.csr_array:
    """Sets of one size as the rows of a boolean sparse matrix."""
    n, size = members.shape
    return sparse.csr_array((np.ones(n * size, bool), members.ravel(), np.arange(n + 1) * size), shape=(n, d))


def _find_boundary(graph: Graph, members: NDArray[np.int32], ball: sparse.csr_array | None) -> sparse.csr_array:
    sets = as_matrix(members, graph.d)
    touched = sets @ graph.adjacency
    touched.sort_indices()
    outside = sparse.csr_array(touched > sets)
    return outside if ball is None else sparse.csr_array(outside.multiply(ball))


def _extend_sets(
    members: NDArray[np.int32], boundary: sparse.csr_array, roots: NDArray[np.int32] | None
) -> tuple[NDArray[np.int32], NDArray[np.int32] | None]:
    """Every set with every unit of its boundary, each result once."""
    source = np.repeat(np.arange(len(members)), np.diff(boundary.indptr))
    wider = np.concatenate([members[source], boundary.indices[:, None].astype(np.int32)], axis=1)
    wider.sort(axis=1)
    set_roots = None if roots is None else roots[source]

    def compute_hashes(salt: int) -> NDArray[np.uint64]:
        keys = hash_integers(np.arange(boundary.shape[1]), salt)
        h = np.zeros(len(wider), np.uint64)
        for column in wider.T:
            h += keys[column]
        return h if set_roots is None else h + hash_integers(set_roots, salt + 1_000_003)

    def all_equal(rows: NDArray[np.intp], other_rows: NDArray[np.intp]) -> bool:
        same_roots = set_roots is None or np.array_equal(set_roots[rows], set_roots[other_rows])
        return same_roots and np.array_equal(wider[rows], wider[other_rows])

    first, _ = group_equal(compute_hashes, all_equal, wider[:, 0])
    return wider[first], None if set_roots is None else set_roots[first]
