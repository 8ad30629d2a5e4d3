"""Windows, the contiguous pieces of an input: n-grams of a text, patches of an image, connected sets elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from math import prod
from typing import Literal

import numpy as np
from scipy import sparse

from ...errors import GraphError
from ..coalitions import Coalitions
from ..unique import concatenate_ranges
from .connected import connected_sets
from .graph import Graph


def windows(
    graph: Graph,
    max_size: int,
    shape: Literal["square", "rectangle"] = "square",
    check: Callable[[int, int], None] = lambda sets, indices: None,
) -> Coalitions:
    """All windows of a graph, each once.

    On a chain these are the n-grams with n <= `max_size`. On a grid of two, three or more axes they are the n×n(×n)
    patches with n <= `max_size` ("square"), or all boxes with no side above `max_size` ("rectangle"); axes of length 1
    do not count, so a 1×d grid is a chain. On any other graph they are the connected sets of up to `max_size` units.

    Patches come by n; boxes as the pairs (triples, ...) of an interval along each axis, the last axis fastest;
    intervals by length, then by start. Connected sets come by size.

    Parameters
    ----------
    check : called before memory is taken, with how many windows there are and how many unit indices they hold (on
        graphs other than chains and grids: at least, and as the work goes on); it raises to stop.

    Examples
    --------
    >>> list(windows(Graph.chain(3), 2))
    [(0,), (1,), (2,), (0, 1), (1, 2)]
    >>> list(windows(Graph.grid((2, 2)), 2))
    [(0,), (1,), (2,), (3,), (0, 1, 2, 3)]
    >>> len(windows(Graph.grid((2, 2)), 2, "rectangle")), len(windows(Graph.ring(4), 2))
    (9, 8)
    """
    if shape not in ("square", "rectangle"):
        raise GraphError(f"Expected 'square' or 'rectangle' as the shape of windows, got {shape!r}.")
    if max_size < 1:
        raise GraphError(f"Expected a window size of at least 1, got {max_size!r}.")
    if graph.kind not in ("chain", "grid"):
        check(*min_set_counts(graph, max_size))
        tables = [level.members for level in connected_sets(graph, max_size=max_size, check=check)]
        return Coalitions.concat([Coalitions.from_table(graph.d, table) for table in tables])
    sides = [side for side in graph.shape if side > 1] or [1]
    if shape == "square":
        families = [range(n, n + 1) for n in range(1, min(max_size, *sides) + 1)]
    else:
        families = [range(1, min(max_size, max(sides)) + 1)]
    # Along one axis there are side - n + 1 intervals of length n; over the axes the numbers multiply.
    check(
        sum(prod(sum(side - n + 1 for n in lengths if n <= side) for side in sides) for lengths in families),
        sum(prod(sum(n * (side - n + 1) for n in lengths if n <= side) for side in sides) for lengths in families),
    )
    return Coalitions.concat([_enumerate_boxes(graph.d, sides, lengths) for lengths in families])


def min_set_counts(graph: Graph, max_size: int) -> tuple[int, int]:
    """How many connected sets of up to `max_size` units there are at least, and how many unit indices they hold.

    A connected graph of n units has at least n - s + 1 connected sets of size s (by induction over a leaf).
    """
    sizes, counts = np.unique(np.bincount(graph.components), return_counts=True)
    pairs = [(n, c, range(1, min(max_size, n) + 1)) for n, c in zip(sizes.tolist(), counts.tolist(), strict=True)]
    return (
        sum(c * sum(n - s + 1 for s in span) for n, c, span in pairs),
        sum(c * sum(s * (n - s + 1) for s in span) for n, c, span in pairs),
    )


def _enumerate_boxes(d: int, sides: Sequence[int], lengths: range) -> Coalitions:
    """Every product of intervals with these lengths. Membership of a product is the Kronecker product."""
    member = reduce(lambda a, b: sparse.kron(a, b, format="csr"), [_interval_matrix(side, lengths) for side in sides])
    member.sort_indices()
    return Coalitions(
        d, member.indices.astype(np.int32), member.indptr.astype(np.int64), np.zeros(member.shape[0], bool)
    )


def _interval_matrix(side: int, lengths: range) -> sparse.csr_array:
    """The intervals of an axis as rows of a boolean matrix, by length and then by start."""
    fitting_lengths = [n for n in lengths if n <= side]
    starts = np.concatenate([np.arange(side - n + 1) for n in fitting_lengths])
    sizes = np.concatenate([np.full(side - n + 1, n) for n in fitting_lengths])
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    return sparse.csr_array(
        (np.ones(offsets[-1], bool), concatenate_ranges(starts, sizes), offsets), shape=(len(sizes), side)
    )
