"""Models that have only `predict`: what their numbers are, and explanations of them without further options."""

import catboost
import lightgbm
import numpy as np
import pandas as pd
import pytest
import xgboost

import lcshap as lc
from lcshap.adapters.declared_kinds import advice_for, declared_kind
from lcshap.errors import ModelError

RNG = np.random.default_rng(0)
X = RNG.normal(size=(80, 3))
NUMBERS = X @ [1.0, -2.0, 0.5]
TWO, THREE = (NUMBERS > 0).astype(int), np.digitize(NUMBERS, [-1, 1])
LIGHT, XG = {"verbose": -1, "num_leaves": 4}, {"max_depth": 2}


def light(objective, y, **options):
    return lightgbm.train({**LIGHT, "objective": objective, **options}, lightgbm.Dataset(X, y), 3)


def xg(objective, y, **options):
    return xgboost.train({**XG, "objective": objective, **options}, xgboost.DMatrix(X, y), 3)


MODELS = {  # the model, its kind and its outputs
    "lightgbm regression": (lambda: light("regression", NUMBERS), "output", 1),
    "lightgbm binary": (lambda: light("binary", TWO), "probabilities", 1),
    "lightgbm classes": (lambda: light("multiclass", THREE, num_class=3), "probabilities", 3),
    "lightgbm ranks": (
        lambda: lightgbm.LGBMRanker(n_estimators=3, verbose=-1).fit(X, TWO, group=[40, 40]),
        "output",
        1,
    ),
    "xgboost regression": (lambda: xg("reg:squarederror", NUMBERS), "output", 1),
    "xgboost binary": (lambda: xg("binary:logistic", TWO), "probabilities", 1),
    "xgboost logits": (lambda: xg("binary:logitraw", TWO), "logits", 1),
    "xgboost classes": (lambda: xg("multi:softprob", THREE, num_class=3), "probabilities", 3),
    "xgboost survival": (lambda: xg("survival:cox", np.abs(NUMBERS)), "output", 1),
    "xgboost ranks": (
        lambda: xgboost.XGBRanker(n_estimators=3).fit(X, TWO, qid=np.repeat([0, 1], 40)),
        "output",
        1,
    ),
    "catboost regression": (
        lambda: catboost.CatBoost({"iterations": 3, "verbose": 0, "allow_writing_files": False}).fit(X, NUMBERS),
        "output",
        1,
    ),
    "catboost binary": (
        lambda: catboost.CatBoost(
            {"iterations": 3, "verbose": 0, "allow_writing_files": False, "loss_function": "Logloss"}
        ).fit(X, TWO),
        "logits",
        1,
    ),
}


@pytest.mark.parametrize("name", MODELS)
def test_the_kind_is_found(name):
    make, kind, outputs = MODELS[name]
    model = make()
    assert declared_kind(model) == kind
    xs = lc.Explainer(model, X[:5])(X[10:13])
    assert xs[0].provenance["kind"] == kind
    assert xs.scores.shape == ((3, 3) if outputs == 1 else (3, 3, outputs))
    assert np.abs(xs.scores).max() > 0
    np.testing.assert_allclose(xs.scores.sum(axis=1), xs.predictions - xs.base_values, atol=1e-5)


def test_labels_of_xgboost_are_refused():
    model = xg("multi:softmax", THREE, num_class=3)
    assert declared_kind(model) is None
    with pytest.raises(ModelError, match=r"Expected the option kind, since Booster\.predict does not declare"):
        lc.Explainer(model, X[:5])


def test_results_of_statsmodels():
    statsmodels = pytest.importorskip("statsmodels.api")
    formulas = pytest.importorskip("statsmodels.formula.api")
    table = pd.DataFrame(X, columns=["a", "b", "c"]).assign(y=NUMBERS + RNG.normal(size=80), two=TWO ^ (X[:, 0] > 1))
    table["two"] = table["two"].astype(int)
    results = {
        "output": [
            statsmodels.OLS(table["y"], table[["a", "b", "c"]]).fit(),
            statsmodels.GLM(table["two"] + 1.0, table[["a", "b", "c"]], family=statsmodels.families.Poisson()).fit(),
            formulas.ols("y ~ a + b + c", table).fit(),
        ],
        "probabilities": [
            statsmodels.GLM(table["two"], table[["a", "b", "c"]], family=statsmodels.families.Binomial()).fit(),
            statsmodels.Logit(table["two"], table[["a", "b", "c"]]).fit(disp=0),
        ],
    }
    for kind, models in results.items():
        for model in models:
            xs = lc.Explainer(model, table[["a", "b", "c"]][:5])(table[["a", "b", "c"]][10:13])
            assert xs[0].provenance["kind"] == kind
            np.testing.assert_allclose(xs.scores.sum(axis=1), xs.predictions - xs.base_values, atol=1e-9)
    np.testing.assert_allclose(lc.Explainer(results["output"][0], table[["a", "b", "c"]][:5])(table[["a", "b", "c"]])
        .predictions, results["output"][0].predict(table[["a", "b", "c"]]), atol=1e-9)  # fmt: skip


def survival_model(package, methods):
    """A class as it would be defined in a package that need not be installed."""
    return type("CoxModel", (), {"__module__": f"{package}.linear_model", **methods})()


def test_survival_models():
    model = survival_model("sksurv", {"predict": lambda self, rows: np.exp(rows @ [1.0, 2.0, 0.0])})
    e = lc.Explainer(model, np.zeros((1, 3)))([1.0, 0.0, 0.0])
    np.testing.assert_allclose(e.scores, [np.e - 1, 0, 0], atol=1e-9)
    without_predict = survival_model("lifelines", {"predict_partial_hazard": lambda self, rows: rows})
    line = r"Give a function of CoxModel: lc.Explainer\(lambda rows: model.predict_partial_hazard\(rows\)"
    with pytest.raises(ModelError, match=line):
        lc.Explainer(without_predict, X[:5])


def test_other_models_have_an_error_with_the_line_to_write():
    class Scorer:
        def predict(self, rows):
            return rows.sum(axis=1)

    line = (
        r'Scorer.predict returns numbers that are not classes, write lc.Explainer\(model, masker, kind="regression"\)'
    )
    with pytest.raises(ModelError, match=line):
        lc.Explainer(Scorer(), X[:5])
    e = lc.Explainer(Scorer(), X[:1], kind="regression")(X[1])
    assert e.provenance["kind"] == "output"
    np.testing.assert_allclose(e.scores, X[1] - X[0], atol=1e-12)
    assert advice_for(len) == ""


def test_regression_is_another_name_of_output():
    for model in (lambda rows: rows.sum(axis=1), lc.adapters.CallableModel(lambda rows: rows.sum(axis=1), "output")):
        e = lc.Explainer(model, X[:1], kind="regression")(X[1])
        assert e.provenance["kind"] == "output"
    assert lc.adapters.CallableModel(len, "regression").kind == "output"
    texts = lc.explain(lambda texts: [len(t) for t in texts], "one two", kind="regression")
    assert texts.scores.tolist() == [3.5, 3.5] or texts.scores.sum() == 7
