"""The Shapley value of sums of functions of counts, to which each unit adds a fixed number."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..core.count_games import CountGame
from ..errors import MethodError

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]
_MAX_STEPS = 1 << 26  # additions that one word may take whose units have different counts
_STRAIGHT = 1e-12  # relative deviation from a line up to which a function is linear


def count_scores(game: CountGame) -> Floats:
    r"""The Shapley value of each unit of a text, `(d, values)`.

    The value of a word is f(n), where n is the number of times that it occurs. If f is linear, each unit has a share in
    proportion to its count; if all k units with the word have the same count, each has 1/k of f(full) - f(empty).
    Otherwise, the sums of the other units' counts are enumerated by size.
    """
    counts, words = game.unit_counts, game.unit_counts.shape[1]
    numbers = np.diff(counts.indptr)
    differences = (game.at(game.rows) - game.at(game.background))[0]
    scores = np.zeros((game.d, differences.shape[1]))
    is_shared = np.zeros(words, bool)
    for word in range(words):
        own = counts.data[counts.indptr[word] : counts.indptr[word + 1]]
        units = counts.indices[counts.indptr[word] : counts.indptr[word + 1]]
        is_shared[word] = bool(len(own)) and bool((own == own[0]).all())
        if len(own) and not is_shared[word]:
            scores[units] += _different_counts(game, word, own)
    shares = np.where(is_shared[:, None], differences / np.maximum(numbers, 1)[:, None], 0.0)
    membership = counts.copy()
    membership.data = np.ones(len(counts.data))
    return np.asarray(scores + membership @ shares)


def _different_counts(game: CountGame, word: int, own: Counts) -> Floats:
    """The scores of the units with a word, of which they have different counts, `(units, values)`."""
    start = int(game.background[0, word])
    reachable = np.arange(own[own < 0].sum(), own[own > 0].sum() + 1)
    function = game.functions[start + reachable - game.lowest, word]
    slope = (function[-1] - function[0]) / (len(reachable) - 1)
    line = function[0] + (reachable - reachable[0])[:, None] * slope
    if np.abs(function - line).max() <= _STRAIGHT * np.abs(function).max():
        return np.asarray(own[:, None] * slope)
    distinct, places = np.unique(own, return_inverse=True)
    if len(distinct) * len(own) ** 2 * len(reachable) > _MAX_STEPS:
        raise MethodError(
            f"Expected words that occur in fewer units, got one in {len(own):,} units with different counts. Choose "
            "smaller units, or another method, such as GraphKernelSHAP."
        )
    scores = []
    for count in distinct.tolist():
        others = np.delete(own, np.flatnonzero(own == count)[0])
        chances = _sums_by_size(others, int(reachable[0]), len(reachable)).mean(axis=0)
        # A unit of this count joins a set of the others whose counts sum to `reachable`, where that is possible.
        joined = np.clip(np.arange(len(reachable)) + count, 0, len(reachable) - 1)
        scores.append(chances @ (function[joined] - function))
    return np.array(scores)[places]


def _sums_by_size(counts: Counts, lowest: int, width: int) -> Floats:
    """For a random subset of each size, the probability of each sum of its counts, `(sizes, sums)`."""
    chances = np.zeros((len(counts) + 1, width))
    chances[0, -lowest] = 1.0
    for number, count in enumerate(counts.tolist()):
        sizes = np.arange(number + 2)[:, None]
        current = chances[: number + 2]
        added = np.zeros_like(current)
        added[1:] = np.roll(current[:-1], count, axis=1)  # no sum leaves the table
        chances[: number + 2] = (sizes * added + (number + 1 - sizes) * current) / (number + 1)
    return chances
