"""Results of statsmodels are explained exactly: all coalitions are the reference."""

from types import SimpleNamespace

import numpy as np
import pytest

import lcshap as lc
from lcshap.adapters.linear_models import read_weights
from lcshap.adapters.sklearn import SklearnModel
from lcshap.adapters.statsmodels_results import is_result

sm = pytest.importorskip("statsmodels.api")
pandas = pytest.importorskip("pandas")

RNG = np.random.default_rng(0)
X = np.column_stack([np.ones(120), RNG.normal(size=(120, 5))])
Y = X @ [1.0, 2.0, -1.0, 0.0, 0.5, 3.0] + RNG.normal(size=120)
BINARY = (Y + 3 * RNG.normal(size=120) > 1).astype(int)
TABLE = pandas.DataFrame(X, columns=["const", *"abcde"])
REGRESSIONS = {
    "OLS": lambda: sm.OLS(Y, X).fit(),
    "WLS": lambda: sm.WLS(Y, X, np.arange(1.0, 121)).fit(),
    "RLM": lambda: sm.RLM(Y, X).fit(),
    "QuantReg": lambda: sm.QuantReg(Y, X).fit(),
    "regularized": lambda: sm.OLS(Y, X).fit_regularized(alpha=0.1),
    "Gaussian": lambda: sm.GLM(Y, X).fit(),
}
WITH_LINK = {
    "binomial": lambda: sm.GLM(BINARY, X, family=sm.families.Binomial()).fit(),
    "Poisson family": lambda: sm.GLM(np.exp(Y / 9), X, family=sm.families.Poisson()).fit(),
    "gamma": lambda: sm.GLM(np.exp(Y / 9), X, family=sm.families.Gamma(sm.families.links.Log())).fit(),
    "Logit": lambda: sm.Logit(BINARY, X).fit(disp=0),
    "Poisson": lambda: sm.Poisson(np.round(np.exp(Y / 9)), X).fit(disp=0),
}


def check_exact(model, x=X[:4], background=X[100:107]):
    masker = lc.maskers.Tabular(background)
    xs = lc.Explainer(model, masker, kind="output")(x)
    exact = lc.Explainer(model, masker, lc.Shapley(), kind="output")(x)
    assert {e.provenance["name"] for e in xs} == {"linear-shap"}
    np.testing.assert_allclose(xs.scores, exact.scores, rtol=0, atol=1e-10)
    np.testing.assert_allclose(xs.base_values, exact.base_values, rtol=0, atol=1e-10)


@pytest.mark.parametrize("name", REGRESSIONS)
def test_regressions(name):
    check_exact(REGRESSIONS[name]())


@pytest.mark.parametrize("name", WITH_LINK)
def test_the_scale_of_the_link(name):
    result = WITH_LINK[name]()
    check_exact(SklearnModel(result, method="linear_predictor", kind="output"))
    with pytest.raises(lc.errors.MethodError, match=r"of statsmodels\. Explain what it is linear in with"):
        lc.Explainer(result, lc.maskers.Tabular(X[:3]), "linear-shap", kind="output")(X[0])
    assert lc.Explainer(result, lc.maskers.Tabular(X[:3]), kind="output")(X[0]).provenance["name"] == "shapley"


def test_a_frame():
    check_exact(sm.OLS(Y, TABLE).fit(), TABLE[:4], TABLE[100:107])


def test_what_is_refused():
    formula = sm.OLS.from_formula("a ~ b + c", TABLE).fit()
    with pytest.raises(lc.errors.MethodError, match=r"got OLS with the formula 'a ~ b \+ c'"):
        read_weights(formula, "predict")
    several = sm.MNLogit(np.arange(120) % 3, X).fit(disp=0)
    with pytest.raises(NotImplementedError):
        read_weights(several, "predict")
    assert not is_result(SimpleNamespace(params=[1.0]))
