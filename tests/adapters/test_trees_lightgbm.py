"""LightGBM: the leaves of rows on thresholds, and brute force, with the leaves that LightGBM finds itself."""

import numpy as np
import pytest
from tree_checks import (
    assert_exact,
    assert_same_leaves,
    input_and_background,
    near_thresholds,
    random_table,
    random_target,
)

import lcshap as lc
from lcshap.adapters.tree_models import read_trees

lightgbm = pytest.importorskip("lightgbm")
pandas = pytest.importorskip("pandas")

SMALL = {"n_estimators": 5, "num_leaves": 6, "verbose": -1, "n_jobs": 1, "min_child_samples": 3}
CATEGORIES = {"min_data_per_group": 3, "cat_smooth": 1, "max_cat_to_onehot": 2}
KINDS = {  # the options, and the share of missing numbers in training
    "numbers": ({}, 0.0),
    "gaps": ({}, 0.2),
    "zeros are missing": ({"zero_as_missing": True}, 0.1),
    "missing is not used": ({"use_missing": False}, 0.1),
    "dart": ({"boosting_type": "dart", "drop_rate": 0.5}, 0.1),
    "rf": ({"boosting_type": "rf", "bagging_freq": 1, "bagging_fraction": 0.6}, 0.1),
    "categories": ({**CATEGORIES, "categorical_feature": [0]}, 0.1),
    "one category each": ({**CATEGORIES, "max_cat_to_onehot": 50, "categorical_feature": [0]}, 0.0),
}


def leaf_sums(model):
    """The outputs from the leaves that LightGBM finds, added in double precision."""
    booster = getattr(model, "booster_", model)
    outputs = booster.num_model_per_iteration()

    def sums(rows):
        leaves = booster.predict(rows, pred_leaf=True).reshape(len(rows), -1).astype(int)
        totals = np.zeros((len(rows), outputs))
        for tree in range(leaves.shape[1]):
            values = np.array([booster.get_leaf_output(tree, leaf) for leaf in range(leaves[:, tree].max() + 1)])
            totals[:, tree % outputs] += values[leaves[:, tree]]
        share = leaves.shape[1] // outputs if "[boosting: rf]" in booster.model_to_string() else 1
        return totals / share

    return sums


def random_model(kind, seed, columns):
    rng = np.random.default_rng(seed)
    options, gaps = KINDS[kind]
    fit = {name: value for name, value in options.items() if name == "categorical_feature"}
    table = random_table(rng, 120, columns, gaps)
    if fit:
        table[:, 0] = rng.integers(0, 40 if seed % 2 else 9, 120)
    target = random_target(rng, table) + 100 * np.isin(table[:, 0], [0, 1, 4, 7, 33])
    settings = {name: value for name, value in options.items() if name not in fit}
    model = lightgbm.LGBMRegressor(**SMALL, **settings, random_state=seed).fit(table, target, **fit)
    trees = read_trees(model)
    rows = near_thresholds(rng, trees, 200, columns, gaps=0.15, special=(np.inf, -np.inf, 1e-36, -1e-35, -1.1e-35))
    if fit:
        rows[:, 0] = rng.choice([*range(45), -1, -0.5, 2.7, 1e12, np.nan, np.inf], 200)
    return model, rows


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(30))
def test_rows_reach_the_leaves_that_lightgbm_finds(kind, seed):
    columns = 2 + seed % 6
    model, rows = random_model(kind, seed, columns)
    trees = assert_same_leaves(model, rows, leaf_sums(model)(rows))
    if "categor" in kind and columns > 2:
        assert len(trees.members)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(30))
def test_scores_are_those_of_all_coalitions(kind, seed):
    model, rows = random_model(kind, seed, 10 if seed == 0 else 2 + seed % 6)
    assert_exact(model, *input_and_background(rows), leaf_sums(model))


@pytest.mark.parametrize("seed", range(3))
def test_several_classes_and_boosters(seed):
    rng = np.random.default_rng(seed)
    table = random_table(rng, 150, 5, 0.1)
    classes = np.digitize(random_target(rng, table), [-1, 1])
    model = lightgbm.LGBMClassifier(**SMALL).fit(table, classes)
    rows = near_thresholds(rng, read_trees(model), 100, 5, 0.1)
    trees = assert_same_leaves(model, rows, model.predict(rows, raw_score=True))
    assert trees.value.shape[1] == 3
    assert_same_leaves(model.booster_, rows, model.predict(rows, raw_score=True))
    assert_exact(model, *input_and_background(rows), leaf_sums(model), kind="logits")
    again = lightgbm.Booster(model_str=model.booster_.model_to_string())
    assert_same_leaves(again, rows, model.predict(rows, raw_score=True))


