"""Methods that read a gradient."""

import numpy as np
import pytest

import lcshap as lc


class TestGradients:
    gradient = np.array([[[1.0, 0], [-3, 0]], [[0.5, 2], [0, -1]], [[0, 0], [0, 0]]])  # (units, features, outputs)
    change = np.array([[2.0, 1.0], [4.0, 0.5], [1.0, 1.0]])

    def game(self, outputs=True):
        gradient = self.gradient if outputs else self.gradient[..., 0]
        worth = (self.gradient * self.change[..., None]).sum(axis=1)
        fn = (lambda kept: kept @ worth) if outputs else (lambda kept: kept @ worth[:, 0])
        return lc.Game(fn, 3, gradient=lambda: (gradient, self.change))

    def test_scores(self):
        g = lc.Graph.chain(3)
        assert lc.Saliency().explain(self.game(), g).scores.tolist() == [[3, 0], [0.5, 2], [0, 0]]
        assert lc.Saliency("l1").explain(self.game(), g).scores.tolist() == [[4, 0], [0.5, 3], [0, 0]]
        assert lc.Saliency("l2").explain(self.game(False), g).scores == pytest.approx([np.sqrt(10), 0.5, 0])
        e = lc.GradientInput().explain(self.game(), g)
        np.testing.assert_allclose(e.scores, [[-1, 0], [2, 7.5], [0, 0]])
        np.testing.assert_allclose(e.residual, 0, atol=1e-12)  # a linear game
        assert e.calls == 2

    def test_without_gradients(self):
        g = lc.Graph.chain(3)
        with pytest.raises(
            lc.errors.MethodError,
            match=r"Expected a game with gradients for Saliency, got one without.*needs.*FeatureAblation",
        ):
            lc.Saliency().explain(lc.Game(lambda kept: kept.sum(axis=1), 3), g)
        with pytest.raises(lc.errors.MethodError, match="has no plan"):
            lc.GradientInput().plan(g)
        bad = lc.Game(lambda kept: kept.sum(axis=1), 3, gradient=lambda: (np.ones((2, 1)), np.ones((2, 1))))
        with pytest.raises(lc.errors.MethodError, match=r"shape \(3, features\)"):
            lc.Saliency().explain(bad, g)
        with pytest.raises(lc.errors.MethodError, match="Expected one of 'max', 'l1', 'l2' as norm, got 'l3'"):
            lc.Saliency("l3")
