"""Kinds of games for `intervals.py`: formulas of 10 to 24 units, and models of 10 to 13 columns.

`TUNED` names the kinds that were looked at while the prior, the pairs and the standard errors of GraphKernelSHAP were
chosen. `REPORTED` names those that were only reported; they were written down before the first run. Some formulas of
both lists were in earlier versions of this benchmark, and `docs/measurements.md` says which choices were made with
knowledge of some of the others.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.harness.tables import Table
from benchmarks.harness.truth import all_coalitions

Values = NDArray[np.float64]
Random = np.random.Generator
Formula = Callable[[Random, Values], Values]
UNITS = 16  # of the formulas, unless the name of a kind says otherwise


@dataclass(frozen=True, eq=False)
class Known:
    """A game of d units with its exact Shapley values."""

    d: int
    value: Callable[[NDArray[np.bool_]], Values]
    scores: Values


def shapley_values(values: Values) -> Values:
    """The Shapley values of a game that is given by the values of all coalitions.

    >>> shapley_values(np.array([0.0, 1.0, 2.0, 5.0]))  # of ∅, of the first unit, of the second, of both
    array([2., 3.])
    """
    d = len(values).bit_length() - 1
    sizes = np.bitwise_count(np.arange(2**d, dtype=np.uint32)).astype(int)
    weight = np.array([1 / (d * comb(d - 1, s)) for s in range(d)] + [0.0])[sizes]
    scores = []
    for i in range(d):
        by_unit = np.reshape([values, weight], (2, -1, 2, 2**i))
        scores.append(float(np.sum(by_unit[1, :, 0] * (by_unit[0, :, 1] - by_unit[0, :, 0]))))
    return np.array(scores)


# -- formulas: all of them take a generator and the units that are kept, as numbers ---------------------------------


def near_full(most: int, factor: float = 5.0) -> Formula:
    """A sum that counts several times if at most so many units are missing."""
    return lambda g, k: (k @ g.normal(size=k.shape[1])) * np.where(k.sum(axis=1) >= k.shape[1] - most, factor, 1.0)


def near_empty(most: int, factor: float = 5.0) -> Formula:
    """A sum that counts several times if at most so many units are kept."""
    return lambda g, k: (k @ g.normal(size=k.shape[1])) * np.where(k.sum(axis=1) <= most, factor, 1.0)


def near_both(g: Random, k: Values) -> Values:
    """A sum, and two other ones that count only if at most three units are missing, or at most two are kept."""
    size, sums = k.sum(axis=1), k @ g.normal(size=(k.shape[1], 3))
    return sums[:, 0] + 3 * sums[:, 1] * (size >= k.shape[1] - 3) + 3 * sums[:, 2] * (size <= 2)


def threshold(share: float) -> Formula:
    """A sum that counts only if this share of the units is kept."""
    return lambda g, k: (k @ g.normal(size=k.shape[1])) * (k.sum(axis=1) >= share * k.shape[1])


def other_near_full(g: Random, k: Values) -> Values:
    """One sum, and another one with other numbers if at most three units are missing."""
    sums = k @ g.normal(size=(k.shape[1], 2))
    return np.where(k.sum(axis=1) >= k.shape[1] - 3, 3 * sums[:, 1], sums[:, 0])


def ands(g: Random, k: Values) -> Values:
    """Sets of two to four units, each worth a number if all of them are kept."""
    sets = [g.choice(k.shape[1], g.integers(2, 5), replace=False) for _ in range(k.shape[1])]
    return np.sum([g.normal() * k[:, units].prod(axis=1) for units in sets], axis=0)


def large_ands(g: Random, k: Values) -> Values:
    """Sets of five to seven units, each worth a number if all of them are kept, on top of a sum."""
    sets = [g.choice(k.shape[1], g.integers(5, 8), replace=False) for _ in range(8)]
    return k @ g.normal(size=k.shape[1]) + np.sum([2 * g.normal() * k[:, u].prod(axis=1) for u in sets], axis=0)


def attention(g: Random, k: Values) -> Values:
    """A mean of numbers with the weights of a softmax over the units that are kept."""
    d = k.shape[1]
    weights, numbers = k * np.exp(1.5 * g.normal(size=d)), g.normal(size=d)
    return weights @ numbers / np.maximum(weights.sum(axis=1), 1e-9)


def noisy_sum(g: Random, k: Values) -> Values:
    """White noise on top of a sum."""
    return k @ g.normal(size=k.shape[1]) + 0.2 * g.normal(size=len(k))


def longest_run(_: Random, k: Values) -> Values:
    """The length of the longest run of units that are kept, to the power of 1.5."""
    now, longest = np.zeros(len(k)), np.zeros(len(k))
    for column in k.T:
        now = (now + 1) * column
        longest = np.maximum(longest, now)
    return longest**1.5


def triples(g: Random, k: Values) -> Values:
    """A sum and products of three signs."""
    signs, d = 2 * k - 1, k.shape[1]
    products = [0.3 * g.normal() * signs[:, g.choice(d, 3, replace=False)].prod(axis=1) for _ in range(6)]
    return k @ g.normal(size=d) + np.sum(products, axis=0)


def dense(g: Random, k: Values) -> Values:
    """Each set of units has a normal dividend; its variance is half as large for each further unit."""
    d, sizes = k.shape[1], k.sum(axis=1).astype(int)
    table = g.normal(size=len(k)) * np.sqrt([0.0, *(d * 0.5 ** (t - 1) / comb(d, t) for t in range(1, d + 1))])[sizes]
    for i in range(d):  # sums over subsets, one unit at a time
        halves = table.reshape(-1, 2, 2**i)
        halves[:, 1] += halves[:, 0]
    return table


def random_tree(g: Random, k: Values) -> Values:
    """The mean of twelve trees of depth five, each with a random unit at each node and a normal number at each leaf."""
    total = np.zeros(len(k))
    for _ in range(12):
        node, units, leaves = np.zeros(len(k), int), g.integers(k.shape[1], size=31), g.normal(size=32)
        for _ in range(5):
            node = 2 * node + 1 + k[np.arange(len(k)), units[node]].astype(int)
        total += leaves[node - 31]
    return total


def smooth_process(g: Random, k: Values) -> Values:
    """A draw of a smooth random function: cosines of random sums."""
    d = k.shape[1]
    return np.cos(k @ g.normal(size=(d, 200)) * 2 / np.sqrt(d) + g.uniform(0, 2 * np.pi, 200)) @ g.normal(size=200)


def factors(g: Random, k: Values) -> Values:
    """A product with a factor below or above 1 for each unit."""
    return np.exp(k @ (0.6 * g.normal(size=k.shape[1])))


def worth(share: float) -> Formula:
    """A vote with weights, which is won with this share of all weights."""
    return lambda g, k: 1.0 * (k @ (w := g.exponential(size=k.shape[1])) > share * w.sum())


TUNED: dict[str, tuple[int, Formula]] = {
    "near full, 1 missing": (UNITS, near_full(1)),
    "near full, 4 missing": (UNITS, near_full(4)),
    "near empty, 2 kept": (UNITS, near_empty(2)),
    "threshold at 3/4": (UNITS, threshold(0.75)),
    "product": (UNITS, lambda g, k: np.prod(1 + 0.5 * k * g.random(k.shape[1]), axis=1)),
    "vote": (UNITS, worth(0.5)),
    "airport": (UNITS, lambda g, k: (k * g.exponential(size=k.shape[1])).max(axis=1)),
    "ands": (UNITS, ands),
    "sigmoid": (UNITS, lambda g, k: 1 / (1 + np.exp(1 - 2 * k @ g.normal(size=k.shape[1])))),
    "noisy sum": (UNITS, noisy_sum),
    "dense": (UNITS, dense),
    "smooth process": (UNITS, smooth_process),
    "rectifiers": (UNITS, lambda g, k: np.maximum(k @ g.normal(size=(k.shape[1], 8)), 0) @ g.normal(size=8)),
    "vote, 10 units": (10, worth(0.5)),
    "near full, 2 missing, 10 units": (10, near_full(2)),
}
REPORTED: dict[str, tuple[int, Formula]] = {
    "near full, 2 missing": (UNITS, near_full(2)),
    "near full, other numbers": (UNITS, other_near_full),
    "near empty, 4 kept": (UNITS, near_empty(4, 4.0)),
    "near both ends": (UNITS, near_both),
    "threshold at 1/2": (UNITS, threshold(0.5)),
    "threshold at 1/4": (UNITS, threshold(0.25)),
    "factors": (UNITS, factors),
    "large majority": (UNITS, worth(0.7)),
    "largest two": (UNITS, lambda g, k: np.sort(k * g.random(k.shape[1]), axis=1)[:, -2:].sum(axis=1)),
    "largest of sums": (UNITS, lambda g, k: (k @ g.normal(size=(k.shape[1], 6))).max(axis=1)),
    "smaller sum": (UNITS, lambda g, k: np.minimum(k @ g.random(k.shape[1]), k @ g.random(k.shape[1]))),
    "large ands": (UNITS, large_ands),
    "attention": (UNITS, attention),
    "coverage": (UNITS, lambda g, k: (k @ (g.random((k.shape[1], 40)) < 0.15) > 0).mean(axis=1)),
    "cubic": (UNITS, lambda g, k: (k @ g.normal(size=(k.shape[1], 6))) ** 3 @ g.normal(size=6)),
    "distance": (UNITS, lambda g, k: -np.linalg.norm(k @ g.normal(size=(k.shape[1], 5)) - g.normal(size=5), axis=1)),
    "log of a sum": (UNITS, lambda g, k: np.log1p(k @ np.exp(2 * g.normal(size=k.shape[1])))),
    "longest run": (UNITS, longest_run),
    "random trees": (UNITS, random_tree),
    "root": (UNITS, lambda g, k: np.sqrt(k @ g.exponential(size=k.shape[1]))),
    "rounded sum": (UNITS, lambda g, k: np.floor(1.5 * k @ g.random(k.shape[1]))),
    "saturation": (UNITS, lambda g, k: 1 - np.exp(-0.5 * k @ g.exponential(size=k.shape[1]))),
    "sine": (UNITS, lambda g, k: np.sin(0.8 * k @ g.normal(size=k.shape[1]))),
    "tanh network": (
        UNITS,
        lambda g, k: np.tanh(k @ g.normal(size=(k.shape[1], 10)) + g.normal(size=10)) @ g.normal(size=10),
    ),
    "triples": (UNITS, triples),
    "airport, 10 units": (10, lambda g, k: (k * g.exponential(size=k.shape[1])).max(axis=1)),
    "threshold at 3/4, 10 units": (10, threshold(0.75)),
}


# -- 24 units: games whose Shapley values have a closed form ----------------------------------------------------------


def sum_by_size(g: Random, by_size: Values) -> Known:
    """A sum times a number that depends on how many units are kept, `(d + 1,)`."""
    d = len(by_size) - 1
    worths, s = g.normal(size=d), np.arange(d)
    others = (worths.sum() - worths) / (d - 1)
    scores = worths * by_size[1:].mean() + others * float((s * np.diff(by_size)).mean())
    return Known(d, lambda kept: (kept @ worths) * by_size[kept.sum(axis=1)], scores)


def ands_of(d: int, g: Random) -> Known:
    """Sets of two to six units, each worth a number if all of them are kept, on top of a sum."""
    scores = g.normal(size=d)
    sets = [(1 - np.isin(np.arange(d), g.choice(d, g.integers(2, 7), replace=False)), g.normal()) for _ in range(2 * d)]
    singles = scores.copy()
    for others, number in sets:
        scores += (1 - others) * number / (1 - others).sum()
    return Known(
        d, lambda kept: kept @ singles + sum(n * (kept | (others > 0)).all(axis=1) for others, n in sets), scores
    )


def airport_of(d: int, g: Random) -> Known:
    """The largest of the numbers of the units that are kept."""
    costs = g.exponential(size=d)
    order = np.argsort(costs)
    steps = np.diff(costs[order], prepend=0.0) / np.arange(d, 0, -1)
    scores = np.empty(d)
    scores[order] = np.cumsum(steps)
    return Known(d, lambda kept: (kept * costs).max(axis=1), scores)


LARGER: dict[str, Callable[[Random], Known]] = {
    "near full, 3 missing, 24 units": lambda g: sum_by_size(g, np.where(np.arange(25) >= 21, 5.0, 1.0)),
    "threshold at 1/2, 24 units": lambda g: sum_by_size(g, 1.0 * (np.arange(25) >= 12)),
    "ands, 24 units": functools.partial(ands_of, 24),
    "airport, 24 units": functools.partial(airport_of, 24),
}


# -- models -------------------------------------------------------------------------------------------------------


def models() -> Iterator[tuple[str, Any, str, str]]:
    """A name, an estimator, its data, and the method that gives its output."""
    from lightgbm import LGBMRegressor
    from sklearn import ensemble, kernel_ridge, naive_bayes, neighbors, neural_network, svm, tree

    seed = {"random_state": 0}
    yield "naive Bayes", naive_bayes.GaussianNB(), "wine", "predict_proba"
    yield "nearest neighbours", neighbors.KNeighborsClassifier(7), "cancer", "predict_proba"
    yield "support vectors, margin", svm.SVC(**seed), "cancer", "decision_function"
    yield "support vectors, regression", svm.SVR(C=100), "diabetes", "predict"
    yield "network, probability", neural_network.MLPClassifier(max_iter=800, **seed), "cancer", "predict_proba"
    yield "network, regression", neural_network.MLPRegressor(max_iter=3000, **seed), "diabetes", "predict"
    yield "kernel ridge", kernel_ridge.KernelRidge(kernel="poly", alpha=0.1), "friedman", "predict"
    yield "tree, probability", tree.DecisionTreeClassifier(max_depth=6, **seed), "cancer", "predict_proba"
    yield "tree, regression", tree.DecisionTreeRegressor(max_depth=7, **seed), "diabetes", "predict"
    yield "forest, probability", ensemble.RandomForestClassifier(50, **seed), "wine", "predict_proba"
    yield "forest, regression", ensemble.RandomForestRegressor(50, **seed), "diabetes", "predict"
    yield "extra trees", ensemble.ExtraTreesClassifier(50, **seed), "wine", "predict_proba"
    yield "boosted stumps", ensemble.AdaBoostClassifier(**seed), "cancer", "predict_proba"
    yield "boosted trees, margin", ensemble.GradientBoostingClassifier(**seed), "cancer", "decision_function"
    yield "boosted trees, probability", ensemble.GradientBoostingClassifier(**seed), "cancer", "predict_proba"
    yield "LightGBM", LGBMRegressor(n_estimators=60, verbose=-1, **seed), "friedman", "predict"


MODELS = (
    *("naive Bayes", "nearest neighbours", "support vectors, margin", "support vectors, regression"),
    *("network, probability", "network, regression", "kernel ridge", "tree, probability", "tree, regression"),
    *("forest, probability", "forest, regression", "extra trees", "boosted stumps", "boosted trees, margin"),
    *("boosted trees, probability", "LightGBM"),
)


def data(name: str) -> tuple[Values, Any]:
    """Up to 13 scaled columns, and answers."""
    from sklearn import datasets

    if name == "friedman":
        return datasets.make_friedman1(600, 13, noise=0.3, random_state=0)
    x, y = getattr(datasets, {"cancer": "load_breast_cancer"}.get(name, f"load_{name}"))(return_X_y=True)
    x = x[:, :13]
    return (x - x.mean(axis=0)) / x.std(axis=0), y


def from_table(values: Values) -> Known:
    """The game with these values of all coalitions."""
    return Known(len(values).bit_length() - 1, Table(values), shapley_values(values))


KINDS = (*TUNED, *REPORTED, *LARGER, *MODELS)


def games(kind: str, many: int) -> Iterator[Known]:
    """So many games of a kind."""
    formulas = TUNED | REPORTED
    for number in range(many):
        generator = np.random.default_rng([number, *kind.encode()])
        if kind in LARGER:
            yield LARGER[kind](generator)
        elif kind in formulas:
            d, formula = formulas[kind]
            yield from_table(np.asarray(formula(generator, _numbers(d)), float))
    if kind in MODELS:
        yield from model_games(kind, many)


def model_games(kind: str, many: int) -> Iterator[Known]:
    """The last output of a model at so many rows; absent columns have their mean."""
    _, model, source, output = next(entry for entry in models() if entry[0] == kind)
    x, y = data(source)
    model.fit(x, y)
    kept = all_coalitions(x.shape[1])
    for row in x[5 :: max(len(x) // many, 1)][:many]:
        values = np.asarray(getattr(model, output)(np.where(kept, row, x.mean(axis=0))), float)
        yield from_table(values.reshape(len(kept), -1)[:, -1])


@functools.lru_cache(maxsize=2)
def _numbers(d: int) -> Values:
    return all_coalitions(d).astype(float)
