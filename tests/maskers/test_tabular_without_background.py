import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestRegressor
from sklearn.tree import DecisionTreeRegressor

import lcshap as lc


def table(rows=30):
    rng = np.random.default_rng(0)
    return pd.DataFrame(rng.normal(size=(rows, 4)).round(1), columns=list("abcd"))


def forest(X):
    return RandomForestRegressor(5, random_state=0).fit(X, X.iloc[:, 0] * X.iloc[:, 1])


def test_the_rows_are_the_units_and_only_trees_can_be_explained():
    X = table()
    model = forest(X)
    explainer = lc.Explainer(model, lc.maskers.Tabular())
    together = explainer(X)
    assert together[0].provenance["name"] == "tree-shap"
    assert together[0].names == tuple("abcd")
    for x in (X.iloc[3], X.iloc[[3]]):
        e = explainer(x)
        np.testing.assert_allclose(e.scores, together[3].scores, rtol=0, atol=1e-14)
        assert abs(e.residual) < 1e-12
        assert e.base_value == pytest.approx(together[3].base_value, abs=1e-12)
        assert e.full_value == model.predict(X.iloc[[3]])[0]
    single = lc.Explainer(model, lc.maskers.Tabular(), curve=True)
    with pytest.raises(lc.errors.MaskerError, match=r"Expected background rows for absent columns, got Tabular\(\)"):
        single(X.iloc[3])


def test_another_path_to_the_same_scores():
    """A comparison of methods explains row by row, and asks the model through a game."""
    X = table()
    X["e"] = X["a"] > 0
    model = forest(X)
    masker = lc.maskers.Tabular(pin=["b"], groups={"both": ["c", "d"]})
    expected = lc.Explainer(model, masker)(X)[2]
    (e,) = lc.Explainer(model, masker).compare(X.iloc[[2]], [lc.TreeSHAP(background=None)])
    assert e.names == ("a", "both", "e")
    np.testing.assert_allclose(e.scores, expected.scores, rtol=0, atol=1e-14)
    assert e.calls == 1


def test_dropped_columns_follow_the_training_rows():
    X = table()
    tree = DecisionTreeRegressor(max_depth=4, random_state=0).fit(X, X["a"] * X["b"])
    e = lc.Explainer(tree, lc.maskers.Tabular(drop=["a"]))(X.iloc[5])
    all_columns = lc.Explainer(tree, lc.maskers.Tabular())(X.iloc[5])
    assert e.names == tuple("bcd")
    assert e.base_value == pytest.approx(all_columns.base_value, abs=1e-12)
    assert abs(e.residual) < 1e-12
    assert e.full_value != tree.predict(X.iloc[[5]])[0]


@pytest.mark.parametrize("inputs", [np.ones((3, 4)), [1.0, 2.0, 3.0, 4.0], np.ones(4)], ids=["rows", "list", "row"])
def test_other_models_and_methods_are_refused(inputs):
    masker = lc.maskers.Tabular()
    for method in ("auto", lc.Shapley(), lc.KernelSHAP(30)):
        with pytest.raises(
            lc.errors.LcshapError, match=r"Expected (background rows for absent columns|a model with trees)"
        ):
            lc.Explainer(lambda rows: rows.sum(axis=1), masker, method, kind="output")(inputs)


def test_linear_models_need_a_background():
    from sklearn.linear_model import LinearRegression

    X = table()
    model = LinearRegression().fit(X, X["a"])
    with pytest.raises(lc.errors.MaskerError, match="Expected background rows for absent columns"):
        lc.Explainer(model, lc.maskers.Tabular())(X)
    with pytest.raises(lc.errors.MethodError, match=r"Expected background rows, which LinearSHAP.* needs, got none"):
        lc.Explainer(model, lc.maskers.Tabular(), lc.LinearSHAP())(X.iloc[0])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"graph": "learn"}, "graph='learn' looks"),
        ({"groups": "one-hot"}, "groups='one-hot' looks"),
        ({"summary": 20}, "summary=20 looks"),
    ],
    ids=["graph", "groups", "summary"],
)
def test_options_that_need_rows(options, message):
    with pytest.raises(lc.errors.MaskerError, match=message):
        lc.maskers.Tabular(**options)


class Squared(RandomForestRegressor):
    """A model whose outputs are not those of its trees."""

    def predict(self, X):
        return super().predict(X) ** 2


@pytest.mark.parametrize("as_array", [False, True])
def test_trees_that_are_not_those_of_the_model_are_noticed(as_array):
    X = table()
    model = Squared(5, random_state=0).fit(X.to_numpy() if as_array else X, X["a"] * X["b"])
    rows = X.to_numpy() if as_array else X
    for x in (rows, rows[:1]):
        for method in ("auto", lc.TreeSHAP(background=None)):
            with pytest.raises(lc.errors.MethodError, match="one that differs from them by"):
                lc.Explainer(model, lc.maskers.Tabular(), method).many(x)
    with pytest.raises(lc.errors.MethodError, match="one that differs from them by"):
        lc.Explainer(model, lc.maskers.Tabular()).one(rows[0] if as_array else rows.iloc[0])
