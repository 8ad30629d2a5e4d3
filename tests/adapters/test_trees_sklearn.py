"""scikit-learn: its own outputs, which are in double precision, for rows on thresholds, and brute force."""

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
from lcshap.adapters.sklearn import SklearnModel
from lcshap.adapters.tree_models import path_length_function, read_trees
from lcshap.adapters.trees_sklearn import average_path_length

ensemble = pytest.importorskip("sklearn.ensemble")
tree = pytest.importorskip("sklearn.tree")
base = pytest.importorskip("sklearn.base")
pandas = pytest.importorskip("pandas")

SUMS = {  # the method whose outputs are sums over trees, and the kind of the outputs
    "regressor": (lambda model: model.predict, {}),
    "probabilities": (lambda model: model.predict_proba, {"value": "prob", "kind": "probabilities"}),
    "margin": (lambda model: model.decision_function, {"kind": "margin"}),
}
KINDS = {  # the model, what is explained, the number of classes, and the share of missing numbers
    "tree": (tree.DecisionTreeRegressor(max_depth=4), "regressor", 0, 0.2),
    "tree of classes": (tree.DecisionTreeClassifier(max_depth=4), "probabilities", 3, 0.2),
    "extra tree": (tree.ExtraTreeRegressor(max_depth=4), "regressor", 0, 0.2),
    "forest": (ensemble.RandomForestRegressor(5, max_depth=4), "regressor", 0, 0.2),
    "forest of classes": (ensemble.RandomForestClassifier(5, max_depth=4), "probabilities", 3, 0.2),
    "extra trees": (ensemble.ExtraTreesClassifier(5, max_depth=4), "probabilities", 2, 0.0),
    "boosting": (ensemble.GradientBoostingRegressor(n_estimators=5), "regressor", 0, 0.0),
    "boosting from zero": (ensemble.GradientBoostingRegressor(n_estimators=5, init="zero"), "regressor", 0, 0.0),
    "boosting of classes": (ensemble.GradientBoostingClassifier(n_estimators=4, subsample=0.7), "margin", 3, 0.0),
    "boosting of two classes": (ensemble.GradientBoostingClassifier(n_estimators=4), "margin", 2, 0.0),
    "histograms": (ensemble.HistGradientBoostingRegressor(max_iter=5, max_depth=4), "regressor", 0, 0.2),
    "histograms of classes": (ensemble.HistGradientBoostingClassifier(max_iter=4, max_depth=3), "margin", 3, 0.2),
    "histograms of categories": (
        ensemble.HistGradientBoostingRegressor(max_iter=5, categorical_features=[1], min_samples_leaf=3),
        "regressor",
        0,
        0.1,
    ),
    "votes": (ensemble.AdaBoostClassifier(n_estimators=5), "margin", 2, 0.0),
    "votes of deeper trees": (
        ensemble.AdaBoostClassifier(tree.DecisionTreeClassifier(max_depth=2), n_estimators=5),
        "margin",
        3,
        0.0,
    ),
}
DOUBLE = ("histograms", "histograms of classes", "histograms of categories")


def random_model(kind, seed, columns):
    """A fitted model, its outputs and rows on its thresholds."""
    rng = np.random.default_rng(seed)
    estimator, explained, classes, gaps = KINDS[kind]
    table = random_table(rng, 800 if "categories" in kind else 120, columns, gaps)
    if "categories" in kind:
        table[:, 1] = rng.integers(0, 40 if seed % 2 else 9, 800)
    target = random_target(rng, table) + 40 * np.isin(table[:, 1], [1, 4, 7, 33])
    if classes:
        target = np.digitize(target, np.quantile(target, np.arange(1, classes) / classes))
    model = base.clone(estimator).set_params(random_state=seed).fit(table, target)
    trees = read_trees(model)
    special = (np.inf, -np.inf, 1e300) if kind in DOUBLE else (3e38,)
    rows = near_thresholds(rng, trees, 200, columns, gaps=0.15 if gaps else 0.0, special=special)
    if "categories" in kind:  # nodes count categories first
        rows = near_thresholds(rng, trees, 200, columns, gaps=0.15, special=special)[:, [1, 0, *range(2, columns)]]
        rows[:, 1] = rng.choice([*range(45), -1.0, 2.5, np.nan], 200)
    options = {"target": 1} if explained == "margin" and classes == 2 else {}
    return model, SUMS[explained][0](model), rows, {**SUMS[explained][1], **options}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(30))
def test_rows_reach_their_leaves(kind, seed):
    model, outputs, rows, _ = random_model(kind, seed, 2 + seed % 6)
    trees = assert_same_leaves(model, rows, outputs(rows))
    assert ("categories" in kind) == bool(len(trees.members))
    assert trees.single_precision == (kind not in DOUBLE)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(30))
def test_scores_are_those_of_all_coalitions(kind, seed):
    model, outputs, rows, options = random_model(kind, seed, 10 if seed == 0 else 2 + seed % 6)
    assert_exact(model, *input_and_background(rows), outputs, **options)


@pytest.mark.parametrize("seed", range(30))
def test_path_lengths_of_isolation_forests(seed):
    rng = np.random.default_rng(seed)
    columns = 2 + seed % 6
    table = random_table(rng, 100, columns)
    options = {"max_features": [1.0, 0.6][seed % 2], "max_samples": [64, 2, 30][seed % 3], "random_state": seed}
    forest = ensemble.IsolationForest(n_estimators=8, **options).fit(table)
    rows = near_thresholds(rng, read_trees(forest), 100, columns, special=(3e38,))
    lengths = path_length_function(forest)
    scores = forest.score_samples(rows)
    np.testing.assert_allclose(-(2.0 ** (-lengths(rows) / average_path_length(forest.max_samples_))), scores)
    assert_same_leaves(forest, rows, lengths(rows))
    assert SklearnModel(forest).method == "mean_path_length"
    assert_exact(forest, *input_and_background(rows), lengths)


