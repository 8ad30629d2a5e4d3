"""Linear models of scikit-learn through the Explainer, against all coalitions of the model's own answers."""

import numpy as np
import pytest

import lcshap as lc
import oracles
from lcshap.adapters.linear_models import read_weights
from lcshap.adapters.sklearn import SklearnModel
from support import every

linear_model = pytest.importorskip("sklearn.linear_model")
pandas = pytest.importorskip("pandas")
from sklearn import (  # noqa: E402  # noqa: E402
    compose,
    cross_decomposition,
    discriminant_analysis,
    impute,
    model_selection,
    pipeline,
    preprocessing,
    svm,
)

RNG = np.random.default_rng(0)
X = RNG.normal(size=(150, 5)) * [1, 3, 0.2, 1, 1] + [0, 0, 5, 0, -2]
Y = X @ [1.0, -0.3, 2.0, 0.0, 0.5] + 0.1 * RNG.normal(size=150)
TWO, THREE = Y > 9, np.digitize(Y, [8.5, 9.5])
MASKER = lc.maskers.Tabular(X[100:117])
REGRESSIONS = {
    "LinearRegression": {},
    "Ridge": {},
    "RidgeCV": {},
    "Lasso": {"alpha": 0.1},
    "LassoCV": {},
    "ElasticNet": {"alpha": 0.1},
    "ElasticNetCV": {},
    "Lars": {},
    "LarsCV": {},
    "LassoLars": {"alpha": 0.01},
    "LassoLarsCV": {},
    "LassoLarsIC": {},
    "OrthogonalMatchingPursuit": {},
    "OrthogonalMatchingPursuitCV": {},
    "BayesianRidge": {},
    "ARDRegression": {},
    "HuberRegressor": {"max_iter": 1000},
    "TheilSenRegressor": {"random_state": 0},
    "QuantileRegressor": {"alpha": 0.01},
    "SGDRegressor": {"random_state": 0, "eta0": 0.001},
}
CLASSIFIERS = {
    "LogisticRegression": {},
    "LogisticRegressionCV": {"Cs": 3},
    "SGDClassifier": {"loss": "log_loss", "random_state": 0},
    "RidgeClassifier": {},
    "RidgeClassifierCV": {},
    "Perceptron": {},
}


def enumerate_shapley(function, x, background, d=None, units=None):
    """By its definition: the mean of the function over background rows for each coalition."""
    units = range(background.shape[1]) if units is None else units
    d = len(units) if d is None else d
    table = {}
    for kept in every(d):
        rows = background.copy()
        for column, unit in enumerate(units):
            if kept[unit]:
                rows[:, column] = x[column]
        outputs = np.asarray(function(rows), float)
        table[frozenset(np.flatnonzero(kept).tolist())] = outputs.reshape(len(rows), -1).mean(axis=0).tolist()
    return np.array(oracles.shapley(d, table))


def check_exact(model, function, classes=1, tolerance=1e-10, **options):
    explainer = lc.Explainer(model, MASKER, **options)
    xs = explainer(X[:7])
    assert {e.provenance["name"] for e in xs} == {"linear-shap"}
    assert "read off its weights: the result is exact" in xs[0].provenance["chosen"]["reason"]
    named = lc.Explainer(model, MASKER, "linear-shap", **options)
    for row in (0, 5):
        scores = enumerate_shapley(function, X[row], X[100:117])
        scores = scores if classes > 1 else scores[:, 0]
        size = max(1.0, np.abs(scores).max())
        assert np.abs(scores).max() > 1e-3
        np.testing.assert_allclose(xs.scores[row], scores, rtol=0, atol=tolerance * size)
        one = named(X[row])
        np.testing.assert_allclose(one.scores, scores, rtol=0, atol=tolerance * size)
        assert np.abs(one.residual).max() < 1e-9
        assert one.stderr is None


@pytest.mark.parametrize("name", REGRESSIONS)
def test_regressions(name):
    model = getattr(linear_model, name)(**REGRESSIONS[name]).fit(X, Y)
    check_exact(model, model.predict)


@pytest.mark.parametrize("name", CLASSIFIERS)
@pytest.mark.parametrize("labels", [TWO, THREE], ids=["two", "three"])
@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_margins_of_classifiers(name, labels):
    scaled = pipeline.make_pipeline(
        preprocessing.StandardScaler(), getattr(linear_model, name)(**CLASSIFIERS[name])
    ).fit(X, labels)
    several = len(set(labels.tolist())) > 2
    options = {"kind": "logits", "value": "output", "target": "all" if several else None}
    check_exact(scaled, scaled.decision_function, 3 if several else 1, **options)


