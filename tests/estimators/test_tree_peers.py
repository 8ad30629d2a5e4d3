"""Values of trees beside those of the libraries themselves and of shap, with all coalitions as the judge."""

import numpy as np
import pytest
from tree_checks import brute_force, input_and_background, near_thresholds, random_table, random_target

import lcshap as lc
from lcshap.adapters.tree_models import read_trees


def fitted(model, seed=0, columns=6, gaps=0.1):
    rng = np.random.default_rng(seed)
    table = random_table(rng, 300, columns, gaps)
    return model.fit(table, random_target(rng, table)), table[:40]


def path_dependent(model, rows, **options):
    return lc.Explainer(model, lc.maskers.Tabular(), lc.TreeSHAP(background=None, **options))(rows)


def test_path_dependent_values_are_those_of_lightgbm():
    lightgbm = pytest.importorskip("lightgbm")
    for seed in range(5):
        model, rows = fitted(lightgbm.LGBMRegressor(n_estimators=20, num_leaves=20, verbose=-1), seed)
        expected = model.predict(rows, pred_contrib=True)
        xs = path_dependent(model, rows)
        np.testing.assert_allclose(xs.scores, expected[:, :-1], rtol=0, atol=1e-9 * np.abs(expected).max())
        np.testing.assert_allclose(xs.base_values, expected[:, -1], rtol=0, atol=1e-9 * np.abs(expected).max())


def test_path_dependent_values_and_interactions_are_those_of_xgboost():
    """XGBoost adds in single precision. Its diagonal has the scores without interactions, which come in halves."""
    xgboost = pytest.importorskip("xgboost")
    for seed in range(5):
        model, rows = fitted(xgboost.XGBRegressor(n_estimators=20, max_depth=5, n_jobs=1), seed)
        rows = rows.astype(np.float32).astype(np.float64)
        matrix = xgboost.DMatrix(rows)
        expected = model.get_booster().predict(matrix, pred_contribs=True)
        pairs = model.get_booster().predict(matrix, pred_interactions=True)[:, :-1, :-1]
        xs = path_dependent(model, rows, interactions=True)
        tolerance = 1e-5 * np.abs(expected).max()
        np.testing.assert_allclose(xs.scores, expected[:, :-1], rtol=0, atol=tolerance)
        off_diagonal = 2 * pairs * (1 - np.eye(pairs.shape[1]))
        np.testing.assert_allclose(np.asarray(xs.interactions), off_diagonal, rtol=0, atol=2 * tolerance)


def test_path_dependent_values_are_those_of_catboost():
    catboost = pytest.importorskip("catboost")
    options = {"iterations": 20, "depth": 4, "verbose": 0, "thread_count": 1, "allow_writing_files": False}
    for seed in range(5):
        model, rows = fitted(catboost.CatBoostRegressor(**options), seed)
        expected = model.get_feature_importance(catboost.Pool(rows), type="ShapValues", shap_calc_type="Regular")
        xs = path_dependent(model, rows)
        np.testing.assert_allclose(xs.scores, expected[:, :-1], rtol=0, atol=1e-9 * np.abs(expected).max())
        np.testing.assert_allclose(xs.base_values, expected[:, -1], rtol=0, atol=1e-9 * np.abs(expected).max())


@pytest.mark.parametrize("kind", ["tree", "forest", "histogram"])
def test_shap_sends_rows_next_to_thresholds_to_other_leaves(kind, record_property):
    """shap rounds rows and thresholds to single precision, and the models do not: all coalitions say who is right."""
    shap = pytest.importorskip("shap")
    from sklearn.ensemble import HistGradientBoostingRegressor, RandomForestRegressor
    from sklearn.tree import DecisionTreeRegressor

    kinds = {
        "tree": lambda: DecisionTreeRegressor(max_depth=6, random_state=0),
        "forest": lambda: RandomForestRegressor(20, max_depth=6, random_state=0),
        "histogram": lambda: HistGradientBoostingRegressor(max_iter=20),
    }
    own_error, shap_error = 0.0, 0.0
    for seed in range(5):
        model, _ = fitted(kinds[kind](), seed, gaps=0.0)
        rows = near_thresholds(np.random.default_rng(seed), read_trees(model), 20, 6)
        x, background = input_and_background(rows)
        expected = brute_force(x, background, model.predict)[:, 0]
        own = lc.Explainer(model, lc.maskers.Tabular(background), lc.TreeSHAP())(x).scores
        explainer = shap.TreeExplainer(model, background, feature_perturbation="interventional")
        theirs = np.ravel(explainer.shap_values(x[None], check_additivity=False))
        own_error = max(own_error, float(np.abs(own - expected).max()))
        shap_error = max(shap_error, float(np.abs(theirs - expected).max()))
    record_property("largest error of lcshap", own_error)
    record_property("largest error of shap", shap_error)
    assert own_error < 1e-9
    if shap_error < 1e-3:
        pytest.skip(f"shap {shap.__version__} sends these rows to the same leaves (error {shap_error:.1e})")
    assert shap_error > 1e6 * own_error
