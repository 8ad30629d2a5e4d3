"""Terms over all subsets of a neighbourhood, for many neighbourhoods of one size at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import comb
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..core.coalitions import Coalitions
from ..core.graphs import Graph
from ..core.plan import TERMS_PER_PIECE, Terms, check_calls, check_memory
from ..core.unique import sort_small
from ..errors import PlanTooLargeError

Context = Literal["absent", "present", "both"]
_MAX_GROWN_UNITS = 150_000_000  # in all neighbourhoods of all smaller orders, which takes some seconds
_MAX_LISTED_NEIGHBOURS = 5_000_000  # of all connected sets; more take long to list
_MAX_BOUNDED_SIZE = 8  # sets of more units are listed where the bound is far above the limit
_LARGE_NEIGHBOURHOOD = 8  # from so many units on, equal neighbourhoods are merged
CONTEXTS: tuple[Context, ...] = ("absent", "present", "both")


def shapley_weights(n: int) -> NDArray[np.float64]:
    """``w[t] = 1 / (n C(n-1, t))``: the weight of a marginal contribution to t of n units, t = 0..n-1."""
    return np.array([1 / (n * comb(n - 1, t)) for t in range(n)])


def interaction_weights(n: int) -> NDArray[np.float64]:
    """``w[t] = t! (n-t-2)! / (n-1)!``: the same for the Shapley interaction index of a pair, t = 0..n-2."""
    return np.array([1 / ((n - 1) * comb(n - 2, t)) for t in range(n - 1)])


def all_subsets(n: int) -> NDArray[np.bool_]:
    """All subsets of n units as a boolean array `(2^n, n)`; subset r and subset 2^n - 1 - r are complements."""
    numbers = np.arange(2**n, dtype=np.int64)
    return np.stack([numbers >> place & 1 == 1 for place in range(n)], axis=1)


def bound_subsets(balls: sparse.csr_array) -> tuple[int, int]:
    """A lower and an upper bound of the number of nonempty sets that are in at least one of the neighbourhoods.

    Of the subsets of a neighbourhood, those in an earlier one are not counted again. They are at least those that it
    shares with the earlier neighbourhood of the largest overlap, and at most the sum over all earlier ones. The upper
    bound is exact on a chain whose units are in order, because the neighbourhood before has all units that are shared.
    """
    counts = sparse.csr_array(balls.astype(np.int32))
    overlaps = sparse.coo_array(sparse.tril(counts @ counts.T, -1))
    d, n = balls.shape[0], np.diff(balls.indptr)
    shared = 2.0**overlaps.data - 1
    largest, total = np.zeros(d), np.bincount(overlaps.row, shared, minlength=d)
    np.maximum.at(largest, overlaps.row, shared)
    subsets = 2.0**n - 1
    return int(np.maximum(subsets - total, 0).sum()), int((subsets - largest).sum())


def bound_connected_sets(graph: Graph, max_size: int, limit: int) -> int | None:
    """The largest possible number of connected sets of so many units, and ∅ and V, if listing them would take long.

    A set of s units can be made from at least two connected sets of s - 1 units, each of which has at most s - 1 times
    the largest degree of neighbours. None otherwise, and if large sets may be more than ten times the limit: listing
    them soon says whether they are. Raises if a lower bound is above the limit.
    """
    degree = int(graph.degrees.max())
    count, total, work = graph.d, graph.d + 2, graph.d * degree
    for size in range(2, max_size + 1):
        count = graph.adjacency.nnz // 2 if size == 2 else count * (size - 1) * degree // 2
        total += count
        work += count * size * degree
        if size == 2:
            check_calls(total - 2, limit)
        if total > 10 * limit:
            if max_size > _MAX_BOUNDED_SIZE:
                return None
            break
    return total if work > _MAX_LISTED_NEIGHBOURS else None


def balls_within(graph: Graph, order: int, limit: int | None, bytes_per_member: int) -> sparse.csr_array:
    """`N_k` of all units; raises if they do not fit the memory, with so many bytes per member of a neighbourhood."""
    if order >= graph.d - 1:  # the connected component of each unit
        sizes = np.bincount(graph.components)
        check_memory(bytes_per_member * int((sizes**2).sum()), graph.d, limit)
        membership = sparse.csr_array((np.ones(graph.d, bool), graph.components, np.arange(graph.d + 1)))
        balls = membership @ membership.T
        balls.sort_indices()
        return sparse.csr_array(balls)
    member_count = 0
    for k, balls in enumerate(graph.grow_balls()):
        check_memory(bytes_per_member * balls.nnz, graph.d, limit)
        member_count += balls.nnz
        if limit is not None and member_count > _MAX_GROWN_UNITS:
            raise PlanTooLargeError(
                f"neighbourhoods of order {order:,}, which take too long to build. Only max_calls=None allows that",
                graph.d,
                exceeded_limit="time",
            )
        if k == order:
            break
    return balls


def group_by_shape(
    rows: sparse.csr_array, *focus: NDArray[np.integer]
) -> Iterator[tuple[NDArray[np.intp], tuple[int, ...]]]:
    """Sort neighbourhoods (rows of a boolean matrix) into groups of one size with the focus units at the same places.

    Yields the row numbers of each group, and `(size, place of focus 1, ...)`.
    """
    lengths = np.diff(rows.indptr)
    owner = np.repeat(np.arange(rows.shape[0]), lengths)
    radix = int(lengths.max(initial=0)) + 1
    code = lengths.astype(np.int64)
    for unit in focus:
        before = rows.indices < unit[owner]
        code = code * radix + np.bincount(owner[before], minlength=rows.shape[0])
    order, ordered = sort_small(code)
    for group in np.split(order, np.flatnonzero(np.diff(ordered)) + 1) if len(order) else []:
        digits, kind = int(code[group[0]]), []
        for _ in focus:
            digits, place = divmod(digits, radix)
            kind.append(place)
        yield group, (digits, *reversed(kind))


def subset_terms(
    d: int, rows: NDArray[np.integer], members: NDArray[np.int32], weights: NDArray[np.float64], context: str
) -> Iterator[Terms]:
    """For every neighbourhood (a row of `members`, ascending), every subset of it with the weight of that subset.

    The subsets are those of `all_subsets`. Units outside the neighbourhood are all absent or all present. A subset T
    with all units outside is a coalition that lacks the complement of T, which has the mirrored number.
    """
    step = max(1, TERMS_PER_PIECE >> members.shape[1])
    if len(members) > step:
        for start in range(0, len(members), step):
            block = slice(start, start + step)
            yield from subset_terms(d, rows[block], members[block], weights, context)
        return
    count, n = members.shape
    subsets = all_subsets(n)
    places = np.nonzero(subsets)[1]
    offsets = np.zeros(count * len(subsets) + 1, np.int64)
    np.cumsum(np.tile(subsets.sum(axis=1), count), out=offsets[1:])
    indices = members[:, places].ravel()
    owners = np.repeat(rows, len(subsets))
    share = 0.5 if context == "both" else 1.0
    for kind, removed, weight in (("absent", False, weights), ("present", True, weights[::-1])):
        if context in (kind, "both"):
            sets = Coalitions(d, indices, offsets, np.full(len(offsets) - 1, removed))
            yield Terms(owners, share * np.tile(weight, count), sets)


def neighbourhood_terms(
    d: int,
    neighbourhoods: sparse.csr_array,
    focus: Sequence[NDArray[np.integer]],
    weigh: Callable[..., NDArray[np.float64]],
    context: str,
) -> Iterator[Terms]:
    """Every subset of every neighbourhood (a row of a boolean matrix), weighted by size and by the places of the focus.

    If many rows have the same large neighbourhood, as on dense graphs, its subsets are listed once.
    """
    large: dict[bytes, list[tuple[int, NDArray[np.int32], NDArray[np.float64]]]] = {}
    groups = []
    for row_numbers, (n, *places) in group_by_shape(neighbourhoods, *focus):
        groups.append((row_numbers.astype(np.int32), row_table(neighbourhoods, row_numbers, n), weigh(n, *places)))
    large_groups = [group for group in groups if group[1].shape[1] >= _LARGE_NEIGHBOURHOOD]
    for rows, members, weights in large_groups:
        for row, row_members in zip(rows.tolist(), members, strict=True):
            large.setdefault(row_members.tobytes(), []).append((row, row_members, weights))
    shared = 2 * len(large) <= sum(map(len, large.values()))
    for rows, members, weights in groups:
        if not (shared and members.shape[1] >= _LARGE_NEIGHBOURHOOD):
            yield from subset_terms(d, rows, members, weights, context)
    for equal_rows in large.values() if shared else ():
        step = max(1, TERMS_PER_PIECE >> len(equal_rows[0][1]))
        for start in range(0, len(equal_rows), step):
            yield from _shared_terms(d, equal_rows[start : start + step], context)


def _shared_terms(
    d: int, equal_rows: list[tuple[int, NDArray[np.int32], NDArray[np.float64]]], context: str
) -> Iterator[Terms]:
    """The terms of rows that have the same neighbourhood."""
    rows = np.array([row for row, _, _ in equal_rows], np.int32)
    weights = np.stack([weight for _, _, weight in equal_rows])
    for term in subset_terms(d, rows[:1], equal_rows[0][1][None], np.arange(weights.shape[1], dtype=float), context):
        share = 0.5 if context == "both" else 1.0
        context_weights = weights[
            :, np.rint(term.weights / share).astype(np.intp)
        ]  # the subsets, with the numbers of this context
        sets = np.tile(np.arange(len(term.coalitions)), len(rows))
        yield Terms(np.repeat(rows, len(term.coalitions)), share * context_weights.ravel(), term.coalitions, sets)


def row_table(rows: sparse.csr_array, row_numbers: NDArray[np.intp], size: int) -> NDArray[np.int32]:
    """The column numbers of some rows, all of one length, as an array `(n, size)`."""
    places = rows.indptr[row_numbers].astype(np.int64)[:, None] + np.arange(size)
    columns: NDArray[np.int32] = rows.indices[places].astype(np.int32)
    return columns
