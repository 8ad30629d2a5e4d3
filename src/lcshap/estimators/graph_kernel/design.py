"""Which pairs of a coalition and its complement `GraphKernelSHAP` evaluates. The choice does not depend on v."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from .fixed_kernel import Kept
from .greedy_search import GreedySearch
from .posterior import max_process_pairs
from .tuning import DESIGN, SIZES


@lru_cache(maxsize=64)
def choose_pairs(d: int, pairs: int, seed: int, chain: bool = False) -> Kept:
    """One coalition of each pair, `(pairs, d)`, without repeated pairs and without {V, ∅}.

    With few calls, the pairs of a single unit and its complement are included. The effects of single units at both ends
    are informative, especially in games that rise fast with their first units. The other pairs are chosen independently
    of these, because pairs that are chosen in addition to them are less informative about interactions, and errors are
    larger. On a `chain`, whose units are words or time steps, single units are included only if there are about as many
    other pairs.
    """
    rng = np.random.default_rng(seed)
    pair_count = 2 ** (d - 1) - 1 if d < 40 else None
    if pair_count is not None and pairs >= pair_count:
        return rng.permutation(_all_pairs(d))
    taken_keys = set(_pair_keys(np.ones((1, d), bool)))
    # All further pairs are drawn at random.
    process_pairs = min(pairs, max_process_pairs(d) if d > SIZES.many_units else DESIGN.greedy_pairs_per_unit * d)
    many_units, min_pairs = d > SIZES.many_units, DESIGN.chain_pairs_per_unit * d if chain else 0
    few_pairs = not many_units and min_pairs <= process_pairs <= DESIGN.few_pairs_per_unit * d
    batches = [
        _draw_random(d, process_pairs, rng, taken_keys)
        if many_units
        else _choose_greedily(d, process_pairs, pair_count, rng, taken_keys, few_pairs)
    ]
    if few_pairs:
        batches = [_with_single_units(batches[0], rng)]
    if pairs > process_pairs and pair_count is not None and 2 * pairs > pair_count:
        batches.append(rng.permutation(_take_new(_all_pairs(d), taken_keys))[: pairs - process_pairs])
    elif pairs > process_pairs:
        batches.append(_draw_random(d, pairs - process_pairs, rng, taken_keys, by_kernel=True))
    return np.concatenate(batches)


def _with_single_units(chosen: Kept, rng: np.random.Generator) -> Kept:
    """The same number of pairs. Single units replace the last pairs, but come early, so that all heads are good."""
    pairs, d = chosen.shape
    single, early = rng.permutation(np.eye(d, dtype=bool)), min(max(pairs - d, 0), d)
    ordered = np.concatenate([chosen[:early], single, chosen[early:]])
    return _take_new(ordered, set())[:pairs]


def _choose_greedily(
    d: int, pairs: int, pair_count: int | None, rng: np.random.Generator, taken_keys: set[bytes], few_pairs: bool
) -> Kept:
    """Pairs chosen greedily in blocks, each with the posterior of the linear effects after the previous blocks."""
    search = GreedySearch.for_units(d, DESIGN.smooth_few if few_pairs else DESIGN.smooth)
    ratio = next(ratio for max_units, ratio in DESIGN.candidates_per_pair if d <= max_units)
    chosen = [_no_pairs(d)]
    for block_indices in np.array_split(np.arange(pairs), -(-pairs // DESIGN.block)) if pairs else []:
        count = len(block_indices)
        size = (
            max(min(DESIGN.candidates_few, DESIGN.comparisons_few // count), ratio * count)
            if few_pairs
            else ratio * count
        )
        if pair_count is not None and size + count + len(taken_keys) >= pair_count:
            pool = rng.permutation(_take_new(_all_pairs(d), set(taken_keys)))[: size + count]
        else:
            pool = _draw_random(d, size, rng, set(taken_keys))
        block, search = search.select(pool, count)
        chosen.append(_take_new(block, taken_keys))
    return np.concatenate(chosen)


def _no_pairs(d: int) -> Kept:
    return np.empty((0, d), bool)


def _draw_random(d: int, count: int, rng: np.random.Generator, taken_keys: set[bytes], by_kernel: bool = False) -> Kept:
    """Random pairs, with sizes spread evenly over 1..d-1, or distributed as in the Shapley kernel."""
    batches, drawn_count = [_no_pairs(d)], 0
    while drawn_count < count:
        sizes = _draw_sizes(d, count - drawn_count, rng, by_kernel)
        drawn = rng.random((len(sizes), d), np.float32)
        batches.append(
            _take_new(drawn < np.take_along_axis(np.sort(drawn, axis=1), sizes[:, None], axis=1), taken_keys)
        )
        drawn_count += len(batches[-1])
    return np.concatenate(batches)


def _draw_sizes(d: int, count: int, rng: np.random.Generator, by_kernel: bool = False) -> NDArray[np.int64]:
    quantiles = (np.arange(count) + rng.random()) / count
    if not by_kernel:
        return 1 + (quantiles * (d - 1)).astype(np.int64)
    sizes = np.arange(1, d)
    mass = np.cumsum(1 / (sizes * (d - sizes)))
    return np.asarray(1 + np.searchsorted(mass / mass[-1], quantiles), np.int64)


def _all_pairs(d: int) -> Kept:
    """All pairs except {V, ∅}, each given by its coalition without the last unit."""
    numbers = np.arange(1, 2 ** (d - 1))
    return np.asarray((numbers[:, None] >> np.arange(d)) & 1 == 1)


def _pair_keys(rows: Kept) -> list[bytes]:
    """The key of each pair, which is its coalition with the first unit."""
    packed = np.packbits(rows ^ ~rows[:, :1], axis=1)
    return [row.tobytes() for row in packed]


def _take_new(rows: Kept, taken_keys: set[bytes]) -> Kept:
    """The rows whose pair is not among the keys. Their keys are added."""
    new_rows = []
    for i, key in enumerate(_pair_keys(rows)):
        if key not in taken_keys:
            taken_keys.add(key)
            new_rows.append(i)
    return rows[new_rows]