def test_scores_of_isolation_forests_are_no_sum():
    table = random_table(np.random.default_rng(0), 100, 3)
    forest = ensemble.IsolationForest(n_estimators=8, random_state=0).fit(table)
    model = SklearnModel(forest, method="decision_function")
    np.testing.assert_array_equal(model.predict(table)[:, 0], forest.decision_function(table))
    with pytest.raises(lc.errors.MethodError, match=r"got the score of IsolationForest.*method='mean_path_length'"):
        model.structure("trees")


def test_several_outputs_and_labels():
    rng = np.random.default_rng(0)
    table = random_table(rng, 150, 4)
    targets = np.column_stack([random_target(rng, table) for _ in range(3)])
    rows = near_thresholds(rng, read_trees(tree.DecisionTreeRegressor().fit(table, targets)), 100, 4)
    for estimator in (tree.DecisionTreeRegressor(max_depth=5), ensemble.RandomForestRegressor(4, max_depth=5)):
        model = estimator.fit(table, targets)
        assert_same_leaves(model, rows, model.predict(rows))
        assert_exact(model, *input_and_background(rows), model.predict)
    labels = (targets > 0).astype(int)
    labels[:, 2] = 1  # always true
    for estimator in (tree.DecisionTreeClassifier(max_depth=5), ensemble.ExtraTreesClassifier(4, max_depth=5)):
        model = SklearnModel(estimator.fit(table, labels))
        assert model.kind == "multilabel"
        expected = model.predict(rows)
        answers = model.structure("trees").predict(rows)
        np.testing.assert_allclose(answers - answers[0], expected - expected[0], rtol=0, atol=1e-12)


def test_histograms_of_frames_with_texts_and_unknown_categories():
    rng = np.random.default_rng(0)
    cities = ["Oslo", "Rome", "Bonn", "Lima"]
    frame = pandas.DataFrame({"x": rng.normal(size=200), "city": pandas.Categorical(rng.choice(cities, 200))})
    frame.loc[::7, "city"] = None
    target = frame.x * frame.city.isin(["Oslo", "Lima"]) + (frame.city == "Rome")
    model = ensemble.HistGradientBoostingRegressor(max_iter=9, categorical_features="from_dtype").fit(frame, target)
    assert_exact(model, frame.iloc[[3]], frame.iloc[10:15], model.predict)
    other = frame.assign(city=pandas.Categorical(rng.choice([*cities, "Graz"], 200)))
    assert_same_leaves(model, other, model.predict(other))


def test_weights_of_rows_are_the_cover():
    rng = np.random.default_rng(0)
    table, weights = rng.normal(size=(100, 2)), rng.random(100)
    weighted = tree.DecisionTreeRegressor(max_depth=3).fit(table, table[:, 0], sample_weight=weights)
    np.testing.assert_allclose(read_trees(weighted).cover[0], weights.sum())
    histograms = ensemble.HistGradientBoostingRegressor(max_iter=2).fit(table, table[:, 0])
    assert read_trees(histograms).cover[0] == 100


def test_boosting_that_stopped_early_and_subclasses():
    rng = np.random.default_rng(0)
    table = rng.normal(size=(200, 3))
    early = ensemble.GradientBoostingRegressor(n_estimators=60, n_iter_no_change=2).fit(table, rng.normal(size=200))
    assert len(read_trees(early).roots) == early.n_estimators_ < 60
    assert_same_leaves(early, table, early.predict(table))

    class Named(ensemble.RandomForestRegressor):
        pass

    named = Named(3).fit(table, table[:, 0])
    assert_same_leaves(named, table, named.predict(table))


class Node:
    """A node array with one more field."""

    dtype = np.dtype([("value", float), ("angle", float)])


def test_what_cannot_be_read_is_refused(monkeypatch):
    rng = np.random.default_rng(0)
    table, classes = rng.normal(size=(100, 3)), rng.integers(0, 3, (100, 2))
    several = tree.DecisionTreeClassifier(max_depth=2).fit(table, classes)
    linear = pytest.importorskip("sklearn.linear_model").LogisticRegression()
    votes = ensemble.AdaBoostClassifier(linear, n_estimators=2).fit(table, classes[:, 0])
    start = ensemble.GradientBoostingClassifier(n_estimators=2, init=linear).fit(table, classes[:, 0])
    older = ensemble.AdaBoostClassifier(n_estimators=2).fit(table, classes[:, 0])
    older.algorithm = "SAMME.R"
    for model, match in (
        (several, "several outputs of more than two classes"),
        (votes, r"estimator=LogisticRegression\(\.\.\.\)"),
        (start, r"init=LogisticRegression\(\.\.\.\)"),
        (older, r"algorithm=.SAMME\.R., which is no sum of votes"),
        (ensemble.AdaBoostRegressor(n_estimators=2).fit(table, table[:, 0]), "a weighted median of its trees"),
        (ensemble.RandomForestRegressor(), r"got RandomForestRegressor that is not fitted\. Call its method fit"),
    ):
        with pytest.raises(lc.errors.MethodError, match=match):
            read_trees(model)
    histograms = ensemble.HistGradientBoostingRegressor(max_iter=1).fit(table, table[:, 0])
    monkeypatch.setattr(histograms._predictors[0][0], "nodes", Node())
    with pytest.raises(lc.errors.MethodError, match=r"an unknown kind of node \(angle\)"):
        read_trees(histograms)
    monkeypatch.delattr(histograms, "_predictors")
    with pytest.raises(lc.errors.MethodError, match=r"sklearn is known to have.* of version \d.*_predictors"):
        read_trees(histograms)
