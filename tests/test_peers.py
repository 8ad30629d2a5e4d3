"""The same games through other people's libraries."""

import warnings

import numpy as np
import pytest

import lcshap as lc
from support import table_game

with warnings.catch_warnings():  # their warnings about each other are not ours to mend
    warnings.simplefilter("ignore")
    import captum.attr
    import shap
    import shapiq
    import torch

D = 7
CHAIN = lc.Graph.chain(D)
GAMES = [table_game(D, seed)[0] for seed in (0, 1)]


def fn(game):
    return lambda kept: game.fn(np.asarray(kept) > 0.5)


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.filterwarnings("ignore")
class TestExactValues:
    def test_shap(self, game):
        masker = shap.maskers.Independent(np.zeros((1, D)))
        theirs = shap.explainers.Exact(fn(game), masker)(np.ones((1, D)))
        ours = lc.Shapley().explain(game, CHAIN)
        np.testing.assert_allclose(ours.scores, theirs.values[0], atol=1e-10)
        assert ours.base_values == pytest.approx(theirs.base_values[0])

    def test_shapiq(self, game):
        theirs = shapiq.ExactComputer(fn(game), n_players=D)("SV", 1)
        expected = [theirs[(i,)] for i in range(D)]
        np.testing.assert_allclose(lc.Shapley().explain(game, CHAIN).scores, expected, atol=1e-10)
        for method in (lc.KernelSHAP(2**D), lc.SampleShapley(2**D), lc.LShapley(order=D)):
            np.testing.assert_allclose(method.explain(game, CHAIN).scores, expected, atol=1e-8)

    def test_shapiq_interactions(self, game):
        """On a complete graph all units are neighbours: our interactions are the Shapley interaction index."""
        theirs = shapiq.ExactComputer(fn(game), n_players=D)("SII", 2)
        ours = lc.LShapley(order=1, interactions=True).explain(game, lc.Graph.complete(D)).interactions
        for i in range(D):
            for j in range(i):
                assert ours[i, j] == pytest.approx(theirs[(j, i)], abs=1e-10)

    def test_shapiq_kernel_shap_with_everything(self, game):
        theirs = shapiq.KernelSHAP(D, random_state=0).approximate(budget=2**D, game=fn(game))
        expected = [theirs[(i,)] for i in range(D)]
        np.testing.assert_allclose(lc.KernelSHAP(2**D).explain(game, CHAIN).scores, expected, atol=1e-6)

    def test_captum_feature_ablation(self, game):
        forward = lambda x: torch.tensor(game.fn(x.numpy() > 0.5))  # noqa: E731
        theirs = captum.attr.FeatureAblation(forward).attribute(torch.ones((1, D), dtype=torch.float64))
        ours = lc.FeatureAblation().explain(game, CHAIN).scores
        np.testing.assert_allclose(ours, theirs.numpy()[0], atol=1e-6)
