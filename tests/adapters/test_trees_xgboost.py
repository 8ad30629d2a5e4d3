"""XGBoost: the leaves of rows on thresholds, and brute force, with the leaves that XGBoost finds itself."""

import json

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
from lcshap.evaluation.structure_games import numeric_rows

xgboost = pytest.importorskip("xgboost")
pandas = pytest.importorskip("pandas")
sparse = pytest.importorskip("scipy.sparse")

SMALL = {"n_estimators": 5, "max_depth": 3, "n_jobs": 1}
CATEGORIES = {"enable_categorical": True, "min_child_weight": 0}
KINDS = {  # the options, and the share of missing numbers in training
    "numbers": ({}, 0.0),
    "gaps": ({}, 0.2),
    "exact": ({"tree_method": "exact"}, 0.2),
    "a marker of missing numbers": ({"missing": 0.1}, 0.1),
    "dart": ({"booster": "dart", "rate_drop": 0.5}, 0.1),
    "rf": ({"num_parallel_tree": 3, "subsample": 0.5}, 0.1),
    "pruned": ({"gamma": 5.0}, 0.1),
    "one category each": ({**CATEGORIES, "max_cat_to_onehot": 100}, 0.1),
    "sets of categories": ({**CATEGORIES, "max_cat_to_onehot": 1}, 0.1),
}


def leaf_sums(model):
    """The outputs from the leaves that XGBoost finds, added in double precision."""
    booster = model.get_booster()
    listed = [json.loads(text) for text in booster.get_dump(dump_format="json")]
    values = [dict(listed_leaves(tree)) for tree in listed]
    weights = json.loads(bytes(booster.save_raw("json")))["learner"]["gradient_booster"].get("weight_drop")
    weights = [1.0] * len(listed) if weights is None else weights
    outputs = max(1, getattr(model, "n_classes_", 0) * (getattr(model, "n_classes_", 0) > 2))
    trees_of_output = (model.num_parallel_tree or 1) if outputs > 1 else 1

    def sums(rows):
        leaves = np.asarray(model.apply(rows)).reshape(rows.shape[0], -1)
        totals = np.zeros((len(leaves), outputs))
        for tree in range(leaves.shape[1]):
            numbers = np.array([values[tree][int(leaf)] for leaf in leaves[:, tree]])
            totals[:, tree // trees_of_output % outputs] += numbers * weights[tree]
        return totals

    return sums


def listed_leaves(node):
    """The number and the value of each leaf of a tree, which is rounded to single precision."""
    if "leaf" in node:
        yield node["nodeid"], float(np.float32(node["leaf"]))
    for child in node.get("children", ()):
        yield from listed_leaves(child)


def random_model(kind, seed, columns):
    rng = np.random.default_rng(seed)
    options, gaps = KINDS[kind]
    table = random_table(rng, 120, columns, gaps)
    if "categor" in kind:
        table[:, 0] = rng.integers(0, 40 if seed % 2 else 9, 120)
        options = {**options, "feature_types": ["c"] + ["q"] * (columns - 1)}
    target = random_target(rng, table) + 40 * np.isin(table[:, 0], [0, 1, 4, 7, 33])
    model = xgboost.XGBRegressor(**SMALL, **options, random_state=seed).fit(table, target)
    trees = read_trees(model)
    rows = near_thresholds(rng, trees, 200, columns, gaps=0.15, special=(0.1, 0.1 + 1e-9, 1e-45))
    if "categor" in kind:
        assert len(trees.members)
        rows[:, 0] = rng.choice([*range(45), -1, -0.5, 2.7, 2.99999999, np.nan], 200)
    return model, rows


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(30))
def test_rows_reach_the_leaves_that_xgboost_finds(kind, seed):
    model, rows = random_model(kind, seed, 2 + seed % 6)
    trees = assert_same_leaves(model, rows, leaf_sums(model)(rows))
    predictions, sums = model.predict(rows).astype(float), trees.predict(numeric_rows(rows, trees))[:, 0]
    gaps = (predictions - sums) - (predictions - sums)[0]
    assert np.abs(gaps).max() < trees.rounding * 4 * max(1.0, np.abs(predictions).max())


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(30))
def test_scores_are_those_of_all_coalitions(kind, seed):
    model, rows = random_model(kind, seed, 10 if seed == 0 else 2 + seed % 6)
    assert_exact(model, *input_and_background(rows), leaf_sums(model))


@pytest.mark.parametrize("options", [{}, {"booster": "dart", "rate_drop": 0.4}, {"num_parallel_tree": 2}], ids=str)
def test_several_classes_and_boosters(options):
    rng = np.random.default_rng(1)
    table = random_table(rng, 150, 5, 0.1)
    classes = np.digitize(random_target(rng, table), [-1, 1])
    model = xgboost.XGBClassifier(**SMALL, **options).fit(table, classes)
    rows = near_thresholds(rng, read_trees(model), 100, 5, 0.1)
    assert_same_leaves(model, rows, leaf_sums(model)(rows))
    assert_same_leaves(model.get_booster(), rows, leaf_sums(model)(rows))
    assert_exact(model, *input_and_background(rows), leaf_sums(model), kind="logits")


