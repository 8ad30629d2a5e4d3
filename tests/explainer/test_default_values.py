"""What is explained where the user says nothing about it: the value, the target, and the method that follows."""

import lightgbm
import numpy as np
import pandas as pd
import pytest
from scipy.special import expit, logit
from sklearn import ensemble, linear_model, neighbors
from sklearn.cluster import KMeans
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.multioutput import MultiOutputClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

import lcshap as lc
from lcshap.explainer.default_values import TABLE_FLOOR
from lcshap.explainer.deterministic import make_deterministic

RNG = np.random.default_rng(0)
X = pd.DataFrame(RNG.normal(size=(90, 4)), columns=["age", "dose", "pulse", "weight"])
TWO = np.where(X["age"] + X["dose"] > 0.2, "yes", "no")
THREE = np.where(X["pulse"] > 0.7, "late", TWO)
BACKGROUND, ROWS = X[:8], X[40:52]
LINEAR = make_pipeline(StandardScaler(), linear_model.LogisticRegression())
BOOSTED = lightgbm.LGBMClassifier(n_estimators=4, verbose=-1)
FOREST = ensemble.RandomForestClassifier(4, max_depth=3, random_state=0)
NEIGHBOURS = neighbors.KNeighborsClassifier(7)
CASES = {  # estimator, the value with two classes, with three, and the method
    "linear": (LINEAR, "log_odds", "output", "linear-shap"),
    "boosted": (BOOSTED, "log_odds", "output", "tree-shap"),
    "gradient boosting": (ensemble.GradientBoostingClassifier(n_estimators=3), "log_odds", "output", "tree-shap"),
    "histograms": (ensemble.HistGradientBoostingClassifier(max_iter=3), "log_odds", "output", "tree-shap"),
    "forest": (FOREST, "prob", "prob", "tree-shap"),
    "margin": (LinearSVC(), "output", "output", "linear-shap"),
    "neighbours": (NEIGHBOURS, "log_odds", "log_odds", "shapley"),
}


def explained(model, y, **options):
    return lc.Explainer(model.fit(X, y), BACKGROUND, **options)(ROWS)


def class_values(model, name, rows):
    """The explained values of the second class, or of all classes, at some rows, from the estimator itself."""
    probabilities = model.predict_proba(rows) if hasattr(model, "predict_proba") else None
    if name == "margin":
        return model.decision_function(rows)
    if name == "forest":
        return probabilities
    clipped = np.clip(probabilities, TABLE_FLOOR if name == "neighbours" else 0, None)
    return np.log(clipped) - np.log(
        np.clip(1 - probabilities, TABLE_FLOOR, None) if name == "neighbours" else 1 - clipped
    )


@pytest.mark.filterwarnings("ignore:.*log-odds were computed from a probability")
@pytest.mark.parametrize("name", CASES)
def test_two_classes_are_explained_for_the_second_one(name):
    model, value, _, method = CASES[name]
    xs = explained(model, TWO)
    record = xs[0].provenance
    assert xs.scores.shape == (12, 4)
    assert (record["name"], record["value"], record["target"]) == (method, value, "classes")
    assert {e.provenance["targets"][0] for e in xs} == {"yes"}
    expected = class_values(model, name, ROWS)
    expected = expected if expected.ndim == 1 else expected[:, 1]
    np.testing.assert_allclose(xs.predictions, expected, atol=1e-5)
    np.testing.assert_allclose(xs.scores.sum(axis=1), xs.predictions - xs.base_values, atol=1e-6)
    assert all(f"of {'yes'}" in lc.show.words.describe_subject(e) for e in xs)


@pytest.mark.filterwarnings("ignore:.*log-odds were computed from a probability")
@pytest.mark.parametrize("name", CASES)
def test_several_classes_are_all_explained(name):
    model, _, value, method = CASES[name]
    xs = explained(model, THREE)
    record = xs[0].provenance
    assert xs.scores.shape == (12, 4, 3)
    assert (record["name"], record["value"], record["target"]) == (method, value, "classes")
    assert record["targets"] == ["late", "no", "yes"]
    np.testing.assert_allclose(xs.scores.sum(axis=1), xs.predictions - xs.base_values, atol=1e-6)
    predicted = model.predict(ROWS)
    for e, label in zip(xs, predicted, strict=True):
        assert lc.show.words.output_names(e)[lc.show.words.main_output(e)] == label
        assert f"*{label}*" in lc.show.sentences.lead_sentence(e)


