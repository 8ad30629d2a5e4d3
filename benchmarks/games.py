"""Games with a known Shapley value, to measure errors on: real texts, chain-structured games, dense random ones.

    game = games.text(16, 0, cache_dir)  # or games.chain(16, seed), games.dense(14, seed)
    truth = games.truth(game, cache_dir)
    error = np.abs(scores - truth.scores).mean()

Nothing here uses the methods of lcshap: the truth must not come from what it judges.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from dataclasses import dataclass
from math import comb
from pathlib import Path

import numpy as np
import word_cnn
from numpy.typing import NDArray

from lcshap import Graph

Masks = NDArray[np.bool_]
Values = NDArray[np.float64]
BRUTE_FORCE = 16  # the most units for which all 2^d coalitions are evaluated
SNIPPET = 20  # texts of up to this many words are Rotten Tomatoes snippets, longer ones IMDB reviews
CLASSES = 3  # of the chain game
DECAY = 0.5  # of the dense game: variance of one order of interaction relative to the one below


@dataclass(frozen=True, eq=False)
class BenchGame:
    """A game of a benchmark: `fn` takes kept masks `(n, d)` and returns `n` values."""

    name: str
    d: int
    graph: Graph
    fn: Callable[[Masks], Values]


# -- the families -----------------------------------------------------------------------------------------------------


def text(d: int, number: int, cache_dir: str | Path | None = None) -> BenchGame:
    """The `number`-th held-out text of at least d words, cut to its first d, on the word-CNN.

    `v(S)` is the log-probability of the class predicted at the d words, with the words outside S replaced by padding.
    Snippets up to 20 words, reviews above. Held-out texts are in random order, so any range of numbers is a sample.
    """
    model = word_cnn.load(cache_dir)
    long_enough = np.flatnonzero((model.lengths >= d) & (model.snippet == (d <= SNIPPET)))
    if number >= len(long_enough):
        raise ValueError(f"there are {len(long_enough)} held-out texts of {d} words, none has number {number}")
    ids = model.texts[long_enough[number], :d]
    graph = Graph.chain(d, names=[str(word) for word in model.words[ids]])
    return BenchGame(f"text-{d}-{number}", d, graph, model.value_function(ids))


def chain(d: int, seed: int) -> BenchGame:
    """A log-linear model with three classes whose terms are on one, two and three neighbouring units.

    The score of class c at S is the sum, over all runs of one, two or three neighbours within S, of normal
    coefficients with standard deviation `3/sqrt(d)`; `v(S)` is the log-softmax of the class that leads at V.
    """
    rng = np.random.default_rng([d, seed])
    terms = [rng.normal(0.0, 3.0 / np.sqrt(d), (d - n + 1, CLASSES)) for n in (1, 2, 3)]

    def log_probs(kept: Masks) -> Values:
        kept = np.asarray(kept, bool)
        runs, scores = kept, 0.0
        for n, coefficients in enumerate(terms, start=1):
            runs = runs if n == 1 else runs[:, :-1] & kept[:, n - 1 :]
            scores = scores + runs.astype(np.float64) @ coefficients
        return scores - np.logaddexp.reduce(scores, axis=1, keepdims=True)

    target = int(log_probs(np.ones((1, d), bool))[0].argmax())
    return BenchGame(f"chain-{d}-{seed}", d, Graph.chain(d), lambda kept: log_probs(kept)[:, target])


def dense(d: int, seed: int) -> BenchGame:
    """A game in which every set of units interacts: no graph helps.

    The Harsanyi dividend of a set of t units is normal with variance `d DECAY^(t-1) / C(d, t)`. So order t adds
    `d DECAY^(t-1)` to the variance of v(V): a half of it is of order one, a quarter of order two, and so on.
    """
    if d > BRUTE_FORCE:
        raise ValueError(f"a dense game holds all 2^d values: at most {BRUTE_FORCE} units, not {d}")
    sizes = _all_coalitions(d).sum(axis=1)
    variance = np.array([0.0] + [d * DECAY ** (t - 1) / comb(d, t) for t in range(1, d + 1)])
    table = np.random.default_rng([d, seed, 1]).normal(size=2**d) * np.sqrt(variance[sizes])
    for i in range(d):  # sums over subsets, one unit at a time: dividends become values
        halves = table.reshape(-1, 2, 2**i)
        halves[:, 1] += halves[:, 0]
    powers = 2 ** np.arange(d)
    return BenchGame(f"dense-{d}-{seed}", d, Graph.chain(d), lambda kept: table[np.asarray(kept, bool) @ powers])


# -- the truth --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Truth:
    """The Shapley value, with the standard error of each score (0 where it is exact) and the rows it took."""

    scores: Values
    stderr: Values
    calls: int


def truth(game: BenchGame, cache_dir: str | Path | None = None) -> Truth:
    """The exact Shapley value up to 16 units, above that from a long run of antithetic permutations.

    Kept in the folder `truth` of the cache, under a name that holds a digest of some of the game's values: a model
    that was trained anew does not meet the truth of the old one.
    """
    folder = (Path(cache_dir) if cache_dir else word_cnn.default_cache()) / "truth"
    path = folder / f"{game.name}-{_fingerprint(game)}.npz"
    if not path.exists():
        found = exact(game) if game.d <= BRUTE_FORCE else permutations(game, _pairs(game.d))
        folder.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(f".{os.getpid()}.npz")  # so that nobody reads half a file
        np.savez(part, scores=found.scores, stderr=found.stderr, calls=found.calls)
        part.replace(path)
    with np.load(path) as stored:
        return Truth(stored["scores"], stored["stderr"], int(stored["calls"]))


def exact(game: BenchGame) -> Truth:
    """`phi(i) = 1/d sum_{S∌i} (v(S+i) - v(S)) / C(d-1, |S|)` over all 2^d coalitions."""
    d = game.d
    kept = _all_coalitions(d)
    values, sizes = game.fn(kept), kept.sum(axis=1)
    weights = np.array([1.0 / (d * comb(d - 1, s)) for s in range(d)])
    scores = np.empty(d)
    for i in range(d):
        without, with_i = np.moveaxis(values.reshape(-1, 2, 2**i), 1, 0)
        scores[i] = np.sum(weights[sizes.reshape(-1, 2, 2**i)[:, 0]] * (with_i - without))
    return Truth(scores, np.zeros(d), 2**d)


def permutations(game: BenchGame, pairs: int, seed: int = 0) -> Truth:
    """Marginal contributions along random orders and their reverses; the standard error is that of the pairs' means."""
    d, rng = game.d, np.random.default_rng([seed, game.d, pairs])
    empty, full = game.fn(np.array([[False], [True]]).repeat(d, axis=1))
    means = np.empty((pairs, d))
    for row in range(pairs):
        order = rng.permutation(d)
        both = np.stack([order, order[::-1]])
        rank = both.argsort(axis=1)
        kept = rank[:, None, :] < np.arange(1, d)[:, None]  # the first 1, 2, ..., d-1 of each order
        values = game.fn(kept.reshape(-1, d)).reshape(2, d - 1)
        gains = np.diff(values, axis=1, prepend=empty, append=full)
        means[row] = np.take_along_axis(gains, rank, axis=1).mean(axis=0)
    return Truth(means.mean(axis=0), means.std(axis=0, ddof=1) / np.sqrt(pairs), 2 + pairs * 2 * (d - 1))


def _pairs(d: int) -> int:
    """How many pairs of permutations make a truth: the error then is far below that of any run worth timing."""
    return 4_000 if d <= 100 else 1_000


def _all_coalitions(d: int) -> Masks:
    """All 2^d coalitions; row r keeps the units whose bits are set in r."""
    return (np.arange(2**d)[:, None] >> np.arange(d)) & 1 == 1


def _fingerprint(game: BenchGame) -> str:
    """A digest of the game's values at fixed random coalitions, rounded to what all machines agree on."""
    kept = np.random.default_rng(0).random((32, game.d)) < np.linspace(0, 1, 32)[:, None]
    rounded = np.round(game.fn(kept), 4) + 0.0  # no -0
    return hashlib.sha256(rounded.tobytes()).hexdigest()[:12]
