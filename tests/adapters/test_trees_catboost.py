"""CatBoost: the leaves of rows on thresholds, and brute force, with the leaves that CatBoost finds itself."""

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

catboost = pytest.importorskip("catboost")
pandas = pytest.importorskip("pandas")

SMALL = {"iterations": 5, "depth": 3, "verbose": 0, "thread_count": 1, "allow_writing_files": False}
KINDS = {  # the options, and the share of missing numbers in training
    "numbers": ({}, 0.0),
    "gaps are small": ({"nan_mode": "Min"}, 0.2),
    "gaps are large": ({"nan_mode": "Max"}, 0.2),
    "depthwise": ({"grow_policy": "Depthwise", "min_data_in_leaf": 3}, 0.1),
    "lossguide": ({"grow_policy": "Lossguide", "max_leaves": 9}, 0.1),
}


def leaf_sums(model):
    """The outputs from the leaves that CatBoost finds, added in double precision."""
    values, counts = model.get_leaf_values(), np.array(model.get_tree_leaf_counts(), int)
    values = np.reshape(values, (sum(counts), -1))

    def sums(rows):
        leaves = np.asarray(model.calc_leaf_indexes(rows), int) + np.cumsum(counts) - counts
        return values[leaves].sum(axis=1)

    return sums


def random_model(kind, seed, columns):
    rng = np.random.default_rng(seed)
    options, gaps = KINDS[kind]
    table = random_table(rng, 120, columns, gaps)
    model = catboost.CatBoostRegressor(**SMALL, **options, random_seed=seed).fit(table, random_target(rng, table))
    return model, near_thresholds(rng, read_trees(model), 200, columns, 0.15, special=(np.inf, -np.inf, 1e300))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(30))
def test_rows_reach_the_leaves_that_catboost_finds(kind, seed):
    model, rows = random_model(kind, seed, 2 + seed % 6)
    if kind == "numbers":  # without gaps in training, CatBoost takes none
        rows = np.nan_to_num(rows, nan=0.25, posinf=np.inf, neginf=-np.inf)
    assert_same_leaves(model, rows, leaf_sums(model)(rows))
    assert_same_leaves(model, rows, model.predict(rows))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(30))
def test_scores_are_those_of_all_coalitions(kind, seed):
    model, rows = random_model(kind, seed, 10 if seed == 0 else 2 + seed % 6)
    rows = np.nan_to_num(rows, nan=0.25) if kind == "numbers" else rows
    assert_exact(model, *input_and_background(rows), leaf_sums(model))


@pytest.mark.parametrize("options", [{}, {"grow_policy": "Depthwise"}], ids=str)
@pytest.mark.parametrize("loss", ["MultiClass", "MultiRMSE"])
def test_several_outputs(loss, options):
    rng = np.random.default_rng(1)
    table = random_table(rng, 150, 5, 0.1)
    target = random_target(rng, table)
    if loss == "MultiClass":
        model = catboost.CatBoostClassifier(**SMALL, **options).fit(table, np.digitize(target, [-1, 1]))
    elif options:
        return  # CatBoost has no such trees
    else:
        targets = np.column_stack([target, table[:, 0], table[:, 1] > 0])
        model = catboost.CatBoostRegressor(loss_function="MultiRMSE", **SMALL).fit(table, np.nan_to_num(targets))
    rows = near_thresholds(rng, read_trees(model), 100, 5, 0.1)
    assert assert_same_leaves(model, rows, leaf_sums(model)(rows)).value.shape[1] == 3
    kind = {"kind": "logits"} if loss == "MultiClass" else {}
    assert_exact(model, *input_and_background(rows), leaf_sums(model), **kind)


def frame_of(rng, count, cities):
    frame = pandas.DataFrame({"x": rng.normal(size=count).round(1), "city": rng.choice(cities, count)})
    frame["size"] = rng.choice([3, 1, 700, -2], count)
    frame["day"] = pandas.Categorical(rng.choice(["Mon", "Tue", "Sun"], count))
    return frame[["city", "x", "day", "size"]]


CITIES = ["Oslo", "Zürich", "Bonn", "Lima", "a name of a city that is much longer than those of all the other cities"]


@pytest.mark.parametrize("seed", range(30))
def test_single_categories(seed):
    rng = np.random.default_rng(seed)
    frame = frame_of(rng, 150, CITIES)
    target = frame.x * frame.city.isin(["Oslo", CITIES[-1]]) + (frame["size"] == 700) * 2 + (frame.day == "Tue")
    model = catboost.CatBoostRegressor(**SMALL, one_hot_max_size=9, cat_features=["city", "day", "size"])
    model.fit(frame, target)
    others = frame_of(rng, 80, [*CITIES, "Graz", "3", "700"])
    assert len(assert_same_leaves(model, others, leaf_sums(model)(others)).members)
    assert_exact(model, others.iloc[[3]], others.iloc[10:15], leaf_sums(model))
    table, as_list = others.to_numpy(object), others.to_numpy(object).tolist()
    trees = read_trees(model)
    np.testing.assert_array_equal(numeric_rows(table, trees), numeric_rows(others, trees))
    np.testing.assert_allclose(model.predict(as_list), model.predict(others))


def test_scale_and_the_weights_of_nodes():
    table = random_table(np.random.default_rng(0), 120, 3)
    model = catboost.CatBoostRegressor(**SMALL, boost_from_average=True).fit(table, table[:, 0])
    model.set_scale_and_bias(2.5, 7.0)
    trees = assert_same_leaves(model, table, model.predict(table))
    assert trees.cover[trees.roots].tolist() == [120.0] * 5


def test_what_cannot_be_read_is_refused(monkeypatch):
    rng = np.random.default_rng(0)
    frame = frame_of(rng, 150, CITIES)
    options = {**SMALL, "cat_features": ["city", "day", "size"]}
    encoded = catboost.CatBoostRegressor(**options, one_hot_max_size=2).fit(frame, frame.city == "Oslo")
    with pytest.raises(lc.errors.MethodError, match="CatBoostRegressor with ordered target statistics of categories"):
        read_trees(encoded)
    uneven = catboost.CatBoostRegressor(**options, one_hot_max_size=9, grow_policy="Depthwise")
    with pytest.raises(lc.errors.MethodError, match="splits by category in trees that are not symmetric"):
        read_trees(uneven.fit(frame, frame.city == "Oslo"))
    model = catboost.CatBoostRegressor(**SMALL).fit(frame[["x"]], frame.x)
    stored = lc.adapters.trees_catboost._stored_model(model)
    for change, match in (
        ({"oblivious_trees": [{"splits": [{"split_type": "Moon"}]}]}, r"unknown kind of node \(split_type='Moon'\)"),
        ({"scale_and_bias": 1.0}, "catboost is known to have"),
        ({"features_info": {"float_features": [{}]}}, "no 'flat_feature_index'"),
    ):
        monkeypatch.setattr("lcshap.adapters.trees_catboost._stored_model", lambda _, c=change: {**stored, **c})
        with pytest.raises(lc.errors.MethodError, match=match):
            read_trees(model)
