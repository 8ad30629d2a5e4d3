from itertools import product

import numpy as np
import pytest
from scipy.optimize import check_grad

import lcshap as lc
from lcshap.estimators.banzhaf_surrogate import _negative_log_posterior, fit_surrogate


def banzhaf(d, v, presence=0.5):
    """Averages of marginal contributions over all coalitions of the others, each of which is there so often."""
    scores = np.zeros(d)
    for kept in product([False, True], repeat=d):
        for unit in range(d):
            if not kept[unit]:
                with_unit = list(kept)
                with_unit[unit] = True
                weight = presence ** sum(kept) * (1 - presence) ** (d - 1 - sum(kept))
                scores[unit] += weight * (v(np.array([with_unit])) - v(np.array([kept])))[0]
    return scores


def game(kept):
    """A conjunction, a single unit, and a unit that takes another's place."""
    return 4.0 * (kept[:, 0] & kept[:, 1]) + 1.0 * kept[:, 2] + 2.0 * (kept[:, 3] | kept[:, 4])


@pytest.mark.parametrize("presence", [0.0, 0.5, 0.75, 1.0])
def test_scores_are_the_weighted_banzhaf_values_of_the_surrogate(presence):
    rng = np.random.default_rng(0)
    kept = rng.random((40, 6)) < 0.5
    fitted = fit_surrogate(kept, game(kept) + rng.normal(size=40))
    np.testing.assert_allclose(fitted.scores(presence), banzhaf(6, fitted.predict, presence), atol=1e-9)


def test_interactions_are_predicted_from_halves():
    rng = np.random.default_rng(1)
    kept, unseen = rng.random((120, 10)) < 0.5, rng.random((200, 10)) < 0.5
    fitted = fit_surrogate(kept, game(kept))
    residuals = game(unseen) - fitted.predict(unseen)
    linear = np.linalg.lstsq(np.c_[np.ones(120), kept], game(kept), rcond=None)[0]
    linear_residuals = game(unseen) - np.c_[np.ones(200), unseen] @ linear
    assert (residuals**2).mean() < 0.25 * (linear_residuals**2).mean()
    np.testing.assert_allclose(fitted.scores()[:5], [2, 2, 1, 1, 1], atol=0.25)
    assert np.abs(fitted.scores()[5:]).max() < 0.15


def test_the_gradient_is_that_of_the_misfit():
    rng = np.random.default_rng(2)
    signs, target = 2.0 * (rng.random((12, 4)) < 0.5) - 1, rng.normal(size=12)
    for theta in rng.normal(size=(3, 6)):
        error = check_grad(
            lambda x: _negative_log_posterior(x, signs, target)[0],
            lambda x: _negative_log_posterior(x, signs, target)[1],
            theta,
        )
        assert error < 1e-4


def test_ends_constants_and_single_units():
    e = lc.BanzhafSurrogate(30).explain(lc.Game(lambda kept: game(kept), 6), lc.Graph.complete(6))
    assert (e.base_value, e.full_value, e.calls) == (0, 7, 30)
    flat = lc.BanzhafSurrogate(30).explain(lc.Game(lambda kept: 0.0 * kept.sum(axis=1), 6), lc.Graph.complete(6))
    assert flat.scores.tolist() == [0] * 6
    single = lc.BanzhafSurrogate(4).explain(lc.Game(lambda kept: 2.0 * kept[:, 0], 1), lc.Graph.chain(1))
    assert single.scores.tolist() == [2.0]
    with pytest.raises(lc.errors.MethodError, match=r"Expected presence as a probability from 0 to 1, got 1\.5"):
        lc.BanzhafSurrogate(30, presence=1.5)
    with pytest.raises(lc.errors.MethodError, match="Expected at most"):
        lc.BanzhafSurrogate(5000).plan(lc.Graph.complete(40))


def test_a_source_that_needs_another_counts_where_both_are_mostly_there():
    v = lc.Game(game, 6)
    half, mostly, full = (
        lc.BanzhafSurrogate(64, presence=p).explain(v, lc.Graph.complete(6)).scores for p in (0.5, 0.75, 1.0)
    )
    np.testing.assert_allclose(half[:5], [2, 2, 1, 1, 1], atol=0.1)
    np.testing.assert_allclose(mostly[:5], [3, 3, 1, 0.5, 0.5], atol=0.15)
    np.testing.assert_allclose(full[:5], [4, 4, 1, 0, 0], atol=0.3)
