"""Edges of chains, rings, grids, trees and complete graphs, and checks of the arguments of users."""

from __future__ import annotations

import itertools
import operator
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from math import prod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from ...errors import GraphError

MAX_UNITS = 10_000_000
MAX_EDGES = 2**25
_MAX_CACHED_UNITS = 1024  # The matrices of shorter chains are cached.


def check_size(d: Any) -> int:
    """Return `d` as an int, at least 1 and small enough for memory."""
    try:
        size = operator.index(d)
    except TypeError:
        raise GraphError(f"Expected the number of units as an integer, got {d!r}.") from None
    if size < 1:
        raise GraphError(f"Expected a graph of at least one unit, got {size}. There is nothing to explain.")
    if size > MAX_UNITS:
        raise GraphError(f"Expected a graph of at most {MAX_UNITS:,} units, got {size:,}. Make units of several parts.")
    return size


def check_unit_names(names: Sequence[str] | None, d: int) -> tuple[str, ...]:
    """One string a unit; the unit's number by default."""
    if names is None:
        return tuple(map(str, range(d)))
    if isinstance(names, str):
        raise GraphError(f"Expected names as a list of {d} strings, got one string. Did you mean {names!r}.split()?")
    if len(names) != d:
        raise GraphError(f"Expected {d} names, one for each unit, got {len(names)}.")
    return tuple(map(str, names))


def adjacency_from_edges(d: int, edges: NDArray[np.integer]) -> sparse.csr_array:
    """Check edges `(m, 2)` and return the symmetric boolean matrix, which is read-only."""
    outside = np.flatnonzero(((edges < 0) | (edges >= d)).any(axis=1))
    if len(outside):
        u, v = edges[outside[0]].tolist()
        raise GraphError(f"Expected edges between the units 0 to {d - 1}, got the edge ({u}, {v}).")
    loops = np.flatnonzero(edges[:, 0] == edges[:, 1])
    if len(loops):
        raise GraphError(
            f"Expected edges between two different units, got an edge from unit {int(edges[loops[0], 0])} to "
            "itself. Leave self-loops out."
        )
    sources, targets = edges[:, 0].astype(np.int32), edges[:, 1].astype(np.int32)
    coordinates = (np.concatenate([sources, targets]), np.concatenate([targets, sources]))
    matrix = sparse.csr_array(sparse.coo_array((np.ones(2 * len(edges), bool), coordinates), shape=(d, d)))
    matrix.sum_duplicates()
    for array in (matrix.data, matrix.indices, matrix.indptr):
        array.flags.writeable = False
    return matrix


def chain_adjacency(d: int) -> sparse.csr_array:
    """The matrix of a chain. Matrices of short chains are cached, because many texts have the same number of words."""
    return (
        _cached_chain_adjacency(d)
        if d <= _MAX_CACHED_UNITS
        else adjacency_from_edges(d, grid_edges((d,), diagonal=False))
    )


@lru_cache(maxsize=_MAX_CACHED_UNITS)
def _cached_chain_adjacency(d: int) -> sparse.csr_array:
    return adjacency_from_edges(d, grid_edges((d,), diagonal=False))


def grid_edges(shape: tuple[int, ...], diagonal: bool) -> NDArray[np.int64]:
    """Each cell with its forward neighbours: steps of one along one axis, or along any axes with `diagonal`."""
    check_edges(count_grid_edges(shape, diagonal))
    shape = tuple(side for side in shape if side > 1) or (1,)  # An axis of length 1 has no edges.
    numbers = np.arange(prod(shape), dtype=np.int64).reshape(shape)
    edges = []
    for step in _neighbour_offsets(len(shape), diagonal):
        source = numbers[tuple(slice(max(0, -s), n - max(0, s)) for s, n in zip(step, shape, strict=True))]
        target = numbers[tuple(slice(max(0, s), n - max(0, -s)) for s, n in zip(step, shape, strict=True))]
        edges.append(np.stack([source.ravel(), target.ravel()], axis=1))
    return np.concatenate(edges)


