"""DataFrames and the models that people fit on them: LightGBM, XGBoost, CatBoost, scikit-learn; pandas and polars.

Warnings are errors in all tests, those about feature names too. Scores are compared with brute force over the model
itself, on frames that are put together cell by cell.
"""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
import xgboost
from catboost import CatBoostClassifier, CatBoostRegressor
from lightgbm import LGBMClassifier, LGBMRegressor
from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestRegressor
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import LocalOutlierFactor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler
from tables import model as score
from tables import people, polars_people
from xgboost import XGBClassifier, XGBRegressor

import lcshap as lc
import oracles
from lcshap.maskers import Tabular

COLUMNS = ["age", "income", "city", "job", "member"]
DATA = people(300)
Y = score(DATA)
DATA = DATA[COLUMNS].astype({"city": "category"})
POLARS = polars_people(300)[COLUMNS]
BACKGROUND, ROWS = slice(0, 4), (11, 12, 13, 14, 15)


def brute_force(predict, data, row):
    """Shapley values of a model of frames: a frame for every coalition and background row, made cell by cell."""
    game = {}
    for kept in oracles.subsets(range(len(COLUMNS))):
        frame = data[BACKGROUND]
        for unit in kept:
            name = COLUMNS[unit]
            if isinstance(frame, pl.DataFrame):
                frame = frame.with_columns(pl.Series(name, [data[row, name]] * len(frame), dtype=data.schema[name]))
            else:
                column = pd.Series([data[name].iloc[row]] * len(frame), index=frame.index, dtype=data[name].dtype)
                frame = frame.assign(**{name: column})
        game[kept] = [float(np.mean(np.asarray(predict(frame), np.float64)))]
    return np.array(oracles.shapley(len(COLUMNS), game))[:, 0]


def check_against_brute_force(model, predict, data, **options):
    explainer = lc.Explainer(model, Tabular(data[BACKGROUND]), lc.Shapley(), **options)
    for row in ROWS[:2]:
        explanation = explainer(data[row : row + 1])
        np.testing.assert_allclose(explanation.scores, brute_force(predict, data, row), rtol=0, atol=1e-10)
    explanations = explainer(data[ROWS[0] : ROWS[-1] + 1])
    assert len(explanations) == len(ROWS)
    np.testing.assert_allclose(explanations[1].scores, explanation.scores, rtol=0, atol=1e-10)


def columns_by_name():
    """A ColumnTransformer by name for missing numbers and categories."""
    numbers = make_pipeline(SimpleImputer(add_indicator=True), StandardScaler())
    texts = make_pipeline(SimpleImputer(strategy="most_frequent"), OneHotEncoder(handle_unknown="ignore"))
    return ColumnTransformer([("numbers", numbers, ["age", "income"]), ("texts", texts, ["city", "job"])])


def test_a_pipeline_with_columns_by_name():
    model = make_pipeline(columns_by_name(), LogisticRegression()).fit(DATA, np.median(Y) < Y)
    check_against_brute_force(model, lambda f: model.predict_proba(f)[:, 1], DATA, value="prob", target=1)


def test_a_pipeline_on_polars():
    encoder = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1, encoded_missing_value=-2)
    table = ColumnTransformer([("n", SimpleImputer(), ["age", "income"]), ("c", encoder, ["city", "job"])])
    model = make_pipeline(table, RandomForestRegressor(20, random_state=0)).fit(POLARS, Y)
    check_against_brute_force(model, model.predict, POLARS)


def test_histogram_boosting_with_categories():
    model = HistGradientBoostingClassifier(max_iter=20, categorical_features="from_dtype").fit(DATA, Y > 2)
    check_against_brute_force(model, lambda f: model.predict_proba(f)[:, 1], DATA, value="prob", target=1)


def test_lightgbm_with_categories_and_gaps():
    model = LGBMClassifier(n_estimators=20, min_child_samples=5, verbose=-1, n_jobs=1).fit(DATA, Y > 2)
    check_against_brute_force(model, lambda f: model.predict_proba(f)[:, 1], DATA, value="prob", target=1)
    regressor = LGBMRegressor(n_estimators=20, min_child_samples=5, verbose=-1, n_jobs=1).fit(DATA, Y)
    check_against_brute_force(regressor, regressor.predict, DATA)


def test_xgboost_with_categories_and_gaps():
    model = XGBClassifier(n_estimators=10, n_jobs=1, enable_categorical=True).fit(DATA, Y > 2)
    check_against_brute_force(model, lambda f: model.predict_proba(f)[:, 1], DATA, value="prob", target=1)
    regressor = XGBRegressor(n_estimators=10, n_jobs=1, enable_categorical=True).fit(DATA, Y)
    check_against_brute_force(regressor, regressor.predict, DATA)


def test_catboost_with_texts():
    words = DATA.assign(
        city=DATA["city"].astype(object).fillna("nowhere"), job=DATA["job"].astype(object).fillna("none")
    )
    options = {
        "iterations": 20,
        "verbose": 0,
        "thread_count": 1,
        "cat_features": ["city", "job"],
        "allow_writing_files": False,
    }
    model = CatBoostClassifier(**options).fit(words, Y > 2)
    check_against_brute_force(model, lambda f: model.predict_proba(f)[:, 1], words, value="prob", target="True")
    regressor = CatBoostRegressor(**options).fit(words, Y)
    check_against_brute_force(regressor, regressor.predict, words)


