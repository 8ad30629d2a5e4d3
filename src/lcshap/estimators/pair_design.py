"""Which pairs of a coalition and its complement `GraphKernelSHAP` asks for. It never looks at v."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from .pair_prior import Prior, prior

Kept = NDArray[np.bool_]
_BLOCK, _RATIO = 800, 4  # so many pairs are chosen at a time, out of so many times as many
# The prior for choosing pairs is plainer and noisier than the one for scores: pairs chosen so are good for many games.
_DESIGN = {"linear": 1.0, "smooth": 0.15, "pool": 0.0, "white": 0.2}


def few(d: int, pairs: int) -> bool:
    """Whether there are so few pairs for so many units that prefixes of permutations are the best choice (measured)."""
    return pairs < d * max(1.25, d / 40)


@lru_cache(maxsize=64)
def design(d: int, pairs: int, seed: int) -> Kept:
    """One coalition of each pair, `(pairs, d)`, no pair twice, {V, ∅} not among them."""
    rng = np.random.default_rng(seed)
    every = 2 ** (d - 1) - 1 if d < 40 else None
    if every is not None and pairs >= every:
        return rng.permutation(_all(d))
    taken = {_key(np.ones(d, bool))}
    if few(d, pairs) and (every is None or 2 * pairs < every):
        return _prefixes(d, pairs, rng, taken)
    chosen, plain = [], prior(d, **_DESIGN)
    for part in np.array_split(np.arange(pairs), -(-pairs // _BLOCK)):
        count = len(part)
        if every is not None and (_RATIO + 1) * count + len(taken) >= every:
            pool = rng.permutation(_fresh(_all(d), set(taken)))[: (_RATIO + 1) * count]
        else:
            pool = _random(d, _RATIO * count, rng, set(taken))
        chosen.append(_fresh(_greedy(pool, count, plain), taken))
    return np.concatenate(chosen)


def _greedy(pool: Kept, count: int, plain: Prior) -> Kept:
    """So many of the pool, each the one that most lowers the summed posterior variance of the Shapley values.

    {V, ∅} counts as known from the start. Rank-one updates of the covariances, in single precision: it only ranks.
    """
    rows = np.concatenate([np.ones((1, pool.shape[1]), bool), pool])
    K = plain.covariance(rows, rows).astype(np.float32)
    K[np.diag_indices_from(K)] += np.float32(plain.white)
    C = plain.of_scores(rows).astype(np.float32)
    variance = np.diag(K).copy()
    known = np.zeros((count + 1, len(rows)), np.float32)
    free = np.ones(len(rows), bool)
    order, best = [], 0
    for step in range(count + 1):
        order.append(best)
        free[best] = False
        deviation = np.sqrt(variance[best])
        known[step] = (K[best] - known[:step, best] @ known[:step]) / deviation
        C -= (C[:, best] / deviation)[:, None] * known[step]
        variance = np.maximum(variance - known[step] ** 2, np.float32(1e-6))
        best = int(np.where(free, np.einsum("ij,ij->j", C, C) / variance, -1).argmax())
    return np.asarray(rows[order[1:]])


def _prefixes(d: int, pairs: int, rng: np.random.Generator, taken: set[bytes]) -> Kept:
    """Prefixes of random permutations (their complements are those of the reverses), the last evenly thinned."""
    found, have = [], 0
    while have < pairs:
        left = pairs - have
        sizes = np.arange(1, d) if left >= d - 1 else _spread(d, left, rng)
        found.append(_fresh(rng.permutation(d) < sizes[:, None], taken)[:left])
        have += len(found[-1])
    return np.concatenate(found)


def _random(d: int, count: int, rng: np.random.Generator, taken: set[bytes]) -> Kept:
    """Random pairs, sizes spread evenly over 1..d-1."""
    found, have = [], 0
    while have < count:
        sizes = _spread(d, count - have, rng)
        rank = rng.random((len(sizes), d)).argsort(axis=1).argsort(axis=1)
        found.append(_fresh(rank < sizes[:, None], taken))
        have += len(found[-1])
    return np.concatenate(found)


def _spread(d: int, count: int, rng: np.random.Generator) -> NDArray[np.int64]:
    return 1 + ((np.arange(count) + rng.random()) * (d - 1) / count).astype(np.int64)


def _all(d: int) -> Kept:
    """All pairs but {V, ∅}, by the half that lacks the last unit."""
    numbers = np.arange(1, 2 ** (d - 1))
    return np.asarray((numbers[:, None] >> np.arange(d)) & 1 == 1)


def _key(row: Kept) -> bytes:
    return (row if row[0] else ~row).tobytes()


def _fresh(rows: Kept, taken: set[bytes]) -> Kept:
    """The rows whose pair was not taken yet; takes them."""
    new = []
    for i, row in enumerate(rows):
        key = _key(row)
        if key not in taken:
            taken.add(key)
            new.append(i)
    return rows[new]
