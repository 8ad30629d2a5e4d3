"""Random orders of arrival and their reverses, without writing their prefixes down: a set is an order and a size."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ..core.coalitions import Coalitions
from ..core.unique import group, mix
from ..errors import MethodError

_CELLS, _ROWS = 1 << 24, 1024  # a block of prefixes has so many dense cells, or so many rows where these are more


@dataclass(frozen=True, eq=False)
class Orders:
    """Pairs of an order and its reverse, as many as fit a budget, and their distinct prefixes.

    Attributes
    ----------
    orders : `(pairs, d)`, the units in the order in which they arrive.
    first : for each distinct prefix other than ∅ and V, in the order of first appearance, where it appears first: among
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
    first: NDArray[np.intp]
    columns: NDArray[np.int32]

    @property
    def calls(self) -> int:
        """How many distinct prefixes, ∅ and V included."""
        return len(self.first) + 2

    def prefixes(self, start: int, stop: int) -> Coalitions:
        """The distinct prefixes of these numbers, from 1 to `calls` - 2."""
        d = self.orders.shape[1]
        half, size = np.divmod(self.first[start - 1 : stop - 1], d - 1)
        size = np.where(half % 2 == 0, size + 1, d - 1 - size)  # of the prefix of the order itself, or of what is left
        removed = half % 2 == 1
        shorter = 2 * size > d
        place = np.argsort(self.orders[np.unique(half // 2)], axis=1).astype(np.int32)
        place = place[np.searchsorted(np.unique(half // 2), half // 2)] if len(place) > 1 else place
        mask = (place < size[:, None]) ^ shorter[:, None]
        return Coalitions(d, *_flat(mask), removed ^ shorter)

    def blocks(self, start: int, stop: int) -> Iterator[tuple[int, int]]:
        """Cut the numbers of some prefixes into runs whose sets fit the memory."""
        step = max(_ROWS, _CELLS // self.orders.shape[1])
        return ((at, min(at + step, stop)) for at in range(start, stop, step))


@lru_cache(maxsize=2)
def draw_orders(d: int, budget: int, seed: int) -> Orders:
    """Draw orders while the distinct prefixes of them and their reverses fit the budget; see `draw_within`."""
    rng, orders, known = np.random.default_rng(seed), np.empty((0, d), np.int32), 2
    found: Orders | None = None
    while True:
        room = max(1, (budget - known) // (2 * (d - 1)))
        fresh = np.stack([rng.permutation(d) for _ in range(room)]).astype(np.int32)
        orders = np.concatenate([orders, fresh])
        more = _distinct(orders)
        if more.calls > budget:  # only ever when a single pair was tried for what little was left
            break
        found, known = more, more.calls
    if found is None:
        raise MethodError(
            f"Expected a budget of at least {2 * d} calls, which a pair of orders may take, got {budget}."
        )
    return found


def _distinct(orders: NDArray[np.int32]) -> Orders:
    """Find equal prefixes: by hashes that are summed along the orders, and then set by set."""
    pairs, d = orders.shape

    def hashed(salt: int) -> NDArray[np.uint64]:
        keys = mix(np.arange(d), salt)
        forward = np.cumsum(keys[orders], axis=1, dtype=np.uint64)
        backward = forward[:, -1:] - forward[:, -2::-1]  # what the reverse has when so many are left
        return np.stack([forward[:, :-1], backward], axis=1).ravel()

    def same(rows: NDArray[np.intp], others: NDArray[np.intp]) -> bool:
        sizes = rows % (d - 1)
        if not np.array_equal(sizes, others % (d - 1)):
            return False
        return all(
            np.array_equal(_members(orders, rows[which], size), _members(orders, others[which], size))
            for size in np.unique(sizes).tolist()
            for which in _parts(np.flatnonzero(sizes == size), d)
        )

    first, inverse = group(hashed, same)
    columns = np.zeros((pairs, 2, d + 1), np.int32)
    columns[:, :, 1:-1] = 1 + inverse.reshape(pairs, 2, d - 1)
    columns[:, :, -1] = len(first) + 1
    return Orders(orders, first, columns)


def _members(orders: NDArray[np.int32], rows: NDArray[np.intp], size: int) -> NDArray[np.int32]:
    """The prefixes of one size (less one) at these places, ascending; by what they lack where that is shorter."""
    d = orders.shape[1]
    half = rows // (d - 1)
    towards = np.where((half % 2 == 0)[:, None], orders[half // 2], orders[half // 2, ::-1])
    part = towards[:, : size + 1] if 2 * (size + 1) <= d else towards[:, size + 1 :]
    return np.sort(part, axis=1)


def _parts(rows: NDArray[np.intp], d: int) -> list[NDArray[np.intp]]:
    return np.array_split(rows, -(-len(rows) * d // _CELLS))


def _flat(mask: NDArray[np.bool_]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    sets = Coalitions.from_dense(mask)
    return sets.indices, sets.offsets
