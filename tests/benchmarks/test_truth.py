"""Truths by definition: orders of units for the Shapley value, second differences for pairs, mixtures for trees."""

from itertools import combinations, permutations

import numpy as np
import pytest
from benchmarks.harness import truth
from benchmarks.harness.game import Bench
from benchmarks.harness.tables import Table
from benchmarks.harness.tasks import trees

D = 5


@pytest.fixture
def values():
    return np.random.default_rng(3).normal(size=2**D)


def test_brute_force_is_the_average_over_all_orders(values):
    wanted = np.zeros(D)
    orders = list(permutations(range(D)))
    for order in orders:
        held = 0
        for i in order:
            wanted[i] += (values[held | 1 << i] - values[held]) / len(orders)
            held |= 1 << i
    np.testing.assert_allclose(truth.exact(values).scores, wanted, atol=1e-12)


def test_an_interaction_is_the_shapley_value_with_less_that_without(values):
    """I_ij = phi_i of the game in which j is always there, less phi_i of the game in which j never is."""
    wanted = []
    for i, j in combinations(range(D), 2):
        rest = [k for k in range(D) if k != j]
        rows = np.array([sum(1 << rest[b] for b in range(D - 1) if r >> b & 1) for r in range(2 ** (D - 1))])
        place = rest.index(i)
        wanted.append(truth.exact(values[rows | 1 << j]).scores[place] - truth.exact(values[rows]).scores[place])
    np.testing.assert_allclose(truth.exact(values).pairs, wanted, atol=1e-12)


def test_long_runs_agree_within_their_standard_error(values):
    game = Bench("t", "t", D, Table(values))
    found, wanted = truth.permutations(game, 400), truth.exact(values)
    assert (np.abs(found.scores - wanted.scores) < 5 * found.stderr + 1e-12).all()
    assert found.scores.sum() == pytest.approx(values[-1] - values[0])


def test_sampled_interactions_agree_within_their_standard_error(values):
    game = Bench("t", "t", D, Table(values))
    (found, stderr), wanted = truth.sampled_pairs(game, 2000), truth.exact(values).pairs
    assert (np.abs(found - wanted) < 4.5 * stderr).all()
    assert stderr.max() < np.abs(wanted).max() / 5


def test_long_runs_contain_requested_interactions(tmp_path, monkeypatch, values):
    monkeypatch.setattr(truth, "BRUTE_FORCE", 3)
    game = Bench("t", "t", D, Table(values), pairs=20, pair_samples=10)
    found = truth.truth(game, tmp_path)
    assert found.pairs.shape == found.pair_stderr.shape == (D * (D - 1) // 2,)
    assert truth.truth(Bench("t", "t", D, Table(values), pairs=20), tmp_path).pairs is None


def test_a_truth_is_kept_under_the_digest_of_the_game(tmp_path, values):
    first = truth.truth(Bench("t", "t", D, Table(values)), tmp_path)
    other = truth.truth(Bench("t", "t", D, Table(2 * values)), tmp_path)
    np.testing.assert_allclose(other.scores, 2 * first.scores)
    assert len(list((tmp_path / "truth").iterdir())) == 2
    np.testing.assert_array_equal(truth.truth(Bench("t", "t", D, Table(values)), tmp_path).pairs, first.pairs)


def rows_and_answers():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(200, D)).astype(np.float32)
    return x, (x[:, 0] * x[:, 1] + x[:, 2] > 0.2).astype(int)


def check_trees(nodes, predict, x):
    background = x[:3]
    found = trees.tree_truth(nodes, x[10], background)
    kept = truth.all_coalitions(D)
    mixed = np.where(kept[:, None, :], x[10], background).reshape(-1, D)
    wanted = truth.exact(np.asarray(predict(mixed), float).reshape(2**D, -1).mean(axis=1))
    np.testing.assert_allclose(found.scores, wanted.scores, atol=1e-5)
    np.testing.assert_allclose(found.pairs, wanted.pairs, atol=1e-5)
    assert np.abs(wanted.pairs).max() > 0.01


def test_a_forest_from_its_leaves():
    from sklearn.ensemble import RandomForestClassifier

    x, y = rows_and_answers()
    model = RandomForestClassifier(7, random_state=0).fit(x, y)
    nodes = [trees.from_sklearn(tree, 1 / 7, column=1) for tree in model.estimators_]
    check_trees(nodes, lambda rows: model.predict_proba(rows)[:, 1], x)


def test_lightgbm_from_its_leaves():
    lightgbm = pytest.importorskip("lightgbm")
    x, y = rows_and_answers()
    model = lightgbm.train({"verbose": -1, "num_threads": 1, "objective": "binary"}, lightgbm.Dataset(x, y), 10)
    check_trees(trees.from_lightgbm(model), lambda rows: model.predict(rows, raw_score=True), x)


def test_xgboost_from_its_leaves():
    xgboost = pytest.importorskip("xgboost")
    x, y = rows_and_answers()
    model = xgboost.train({"objective": "binary:logistic", "nthread": 1}, xgboost.DMatrix(x, y), 10)
    check_trees(trees.from_xgboost(model), lambda rows: model.inplace_predict(rows, predict_type="margin"), x)
