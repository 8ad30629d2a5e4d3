"""All rows of a table at once are what each row is by itself, by enumeration of all coalitions."""

import numpy as np
import pytest

import lcshap as lc
import oracles
from support import every

ensemble = pytest.importorskip("sklearn.ensemble")
pandas = pytest.importorskip("pandas")

RNG = np.random.default_rng(0)
X = RNG.normal(size=(120, 5))
Y = X[:, 0] * X[:, 1] + np.abs(X[:, 2])
REGRESSOR = ensemble.RandomForestRegressor(7, max_depth=5, random_state=0).fit(X, Y)
CLASSES = np.array(["low", "middle", "high"])[np.digitize(Y, [0, 1])]
CLASSIFIER = ensemble.RandomForestClassifier(7, max_depth=5, random_state=0).fit(X, CLASSES)


def enumerate_shapley(predict, x, background, units, d):
    """The Shapley value by its definition: `predict` is averaged over background rows, for each coalition."""
    table = {}
    for kept in every(d):
        rows = background.copy()
        for column, unit in enumerate(units):
            if unit == "pinned" or (unit is not None and kept[unit]):
                rows[:, column] = x[column]
        table[frozenset(np.flatnonzero(kept).tolist())] = np.mean(predict(rows), axis=0).reshape(-1).tolist()
    return np.array(oracles.shapley(d, table)), np.array(table[frozenset()])


def test_regression_with_an_array():
    xs = lc.Explainer(REGRESSOR, lc.maskers.Tabular(X[:9]))(X[20:40])
    assert isinstance(xs, lc.Explanations)
    assert xs.scores.shape == (20, 5)
    assert {(e.calls, e.rows, e.provenance["name"]) for e in xs} == {(1, 1, "tree-shap")}
    for number in (0, 7, 19):
        x = X[20 + number]
        scores, base = enumerate_shapley(REGRESSOR.predict, x, X[:9], range(5), 5)
        np.testing.assert_allclose(xs.scores[number], scores[:, 0], rtol=0, atol=1e-12)
        np.testing.assert_allclose(xs.base_values[number], base[0], rtol=0, atol=1e-12)
        assert xs.predictions[number] == REGRESSOR.predict(x[None])[0]
    np.testing.assert_array_equal(xs.data, X[20:40])


def test_each_row_for_its_predicted_class_and_for_all_classes():
    masker = lc.maskers.Tabular(X[:6])
    predicted = CLASSIFIER.predict(X[20:50])
    assert len(set(predicted)) == 3
    xs = lc.Explainer(CLASSIFIER, masker, value="prob", target=None)(X[20:50])
    whole = lc.Explainer(CLASSIFIER, masker, value="prob", target="all")(X[20:50])
    names = CLASSIFIER.classes_.tolist()
    if xs.scores.ndim == 3:  # the default target of a table is all classes
        xs, targets = [xs[i].scores[:, names.index(c)] for i, c in enumerate(predicted)], predicted.tolist()
    else:
        targets, xs = xs.targets.tolist(), list(xs.scores)
    assert targets == predicted.tolist()
    for number in (0, 5, 29):
        scores, base = enumerate_shapley(CLASSIFIER.predict_proba, X[20 + number], X[:6], range(5), 5)
        np.testing.assert_allclose(whole.scores[number], scores, rtol=0, atol=1e-12)
        np.testing.assert_allclose(whole.base_values[number], base, rtol=0, atol=1e-12)
        column = names.index(predicted[number])
        np.testing.assert_allclose(xs[number], scores[:, column], rtol=0, atol=1e-12)
        (name, probability), *_ = whole[number].provenance["prediction"]
        assert name == predicted[number]
        assert probability == CLASSIFIER.predict_proba(X[20 + number][None]).max()


def test_pinned_columns_and_groups():
    masker = lc.maskers.Tabular(X[:9], pin=[4], groups={"both": [0, 1]})
    xs = lc.Explainer(REGRESSOR, masker)(X[20:26])
    assert xs.names == ("both", "2", "3")
    for number in range(6):
        scores, base = enumerate_shapley(REGRESSOR.predict, X[20 + number], X[:9], [0, 0, 1, 2, "pinned"], 3)
        np.testing.assert_allclose(xs.scores[number], scores[:, 0], rtol=0, atol=1e-12)
        np.testing.assert_allclose(xs.base_values[number], base[0], rtol=0, atol=1e-12)


def test_dropped_columns_are_explained_row_by_row():
    xs = lc.Explainer(REGRESSOR, lc.maskers.Tabular(X[:9], drop=[1]))(X[20:23])
    for number in range(3):
        scores, _ = enumerate_shapley(REGRESSOR.predict, X[20 + number], X[:9], [0, None, 1, 2, 3], 4)
        np.testing.assert_allclose(xs.scores[number], scores[:, 0], rtol=0, atol=1e-12)


def test_a_frame_and_one_row_of_it():
    table = pandas.DataFrame(X, columns=list("abcde"))
    model = ensemble.RandomForestRegressor(5, max_depth=4, random_state=0).fit(table, Y)
    explainer = lc.Explainer(model, lc.maskers.Tabular(table[:9]))
    xs = explainer(table[20:30])
    same = lc.Explainer(model.__class__(5, max_depth=4, random_state=0).fit(X, Y), lc.maskers.Tabular(X[:9]))(X[20:30])
    np.testing.assert_allclose(xs.scores, same.scores, rtol=0, atol=1e-12)
    assert xs.names == tuple("abcde")
    one = explainer(table[23:24])
    np.testing.assert_allclose(one.scores, xs[3].scores, rtol=0, atol=1e-12)
    assert explainer.many(table[23:24])[0].view.columns == one.view.columns
    np.testing.assert_array_equal(xs.data, table[20:30].to_numpy())


class Shifted(ensemble.RandomForestRegressor):
    """A forest that is not the outputs are those of its trees."""

    def predict(self, rows):
        return super().predict(rows) + np.maximum(rows[:, 0], 0)


def test_a_model_that_is_not_what_was_read_is_not_explained_by_its_trees():
    model = Shifted(5, max_depth=4, random_state=0).fit(X, Y)
    xs = lc.Explainer(model, lc.maskers.Tabular(X[:4]))(X[20:22])
    assert {e.provenance["name"] for e in xs} == {"shapley"}
    with pytest.raises(lc.errors.LcshapError, match="outputs are those of its trees"):
        lc.Explainer(model, lc.maskers.Tabular(X[:4]), "tree-shap")(X[20:22])


def test_bad_rows_are_named_as_usual():
    rows = X[20:24].copy()
    rows[2, 1] = np.inf
    xs = lc.Explainer(REGRESSOR, lc.maskers.Tabular(X[:4])).many(rows, errors="keep")
    assert [isinstance(e, lc.Explanation) for e in xs] == [True, True, False, True]
    assert "infinite" in str(xs[2])


def test_a_set_is_saved_and_loaded(tmp_path):
    xs = lc.Explainer(CLASSIFIER, lc.maskers.Tabular(X[:4]), value="prob", target="all")(X[20:24])
    xs.save(tmp_path / "set.json")
    assert lc.load(tmp_path / "set.json") == list(xs)