def _neighbour_offsets(axes: int, diagonal: bool) -> Iterator[tuple[int, ...]]:
    """One of each two opposite directions, so that every pair of neighbours is found once."""
    if diagonal:
        yield from (step for step in itertools.product((-1, 0, 1), repeat=axes) if step > (0,) * axes)
    else:
        yield from (tuple(int(k == axis) for k in range(axes)) for axis in reversed(range(axes)))


def count_grid_edges(shape: tuple[int, ...], diagonal: bool) -> int:
    """How many edges a grid has.

    >>> count_grid_edges((2, 3), diagonal=False), count_grid_edges((2, 3), diagonal=True)
    (7, 11)
    """
    if diagonal:
        return (prod(3 * side - 2 for side in shape) - prod(shape)) // 2
    return sum(prod(shape) // side * (side - 1) for side in shape)


def check_edges(count: int) -> None:
    """Raise for more edges than a graph can hold, before they are made."""
    if count > MAX_EDGES:
        raise GraphError(
            f"Expected a graph of at most {MAX_EDGES:,} edges, got {count:,}. Make units of several parts, such as "
            "groups= of the columns of a table."
        )


def ring_edges(d: int) -> NDArray[np.int64]:
    """The edges of a chain and the edge that closes it, unless that is a loop or a repeated edge."""
    check_edges(d)
    units = np.arange(d, dtype=np.int64)
    edges = np.stack([units, (units + 1) % d], axis=1)
    return edges if d > 2 else edges[: d - 1]


def complete_edges(d: int) -> NDArray[np.int64]:
    """All pairs."""
    check_edges(d * (d - 1) // 2)
    return np.stack(np.triu_indices(d, k=1), axis=1)


def tree_edges(parents: Sequence[int | None]) -> NDArray[np.int64]:
    """Each unit with its parent, after checking that following parents always ends at a root."""
    parent_of = [-1 if p is None else operator.index(p) for p in parents]
    is_checked = [p == -1 for p in parent_of]
    for start in range(len(parent_of)):
        path, i = [], start
        while not is_checked[i]:
            path.append(i)
            i = parent_of[i]
            if not 0 <= i < len(parent_of):
                raise GraphError(
                    f"Expected a parent from 0 to {len(parent_of) - 1}, or -1 for a root, got {i} for unit {path[-1]}."
                )
            if i in (start, path[-1]):
                raise GraphError(f"Expected a tree, got parents with a cycle: unit {i} is its own ancestor.")
            if len(path) > len(parent_of):
                raise GraphError(f"Expected a tree, got parents with a cycle that starts at unit {start}.")
        for i in path:
            is_checked[i] = True
    return np.array([(i, p) for i, p in enumerate(parent_of) if p != -1], np.int64).reshape(-1, 2)


def pair_edges(pairs: Iterable[tuple[int, int]] | ArrayLike) -> NDArray[np.int64]:
    """Any iterable of pairs of integers as an array `(m, 2)`."""
    array = np.asarray(pairs if hasattr(pairs, "__array__") else list(pairs))  # type: ignore[arg-type]
    if array.size == 0:
        return np.empty((0, 2), np.int64)
    if array.ndim != 2 or array.shape[1] != 2 or array.dtype.kind not in "iu":
        raise GraphError(
            f"Expected edges as pairs of integers, such as [(0, 1), (1, 2)], got an array of {array.dtype} of "
            f"shape {array.shape}."
        )
    return array.astype(np.int64)


def as_square_matrix(A: Any) -> sparse.coo_array:
    """A matrix of any kind as a sparse square one without stored zeros."""
    matrix = sparse.coo_array(A)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise GraphError(f"Expected a square adjacency matrix, got shape {matrix.shape}.")
    if matrix.data.dtype.kind == "f" and np.isnan(matrix.data).any():
        raise GraphError("Expected an adjacency matrix of finite numbers, got NaN. Write 0 where there is no edge.")
    matrix.eliminate_zeros()
    return matrix
