"""Shapley values and Shapley interactions of pairs, by brute force or by long runs. Uses nothing of lcshap."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from math import comb
from pathlib import Path

import numpy as np

from .game import Bench, Masks, Values

BRUTE_FORCE = 16  # the most units for which all 2^d coalitions are evaluated
CHUNK = 4096  # coalitions asked for at a time


@dataclass(frozen=True, eq=False)
class Truth:
    """The Shapley value; its standard error, 0 where it is exact; and the interactions of pairs where they are known.

    `pairs` lists I(i, j) for i < j in the order of `np.triu_indices(d, 1)`, and is None where they are not known;
    `pair_stderr` is their standard error where they come from long runs.
    """

    scores: Values
    stderr: Values
    pairs: Values | None = None
    pair_stderr: Values | None = None


def all_coalitions(d: int) -> Masks:
    """All 2^d coalitions; row r keeps the units whose bits are set in r."""
    return (np.arange(2**d)[:, None] >> np.arange(d)) & 1 == 1


def exact(values: Values) -> Truth:
    """From the values of all coalitions: weighted sums of first and of second differences.

    phi_i  = sum over S without i of [v(S+i) - v(S)] / (d C(d-1, s)),
    I_ij   = sum over S without i, j of [v(S+ij) - v(S+i) - v(S+j) + v(S)] / ((d-1) C(d-2, s)).
    """
    d = len(values).bit_length() - 1
    sizes = np.bitwise_count(np.arange(2**d, dtype=np.uint32)).astype(int)
    single = np.array([1 / (d * comb(d - 1, s)) for s in range(d)])
    double = np.array([1 / ((d - 1) * comb(d - 2, s)) for s in range(d - 1)])
    rows = np.arange(2**d)
    scores = np.empty(d)
    pairs = []
    for i in range(d):
        without = rows[rows >> i & 1 == 0]
        gain = values[without | 1 << i] - values[without]
        scores[i] = single[sizes[without]] @ gain
        for j in range(i + 1, d):
            low = without[without >> j & 1 == 0]
            both = values[low | 1 << i | 1 << j] - values[low | 1 << i] - values[low | 1 << j] + values[low]
            pairs.append(double[sizes[low]] @ both)
    return Truth(scores, np.zeros(d), np.array(pairs))


def permutations(game: Bench, pairs: int, seed: int = 2026) -> Truth:
    """Marginal contributions along random orders and their reverses; the standard error is that of the pairs' means."""
    d, rng = game.d, np.random.default_rng([seed, game.d])
    empty, full = game.fn(np.array([[False], [True]]).repeat(d, axis=1))
    means = np.empty((pairs, d))
    for row in range(pairs):
        order = rng.permutation(d)
        rank = np.stack([order, order[::-1]]).argsort(axis=1)
        kept = (rank[:, None, :] < np.arange(1, d)[:, None]).reshape(-1, d)
        values = ask(game, kept).reshape(2, d - 1)
        gains = np.diff(values, axis=1, prepend=empty, append=full)
        means[row] = np.take_along_axis(gains, rank, axis=1).mean(axis=0)
    return Truth(means.mean(axis=0), means.std(axis=0, ddof=1) / np.sqrt(pairs))


def sampled_pairs(game: Bench, samples: int, seed: int = 2026) -> tuple[Values, Values]:
    """Interactions of all pairs and their standard errors, from second differences at random coalitions.

    I_ij is the integral over t from 0 to 1 of the mean second difference where each other unit is there with
    probability t. Whether i and j themselves are there does not matter. So one random coalition and its changes in one
    and in two units give a second difference for every pair at once. Coalitions are taken with their complements.
    """
    d, rng = game.d, np.random.default_rng([seed, game.d, 2])
    first, second = np.triu_indices(d, 1)
    units = np.eye(d, dtype=bool)
    changes = np.concatenate([np.zeros((1, d), bool), units, units[first] | units[second]])
    found = np.empty((samples, len(first)))
    for row, t in enumerate((rng.permutation(samples) + rng.random(samples)) / samples):
        start = rng.random(d) < t
        halves = []
        for base in (start, ~start):
            values = ask(game, changes ^ base)
            none, one, two = values[0], values[1 : d + 1], values[d + 1 :]
            sign = np.where(base[first] == base[second], 1.0, -1.0)
            halves.append(sign * (two - one[first] - one[second] + none))
        found[row] = np.mean(halves, axis=0)
    return found.mean(axis=0), found.std(axis=0, ddof=1) / np.sqrt(samples)


def ask(game: Bench, kept: Masks) -> Values:
    """The values of many coalitions, a chunk at a time."""
    return np.concatenate([np.asarray(game.fn(kept[i : i + CHUNK]), float) for i in range(0, len(kept), CHUNK)])


def truth(game: Bench, folder: Path) -> Truth:
    """In closed form where there is one, by brute force up to 16 units, else from long runs; kept in `folder`."""
    small = game.known is not None or game.d <= BRUTE_FORCE
    how = "exact" if small else f"{game.pairs}-{game.pair_samples}"
    path = folder / "truth" / f"{game.name}-{game.digest}-{how}.npz"
    if not path.exists():
        if game.known is not None:
            found = game.known()
        elif small:
            found = exact(ask(game, all_coalitions(game.d)))
        else:
            found = permutations(game, game.pairs)
            if game.pair_samples:
                pairs, stderr = sampled_pairs(game, game.pair_samples)
                found = replace(found, pairs=pairs, pair_stderr=stderr)
        save(found, path)
    with np.load(path) as stored:
        return Truth(**stored)


def save(found: Truth, path: Path) -> None:
    """Write all at once, so that nobody reads half a file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(f".{os.getpid()}.npz")
    np.savez(part, **{name: array for name, array in vars(found).items() if array is not None})
    part.replace(path)
