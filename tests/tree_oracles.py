"""Random trees, and indices of their games from the definition: every coalition is evaluated."""

from dataclasses import replace
from itertools import combinations
from math import comb

import numpy as np

from lcshap.core.row_encoding import DROPPED, PINNED
from lcshap.core.tree_ensembles import TreeGame, Trees


def random_trees(rng, columns, count=4, depth=5, outputs=2):
    """Trees of random shape with random splits, on columns that come up again on a path."""
    arrays, first = {name: [] for name in ("left", "right", "default", "feature", "threshold", "value")}, []

    def grow(level):
        node = len(arrays["left"])
        for array in arrays.values():
            array.append(-1)
        arrays["value"][node] = rng.normal(size=outputs)
        arrays["feature"][node], arrays["threshold"][node] = rng.integers(columns), float(rng.integers(3))
        if level < depth and rng.random() < 0.85:
            left, right = grow(level + 1), grow(level + 1)
            arrays["left"][node], arrays["right"][node] = left, right
            arrays["default"][node] = left if rng.random() < 0.5 else right
        return node

    for _ in range(count):
        first.append(grow(0))
    return Trees(np.array(first), **{name: np.array(array) for name, array in arrays.items()})


def with_cover(trees, rng):
    """The trees with random numbers of training rows."""
    cover = np.zeros(len(trees.left))

    def count(node):
        leaf = trees.left[node] < 0
        cover[node] = rng.integers(1, 20) if leaf else count(trees.left[node]) + count(trees.right[node])
        return cover[node]

    for root in trees.roots:
        count(root)
    return replace(trees, cover=cover)


def with_categories(trees, rng, columns):
    """The trees with some nodes that test categories instead of thresholds."""
    by_category = np.isin(trees.feature, rng.choice(columns, 2, replace=False))
    choice = np.where(by_category, np.arange(len(trees.left)), -1)
    return replace(trees, choice=choice, members=rng.random((len(trees.left), 4)) < 0.5)


def random_game(seed, rows=3, units=5, columns=8):
    """A game with missing values, columns of nobody, groups of columns, and values that mix outputs."""
    rng = np.random.default_rng(seed)
    owners = rng.permutation([*range(units), *rng.integers(-1, units, size=columns - units)])
    background = rng.integers(4, size=([1, 3, 7][seed % 3], columns)).astype(float)
    x = rng.integers(4, size=(rows, columns)).astype(float)
    for numbers in (background, x):
        numbers[rng.random(numbers.shape) < 0.15] = np.nan
    trees = with_cover(random_trees(rng, columns), rng)
    if seed % 2:
        trees = with_categories(trees, rng, columns)
    owners = np.where(owners < 0, rng.choice([PINNED, DROPPED], size=columns), owners)
    return TreeGame(trees, x, background, owners, units, np.array([[1.0, 0.0], [0.5, -2.0], [0.0, 3.0]]), True)


def coalition_value(game, row, kept, uses_cover=False):
    """v of a set of units, `(values,)`."""
    trees, present = game.trees, [u == PINNED or u in kept for u in game.units]

    def descend(node, x, follows):
        if trees.left[node] < 0:
            return trees.value[node]
        column = trees.feature[node]
        children = trees.left[node], trees.right[node]
        if follows[column]:
            return descend(children[0 if goes_left(trees, node, x[column]) else 1], x, follows)
        return sum(trees.cover[c] * descend(c, x, follows) for c in children) / trees.cover[node]

    x = game.rows[row]
    if uses_cover:
        masked_rows, follows = [x], present
    else:
        masked_rows, follows = [np.where(present, x, b) for b in game.background], [True] * len(present)
    total = sum(descend(root, masked, follows) for masked in masked_rows for root in trees.roots)
    return game.weights @ total / len(masked_rows)


def goes_left(trees, node, number):
    if np.isnan(number):
        return trees.default[node] == trees.left[node]
    if len(trees.members) and trees.choice[node] >= 0:
        return number < trees.members.shape[1] and trees.members[trees.choice[node], int(number)]
    return number <= trees.threshold[node]


def index_of_game(game, row, index, order, uses_cover=False):
    """The index of each unit or pair of units, from its definition."""
    d = game.d
    value = {
        frozenset(kept): coalition_value(game, row, kept, uses_cover)
        for size in range(d + 1)
        for kept in combinations(range(d), size)
    }
    if order == 0:
        return value[frozenset()]
    result = np.zeros((d,) * order + (len(game.weights),))
    for units in combinations(range(d), order):
        others = [unit for unit in range(d) if unit not in units]
        n = len(others)
        for size in range(n + 1):
            weight = 1 / ((n + 1) * comb(n, size)) if index == "shapley" else 0.5**n
            for rest in combinations(others, size):
                for chosen in range(order + 1):
                    for part in combinations(units, chosen):
                        sign = (-1) ** (order - chosen)
                        result[units] += sign * weight * value[frozenset(rest) | set(part)]
    return result + result.swapaxes(0, 1) if order == 2 else result
