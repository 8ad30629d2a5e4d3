"""Tables that fall on thresholds, and exact scores of models by brute force, for tests of the readers of trees.

The outputs that readers are compared with come from the leaves that the libraries themselves find, added here in double
precision. Nothing of them comes from the code that reads trees.
"""

from itertools import combinations
from math import factorial

import numpy as np

import lcshap as lc
from lcshap.adapters.tree_models import read_trees
from lcshap.evaluation.structure_games import numeric_rows


def random_table(rng, rows, columns, gaps=0.0):
    """Numbers that come up again and again, some of which are missing."""
    table = rng.normal(size=(rows, columns)).round(1)
    return np.where(rng.random(table.shape) < gaps, np.nan, table)


def random_target(rng, table):
    """A target that depends on products of columns, and on which numbers are missing."""
    weights = rng.normal(size=(2, table.shape[1]))
    filled = np.nan_to_num(table, nan=2.0)
    return (filled @ weights[0]) * (filled @ weights[1]) + rng.normal(size=len(table)) * 0.1


def near_thresholds(rng, trees, rows, columns, gaps=0.0, special=()):
    """Rows of thresholds of the columns, of the numbers next to them in both precisions, and of special numbers."""
    thresholds = [trees.threshold[(trees.feature == c) & (trees.left >= 0)] for c in range(columns)]
    table = np.empty((rows, columns))
    for column, numbers in enumerate(thresholds):
        single = np.append(numbers, rng.normal(size=3)).astype(np.float32)
        candidates = [numbers, single, np.nextafter(single, np.float32(9)), np.nextafter(single, np.float32(-9))]
        candidates += [np.nextafter(numbers, 9), np.nextafter(numbers, -9), np.array([0.0, -0.0, *special])]
        table[:, column] = rng.choice(np.concatenate([c.astype(np.float64) for c in candidates]), rows)
    table = np.where((np.abs(table) < 1e38) | np.isin(table, special), table, 0.0)  # thresholds may be infinite
    return np.where(rng.random(table.shape) < gaps, np.nan, table)


def assert_same_leaves(model, rows, expected, tolerance=1e-12):
    """What was read adds up to the same numbers for every row, but for a constant."""
    trees = read_trees(model)
    outputs = trees.predict(numeric_rows(rows, trees))
    expected = np.reshape(expected, outputs.shape)
    np.testing.assert_allclose(outputs - outputs[0], expected - expected[0], rtol=0, atol=tolerance * scale(expected))
    inner = trees.left >= 0
    np.testing.assert_allclose(
        trees.cover[inner], trees.cover[trees.left[inner]] + trees.cover[trees.right[inner]], rtol=1e-5
    )
    return trees


def input_and_background(rows):
    """A row and three background rows. Maskers take neither infinite numbers nor columns without numbers."""
    x, *background = np.where(np.isinf(rows[:4]), 0.5, rows[:4])
    background[0] = np.nan_to_num(background[0], nan=0.5)
    return x, np.array(background)


def assert_exact(model, x, background, outputs, **options):
    """TreeSHAP returns the Shapley value of all coalitions, to 1e-9 of the largest output."""
    options = {"target": "all", "value": "output", **options}
    e = lc.Explainer(model, lc.maskers.Tabular(background), lc.TreeSHAP(), **options)(x)
    expected = brute_force(x, background, outputs)
    scores = np.reshape(e.scores, expected.shape)
    np.testing.assert_allclose(scores, expected, rtol=0, atol=1e-9 * scale(expected))


def scale(outputs):
    """The size that tolerances are relative to."""
    return max(1.0, float(np.abs(outputs).max()))


def brute_force(x, background, outputs):
    """The Shapley value of the mean output over background rows, `(columns, outputs)`, from all coalitions."""
    columns, count = background.shape[1], len(background)
    kept = np.arange(2**columns)[:, None] >> np.arange(columns) & 1 == 1
    answers = np.asarray(outputs(masked_rows(x, background, kept)), np.float64)
    values = answers.reshape(len(kept), count, -1).mean(axis=1)
    scores = np.zeros((columns, values.shape[1]))
    for column in range(columns):
        others = [c for c in range(columns) if c != column]
        for size in range(columns):
            weight = factorial(size) * factorial(columns - 1 - size) / factorial(columns)
            codes = np.array([sum(1 << c for c in chosen) for chosen in combinations(others, size)])
            scores[column] += weight * (values[codes | 1 << column] - values[codes]).sum(axis=0)
    return scores


def masked_rows(x, background, kept):
    """For every coalition and background row the row that has the cells of x where they are kept."""
    masks = np.repeat(kept, len(background), axis=0)
    if isinstance(background, np.ndarray):
        return np.where(masks, np.ravel(x), np.tile(background, (len(kept), 1)))
    rows = background.iloc[np.tile(np.arange(len(background)), len(kept))].reset_index(drop=True)
    for column, name in enumerate(background):
        row_cells = x[name].iloc[[0] * len(rows)].reset_index(drop=True)
        rows[name] = rows[name].where(~masks[:, column], row_cells)
    return rows
