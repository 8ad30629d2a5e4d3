"""Explainable boosting machines of interpret are read, and explained exactly: all coalitions are the reference."""

import pickle
from types import SimpleNamespace

import numpy as np
import pytest

import lcshap as lc
import oracles
from lcshap.adapters.additive_models import BinnedColumns, is_boosting_machine, read_terms
from lcshap.adapters.sklearn import SklearnModel
from support import every

glassbox = pytest.importorskip("interpret.glassbox")
pandas = pytest.importorskip("pandas")
pytestmark = pytest.mark.filterwarnings("ignore:Missing values detected", "ignore:Interactions with 3 or more")

RNG = np.random.default_rng(0)
X = RNG.normal(size=(160, 4)).round(1)
Y = X[:, 0] * X[:, 1] + np.abs(X[:, 2]) + 0.3 * X[:, 3]
CLASSES = np.array(["low", "middle", "high"])[np.digitize(Y, [0, 1])]
TABLE = pandas.DataFrame(X, columns=list("abcd"))
TABLE["city"] = np.array(["Oslo", "Rome", "Bonn"])[np.arange(160) % 3]
TABLE["size"] = np.arange(160) % 4
TABLE.loc[::9, "b"] = np.nan
OPTIONS = {"outer_bags": 2, "max_rounds": 40, "n_jobs": 1, "random_state": 0}


def fit(x, y, kind="Regressor", **options):
    return getattr(glassbox, f"ExplainableBoosting{kind}")(**{**OPTIONS, "interactions": 3, **options}).fit(x, y)


def shapley_of_rows(function, row, background, units):
    """The Shapley value by its definition; `units` are lists of column numbers."""
    table = {}
    for kept in every(len(units)):
        columns = [column for unit, inside in zip(units, kept, strict=True) if inside for column in unit]
        if isinstance(background, np.ndarray):
            masked = background.copy()
            masked[:, columns] = row[columns]
        else:
            masked = background.assign(**{background.columns[c]: row.iloc[c] for c in columns})
        table[frozenset(np.flatnonzero(kept).tolist())] = np.mean(function(masked), axis=0).reshape(-1).tolist()
    return np.array(oracles.shapley(len(units), table))


def check_exact(model, function, x, background, outputs=1, units=None, explainer=None, **options):
    """`auto` reads the terms, and the scores of all rows are those of all coalitions."""
    explainer = lc.Explainer(model, lc.maskers.Tabular(background), **options) if explainer is None else explainer
    xs = explainer(x)
    assert {e.provenance["name"] for e in xs} == {"additive-shap"}
    for number in (0, 3, len(x) - 1):
        row = x[number] if isinstance(x, np.ndarray) else x.iloc[number]
        expected = shapley_of_rows(function, row, background, units or [[c] for c in range(x.shape[1])])
        scores = xs.scores[number].reshape(len(expected), outputs)
        np.testing.assert_allclose(scores, expected, rtol=0, atol=1e-10)


@pytest.mark.parametrize("interactions", [0, 3, [(0, 1), (1, 2, 3)]], ids=["no pairs", "pairs", "a triple"])
def test_regression_with_an_array(interactions):
    model = fit(X, Y, interactions=interactions)
    check_exact(model, model.predict, X[:6], X[100:113])


def test_a_frame_with_categories_and_missing_values():
    model = fit(TABLE, Y)
    assert {"nominal"} <= set(model.feature_types_in_)
    check_exact(model, model.predict, TABLE[:8], TABLE[100:110])


@pytest.mark.parametrize("y", [Y > 0, CLASSES], ids=["two", "three"])
def test_log_odds_of_classifiers(y):
    model = fit(X, y, "Classifier", interactions=0 if y is CLASSES else 3)
    outputs = 3 if y is CLASSES else 1
    options = {"kind": "logits", "value": "output", "target": "all" if outputs == 3 else None}
    check_exact(model, model.decision_function, X[:6], X[100:107], outputs, **options)


def test_groups_pinned_and_dropped_columns():
    model = fit(X, Y)
    masker = lc.maskers.Tabular(X[100:113], groups={"both": [0, 1]})
    units = [[0, 1], [2], [3]]
    check_exact(model, model.predict, X[:6], X[100:113], units=units, explainer=lc.Explainer(model, masker))
    for option in ("pin", "drop"):
        explainer = lc.Explainer(model, lc.maskers.Tabular(X[100:113], **{option: [1]}), "additive-shap")
        for row in X[:2]:
            background = X[100:113].copy()
            if option == "pin":
                background[:, 1] = row[1]
            expected = shapley_of_rows(model.predict, row, background, [[0], [2], [3]])[:, 0]
            np.testing.assert_allclose(explainer(row).scores, expected, rtol=0, atol=1e-10)


