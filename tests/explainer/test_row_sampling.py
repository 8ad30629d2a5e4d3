"""Samples of data rows: which coalitions get which, adjusted means, and the regression for standard errors."""

import numpy as np

import lcshap as lc
from lcshap.explainer.row_sampling import AdjustedMean, RowBlocks, regression_operator, sort_predictions

RNG = np.random.default_rng(0)


def test_pairs_share_rows_and_all_rows_are_used_equally_often():
    kept = RNG.random((12, 6)) < 0.5
    kept = np.unique(np.concatenate([kept, ~kept]), axis=0)
    blocks = RowBlocks(RNG.permutation(30), 10)
    rows = blocks.rows(kept)
    assert rows.shape == (len(kept), 10)
    for coalition, numbers in zip(kept, rows, strict=True):
        complement = np.flatnonzero((kept == ~coalition).all(axis=1))[0]
        assert set(numbers) == set(rows[complement])
        assert len(set(numbers)) == 10
    counts = np.bincount(rows.ravel(), minlength=30)
    assert counts.max() - counts.min() <= 2
    np.testing.assert_array_equal(blocks.rows(kept[::-1]), rows[::-1])
    assert RowBlocks(np.array([2, 0, 1]), 5).rows(kept[:2]).tolist() == [[0, 1, 2]] * 2


def test_adjusted_means_vary_less_than_plain_ones():
    controls = RNG.normal(size=(500, 2))
    numbers = controls @ [1.0, -2.0] + 0.1 * RNG.normal(size=500)
    plain, adjusted = [], []
    for _ in range(200):
        rows = RNG.choice(500, 40, replace=False)
        estimate = AdjustedMean.of(numbers[rows], controls[rows], controls.mean(axis=0))
        plain.append(numbers[rows].mean() - numbers.mean())
        adjusted.append(estimate.mean - numbers.mean())
        np.testing.assert_allclose(estimate.slopes, [1.0, -2.0], atol=0.1)
        np.testing.assert_allclose(estimate.residuals.sum(), 0, atol=1e-9)
    assert np.std(adjusted) < 0.1 * np.std(plain)
    assert abs(np.mean(adjusted)) < 0.01


def test_with_all_rows_nothing_is_adjusted():
    controls, numbers = RNG.normal(size=(20, 2)), RNG.normal(size=20)
    estimate = AdjustedMean.of(numbers, controls, controls.mean(axis=0))
    assert estimate.mean == numbers.mean()
    np.testing.assert_array_equal(estimate.slopes, 0)


def test_with_all_coalitions_the_regression_is_the_shapley_value():
    d = 5
    kept = (np.arange(2**d)[:, None] >> np.arange(d)) & 1 == 1
    values = RNG.normal(size=2**d)
    values[0] = 0
    game = lc.Game(lambda rows: values[rows @ (1 << np.arange(d))], d)
    np.testing.assert_allclose(
        regression_operator(kept) @ values, lc.Shapley().explain(game, lc.Graph.complete(d)).scores, atol=1e-12
    )


def test_the_regression_is_exact_for_sums_and_keeps_their_total():
    kept = np.concatenate([RNG.random((20, 6)) < 0.5, np.ones((1, 6), bool)])
    kept = np.unique(kept, axis=0)
    effects = RNG.normal(size=6)
    operator = regression_operator(kept)
    np.testing.assert_allclose(operator @ (kept @ effects), effects, atol=1e-10)
    values = RNG.normal(size=len(kept))
    np.testing.assert_allclose((operator @ values).sum(), values[kept.all(axis=1)][0])
    assert regression_operator(np.array([[False], [True]])).tolist() == [[0.0, 1.0]]


def test_predictions_are_sorted_along_their_main_direction():
    position = RNG.normal(size=30)
    predictions = np.outer(position, [2.0, -1.0, 0.5]) + 1e-3 * RNG.normal(size=(30, 3))
    order = sort_predictions(predictions)
    ranks = position[order]
    assert (np.diff(ranks) > -0.01).all() or (np.diff(ranks) < 0.01).all()
