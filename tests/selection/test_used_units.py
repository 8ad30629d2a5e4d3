"""Probabilities and losses of models that use few of many columns are exact."""

import numpy as np
import pytest

import lcshap as lc

ensemble = pytest.importorskip("sklearn.ensemble")

RNG = np.random.default_rng(0)
X = RNG.normal(size=(200, 12))
Y = (X[:, 7] * X[:, 2] + X[:, 4] > 0).astype(int)
FEW = ensemble.GradientBoostingClassifier(n_estimators=6, max_depth=2, random_state=0).fit(X, Y)
MANY = ensemble.GradientBoostingClassifier(n_estimators=60, max_depth=5, random_state=0).fit(X, Y)
MASKER = lc.maskers.Tabular(X[100:105])


@pytest.mark.parametrize(
    ("options", "y"),
    [({"value": "prob"}, None), ({"value": "log_prob"}, None), ({"value": lc.values.Loss()}, 1)],
    ids=["probability", "log-probability", "loss"],
)
def test_they_equal_the_value_of_all_coalitions(options, y):
    e = lc.Explainer(FEW, MASKER, **options)(X[0], y=y)
    assert e.provenance["name"] == "shapley"
    used = e.provenance["parameters"]["units"]
    assert e.calls == 2 ** len(used) < 1024
    assert f"the model uses {len(used)} of the 12 units" in e.provenance["chosen"]["reason"]
    whole = lc.Explainer(FEW, MASKER, lc.Shapley(), **options)(X[0], y=y)
    assert whole.calls == 4096
    np.testing.assert_allclose(e.scores, whole.scores, rtol=0, atol=1e-12)
    assert not e.scores[np.setdiff1d(np.arange(12), used)].any()


def test_many_rows_and_the_preview():
    explainer = lc.Explainer(FEW, MASKER, value="prob")
    assert {e.provenance["name"] for e in explainer(X[:5])} == {"shapley"}
    assert "Shapley(units=(" in explainer.preview(X[0])


def test_too_many_columns_are_estimated_and_the_reason_says_so():
    model = ensemble.GradientBoostingClassifier(n_estimators=60, max_depth=5, random_state=0)
    model.fit(X * (np.arange(12) != 3), Y)
    e = lc.Explainer(model, MASKER, value="prob")(X[0])
    assert e.provenance["name"] == "graph-kernel-shap"
    assert "the model uses 11 of the 12 units, of which all 2^11 coalitions are too many" in str(e.provenance["chosen"])
    exact = lc.Explainer(model, MASKER, value="prob", budget=2048)(X[0])
    assert (exact.provenance["name"], exact.calls) == ("shapley", 2048)
    assert lc.Explainer(MANY, MASKER, value="prob")(X[0]).provenance["name"] == "graph-kernel-shap"


def test_an_estimate_takes_no_more_calls_for_this():
    """The columns are compared with the model only if all coalitions of them are evaluated."""
    game = lc.Explainer(MANY, MASKER, value="prob").game(X[0])
    before = game.row_counter.rows
    assert isinstance(lc.choose(game.graph, game=game).method, lc.GraphKernelSHAP)
    assert game.row_counter.rows == before


def test_a_model_that_uses_more_than_it_says_is_estimated():
    class More(ensemble.GradientBoostingClassifier):
        def predict_proba(self, rows):
            return super().predict_proba(rows) * (0.5 + 0.1 * (rows[:, [3]] > 0))

    model = More(n_estimators=6, max_depth=2, random_state=0).fit(X * (np.arange(12) != 3), Y)
    explainer = lc.Explainer(model, MASKER, value="prob", target=0, kind="multilabel")
    assert explainer(X[0]).provenance["name"] == "graph-kernel-shap"


def test_other_questions_are_not_changed():
    assert lc.Explainer(FEW, MASKER, value="prob", interactions=True)(X[0]).provenance["name"] == "graph-kernel-shap"
    assert lc.Explainer(FEW, MASKER, "sample-shapley", value="prob")(X[0]).provenance["name"] == "sample-shapley"
    path = lc.Explainer(FEW, MASKER, goal="necessary", value="prob")(X[0])
    assert path.provenance["name"] == "deletion-path"


@pytest.mark.parametrize("units", [[], [4], [5, 1, 3], range(6)], ids=["none", "one", "some", "all"])
def test_the_method_itself(units):
    """A game of some units alone, embedded in one of six."""
    numbers = sorted(units)
    table = np.random.default_rng(1).normal(size=2 ** len(numbers))
    game = lc.Game(lambda kept: table[kept[:, numbers] @ (2 ** np.arange(len(numbers)))], 6)
    e = lc.Shapley(units=units).explain(game, lc.Graph.complete(6))
    np.testing.assert_allclose(e.scores, lc.Shapley().explain(game, lc.Graph.complete(6)).scores, rtol=0, atol=1e-12)
    assert e.calls == max(2, 2 ** len(numbers)) == lc.Shapley(units=units).cost(lc.Graph.complete(6)).calls
    assert e.provenance["parameters"] == {"units": numbers}


def test_bad_units():
    with pytest.raises(lc.errors.LcshapError, match="units"):
        lc.Shapley(units=[-1])
    with pytest.raises(lc.errors.MethodError, match="Expected units below 3, the number of units, got 7"):
        lc.Shapley(units=[7]).explain(lc.Game(lambda kept: kept.sum(axis=1), 3), lc.Graph.chain(3))
    assert repr(lc.Shapley()) == "Shapley()"
    assert repr(lc.Shapley(units=[2, 1])) == "Shapley(units=(1, 2))"
    assert lc.Shapley().parameters == {}
