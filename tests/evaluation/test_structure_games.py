"""Tree SHAP through the Explainer, against brute force over all coalitions of the model's own answers."""

from types import SimpleNamespace

import numpy as np
import pytest

import lcshap as lc
import oracles
from lcshap.core.row_encoding import RowEncoder
from lcshap.evaluation.structure_games import has_structure, linear_weights, number_units, numeric_rows
from lcshap.values import Value
from support import every

lightgbm = pytest.importorskip("lightgbm")
xgboost = pytest.importorskip("xgboost")
catboost = pytest.importorskip("catboost")
datasets = pytest.importorskip("sklearn.datasets")
ensemble = pytest.importorskip("sklearn.ensemble")
shap = pytest.importorskip("shap")

X, Y = datasets.make_friedman1(250, n_features=6, random_state=0)
X[::7, 3] = np.nan  # in the column that counts most
X[3::9, 0] = np.nan
THREE = np.digitize(Y, [11, 17])
LIGHT = {"n_estimators": 15, "verbose": -1, "n_jobs": 1}
XG = {"n_estimators": 15, "n_jobs": 1}
CAT = {"iterations": 15, "verbose": 0, "thread_count": 1, "allow_writing_files": False}


def brute_force(explainer, x):
    """All 2^d coalitions, asked one background row after the other, and the oracle."""
    game = explainer.game(x)
    table = game.evaluate(lc.Coalitions.from_dense(every(game.d))).reshape(2**game.d, -1)
    sets = [frozenset(np.flatnonzero(kept).tolist()) for kept in every(game.d)]
    return np.array(oracles.shapley(game.d, dict(zip(sets, table.tolist(), strict=True))))


def check_exact(model, masker, x, tolerance=1e-12, **options):
    explainer = lc.Explainer(model, masker, "tree-shap", **options)
    e = explainer(x)
    expected = brute_force(explainer, x).reshape(e.scores.shape)
    np.testing.assert_allclose(e.scores, expected, rtol=0, atol=tolerance)
    assert np.abs(e.residual).max() < max(tolerance, 1e-10)
    assert e.calls == 1  # the full input
    return e


MODELS = {
    "lightgbm": (lambda: lightgbm.LGBMClassifier(**LIGHT).fit(X, Y > 14), {"kind": "logits", "value": "output"}),
    "lightgbm classes": (
        lambda: lightgbm.LGBMClassifier(**LIGHT).fit(X, THREE),
        {"kind": "logits", "value": "output", "target": "all"},
    ),
    "lightgbm regression": (lambda: lightgbm.LGBMRegressor(**LIGHT).fit(X, Y), {}),
    "xgboost": (lambda: xgboost.XGBClassifier(**XG).fit(X, Y > 14), {"kind": "logits", "value": "output"}),
    "xgboost contrast": (
        lambda: xgboost.XGBClassifier(**XG).fit(X, THREE),
        {"kind": "logits", "value": "output", "target": (2, 0)},
    ),
    "xgboost regression": (lambda: xgboost.XGBRegressor(**XG).fit(X, Y), {}),
    "catboost": (lambda: catboost.CatBoostClassifier(**CAT).fit(X, Y > 14), {"kind": "margin"}),
    "catboost classes": (
        lambda: catboost.CatBoostClassifier(**CAT).fit(X, THREE),
        {"kind": "logits", "value": "output", "target": "all"},
    ),
    "xgboost dart": (lambda: xgboost.XGBRegressor(booster="dart", rate_drop=0.3, **XG).fit(X, Y), {}),
    "catboost regression": (lambda: catboost.CatBoostRegressor(**CAT).fit(X, Y), {}),
    "forest": (lambda: ensemble.RandomForestClassifier(15, random_state=0).fit(X, THREE), {"value": "prob"}),
    "forest regression": (lambda: ensemble.RandomForestRegressor(15, random_state=0).fit(X, Y), {}),
    "histograms": (lambda: ensemble.HistGradientBoostingClassifier(max_iter=15).fit(X, Y > 14), {"kind": "margin"}),
}


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("count", [1, 7, 130])
def test_exact_on_one_and_on_many_background_rows(name, count):
    """130 rows are more than the 100 that shap keeps of a background; and some values of x are missing."""
    make, options = MODELS[name]
    model, masker = make(), lc.maskers.Tabular(X[100 : 100 + count])
    tolerance = 5e-6 if "xgboost" in name else 1e-10  # XGBoost itself adds in single precision
    e = check_exact(model, masker, X[0], tolerance, **options)
    assert np.abs(e.scores).max() > 0.01
    check_exact(model, masker, X[3], tolerance, **options)