@pytest.mark.parametrize(
    "model",
    [
        svm.LinearSVC(),
        svm.SVC(kernel="linear"),
        svm.NuSVC(kernel="linear", nu=0.2),
        discriminant_analysis.LinearDiscriminantAnalysis(),
    ],
    ids=lambda model: type(model).__name__,
)
def test_other_classifiers(model):
    model.fit(X, TWO)
    check_exact(model, model.decision_function, kind="logits", value="output")


@pytest.mark.parametrize(
    "model",
    [svm.LinearSVR(random_state=0, max_iter=100_000), svm.SVR(kernel="linear"), svm.NuSVR(kernel="linear")],
    ids=lambda model: type(model).__name__,
)
def test_support_vector_regressions(model):
    model.fit(X, Y)
    check_exact(model, model.predict)


@pytest.mark.parametrize(
    "model",
    [
        linear_model.LinearRegression(),
        linear_model.Ridge(),
        linear_model.MultiTaskLasso(alpha=0.01),
        linear_model.MultiTaskElasticNet(alpha=0.01),
        cross_decomposition.PLSRegression(2),
    ],
    ids=lambda model: type(model).__name__,
)
def test_several_outputs(model):
    model.fit(X, np.stack([Y, X[:, 0] - X[:, 4]], axis=1))
    check_exact(model, model.predict, 2, target="all")


@pytest.mark.parametrize(
    "model",
    [
        linear_model.PoissonRegressor(),
        linear_model.GammaRegressor(),
        linear_model.TweedieRegressor(power=1.5),
        linear_model.TweedieRegressor(power=0, link="log"),
    ],
    ids=["poisson", "gamma", "tweedie", "log link"],
)
@pytest.mark.parametrize("scaled", [False, True])
def test_generalized_linear_models_on_the_scale_of_the_link(model, scaled):
    model = pipeline.make_pipeline(preprocessing.StandardScaler(), model) if scaled else model
    model.fit(X, np.exp(Y / 5))
    linked = SklearnModel(model, method="linear_predictor")
    check_exact(linked, lambda rows: np.log(model.predict(rows)))
    with pytest.raises(lc.errors.MethodError, match=r'in its logarithm. Explain that with .*"linear_predictor"'):
        lc.Explainer(model, MASKER, "linear-shap")(X[0])
    assert lc.Explainer(model, MASKER)(X[0]).provenance["name"] == "shapley"


def test_an_identity_link_needs_no_word():
    model = linear_model.TweedieRegressor(power=0, alpha=0.01).fit(X, Y)
    check_exact(model, model.predict)
    check_exact(SklearnModel(model, method="linear_predictor"), model.predict)


@pytest.mark.parametrize("inner", [False, True])
def test_a_transformed_target(inner):
    target = compose.TransformedTargetRegressor(linear_model.Ridge(), func=np.log, inverse_func=np.exp)
    model = pipeline.make_pipeline(preprocessing.StandardScaler(), target) if inner else target
    model.fit(X, np.exp(Y / 5))
    check_exact(SklearnModel(model, method="linear_predictor"), lambda rows: np.log(model.predict(rows)))
    with pytest.raises(lc.errors.MethodError, match="got the output of TransformedTargetRegressor"):
        lc.Explainer(model, MASKER, "linear-shap")(X[0])


def test_two_pipelines_around_a_target_are_refused():
    ridge = pipeline.make_pipeline(preprocessing.StandardScaler(), linear_model.Ridge())
    target = compose.TransformedTargetRegressor(ridge, func=np.log, inverse_func=np.exp)
    model = pipeline.make_pipeline(preprocessing.MinMaxScaler(), target).fit(X, np.exp(Y / 5))
    with pytest.raises(lc.errors.MethodError, match="Expected one pipeline"):
        read_weights(model, "linear_predictor")


def test_what_a_search_has_selected():
    search = model_selection.GridSearchCV(linear_model.Ridge(), {"alpha": [0.1, 1.0]}, cv=3).fit(X, Y)
    check_exact(search, search.predict)