def test_log_odds_of_exact_methods_are_those_of_the_model_averaged_over_the_background():
    for model, margin in ((BOOSTED, "raw_score"), (LINEAR, None)):
        xs = explained(model, TWO)
        rows = model.predict(BACKGROUND, raw_score=True) if margin else model.decision_function(BACKGROUND)
        np.testing.assert_allclose(xs.base_values, np.mean(rows), atol=1e-9)
        assert xs[0].provenance["average"] == "after"
        by_calls = explained(model, TWO, method="shapley")
        np.testing.assert_allclose(by_calls.scores, xs.scores, atol=1e-9)
        assert by_calls[0].provenance["value"] == "log_odds"


def test_log_odds_of_probabilities_are_those_of_the_mean_and_have_a_lower_bound():
    model = NEIGHBOURS.fit(X, TWO)
    with pytest.warns(UserWarning, match=r"log-odds were computed from a probability below 0.0001 or above 1 - 0.0001"):
        xs = lc.Explainer(model, X[:1])(ROWS)
    assert xs[0].provenance["floor"] == TABLE_FLOOR
    assert np.abs(xs.predictions).max() <= -np.log(TABLE_FLOOR)
    xs = lc.Explainer(model, BACKGROUND, value=lc.values.Value("log_odds", 1, floor=0.01))
    mean = model.predict_proba(BACKGROUND)[:, 1].mean()
    e = lc.Explainer(model, BACKGROUND).one(ROWS[:1])
    np.testing.assert_allclose(e.base_value, logit(mean), atol=1e-9)


def test_no_warning_where_the_bound_is_not_reached(recwarn):
    lc.Explainer(lambda rows: expit(rows.sum(axis=1)), np.zeros((1, 3)), kind="probabilities")([1.0, 2.0, 3.0])
    lc.Explainer(lambda rows: 9 * rows.sum(axis=1), np.zeros((1, 3)), kind="logits")([1.0, 2.0, 3.0])
    assert not recwarn.list


@pytest.mark.parametrize(("columns", "shape"), [(1, (3,)), (2, (3,)), (3, (3, 3))])
@pytest.mark.parametrize("kind", ["logits", "probabilities", "margin"])
def test_functions_of_rows(kind, columns, shape):
    def model(rows):
        outputs = rows @ np.arange(1.0, 1 + 3 * columns).reshape(3, columns) / 10
        if kind == "probabilities":
            outputs = expit(outputs) if columns == 1 else np.exp(outputs) / np.exp(outputs).sum(axis=1, keepdims=True)
        return outputs

    e = lc.Explainer(model, np.zeros((1, 3)), kind=kind)([-1.0, 0.5, 0.2])
    assert e.scores.shape == shape
    assert e.provenance["value"] == ("output" if kind == "margin" else "log_odds")
    assert e.provenance["targets"] == (["1"] if columns < 3 else ["0", "1", "2"])


def test_labels_are_all_explained():
    labels = np.stack([TWO == "yes", X["pulse"] > 0], axis=1)
    xs = explained(MultiOutputClassifier(linear_model.LogisticRegression()), labels)
    assert xs.scores.shape == (12, 4, 2)
    assert xs[0].provenance["value"] == "log_odds"


def test_all_outputs_that_are_not_classes_are_explained():
    outputs = X.to_numpy() @ RNG.normal(size=(4, 3))
    for model in (linear_model.LinearRegression(), ensemble.RandomForestRegressor(3)):
        xs = explained(model, outputs)
        assert xs.scores.shape == (12, 4, 3)
        assert xs[0].provenance["targets"] == ["0", "1", "2"]
    clusters = KMeans(3, n_init=1, random_state=0).fit(X.to_numpy())
    e = lc.Explainer(clusters.transform, X.to_numpy()[:5], kind="output")(X.to_numpy()[7])
    np.testing.assert_allclose(e.full_value, clusters.transform(X.to_numpy()[7:8])[0])
    texts = lc.explain(lambda texts: [[len(t), t.count("a")] for t in texts], "a nice day", kind="output")
    assert texts.scores.shape == (3, 2)
    one = lc.explain(lambda texts: [[len(t), t.count("a")] for t in texts], "a nice day", kind="output", target=1)
    np.testing.assert_allclose(one.scores, texts.scores[:, 1], atol=1e-12)