@pytest.mark.parametrize("count", [1, 7])
@pytest.mark.parametrize("target", ["all", 2, ("2", "0")], ids=str)
def test_several_classes_of_gradient_boosting(count, target):
    """It takes no missing values."""
    full = np.nan_to_num(X)
    model = ensemble.GradientBoostingClassifier(n_estimators=15, random_state=0).fit(full, THREE)
    options = {"kind": "logits", "value": "output", "target": target}
    e = check_exact(model, lc.maskers.Tabular(full[100 : 100 + count]), full[0], 1e-10, **options)
    assert np.abs(e.scores).max() > 0.01


@pytest.mark.parametrize("options", [{"pin": [1]}, {"drop": [3]}, {"pin": [0], "drop": [2, 4]}], ids=str)
def test_pinned_and_dropped_columns(options):
    """A dropped column takes the value of each background row in turn, also where all units are present."""
    masker = lc.maskers.Tabular(X[20:29], **options)
    explainer = lc.Explainer(lightgbm.LGBMRegressor(**LIGHT).fit(X, Y), masker, "tree-shap")
    e = explainer(X[0])
    np.testing.assert_allclose(e.scores, brute_force(explainer, X[0])[:, 0], rtol=0, atol=1e-10)
    assert len(e.scores) == 6 - sum(map(len, options.values()))


def test_it_agrees_with_shap():
    model = lightgbm.LGBMRegressor(**LIGHT).fit(X, Y)
    background = X[30:60]
    e = lc.Explainer(model, lc.maskers.Tabular(background), "tree-shap")(X[1])
    theirs = shap.TreeExplainer(model, background, feature_perturbation="interventional").shap_values(X[1:2])[0]
    np.testing.assert_allclose(e.scores, theirs, rtol=0, atol=1e-5)  # they walk in single precision