def test_contrasts_of_classes():
    model = linear_model.LogisticRegression().fit(X, THREE)
    e = lc.Explainer(model, MASKER, kind="logits", value="output", target=(2, 0))(X[0])
    assert e.provenance["name"] == "linear-shap"
    expected = enumerate_shapley(model.decision_function, X[0], X[100:117])
    np.testing.assert_allclose(e.scores, expected[:, 2] - expected[:, 0], rtol=0, atol=1e-10)


def test_log_odds_and_one_reference_row():
    model = linear_model.LogisticRegression().fit(X, TWO)
    e = lc.Explainer(model, lc.maskers.Tabular(X[50]), kind="logits", value="log_odds", target=1)(X[0])
    assert e.provenance["name"] == "linear-shap"
    np.testing.assert_allclose(e.scores, (X[0] - X[50]) * model.coef_[0], rtol=0, atol=1e-10)


# -- pipelines ---------------------------------------------------------------------------------------------------------

TABLE = pandas.DataFrame(X[:, :3], columns=["x", "y", "z"])
TABLE["city"] = np.array(["Oslo", "Rome", "Bonn", "Lima"])[np.arange(150) % 4]
TABLE["size"] = np.array(["s", "m", None], object)[np.arange(150) % 3]
TABLE.loc[::9, "y"] = np.nan


def mixed_pipeline(last):
    numbers = pipeline.make_pipeline(impute.SimpleImputer(add_indicator=True), preprocessing.StandardScaler())
    encoder = preprocessing.OneHotEncoder(handle_unknown="ignore", drop="if_binary")
    columns = compose.ColumnTransformer([("n", numbers, ["y", "x", "z"]), ("c", encoder, ["size", "city"])])
    return pipeline.make_pipeline(columns, last)


def enumerate_frame(function, row, background, groups):
    table = {}
    for kept in every(len(groups)):
        rows = background.copy()
        for unit, names in enumerate(groups):
            if kept[unit]:
                for name in names:
                    rows[name] = row[name].to_numpy()[0]
        table[frozenset(np.flatnonzero(kept).tolist())] = [float(np.mean(function(rows)))]
    return np.array(oracles.shapley(len(groups), table))[:, 0]


@pytest.mark.parametrize("groups", [None, {"where": ["city", "z"]}], ids=["columns", "groups"])
@pytest.mark.parametrize("last", [linear_model.Ridge(), linear_model.LogisticRegression()], ids=["ridge", "logistic"])
def test_a_pipeline_is_explained_on_its_columns(last, groups):
    """With categories, missing values, columns that are reordered, and several background rows."""
    classifies = isinstance(last, linear_model.LogisticRegression)
    model = mixed_pipeline(last).fit(TABLE, TWO if classifies else Y)
    options = {"kind": "logits", "value": "output"} if classifies else {}
    background = TABLE[100:113]
    xs = lc.Explainer(model, lc.maskers.Tabular(background, groups=groups), **options)(TABLE[:10])
    assert {e.provenance["name"] for e in xs} == {"linear-shap"}
    units = [[name] for name in TABLE] if groups is None else [["where"], ["x"], ["y"], ["size"]]
    units = [["city", "z"] if names == ["where"] else names for names in units]
    order = [list(xs.names).index("where" if names == ["city", "z"] else names[0]) for names in units]
    function = model.decision_function if classifies else model.predict
    for row in (0, 4, 9):
        expected = enumerate_frame(function, TABLE[row : row + 1], background, units)
        np.testing.assert_allclose(xs.scores[row][order], expected, rtol=0, atol=1e-10)


def test_a_pipeline_that_mixes_columns_is_left_to_other_methods():
    from sklearn.decomposition import PCA

    model = pipeline.make_pipeline(PCA(2), linear_model.Ridge()).fit(X, Y)
    assert lc.Explainer(model, MASKER)(X[0]).provenance["name"] == "shapley"
    with pytest.raises(lc.errors.MethodError, match="treats each column by itself, got PCA"):
        lc.Explainer(model, MASKER, "linear-shap")(X[0])


# -- what is refused ---------------------------------------------------------------------------------------------------


class Squared(linear_model.Ridge):
    """A regression that is not linear."""

    def predict(self, rows):
        return super().predict(rows) ** 2


def refused(model, match, method="predict"):
    with pytest.raises(lc.errors.MethodError, match=match):
        read_weights(model, method)