def test_several_outputs_in_trees_of_their_own_and_in_the_same_trees():
    rng = np.random.default_rng(1)
    table = random_table(rng, 150, 4, 0.1)
    targets = np.column_stack([random_target(rng, table) for _ in range(3)])
    rows = near_thresholds(rng, read_trees(xgboost.XGBRegressor(**SMALL).fit(table, targets)), 100, 4, 0.1)
    for strategy in ("one_output_per_tree", "multi_output_tree"):
        model = xgboost.XGBRegressor(**SMALL, multi_strategy=strategy).fit(table, targets)
        assert assert_same_leaves(model, rows, model.predict(rows), tolerance=1e-6).value.shape[1] == 3


def test_frames_with_categories_in_another_order():
    rng = np.random.default_rng(0)
    cities = ["Oslo", "Zürich", "Bonn", "Lima"]
    frame = pandas.DataFrame({"x": rng.normal(size=200), "city": pandas.Categorical(rng.choice(cities, 200))})
    frame["size"] = pandas.Categorical(rng.choice([3, 1, 7], 200))
    frame.loc[::7, "city"] = None
    target = frame.x * frame.city.isin(["Oslo", "Lima"]) + (frame["size"] == 7)
    model = xgboost.XGBRegressor(**SMALL, **CATEGORIES).fit(frame, target)
    assert_exact(model, frame.iloc[[3]], frame.iloc[10:15], leaf_sums(model))
    assert_same_leaves(model, frame.assign(size=frame["size"].cat.set_categories([7, 3, 1])), leaf_sums(model)(frame))
    frame["city"] = frame.city.cat.rename_categories({"Zürich": "Graz"})
    model.fit(frame, target)
    other = frame.assign(city=frame.city.cat.set_categories(["Oslo", "Graz", "Bonn", "Lima"]))
    assert_same_leaves(model, other, leaf_sums(model)(frame))
    unknown = frame.assign(city="Rome").astype({"city": "category"})
    with pytest.raises(lc.errors.MethodError, match="column 'city' has a category that is not in the training data"):
        numeric_rows(unknown, read_trees(model))


def test_what_a_sparse_matrix_leaves_out_is_missing():
    rng = np.random.default_rng(0)
    rows = sparse.csr_matrix(rng.integers(0, 3, size=(200, 4)).astype(float))
    rows.data[::5] = 0.0  # stored zeros are numbers
    model = xgboost.XGBRegressor(**SMALL).fit(rows, np.asarray(rows.sum(axis=1)).ravel() % 4)
    assert_same_leaves(model, rows, leaf_sums(model)(rows))


def test_only_the_best_iterations_are_read():
    rng = np.random.default_rng(0)
    table, noise = rng.normal(size=(200, 3)), rng.normal(size=200)
    model = xgboost.XGBRegressor(**{**SMALL, "n_estimators": 60}, early_stopping_rounds=3)
    model.fit(table[:150], noise[:150], eval_set=[(table[150:], noise[150:])], verbose=False)
    assert len(read_trees(model).roots) == model.best_iteration + 1 < len(read_trees(model.get_booster()).roots)
    assert_same_leaves(model, table, model.predict(table), tolerance=1e-6)


def test_forests_and_weights_of_nodes():
    table = random_table(np.random.default_rng(0), 120, 3)
    forest = xgboost.XGBRFRegressor(n_estimators=7, n_jobs=1).fit(table, table[:, 0])
    assert_same_leaves(forest, table, forest.predict(table), tolerance=1e-6)
    trees = read_trees(xgboost.XGBRegressor(**SMALL).fit(table, table[:, 0]))
    assert trees.cover[trees.roots].tolist() == [120.0] * 5


def test_other_boosters_and_unknown_nodes_are_refused(monkeypatch):
    table = random_table(np.random.default_rng(0), 120, 3)
    linear = xgboost.XGBRegressor(n_estimators=2, booster="gblinear").fit(table, table[:, 0])
    with pytest.raises(lc.errors.MethodError, match="XGBRegressor with booster='gblinear'"):
        read_trees(linear)
    booster = xgboost.XGBRegressor(**SMALL).fit(table, table[:, 0]).get_booster()
    text = bytes(booster.save_raw("json")).decode()
    for changed, match in (
        (text.replace('"split_type":[0', '"split_type":[3', 1), r"an unknown kind of node \(split_type=3\)"),
        (text.replace('"split_conditions"', '"conditions"'), "xgboost is known to have.*no 'split_conditions'"),
        (text.replace('"left_children":[1', '"left_children":[99', 1), "a child of a node is missing"),
        ("{}", "no 'learner'"),
    ):
        assert changed != text
        monkeypatch.setattr(booster, "save_raw", lambda _, changed=changed: bytearray(changed.encode()))
        with pytest.raises(lc.errors.MethodError, match=match):
            read_trees(booster)