def test_texts_keep_the_default_of_the_paper():
    texts = ["good film", "great fun", "bad film", "dull end"]
    model = make_pipeline(TfidfVectorizer(), linear_model.LogisticRegression()).fit(
        texts, ["good", "good", "bad", "bad"]
    )
    xs = lc.Explainer(model, lc.maskers.Text())(["a good film", "a dull film"])
    assert [(e.provenance["value"], e.provenance["targets"]) for e in xs] == [
        ("log_prob", ["good"]),
        ("log_prob", ["bad"]),
    ]
    assert lc.show.sentences.lead_sentence(xs[0]).endswith(", in log probability.")


def test_the_defaults_of_before():
    model = BOOSTED.fit(X, TWO)
    before = lc.Explainer(model, BACKGROUND, value="log_prob", target="predicted", method="shapley")(ROWS)
    same = lc.Explainer(model, BACKGROUND, value=lc.values.Value("log_prob"), method="shapley")(ROWS)
    np.testing.assert_array_equal(before.scores, same.scores)
    assert [e.provenance["targets"][0] for e in before] == model.predict(ROWS).tolist()
    np.testing.assert_allclose(before.predictions, np.log(model.predict_proba(ROWS).max(axis=1)), atol=1e-9)


def test_a_target_or_a_value_of_the_user_is_kept():
    model = BOOSTED.fit(X, TWO)
    no, yes = (lc.Explainer(model, BACKGROUND, target=target)(ROWS) for target in ("no", "yes"))
    np.testing.assert_allclose(no.scores, -yes.scores, atol=1e-12)
    probabilities = lc.Explainer(model, BACKGROUND, value="prob")(ROWS)
    assert probabilities[0].provenance["targets"] == ["yes"]
    np.testing.assert_allclose(probabilities.predictions, model.predict_proba(ROWS)[:, 1], atol=1e-9)
    contrast = lc.Explainer(BOOSTED.fit(X, THREE), BACKGROUND, target=("late", "no"))(ROWS)
    assert contrast.scores.shape == (12, 4)


@pytest.mark.parametrize("options", [{"goal": "necessary"}, {"method": "deletion-path"}, {"curve": True}], ids=str)
def test_explanations_of_a_decision_are_about_the_predicted_class(options):
    model = FOREST.fit(X, THREE)
    e = lc.Explainer(model, BACKGROUND[:1], **options).one(ROWS[:1])
    assert e.provenance["targets"] == model.predict(ROWS[:1]).tolist()


def test_deterministic_explainers_have_the_same_defaults():
    for name in CASES:
        model = CASES[name][0].fit(X, THREE)
        explainer = lc.Explainer(model, BACKGROUND)
        copy = make_deterministic(explainer, 64)
        assert copy.value_function == explainer.value_function
        assert copy.adapter is explainer.adapter


def test_pictures_show_the_predicted_class_of_each_row():
    xs = explained(FOREST, THREE)
    for e, label in zip(xs, FOREST.predict(ROWS), strict=True):
        for figure in ("bars", "waterfall"):
            assert label in e.plot(figure).get_xlabel()
    heights = [lc.plots.bars(xs[0], target=target).figure.get_size_inches()[1] for target in ("all", None)]
    assert heights[0] > 2 * heights[1]
    assert "no" in lc.plots.bars(xs[0], target="no").get_xlabel()


@pytest.mark.filterwarnings("ignore:.*log-odds were computed from a probability")
def test_the_sentence_names_the_value():
    endings = {"linear": "log odds", "forest": "probability", "margin": "margin", "neighbours": "log odds"}
    for name, quantity in endings.items():
        e = explained(CASES[name][0], TWO)[0]
        assert lc.show.sentences.lead_sentence(e).endswith(f", in {quantity}.")
    e = explained(LINEAR, THREE)[0]
    assert lc.show.sentences.lead_sentence(e).endswith(", in logit.")
    assert lc.show.words.describe_subject(e) == "logit of late, no, yes"


def test_naive_bayes_reaches_the_bound():
    model = GaussianNB().fit(X * 40, TWO)
    with pytest.warns(UserWarning, match="in whose place these bounds are taken"):
        lc.Explainer(model, X[:1] * 40)(X[3:4] * 400)
