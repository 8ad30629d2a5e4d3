"""Random permutations and their reverses. A prefix is stored as the number of its permutation and a size."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ..core.coalitions import Coalitions
from ..core.unique import group_equal, hash_integers
from ..errors import MethodError

_BLOCK_CELLS, _MIN_BLOCK_ROWS = (
    1 << 24,
    1024,
)  # a block of prefixes has at most so many dense cells, but at least so many rows


@dataclass(frozen=True, eq=False)
class Orders:
    """Pairs of an order and its reverse, as many as fit a budget, and their distinct prefixes.

    Attributes
    ----------
    orders : `(pairs, d)`, the units in the order in which they arrive.
    first_positions : the first position of each distinct prefix other than ∅ and V, in ascending order. Positions count
        the prefixes of sizes 1..d-1 of the first order, of its reverse, of the second order, ...
    columns : `(pairs, 2, d + 1)`, for the prefixes of both halves of each pair, ∅ and V included, their number among
        the distinct ones. ∅ is number 0, V the last.

    Examples
    --------
    >>> o = draw_orders(4, 10, 0)
    >>> o.orders.tolist(), o.calls
    ([[2, 0, 1, 3]], 8)
    >>> list(o.prefixes(1, 4))
    [(2,), (0, 2), (0, 1, 2)]
    """

    orders: NDArray[np.int32]
    first_positions: NDArray[np.intp]
    columns: NDArray[np.int32]

    @property
    def calls(self) -> int:
        """The number of distinct prefixes, including ∅ and V."""
        return len(self.first_positions) + 2

    def prefixes(self, start: int, stop: int) -> Coalitions:
        """The distinct prefixes of these numbers, from 1 to `calls` - 2."""
        d = self.orders.shape[1]
        half, size = np.divmod(self.first_positions[start - 1 : stop - 1], d - 1)
        # The size of the prefix itself, or of its complement for reverses.
        size = np.where(half % 2 == 0, size + 1, d - 1 - size)
        removed = half % 2 == 1
        shorter = 2 * size > d
        place = np.argsort(self.orders[np.unique(half // 2)], axis=1).astype(np.int32)
        place = place[np.searchsorted(np.unique(half // 2), half // 2)] if len(place) > 1 else place
        mask = (place < size[:, None]) ^ shorter[:, None]
        return Coalitions(d, *_indices_and_offsets(mask), removed ^ shorter)

    def blocks(self, start: int, stop: int) -> Iterator[tuple[int, int]]:
        """Divide a range of prefixes into blocks that fit the memory."""
        step = max(_MIN_BLOCK_ROWS, _BLOCK_CELLS // self.orders.shape[1])
        return ((begin, min(begin + step, stop)) for begin in range(start, stop, step))


@lru_cache(maxsize=2)
def draw_orders(d: int, budget: int, seed: int) -> Orders:
    """Draw orders while the distinct prefixes of them and their reverses fit the budget; see `draw_within`."""
    rng, orders, calls = np.random.default_rng(seed), np.empty((0, d), np.int32), 2
    drawn: Orders | None = None
    while True:
        pair_count = max(1, (budget - calls) // (2 * (d - 1)))
        new_orders = np.stack([rng.permutation(d) for _ in range(pair_count)]).astype(np.int32)
        orders = np.concatenate([orders, new_orders])
        candidate = _find_distinct_prefixes(orders)
        if candidate.calls > budget:  # this happens only after drawing a single pair for the last few calls
            break
        drawn, calls = candidate, candidate.calls
    if drawn is None:
        raise MethodError(
            f"Expected a budget of at least {2 * d} calls, which a pair of orders may take, got {budget}."
        )
    return drawn


def _find_distinct_prefixes(orders: NDArray[np.int32]) -> Orders:
    """Find equal prefixes: first by hashes that are summed along the orders, and then by comparing their units."""
    pairs, d = orders.shape

    def hashed(salt: int) -> NDArray[np.uint64]:
        keys = hash_integers(np.arange(d), salt)
        forward = np.cumsum(keys[orders], axis=1, dtype=np.uint64)
        backward = forward[:, -1:] - forward[:, -2::-1]  # the units that are not in the forward prefix
        return np.stack([forward[:, :-1], backward], axis=1).ravel()

    def same(rows: NDArray[np.intp], other_rows: NDArray[np.intp]) -> bool:
        sizes = rows % (d - 1)
        if not np.array_equal(sizes, other_rows % (d - 1)):
            return False
        return all(
            np.array_equal(
                _prefix_members(orders, rows[selected], size), _prefix_members(orders, other_rows[selected], size)
            )
            for size in np.unique(sizes).tolist()
            for selected in _split_rows(np.flatnonzero(sizes == size), d)
        )

    first, inverse = group_equal(hashed, same)
    columns = np.zeros((pairs, 2, d + 1), np.int32)
    columns[:, :, 1:-1] = 1 + inverse.reshape(pairs, 2, d - 1)
    columns[:, :, -1] = len(first) + 1
    return Orders(orders, first, columns)


def _prefix_members(orders: NDArray[np.int32], rows: NDArray[np.intp], size: int) -> NDArray[np.int32]:
    """The sorted units of the prefixes of size `size + 1`, or of their complements where those are smaller."""
    d = orders.shape[1]
    half = rows // (d - 1)
    directed = np.where((half % 2 == 0)[:, None], orders[half // 2], orders[half // 2, ::-1])
    members = directed[:, : size + 1] if 2 * (size + 1) <= d else directed[:, size + 1 :]
    return np.sort(members, axis=1)


def _split_rows(rows: NDArray[np.intp], d: int) -> list[NDArray[np.intp]]:
    return np.array_split(rows, -(-len(rows) * d // _BLOCK_CELLS))


def _indices_and_offsets(mask: NDArray[np.bool_]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    sets = Coalitions.from_dense(mask)
    return sets.indices, sets.offsets
