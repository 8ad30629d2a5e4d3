"""Models that are fitted again are read again."""

import numpy as np
import pytest

from lcshap.adapters.fitted_state import FittedState
from lcshap.adapters.sklearn import SklearnModel

lightgbm = pytest.importorskip("lightgbm")
xgboost = pytest.importorskip("xgboost")
catboost = pytest.importorskip("catboost")
ensemble = pytest.importorskip("sklearn.ensemble")
pipeline = pytest.importorskip("sklearn.pipeline")
preprocessing = pytest.importorskip("sklearn.preprocessing")

X = np.random.default_rng(0).normal(size=(100, 3))
MODELS = {
    "lightgbm": lightgbm.LGBMRegressor(n_estimators=3, verbose=-1),
    "xgboost": xgboost.XGBRegressor(n_estimators=3),
    "catboost": catboost.CatBoostRegressor(iterations=3, verbose=0, allow_writing_files=False, learning_rate=0.1),
    "forest": ensemble.RandomForestRegressor(3),
    "histograms": ensemble.HistGradientBoostingRegressor(max_iter=3),
    "pipeline": pipeline.make_pipeline(preprocessing.StandardScaler(), ensemble.RandomForestRegressor(3)),
}


@pytest.mark.parametrize("name", MODELS)
def test_a_model_that_is_fitted_again_is_read_again(name):
    estimator = MODELS[name].fit(X, X[:, 0])
    model, state = SklearnModel(estimator), FittedState(estimator)
    first = model.structure("trees")
    estimator.predict(X)
    assert state.is_of(estimator)
    assert model.structure("trees") is first
    estimator.fit(X, X[:, 1])
    assert not state.is_of(estimator)
    assert model.structure("trees") is not first


def test_models_that_grow():
    forest = ensemble.RandomForestRegressor(3, warm_start=True).fit(X, X[:, 0])
    light = lightgbm.train({"verbose": -1}, lightgbm.Dataset(X, X[:, 0]), 3, keep_training_booster=True)
    matrix = xgboost.DMatrix(X, X[:, 0])
    booster = xgboost.train({}, matrix, 3)
    states = [FittedState(model) for model in (forest, light, booster)]
    forest.set_params(n_estimators=4).fit(X, X[:, 0])
    light.update()
    booster.update(matrix, 3)
    for state, model in zip(states, (forest, light, booster), strict=True):
        assert not state.is_of(model)


def test_a_step_of_a_pipeline_that_is_fitted_again():
    model = pipeline.make_pipeline(preprocessing.StandardScaler(), ensemble.RandomForestRegressor(3)).fit(X, X[:, 0])
    state = FittedState(model)
    model[0].fit(X * 2)
    assert not state.is_of(model)