def test_frames_with_categories_gaps_and_unknown_categories():
    rng = np.random.default_rng(0)
    city = pandas.Categorical(rng.choice(["Oslo", "Rome", "Bonn", "Lima"], 200), categories=list("ab") + CITIES)
    frame = pandas.DataFrame({"x": rng.normal(size=200), "city": city, "on": rng.random(200) < 0.5})
    frame.loc[::7, "city"] = None
    target = frame.x * frame.city.isin(["Oslo", "Lima"]) + frame.on
    model = lightgbm.LGBMRegressor(**SMALL, **CATEGORIES).fit(frame, target)
    assert_exact(model, frame.iloc[[3]], frame.iloc[10:15], model.predict)
    other = frame.assign(city=pandas.Categorical(frame.city.astype(object), categories=[*CITIES[::-1], "Graz"]))
    other.loc[::5, "city"] = "Graz"
    assert_same_leaves(model, other, model.predict(other))


CITIES = ["Oslo", "Rome", "Bonn", "Lima"]


def test_trees_of_one_leaf_and_many_categories():
    rng = np.random.default_rng(0)
    table = rng.normal(size=(100, 2))
    constant = lightgbm.LGBMRegressor(**SMALL).fit(table, np.ones(100))
    assert_same_leaves(constant, table, constant.predict(table))
    codes = np.column_stack([rng.integers(0, 300, 3000), rng.normal(size=3000)])
    model = lightgbm.LGBMRegressor(**SMALL, **CATEGORIES, max_cat_threshold=200)
    model.fit(codes, (codes[:, 0] % 7 < 3) + codes[:, 1], categorical_feature=[0])
    assert read_trees(model).members.shape[1] > 250
    assert_same_leaves(model, codes, leaf_sums(model)(codes))


def test_only_the_best_iterations_are_read():
    rng = np.random.default_rng(0)
    table, noise = rng.normal(size=(200, 3)), rng.normal(size=200)
    model = lightgbm.LGBMRegressor(**{**SMALL, "n_estimators": 60})
    stop = lightgbm.early_stopping(3, verbose=False)
    model.fit(table[:150], noise[:150], eval_X=(table[150:],), eval_y=(noise[150:],), callbacks=[stop])
    assert len(read_trees(model).roots) == model.best_iteration_ < 60
    assert_same_leaves(model, table, model.predict(table))


def test_weights_of_nodes_are_the_counts_of_rows():
    table = random_table(np.random.default_rng(0), 120, 3)
    model = lightgbm.LGBMRegressor(**SMALL).fit(table, table[:, 0] * table[:, 1])
    trees = read_trees(model)
    assert trees.cover[trees.roots].tolist() == [120.0] * 5


def test_linear_leaves_and_unknown_decisions_are_refused(monkeypatch):
    table = random_table(np.random.default_rng(0), 120, 3)
    linear = lightgbm.LGBMRegressor(**SMALL, linear_tree=True).fit(table, table[:, 0])
    with pytest.raises(lc.errors.MethodError, match="LGBMRegressor with linear models in its leaves"):
        read_trees(linear)
    model = lightgbm.LGBMRegressor(**SMALL).fit(table, table[:, 0])
    text = model.booster_.model_to_string()
    unknown = text.replace("decision_type=2", "decision_type=18", 1)
    for changed, match in (
        (unknown, r"an unknown kind of node \(decision_type=18\)"),
        (text.replace("split_feature=", "feature="), "lightgbm is known to have.*: a split is incomplete"),
        (text.replace("leaf_value=", "values="), "lightgbm is known to have"),
        (text.replace("max_feature_idx=", "columns="), "no 'max_feature_idx'"),
        (text.replace("left_child=1", "left_child=77", 1), "a child of a node is missing|a node has two parents"),
    ):
        assert changed != text
        monkeypatch.setattr(model.booster_, "model_to_string", lambda changed=changed: changed)
        with pytest.raises(lc.errors.MethodError, match=match):
            read_trees(model)
