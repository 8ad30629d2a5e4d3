"""Background rows instead of a masker, and columns in another order than that of the model."""

import warnings

import lightgbm
import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import lcshap as lc
from lcshap.errors import MaskerError
from lcshap.maskers import Tabular

RNG = np.random.default_rng(0)
TABLE = pd.DataFrame(RNG.normal(size=(30, 3)), columns=["age", "dose", "pulse"])
MODEL = LinearRegression().fit(TABLE, TABLE @ [1.0, 2.0, -4.0])
EXPECTED = (TABLE - TABLE.mean()).to_numpy() * [1.0, 2.0, -4.0]


@pytest.mark.parametrize("kind", ["array", "pandas", "polars", "nested"])
def test_background_rows_mean_a_table(kind):
    data = {"array": TABLE.to_numpy(), "pandas": TABLE, "polars": pl.from_pandas(TABLE), "nested": TABLE}[kind]
    model = MODEL if kind == "pandas" else LinearRegression().fit(TABLE.to_numpy(), TABLE @ [1.0, 2.0, -4.0])
    if kind == "nested":
        model = make_pipeline(StandardScaler(), LinearRegression()).fit(TABLE, TABLE @ [1.0, 2.0, -4.0])
    if kind == "polars":
        model = LinearRegression().fit(data, TABLE @ [1.0, 2.0, -4.0])
    explainer = lc.Explainer(model, data)
    assert isinstance(explainer.masker, Tabular)
    xs = explainer(data)
    np.testing.assert_allclose(xs.scores, EXPECTED, atol=1e-9)
    named = lc.Explainer(model, Tabular(data))(data)
    np.testing.assert_array_equal(xs.scores, named.scores)
    assert xs[0].provenance["masker"] == named[0].provenance["masker"]


def test_explain_takes_background_rows_too():
    e = lc.explain(MODEL, TABLE[3:4], TABLE)
    np.testing.assert_allclose(e.scores, EXPECTED[3], atol=1e-9)


@pytest.mark.parametrize("masker", [lambda table: table, Tabular], ids=["rows", "masker"])
def test_columns_are_put_into_the_order_of_the_model(masker):
    backwards = TABLE[["pulse", "dose", "age"]]
    e = lc.Explainer(MODEL, masker(backwards)).one(backwards[5:6])
    assert e.names == ("age", "dose", "pulse")
    np.testing.assert_allclose(e.scores, EXPECTED[5], atol=1e-9)
    with pytest.warns(UserWarning, match="Columns of the background that the model does not have are left out"):
        explainer = lc.Explainer(MODEL, masker(TABLE.assign(label=1.0)[["label", "dose", "age", "pulse"]]))
    np.testing.assert_allclose(explainer.one(TABLE[5:6]).scores, EXPECTED[5], atol=1e-9)
    with pytest.warns(UserWarning, match="Columns of x that the background does not have are left out: 'label'"):
        xs = explainer(backwards.assign(label=1.0))
    np.testing.assert_allclose(xs.scores, EXPECTED, atol=1e-9)


def test_lightgbm_replaces_spaces_in_names():
    spaced = TABLE.rename(columns={"age": "age in years"})
    model = lightgbm.LGBMRegressor(n_estimators=2, verbose=-1).fit(spaced, TABLE["age"])
    assert model.feature_names_in_[0] == "age_in_years"
    expected = lc.Explainer(model, spaced)(spaced)
    assert expected[0].names == ("age in years", "dose", "pulse")
    backwards = lc.Explainer(model, spaced[["pulse", "dose", "age in years"]])(spaced)
    np.testing.assert_array_equal(backwards.scores, expected.scores)


def test_a_missing_column_is_an_error():
    with pytest.raises(MaskerError, match="Expected the background to have the columns of the model, got one with"):
        lc.Explainer(MODEL, TABLE[["dose", "pulse"]])
    with pytest.raises(MaskerError, match="Expected x to have the columns of the background, got one without 'dose'"):
        lc.Explainer(MODEL, TABLE)(TABLE[["age", "pulse"]])


def test_arrays_with_names_in_another_order_are_refused():
    with pytest.raises(MaskerError, match=r"the model was fitted, age, dose, pulse, got pulse, dose, age\."):
        lc.Explainer(MODEL, Tabular(TABLE.to_numpy()[:, ::-1], names=["pulse", "dose", "age"]))
    with pytest.raises(MaskerError, match="order in which the model was fitted"):
        lc.Explainer(MODEL, Tabular(TABLE[["pulse", "dose", "age"]], graph="chain"))
    with pytest.raises(MaskerError, match="order in which the model was fitted"):
        lc.Explainer(MODEL, Tabular(TABLE[["pulse", "dose", "age"]], pin=[0]))
    lc.Explainer(MODEL, Tabular(TABLE.to_numpy(), names=["age", "dose", "pulse"]))
    lc.Explainer(MODEL, Tabular(TABLE.to_numpy(), names=["years", "mg", "beats"]))


def test_many_background_rows_give_a_warning_if_each_call_takes_all_of_them():
    rows = RNG.normal(size=(1_500, 3))
    with pytest.warns(UserWarning, match=r"takes 1,500 rows, one for each row of the background.*summary=100"):
        lc.Explainer(lambda x: x.sum(axis=1), rows, kind="output")(rows[0])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        lc.Explainer(LinearRegression().fit(rows, rows[:, 0]), rows)(rows[:5])  # exact from the weights
        lc.Explainer(lambda x: x.sum(axis=1), Tabular(rows), kind="output")(rows[0])


@pytest.mark.parametrize("data", [np.zeros((2, 2, 2)), np.zeros(3), [[1.0, 2.0]], "text", None], ids=str)
def test_other_objects_are_no_maskers(data):
    with pytest.raises(MaskerError, match="Expected a masker, got"):
        lc.Explainer(MODEL, data)
