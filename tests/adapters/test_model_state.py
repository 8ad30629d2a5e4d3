"""Changes of a model that a store in memory has to notice, and what does not count as one."""

import functools

import numpy as np
import pytest
import torch
from sklearn.ensemble import GradientBoostingRegressor, HistGradientBoostingRegressor, RandomForestRegressor
from sklearn.linear_model import Ridge
from sklearn.neural_network import MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import lcshap as lc
from lcshap.adapters.callable import CallableModel
from lcshap.adapters.model_state import model_state

RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(120, 4)), RNG.normal(size=120)
BACKGROUND = lc.maskers.Tabular(np.zeros(4))


def explain(model, store):
    return lc.Explainer(model, BACKGROUND, "shapley", kind="output", store=store)(X[0])


def module():
    torch.manual_seed(0)
    return torch.nn.Sequential(torch.nn.Linear(4, 300), torch.nn.Tanh(), torch.nn.Linear(300, 1)).double()


def scale_counted(model):
    with torch.no_grad():
        model[0].weight.mul_(2.0)


def scale_uncounted(model):
    model[2].weight.data *= 3.0


def replace_uncounted(model):
    model[0].bias.data = model[0].bias.data + 1.0


@pytest.mark.parametrize("change", [scale_counted, scale_uncounted, replace_uncounted])
@pytest.mark.parametrize("wrap", [lambda m: m, lambda m: lambda rows: m(torch.as_tensor(rows)).detach().numpy()])
def test_weights_that_are_changed_in_place_give_new_scores(change, wrap):
    network, store = module(), lc.MemoryStore()
    model = wrap(network)
    first = explain(model, store)
    assert explain(model, store).rows == 0
    change(network)
    second = explain(model, store)
    assert second.rows == 16
    assert second == explain(model, None)
    assert not np.allclose(first.scores, second.scores)


@pytest.mark.parametrize(
    "estimator",
    [
        Ridge(),
        RandomForestRegressor(40, random_state=0),
        GradientBoostingRegressor(n_estimators=40),
        HistGradientBoostingRegressor(max_iter=10),
        MLPRegressor(hidden_layer_sizes=(20,), max_iter=30, random_state=0),
        make_pipeline(StandardScaler(), Ridge()),
    ],
    ids=lambda e: type(e).__name__,
)
@pytest.mark.filterwarnings("ignore:Stochastic Optimizer")
def test_an_estimator_that_is_fitted_again_gives_new_scores(estimator):
    for model in (
        estimator,
        estimator.predict,
        functools.partial(estimator.predict),
        lambda rows: estimator.predict(rows),
    ):
        store = lc.MemoryStore()
        estimator.fit(X, Y)
        explain(model, store)
        assert explain(model, store).rows == 0
        estimator.fit(X, 2.0 * Y + X[:, 1])
        assert explain(model, store) == explain(model, None)


def test_boosters_that_are_trained_further_give_new_scores():
    lightgbm, xgboost = pytest.importorskip("lightgbm"), pytest.importorskip("xgboost")
    quiet = lightgbm.LGBMRegressor(n_estimators=5, verbose=-1, n_jobs=1), xgboost.XGBRegressor(n_estimators=5, n_jobs=1)
    for estimator in quiet:
        store = lc.MemoryStore()
        estimator.fit(X, Y)
        explain(estimator, store)
        assert explain(estimator, store).rows == 0
        estimator.fit(X, 2.0 * Y + X[:, 1])
        assert explain(estimator, store) == explain(estimator, None)


def test_arrays_that_a_function_uses():
    weights = {"w": np.arange(4.0)}
    store = lc.MemoryStore()

    def model(rows):
        return rows @ weights["w"]

    explain(model, store)
    weights["w"][2] = 9.0
    assert explain(model, store) == explain(model, None)
    assert "changes within the function model are not noticed" in repr(store)


class Counting:
    """A model that counts what it does, and keeps what it was asked last."""

    def __init__(self):
        self.calls, self.asked = 0, []

    def __call__(self, rows):
        self.calls += 1
        self.asked.append(len(rows))
        return rows.sum(axis=1)


def test_counters_are_no_change():
    model, store = Counting(), lc.MemoryStore()
    explain(model, store)
    assert explain(model, store).rows == 0
    assert model.calls > 0


def test_numbers_without_a_dimension_after_large_arrays():
    network = torch.nn.Sequential(torch.nn.Linear(600, 600), torch.nn.BatchNorm1d(600)).eval()
    before = model_state(network)
    network[1].num_batches_tracked += 1
    assert model_state(network) != before


def test_counters_of_an_own_adapter_are_no_change():
    class Counted(CallableModel):
        requests = 0

        def predict(self, rows):
            self.requests += 1
            return super().predict(rows)

    model, store = Counted(lambda rows: rows.sum(axis=1), "output"), lc.MemoryStore()
    explain(model, store)
    assert explain(model, store).rows == 0
    assert model.requests > 0


def test_the_state_of_a_large_array_is_read_from_some_of_its_numbers():
    array = np.zeros((1000, 1000))
    model = Ridge().fit(X, Y)
    model.coef_ = array
    before, unread = model_state(model)
    assert unread is None
    array += 1e-9
    assert model_state(model)[0] != before


def test_an_explainer_that_says_nothing_about_unread_code_reads_everything():
    store = lc.MemoryStore()
    explain(Ridge().fit(X, Y), store)
    assert "not noticed" not in repr(store)