def test_values_on_cuts_and_outside_of_the_training_data():
    """A number on a cut is in the same bin as in the library, and so are unknown categories."""
    model = fit(TABLE, Y)
    terms = read_terms(model, "predict")
    cuts = np.concatenate([model.bins_[0][0], model.bins_[0][-1], [-99.0, 99.0, np.nan]])
    rows = TABLE.iloc[np.arange(len(cuts)) % 160].reset_index(drop=True)
    rows["a"] = cuts
    rows.loc[::3, "city"] = "Lima"
    rows.loc[1::5, "city"] = None
    rows["size"] = rows["size"] + 1  # 4 is not in the training data
    outputs = terms.predict(terms.encoder.encode(rows))[:, 0] + model.intercept_
    np.testing.assert_allclose(outputs, model.predict(rows), rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    "column",
    [
        np.array([True, False])[np.arange(160) % 2],
        np.array([1.0, 2.0, 10.0, 0.5])[np.arange(160) % 4],
        np.array([1, 20, 300])[np.arange(160) % 3],
        pandas.Categorical(np.array(["s", "m", "l"])[np.arange(160) % 3]),
    ],
    ids=["truth values", "floats", "integers", "categories"],
)
def test_texts_of_categories(column):
    table = TABLE[["a", "b"]].assign(kind=column)
    model = fit(table, Y, feature_types=["continuous", "continuous", "nominal"])
    check_exact(model, model.predict, table[:6], table[100:110])


def test_pairs_have_interactions():
    model = fit(X, Y, interactions=[(0, 1)])
    e = lc.Explainer(model, lc.maskers.Tabular(X[100:113]), interactions="all")(X[0])
    assert e.provenance["name"] == "additive-shap"
    assert list(zip(*np.nonzero(e.interactions.toarray()), strict=True)) == [(0, 1), (1, 0)]


def test_the_scale_of_a_link():
    model = fit(X, np.exp(Y / 5), objective="poisson_deviance")
    linked = SklearnModel(model, method="linear_predictor")
    check_exact(linked, lambda rows: np.log(model.predict(rows)), X[:6], X[100:107])
    with pytest.raises(lc.errors.MethodError, match=r"with the link 'log'. Explain .*linear_predictor"):
        lc.Explainer(model, lc.maskers.Tabular(X[:4]), "additive-shap")(X[0])
    assert lc.Explainer(model, lc.maskers.Tabular(X[:4]))(X[0]).provenance["name"] == "shapley"


def test_behind_preprocessing_of_single_columns():
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    model = make_pipeline(StandardScaler(), glassbox.ExplainableBoostingRegressor(**OPTIONS)).fit(X, Y)
    check_exact(model, model.predict, X[:6], X[100:107])


def test_a_model_in_another_process_and_a_refit():
    model = fit(X, Y)
    terms = pickle.loads(pickle.dumps(read_terms(model, "predict")))
    np.testing.assert_allclose(terms.predict(terms.encoder.encode(X))[:, 0] + model.intercept_, model.predict(X))
    explainer = lc.Explainer(model, lc.maskers.Tabular(X[100:107]))
    first = explainer(X[0]).scores
    model.fit(X, -Y)
    assert not np.allclose(explainer(X[0]).scores, first)
    check_exact(model, model.predict, X[:6], X[100:107], explainer=explainer)


def test_what_is_refused():
    model = fit(X, Y > 0, "Classifier")
    with pytest.raises(lc.errors.MethodError, match="got the probabilities of ExplainableBoostingClassifier"):
        read_terms(model, "predict_proba")
    with pytest.raises(lc.errors.MethodError, match="Expected a fitted model, got ExplainableBoostingRegressor"):
        read_terms(glassbox.ExplainableBoostingRegressor(), "predict")
    with pytest.raises(NotImplementedError):
        read_terms(SimpleNamespace(term_scores_=[]), "predict")
    assert not is_boosting_machine(SimpleNamespace())


def test_another_format_is_refused():
    model = fit(X, Y)
    model.term_scores_[0] = model.term_scores_[0][None]
    with pytest.raises(lc.errors.MethodError, match=r"version \d.*: a table of shape \(1, .* for 1 columns"):
        read_terms(model, "predict")
    model.bins_ = None
    with pytest.raises(lc.errors.MethodError, match="Expected terms in the format that interpret is known to have"):
        read_terms(model, "predict")


def test_rows_of_other_types():
    encoder = BinnedColumns(["a", "b"], [0, 1], [np.array([0.5]), {"x": 1}])
    with pytest.raises(ValueError, match="2 columns are in the training data, and 3 in the rows"):
        encoder.encode(np.zeros((1, 3)))
    with pytest.raises(ValueError, match="not those of the training data, in their order"):
        encoder.encode(pandas.DataFrame({"b": ["x"], "a": [1.0]}))
    with pytest.raises(ValueError, match="could not convert"):
        encoder.encode(pandas.DataFrame({"a": ["text"], "b": ["x"]}))
    model = fit(TABLE, Y)
    words = TABLE.assign(a="text")
    with pytest.raises(lc.errors.LcshapError):
        lc.Explainer(model, lc.maskers.Tabular(TABLE[:5]))(words[:1])