def test_log_odds_and_contrasts_are_margins_with_one_reference_row():
    model, masker = lightgbm.LGBMClassifier(**LIGHT).fit(X, THREE), lc.maskers.Tabular(X[50])
    options = {"kind": "logits", "value": "log_prob", "target": ("2", "0")}
    check_exact(model, masker, X[0], 1e-10, **options)
    binary = lightgbm.LGBMClassifier(**LIGHT).fit(X, Y > 14)
    e = check_exact(binary, masker, X[0], 1e-8, kind="logits", value="log_odds", target="True")
    against = check_exact(binary, masker, X[0], 1e-8, kind="logits", value="log_odds", target="False")
    np.testing.assert_allclose(e.scores, -against.scores, rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", ["lightgbm", "xgboost", "catboost", "histograms"])
def test_log_odds_of_boosted_trees_are_their_margin_without_a_word(name):
    """Those of XGBoost's probabilities, in single precision, would be off by far more than 1e-6."""
    masker = lc.maskers.Tabular(X[50])
    e = check_exact(MODELS[name][0](), masker, X[0], 5e-6 if name == "xgboost" else 1e-8, value="log_odds", target=1)
    assert e.provenance["kind"] == "logits"


def test_groups_of_columns():
    """The Shapley value of a group is not the sum of those of its columns."""
    model = lightgbm.LGBMRegressor(**LIGHT).fit(X, Y)
    masker = lc.maskers.Tabular(X[20:29], groups={"pair": [0, 3]}, pin=[5])
    explainer = lc.Explainer(model, masker, lc.TreeSHAP())
    e = explainer(X[1])
    assert len(e.scores) == 4
    np.testing.assert_allclose(e.scores, brute_force(explainer, X[1])[:, 0], rtol=0, atol=1e-10)
    ungrouped = lc.Explainer(model, lc.maskers.Tabular(X[20:29], pin=[5]), lc.TreeSHAP())(X[1])
    pair = e.scores[list(e.names).index("pair")]
    assert abs(pair - ungrouped.scores[0] - ungrouped.scores[3]) > 1e-3


@pytest.mark.parametrize("frame", ["pandas", "polars"])
def test_frames(frame):
    frames = pytest.importorskip(frame)
    names = [f"column {i}" for i in range(6)]
    table = frames.DataFrame({name: X[:, i] for i, name in enumerate(names)})
    model = ensemble.HistGradientBoostingRegressor(max_iter=15).fit(table, Y)
    from_frame = lc.Explainer(model, lc.maskers.Tabular(table[20:29]), "tree-shap")(table[3:4])
    plain = ensemble.HistGradientBoostingRegressor(max_iter=15).fit(X, Y)
    from_array = lc.Explainer(plain, lc.maskers.Tabular(X[20:29]), "tree-shap")(X[3])
    np.testing.assert_allclose(from_frame.scores, from_array.scores, rtol=0, atol=1e-12)
    assert from_frame.names == tuple(names)


def test_frames_with_categories():
    pandas = pytest.importorskip("pandas")
    city = pandas.Categorical(["Oslo", "Rome", "Bonn", "Lima"] * 60)
    noise = np.random.default_rng(0).normal(size=240)
    table = pandas.DataFrame({"x": noise, "city": city, "size": pandas.Categorical(np.arange(240) % 7)})
    table.loc[::9, "city"] = None
    labels = (table["city"] == "Rome") * noise + (np.arange(240) % 7 == 3) + table["city"].isin(["Lima", "Bonn"])
    options = LIGHT | {"min_child_samples": 3, "min_data_per_group": 3, "cat_smooth": 1}
    model = lightgbm.LGBMRegressor(**options).fit(table, labels)
    assert len(model.booster_.dump_model()["pandas_categorical"]) == 2
    for row in (1, 3, 9):  # the last has no city
        e = check_exact(model, lc.maskers.Tabular(table[20:35]), table[row : row + 1])
        assert np.abs(e.scores).min() > 1e-3
    histograms = ensemble.HistGradientBoostingRegressor(max_iter=5).fit(table, labels)
    check_exact(histograms, lc.maskers.Tabular(table[:5]), table[7:8])


def refused(model, masker, match, x=None, **options):
    with pytest.raises(lc.errors.MethodError, match=match):
        lc.Explainer(model, masker, "tree-shap", **options)(X[0] if x is None else x)


def test_what_is_no_sum_over_trees_is_refused():
    binary = lightgbm.LGBMClassifier(**LIGHT).fit(X, Y > 14)
    several, single_reference = lc.maskers.Tabular(X[50:60]), lc.maskers.Tabular(X[50])
    averaged = r'got value="log_odds" of a model of kind=.logits. averaged over 10 background rows'
    refused(binary, several, averaged, kind="logits", value=lc.values.Value("log_odds"))
    refused(binary, single_reference, r'weighted sum of outputs, got value="log_prob"', value="log_prob")
    refused(binary, single_reference, r"got the probabilities of LGBMClassifier\. Explain its margin", value="prob")
    refused(binary, single_reference, "weighted sum of outputs, got surprise", value=surprise)
    counts = ensemble.HistGradientBoostingRegressor(loss="poisson", max_iter=5).fit(X, Y)
    refused(counts, single_reference, r"differs from them by .* It transforms them")


def surprise(outputs):
    return outputs[:, 0] ** 2


def test_inputs_and_models_without_trees_are_refused():
    table = lc.maskers.Tabular(X[50])
    refused(
        lambda rows: np.nansum(rows, axis=1),
        table,
        "Expected a model with trees that can be read, got CallableModel",
        kind="output",
    )
    lengths = lambda texts: [len(text) for text in texts]  # noqa: E731
    refused(
        lengths,
        lc.maskers.Text(),
        "Expected a model with trees that can be read, got CallableModel",
        "to be or not",
        kind="output",
    )


def test_nan_as_the_largest_number_and_as_zero():
    full = np.nan_to_num(X)
    model = catboost.CatBoostRegressor(nan_mode="Max", **CAT).fit(X, Y)
    check_exact(model, lc.maskers.Tabular(full[50]), X[3], 1e-10)
    light = lightgbm.LGBMRegressor(**LIGHT).fit(full, Y)  # it takes NaN for zero there
    check_exact(light, lc.maskers.Tabular(full[50]), X[3], 1e-10)


@pytest.mark.parametrize(
    ("value", "kind", "full", "rows", "weights"),
    [
        (Value("output", 0), "output", [[1.0, 2.0]], 9, [[1, 0]]),
        (Value("output", [(1, 0), 1]), "logits", [[1.0, 2.0]], 9, [[-1, 1], [0, 1]]),
        (Value("prob"), "probabilities", [[0.25]], 9, [[-1]]),
        (Value("prob", 1), "probabilities", [[0.75, 0.25]], 9, [[0, 1]]),
        (Value("prob"), "logits", [[0.0, 1.0]], 1, None),
        (Value("log_odds"), "logits", [[3.0]], 1, [[1]]),
        (Value("log_odds", 0), "logits", [[3.0, 2.0]], 1, [[1, -1]]),
        (Value("log_odds"), "logits", [[3.0]], 2, None),
        (Value("log_odds"), "logits", [[3.0, 2.0, 1.0]], 1, None),
        (Value("log_prob", (0, 2)), "logits", [[3.0, 2.0, 1.0]], 1, [[1, 0, -1]]),
        (Value("log_prob", (0, 2)), "logits", [[3.0, 2.0, 1.0]], 2, None),
        (Value("log_prob"), "logits", [[3.0, 2.0, 1.0]], 1, None),
        (Value("expected_log_prob"), "logits", [[3.0, 2.0, 1.0]], 1, None),
    ],
)
def test_which_values_are_linear_in_the_outputs(value, kind, full, rows, weights):
    fixed = value.resolve(np.array(full), kind)
    coefficients = linear_weights(fixed, rows)
    assert (coefficients is None) == (weights is None)
    if coefficients is not None:
        assert coefficients.tolist() == weights
        outputs = np.random.default_rng(0).dirichlet(np.ones(max(len(full[0]), 2)), size=4)[:, : len(full[0])]
        gains = fixed(outputs) - fixed(outputs[:1])
        np.testing.assert_allclose(gains.reshape(4, -1), (outputs - outputs[0]) @ coefficients.T, rtol=0, atol=1e-12)


def test_without_calling_the_model():
    asked = []
    model = lightgbm.LGBMRegressor(**LIGHT).fit(X, Y)
    predict, model.predict = model.predict, lambda rows: asked.append(len(rows)) or predict(rows)
    adapter = lc.Explainer(model, lc.maskers.Tabular(X[50])).adapter
    masked = lc.maskers.Tabular(X[50:55]).mask(X[0])
    assert has_structure("trees", adapter, masked, Value("output"), None)
    assert not has_structure("trees", adapter, masked, Value(surprise), None)
    assert not asked


class Doubled(RowEncoder):
    sources = np.array([1, 1, 0])

    def encode(self, rows):
        if rows.shape[1] != 2:
            raise ValueError("there are not two columns")
        return np.stack([rows[:, 1], rows[:, 1] ** 2, rows[:, 0]], axis=1)


def test_an_encoder_says_how_rows_become_numbers():
    plain, encoded = SimpleNamespace(encoder=None), SimpleNamespace(encoder=Doubled())
    rows, units = np.array([[1.0, 3.0]]), np.array([0, -1])
    assert numeric_rows(rows, plain) is rows
    assert numeric_rows(rows, encoded).tolist() == [[3.0, 9.0, 1.0]]
    assert number_units(units, plain) is units
    assert number_units(units, encoded).tolist() == [-1, -1, 0]
    with pytest.raises(lc.errors.MethodError, match="there are not two columns"):
        numeric_rows(np.ones((1, 3)), encoded)
    with pytest.raises(lc.errors.MethodError, match="Expected columns of numbers"):
        numeric_rows([["a"]], plain)