def test_what_is_not_linear_is_refused():
    from sklearn.calibration import CalibratedClassifierCV
    from sklearn.neighbors import KNeighborsRegressor

    logistic = linear_model.LogisticRegression().fit(X, TWO)
    refused(logistic, "got the probabilities of LogisticRegression. Explain its log-odds", "predict_proba")
    refused(svm.SVC().fit(X, TWO), r"Expected a linear kernel, got SVC\(kernel='rbf'\)", "decision_function")
    refused(svm.SVC(kernel="linear").fit(X, THREE), "Expected two classes, got 3 of SVC", "decision_function")
    calibrated = CalibratedClassifierCV(svm.LinearSVC(), cv=2).fit(X, TWO)
    for model in (calibrated, KNeighborsRegressor().fit(X, Y), Squared().fit(X, Y), np.sum):
        with pytest.raises(NotImplementedError):
            read_weights(model, "predict")
    assert lc.Explainer(Squared().fit(X, Y), MASKER)(X[0]).provenance["name"] == "shapley"


def test_bad_input():
    refused(linear_model.Ridge(), "Expected a fitted model, got Ridge without coef_. Call fit before.")
    unfitted = compose.TransformedTargetRegressor(linear_model.Ridge(), func=np.log, inverse_func=np.exp)
    refused(unfitted, "Expected a fitted model, got TransformedTargetRegressor without regressor_", "linear_predictor")
    model = linear_model.Ridge().fit(X, Y)
    with pytest.raises(lc.errors.LcshapError, match="5"):
        lc.Explainer(model, lc.maskers.Tabular(X[:9, :4]))(X[0, :4])
    rows = X[:3].copy()
    rows[1, 2] = np.nan
    outcomes = lc.Explainer(model, MASKER).many(rows, errors="keep")
    assert isinstance(outcomes[1], lc.errors.LcshapError)
    assert "NaN" in str(outcomes[1])
    assert [e.provenance["name"] for e in (outcomes[0], outcomes[2])] == ["linear-shap"] * 2


def test_weights_in_another_format_are_refused():
    model = linear_model.Ridge().fit(X, Y)
    for coefficients in (np.zeros(3), np.full(5, np.nan), np.array(["a"] * 5)):
        model.coef_ = coefficients
        refused(model, "as coef_ of Ridge, got others")


UNFITTED = {
    "Ridge": linear_model.Ridge,
    "LinearSVC": svm.LinearSVC,
    "Pipeline": lambda: pipeline.make_pipeline(preprocessing.StandardScaler(), linear_model.Ridge()),
    "RandomForestRegressor": lambda: pytest.importorskip("sklearn.ensemble").RandomForestRegressor(),
    "HistGradientBoostingClassifier": lambda: pytest.importorskip("sklearn.ensemble").HistGradientBoostingClassifier(),
    "LGBMRegressor": lambda: pytest.importorskip("lightgbm").LGBMRegressor(),
    "XGBRegressor": lambda: pytest.importorskip("xgboost").XGBRegressor(),
    "CatBoostRegressor": lambda: pytest.importorskip("catboost").CatBoostRegressor(allow_writing_files=False),
    "CatBoostClassifier": lambda: pytest.importorskip("catboost").CatBoostClassifier(allow_writing_files=False),
    "ExplainableBoostingRegressor": lambda: pytest.importorskip("interpret.glassbox").ExplainableBoostingRegressor(),
}


@pytest.mark.parametrize("name", UNFITTED)
@pytest.mark.parametrize("method", ["auto", "linear-shap", "tree-shap", "additive-shap"])
def test_models_that_are_not_fitted(name, method):
    with pytest.raises(lc.errors.LcshapError, match=f"Expected a fitted model, got {name}.* Call its method fit"):
        lc.Explainer(UNFITTED[name](), MASKER, method, value="output")(X[0])


def test_weights_are_read_again_after_a_refit():
    model = linear_model.Ridge().fit(X, Y)
    explainer = lc.Explainer(model, MASKER)
    first = explainer(X[0]).scores
    model.fit(X, -2 * Y)
    refitted = explainer(X[0])
    assert refitted.provenance["name"] == "linear-shap"
    np.testing.assert_allclose(refitted.scores, enumerate_shapley(model.predict, X[0], X[100:117])[:, 0])
    assert not np.allclose(refitted.scores, first)
