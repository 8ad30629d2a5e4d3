"""Which pairs of a coalition and its complement `GraphKernelSHAP` asks for. It never looks at v."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

from .pair_posterior import FEW_PAIRS, most_pairs
from .pair_prior import Array, Prior, prior

Kept = NDArray[np.bool_]
_BLOCK = 256  # so many pairs are chosen at a time
# The prior for choosing pairs is plainer and noisier than the one for scores: pairs chosen so are good for many games.
_LINEAR, _REST = 1.0, {"linear": 0.0, "pool": 0.0, "white": 0.2}
_SMOOTH = {True: 1.0, False: 0.15}  # its smooth term, by whether pairs are few
_RATIOS = {32: 4, 64: 2}  # up to so many units, they are chosen out of so many times as many
_POOL, _CHOICES = 1 << 13, 1 << 19  # and where pairs are few, out of so many, or as many as make so many comparisons
# Up to FEW_PAIRS a unit all single units are among them: with more, some kinds of games gain and others lose (measured)
_BESIDE = 1.75  # and on a chain from so many on: with fewer, errors on texts and series are larger (measured)
LARGE = 64  # with more units than this pairs are random: choosing them takes long, and gains little (measured)


@lru_cache(maxsize=64)
def design(d: int, pairs: int, seed: int, chain: bool = False) -> Kept:
    """One coalition of each pair, `(pairs, d)`, no pair twice, {V, ∅} not among them.

    Where calls are few, the pairs of a single unit and all others are among them: what is lost from V and what is
    gained from ∅ says much, above all of games that rise fast with their first units. The other pairs are chosen as if
    these were not there: chosen with them in mind, they tell less of what units do together (errors are larger). On a
    `chain`, where units are words or steps of time, single units need about as many other pairs beside them.
    """
    rng = np.random.default_rng(seed)
    every = 2 ** (d - 1) - 1 if d < 40 else None
    if every is not None and pairs >= every:
        return rng.permutation(_all(d))
    taken = set(_keys(np.ones((1, d), bool)))
    first = min(pairs, most_pairs(d))  # those for the process; the others are to be random
    few = d <= LARGE and (_BESIDE * d if chain else 0) <= first <= FEW_PAIRS * d
    parts = [_random(d, first, rng, taken) if d > LARGE else _chosen(d, first, every, rng, taken, few)]
    if few:
        parts = [_with_single(parts[0], rng)]
    if pairs > first and every is not None and 2 * pairs > every:
        parts.append(rng.permutation(_fresh(_all(d), taken))[: pairs - first])
    elif pairs > first:
        parts.append(_random(d, pairs - first, rng, taken, by_kernel=True))
    return np.concatenate(parts)


def _with_single(chosen: Kept, rng: np.random.Generator) -> Kept:
    """As many pairs, single units in place of the last ones; they come early, so that the first pairs are good too."""
    pairs, d = chosen.shape
    single, early = rng.permutation(np.eye(d, dtype=bool)), min(max(pairs - d, 0), d)
    ordered = np.concatenate([chosen[:early], single, chosen[early:]])
    return _fresh(ordered, set())[:pairs]


def _chosen(d: int, pairs: int, every: int | None, rng: np.random.Generator, taken: set[bytes], few: bool) -> Kept:
    """Pairs chosen one by one, block by block. A block knows what those before it tell about the linear part."""
    rest, ratio = prior(d, smooth=_SMOOTH[few], **_REST), next(ratio for most, ratio in _RATIOS.items() if d <= most)
    chosen, linear, block = [_none(d)], np.eye(d) * _LINEAR / d, _none(d)
    for part in np.array_split(np.arange(pairs), -(-pairs // _BLOCK)) if pairs else []:
        count, linear = len(part), _told(linear, block, rest)
        size = max(min(_POOL, _CHOICES // count), ratio * count) if few else ratio * count
        if every is not None and size + count + len(taken) >= every:
            pool = rng.permutation(_fresh(_all(d), set(taken)))[: size + count]
        else:
            pool = _random(d, size, rng, set(taken))
        block = _greedy(pool, count, rest, linear)
        chosen.append(_fresh(block, taken))
    return np.concatenate(chosen)


def _told(linear: Array, kept: Kept, rest: Prior) -> Array:
    """The covariance of what units do by themselves, once f is known at these coalitions and at V."""
    rows = np.concatenate([np.ones((1, kept.shape[1]), bool), kept])
    signs = np.where(rows, 1.0, -1.0)
    alone = linear @ signs.T
    covariance = rest.covariance(rows, rows) + signs @ alone
    covariance[np.diag_indices(len(rows))] += rest.white
    left = linear - alone @ linalg.solve(covariance, alone.T, assume_a="pos")
    return np.asarray((left + left.T) / 2)


def _none(d: int) -> Kept:
    return np.empty((0, d), bool)


def _greedy(pool: Kept, count: int, rest: Prior, linear: Array) -> Kept:
    """So many of the pool, each the one that most lowers the summed posterior variance of the Shapley values.

    {V, ∅} counts as known from the start; `linear` is the covariance of what units do by themselves. Covariances of
    coalitions given what was chosen are never written down: a step computes a row of them, and what it leaves of their
    covariances with the scores, in single precision, since it only ranks.
    """
    rows = np.concatenate([np.ones((1, pool.shape[1]), bool), pool])
    signs = np.where(rows, np.float32(1), np.float32(-1))
    alone = linear.astype(np.float32) @ signs.T
    by_agreement = rest.by_agreement.astype(np.float32)
    d = np.float32(pool.shape[1])
    C = rest.of_scores(rows).astype(np.float32) + 2 * alone
    variance = by_agreement[-1] + np.float32(rest.white) + np.einsum("nj,jn->n", signs, alone)
    score = np.einsum("ij,ij->j", C, C)
    known = np.empty((count + 1, len(rows)), np.float32)  # the factor of K, a row a step
    order, best = [], 0
    for step in range(count + 1):
        order.append(best)
        deviation = np.sqrt(variance[best])
        told = C[:, best] / deviation  # what this step tells about the Shapley values
        agreement = ((signs @ signs[best] + d) / 2).astype(np.intp)
        row = by_agreement[agreement] + signs[best] @ alone  # of K, without white noise: what was taken counts no more
        row -= known[:step, best] @ known[:step]
        row /= deviation
        known[step] = row
        score += row * (row * (told @ told) - 2 * (told @ C))
        linalg.blas.sger(-1, row, told, a=C.T, overwrite_a=1)  # C -= np.outer(told, row), in place
        score[best] = -np.inf  # taken
        variance = np.maximum(variance - row**2, np.float32(1e-6))
        best = int((score / variance).argmax())
    return np.asarray(rows[order[1:]])


def _random(d: int, count: int, rng: np.random.Generator, taken: set[bytes], by_kernel: bool = False) -> Kept:
    """Random pairs, sizes spread evenly over 1..d-1, or as often as the Shapley kernel has them."""
    found, have = [_none(d)], 0
    while have < count:
        sizes = _spread(d, count - have, rng, by_kernel)
        drawn = rng.random((len(sizes), d), np.float32)
        found.append(_fresh(drawn < np.take_along_axis(np.sort(drawn, axis=1), sizes[:, None], axis=1), taken))
        have += len(found[-1])
    return np.concatenate(found)


def _spread(d: int, count: int, rng: np.random.Generator, by_kernel: bool = False) -> NDArray[np.int64]:
    at = (np.arange(count) + rng.random()) / count
    if not by_kernel:
        return 1 + (at * (d - 1)).astype(np.int64)
    sizes = np.arange(1, d)
    mass = np.cumsum(1 / (sizes * (d - sizes)))
    return np.asarray(1 + np.searchsorted(mass / mass[-1], at), np.int64)


def _all(d: int) -> Kept:
    """All pairs but {V, ∅}, by the half that lacks the last unit."""
    numbers = np.arange(1, 2 ** (d - 1))
    return np.asarray((numbers[:, None] >> np.arange(d)) & 1 == 1)


def _keys(rows: Kept) -> list[bytes]:
    """What each pair is known by: its half that has the first unit."""
    packed = np.packbits(rows ^ ~rows[:, :1], axis=1)
    return [row.tobytes() for row in packed]


def _fresh(rows: Kept, taken: set[bytes]) -> Kept:
    """The rows whose pair was not taken yet; takes them."""
    new = []
    for i, key in enumerate(_keys(rows)):
        if key not in taken:
            taken.add(key)
            new.append(i)
    return rows[new]