def test_a_model_that_was_fitted_on_arrays_gets_arrays():
    numbers = DATA[["age", "income"]].fillna(0)
    boosted = XGBRegressor(n_estimators=5, n_jobs=1), LGBMRegressor(n_estimators=5, verbose=-1, n_jobs=1)
    for model in (RandomForestRegressor(5), *boosted):
        model.fit(numbers.to_numpy(), Y)
        e = lc.Explainer(model, Tabular(numbers[:3]), lc.Shapley())(numbers[8:9])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert e.scores.sum() == pytest.approx(
                float(model.predict(numbers[8:9].to_numpy())[0] - model.predict(numbers[:3].to_numpy()).mean()),
                abs=1e-5,
            )


def test_names_that_a_selector_chooses_by_type():
    picked = ColumnTransformer([("n", SimpleImputer(), make_column_selector(dtype_include="number"))])
    model = make_pipeline(picked, LogisticRegression()).fit(DATA, Y > 2)
    e = lc.Explainer(model, Tabular(DATA, summary=6), lc.Shapley())(DATA.iloc[9])
    assert np.flatnonzero(np.abs(e.scores) > 1e-12).tolist() == [0, 1]  # the others are not seen


def test_a_category_that_lightgbm_never_saw():
    model = LGBMRegressor(n_estimators=5, verbose=-1, n_jobs=1).fit(DATA, Y)
    explainer = lc.Explainer(model, Tabular(DATA[:5]), lc.Shapley())
    with pytest.raises(
        lc.errors.MaskerError, match="categories 'Oslo', 'Paris', 'Rome' in column 'city' of x, got 'Bergen'"
    ):
        explainer({"age": 30, "income": 1.0, "city": "Bergen", "job": "cook", "member": True})
    explanations = explainer.many([DATA.iloc[3], {"age": 1}], errors="keep")
    assert isinstance(explanations[0], lc.Explanation)
    assert isinstance(explanations[1], lc.errors.MaskerError)


def test_a_booster_of_xgboost_takes_frames_and_arrays():
    data = DATA[["age", "income", "city"]]
    matrix = xgboost.DMatrix(data, np.median(Y) < Y, enable_categorical=True)
    booster = xgboost.train({"objective": "binary:logistic", "nthread": 1}, matrix, 8)

    def ask(frame):
        return booster.predict(xgboost.DMatrix(frame, enable_categorical=True))

    e = lc.explain(
        booster, data.iloc[20], Tabular(data[:4]), kind="probabilities", value="prob", target=1, method="shapley"
    )
    game = {}
    for kept in oracles.subsets(range(3)):
        frame = data[:4].copy()
        for c in kept:
            frame[data.columns[c]] = pd.Series([data.iloc[20, c]] * 4, dtype=data.dtypes.iloc[c])
        game[kept] = [float(np.mean(ask(frame), dtype=np.float64))]
    np.testing.assert_allclose(e.scores, np.ravel(oracles.shapley(3, game)), atol=1e-7)
    numbers = data[["age", "income"]]
    booster = xgboost.train({"nthread": 1}, xgboost.DMatrix(numbers, Y), 4)
    one = lc.explain(booster, numbers.iloc[20], Tabular(numbers[:4]), kind="output")
    other = lc.explain(booster, numbers.iloc[20].to_numpy(), Tabular(numbers[:4].to_numpy()), kind="output")
    np.testing.assert_allclose(one.scores, other.scores, atol=1e-7)


def test_local_outlier_factor_does_not_warn_about_names():
    data = DATA[["age", "income"]].fillna(0.0)
    model = LocalOutlierFactor(novelty=True).fit(data)  # on its own it warns of DataFrames too
    e = lc.explain(model, data.iloc[20], Tabular(data[:4]), method="shapley")
    with warnings.catch_warnings(action="ignore"):
        assert e.full_value == pytest.approx(model.decision_function(data.iloc[[20]])[0], abs=1e-12)


@pytest.mark.parametrize("target", [1, "1", None])
def test_the_margin_of_two_classes_has_a_target_by_class(target):
    data = DATA[["age", "income"]]
    model = LGBMClassifier(n_estimators=5, verbose=-1, n_jobs=1).fit(data, (np.median(Y) < Y).astype(int))
    e = lc.explain(model, data.iloc[20], Tabular(data[:4]), kind="logits", value="output", target=target)
    assert e.provenance["targets"] == ["1"]
    assert e.full_value == pytest.approx(model.predict(data.iloc[[20]], raw_score=True)[0], abs=1e-9)
    with pytest.raises(lc.errors.ModelError, match="Expected class '1' as the target, got 0"):
        lc.explain(model, data.iloc[20], Tabular(data[:4]), kind="logits", value="output", target=0)


def test_a_mean_with_names_gives_the_model_frames():
    data = DATA[["age", "income"]].fillna(0.0)
    model = LogisticRegression().fit(data, np.median(Y) < Y)  # it would warn of arrays
    e = lc.explain(model, data.iloc[20], Tabular(data.mean()), method="shapley", value="prob", target="True")
    assert e.base_value == pytest.approx(model.predict_proba(data.mean().to_frame().T)[0, 1], abs=1e-12)
