"""LIME: the ridge regression that it is, and the units that it selects."""

import numpy as np
import pytest

import lcshap as lc
from support import (
    smooth_game,
)


class TestLIME:
    def test_against_ridge_written_out(self):
        """An unpenalised intercept as a column of its own, and the normal equations."""
        d = 9
        game = smooth_game(d, seed=6, outputs=2)
        method = lc.LIME(budget=70, seed=1, kernel_width=0.4, ridge=0.3)
        plan = method.plan(lc.Graph.chain(d))
        kept = plan.coalitions.dense().astype(float)
        distance = 1 - np.sqrt(kept.sum(axis=1) / d)
        W = np.diag(np.exp(-(distance**2) / (2 * 0.4**2)))
        X = np.hstack([np.ones((len(kept), 1)), kept])
        penalty = 0.3 * np.diag([0.0] + [1.0] * d)
        expected = np.linalg.solve(X.T @ W @ X + penalty, X.T @ W @ game.evaluate(plan.coalitions))[1:]
        np.testing.assert_allclose(method.explain(game, lc.Graph.chain(d)).scores, expected, atol=1e-10)

    def test_selected_features_are_fitted_again_alone(self):
        d = 9
        game = smooth_game(d, seed=7)
        chain = lc.Graph.chain(d)
        full = lc.LIME(80, seed=2).explain(game, chain)
        selected = lc.LIME(80, seed=2, features=3).explain(game, chain)
        largest = np.sort(np.argsort(-abs(full.scores))[:3])
        assert np.flatnonzero(selected.scores).tolist() == largest.tolist()
        plan = lc.LIME(80, seed=2).plan(chain)
        kept = plan.coalitions.dense()[:, largest].astype(float)
        weight = np.exp(-((1 - np.sqrt(plan.coalitions.sizes / d)) ** 2) / (2 * 0.25**2))
        X = np.hstack([np.ones((len(kept), 1)), kept])
        A = X.T @ (weight[:, None] * X) + np.diag([0.0, 1, 1, 1])
        expected = np.linalg.solve(A, X.T @ (weight * game.evaluate(plan.coalitions)))[1:]
        np.testing.assert_allclose(selected.scores[largest], expected, atol=1e-10)
        assert lc.LIME(80, seed=2, features=99).explain(game, chain).scores.tobytes() == full.scores.tobytes()
        with pytest.raises(
            lc.errors.MethodError,
            match="Expected LIME without features, to stop on a tolerance or a ranking, got features=3",
        ):
            lc.LIME(80, features=3).explain(game, chain, tolerance=0.1)

    def test_the_number_of_units_that_go_is_uniform(self):
        d = 40
        sizes = lc.LIME(8000).plan(lc.Graph.chain(d)).coalitions.sizes
        counts = np.bincount(sizes, minlength=d + 1)[3:-3]
        assert counts.max() < 1.5 * counts.min()


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"kernel_width": 0}, "Expected kernel_width as a positive finite number, got 0"),
        ({"ridge": -1}, "Expected ridge as a finite number of at least 0, got -1"),
        ({"features": 0}, "Expected features as an integer of at least 1, got 0"),
    ],
)
def test_bad_parameters(options, says):
    with pytest.raises(lc.errors.MethodError, match=says):
        lc.LIME(9, **options)
