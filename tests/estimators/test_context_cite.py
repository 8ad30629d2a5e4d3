import numpy as np
import pytest
from sklearn.linear_model import Lasso
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import lcshap as lc
from lcshap.estimators.context_cite import lasso


@pytest.mark.parametrize("alpha", [0.001, 0.01, 0.3])
def test_the_lasso_is_that_of_scikit_learn(alpha):
    rng = np.random.default_rng(1)
    kept, values = rng.random((40, 9)) < 0.5, rng.normal(size=40)
    kept[:, 4] = True  # a unit that is always there scores zero
    pipe = make_pipeline(StandardScaler(), Lasso(alpha, tol=1e-12, max_iter=100_000)).fit(kept.astype(float), values)
    expected = pipe[1].coef_ / pipe[0].scale_
    np.testing.assert_allclose(lasso(kept, values, alpha), expected, atol=1e-6)


def test_values_are_divided_by_tokens_and_scores_multiplied():
    game = lc.Game(lambda kept: kept @ np.arange(8.0), 8)
    scores = lc.ContextCite(40, alpha=0.1).explain(game, lc.Graph.complete(8)).scores
    scores_by_token = lc.ContextCite(40, alpha=0.01, tokens=10).explain(game, lc.Graph.complete(8)).scores
    np.testing.assert_allclose(scores, scores_by_token, atol=1e-6)
    assert scores[0] == 0.0


def test_one_unit_and_several_outputs():
    single = lc.ContextCite(4).explain(lc.Game(lambda kept: 2.0 * kept[:, 0], 1), lc.Graph.chain(1))
    assert single.scores.tolist() == [2.0]
    game = lc.Game(lambda kept: np.stack([kept[:, 0] * 3.0, kept[:, 1] * 1.0], axis=1), 5)
    e = lc.ContextCite(30, alpha=1e-6).explain(game, lc.Graph.complete(5))
    np.testing.assert_allclose(e.scores[:2], [[3, 0], [0, 1]], atol=1e-3)


def test_what_is_refused():
    for options, message in [({"alpha": -1}, "alpha"), ({"tokens": 0}, "tokens"), ({"budget": 1}, "budget")]:
        with pytest.raises(lc.errors.MethodError, match=message):
            lc.ContextCite(**{"budget": 9, **options})
    with pytest.raises(lc.errors.BudgetError, match="at least 4"):
        lc.ContextCite(3).plan(lc.Graph.chain(5))
    with pytest.raises(
        lc.errors.MethodError, match="Expected a method with standard errors, to stop on a tolerance or a ranking, got"
    ):
        lc.ContextCite(30).explain(lc.Game(lambda kept: kept.sum(axis=1), 5), lc.Graph.chain(5), tolerance=1.0)
