"""Linear models of the words of texts are explained exactly: all coalitions are the reference."""

import pickle

import numpy as np
import pytest

import lcshap as lc
import oracles
from lcshap.adapters.counted_words import split_counted_words
from lcshap.adapters.linear_models import read_weights
from support import every

text = pytest.importorskip("sklearn.feature_extraction.text")
from sklearn import feature_selection, linear_model, pipeline, preprocessing, svm  # noqa: E402

TEXTS = [
    "a good film",
    "great fun, good good good",
    "not bad bad",
    "dull dull film",
    "not great fun. not good",
    "Früher war alles besser",
] * 3
LABELS = ["up", "up", "down", "down", "down", "up"] * 3
CLASSES = ["up", "even", "down", "down", "even", "up"] * 3
REVIEW = "Good film: not bad -- great GOOD fun, not-good dull-dull-dull fruher"
VECTORIZERS = {
    "counts": text.CountVectorizer(),
    "presence": text.CountVectorizer(binary=True),
    "pattern": text.CountVectorizer(token_pattern=r"\S+", strip_accents="unicode", stop_words=["not"]),
    "tf-idf": text.TfidfVectorizer(norm=None),
    "sublinear": text.TfidfVectorizer(norm=None, sublinear_tf=True),
    "presence with idf": text.TfidfVectorizer(norm=None, binary=True, sublinear_tf=True),
    "hashing": text.HashingVectorizer(norm=None, n_features=64),
    "hashing with collisions": text.HashingVectorizer(norm=None, alternate_sign=False, n_features=4),
    "steps": pipeline.make_pipeline(
        text.CountVectorizer(),
        text.TfidfTransformer(norm=None, sublinear_tf=True),
        preprocessing.MaxAbsScaler(),
        feature_selection.SelectKBest(feature_selection.f_regression, k=8),
    ),
}


def fit(name, model=None, y=None):
    model = linear_model.LogisticRegression(C=100) if model is None else model
    steps = VECTORIZERS[name]
    y = np.unique(LABELS, return_inverse=True)[1] if y is None else y
    return pipeline.make_pipeline(steps, model).fit(TEXTS, y)


def shapley_of_text(function, masked):
    """The Shapley value by its definition, from the texts of all coalitions."""
    masks = every(masked.graph.d)
    rows = masked.rows(lc.Coalitions.from_dense(np.array(masks, bool)))
    outputs = np.asarray(function(rows), float).reshape(len(rows), -1)
    keys = [frozenset(np.flatnonzero(mask).tolist()) for mask in masks]
    return np.array(oracles.shapley(masked.graph.d, dict(zip(keys, outputs.tolist(), strict=True))))


@pytest.mark.parametrize("name", VECTORIZERS)
@pytest.mark.parametrize(
    "masker",
    [
        lc.maskers.Text(),
        lc.maskers.Text(absent="good bad"),
        lc.maskers.Text(pin=["film:"], drop=["fun,"]),
        lc.maskers.Text(absent="bad", drop=["GOOD"]),
    ],
    ids=["deleted", "replaced", "pinned", "replaced and dropped"],
)
def test_log_odds_of_a_text(name, masker):
    model = fit(name)
    e = lc.Explainer(model, masker, kind="logits", value="output")(REVIEW)
    assert (e.provenance["name"], e.calls, e.stderr) == ("linear-shap", 16, None)
    expected = shapley_of_text(model.decision_function, masker.mask(REVIEW))[:, 0]
    np.testing.assert_allclose(e.scores, expected, rtol=0, atol=1e-10)


@pytest.mark.parametrize("name", ["counts", "presence", "sublinear"])
def test_units_with_several_words(name):
    review = "Good good film. A bad film, good fun! Dull. Bad bad bad film, good."
    masker = lc.maskers.Text("sentence")
    model = fit(name)
    e = lc.Explainer(model, masker, "linear-shap", kind="logits", value="output")(review)
    assert len(e.scores) == 4
    expected = shapley_of_text(model.decision_function, masker.mask(review))[:, 0]
    np.testing.assert_allclose(e.scores, expected, rtol=0, atol=1e-10)


def test_several_classes_and_many_texts():
    model = fit("sublinear", linear_model.SGDClassifier(random_state=0), CLASSES)
    explainer = lc.Explainer(model, lc.maskers.Text(), kind="margin", value="output", target="all")
    texts = [REVIEW, "a good film and not a bad film", "great great great fun good"]
    for e, x in zip(explainer(texts), texts, strict=True):
        assert e.provenance["name"] == "linear-shap"
        expected = shapley_of_text(model.decision_function, lc.maskers.Text().mask(x))
        np.testing.assert_allclose(e.scores, expected, rtol=0, atol=1e-10)


@pytest.mark.parametrize(
    "model", [linear_model.Ridge(), svm.LinearSVR(random_state=0)], ids=lambda model: type(model).__name__
)
def test_regressions(model):
    fitted = fit("tf-idf", model, np.arange(len(TEXTS)) % 6)
    e = lc.Explainer(fitted, lc.maskers.Text())(REVIEW)
    assert e.provenance["name"] == "linear-shap"
    np.testing.assert_allclose(e.scores, shapley_of_text(fitted.predict, lc.maskers.Text().mask(REVIEW))[:, 0])


def test_a_long_text():
    """2,000 words are explained by 16 calls, and the scores add up."""
    long = " ".join(np.random.default_rng(0).choice([*REVIEW.split(), "other", "words"], 2000))
    e = lc.Explainer(fit("sublinear"), lc.maskers.Text(), kind="logits", value="output")(long)
    assert (e.provenance["name"], len(e.scores), e.calls) == ("linear-shap", 2000, 16)
    assert abs(e.residual) < 1e-9


REFUSED = {
    "length": (text.TfidfVectorizer(), r"TfidfVectorizer\(norm='l2'\)"),
    "pairs": (text.CountVectorizer(ngram_range=(1, 2)), r"ngram_range=\(1, 2\)"),
    "letters": (text.CountVectorizer(analyzer="char"), "analyzer='char'"),
    "tokenizer": (text.CountVectorizer(tokenizer=str.split, token_pattern=None), "tokenizer=a function"),
    "context": (text.CountVectorizer(token_pattern=r"(?<=not )\w+"), "token_pattern="),
    "spaces": (text.CountVectorizer(token_pattern=r"\w+ film"), "token_pattern="),
    "any letter": (text.CountVectorizer(token_pattern=r"n.t"), "token_pattern="),
    "hashing": (text.HashingVectorizer(), r"HashingVectorizer\(norm='l2'\)"),
    "normalizer": (
        pipeline.make_pipeline(text.CountVectorizer(), text.TfidfTransformer()),
        r"TfidfTransformer\(norm='l2'\)",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_words_that_depend_on_each_other_are_left_to_other_methods(name):
    vectorizer, match = REFUSED[name]
    texts = [*TEXTS, "not good film"]
    model = pipeline.make_pipeline(vectorizer, linear_model.Ridge()).fit(texts, np.arange(len(texts)))
    with pytest.raises(lc.errors.MethodError, match=match):
        lc.Explainer(model, lc.maskers.Text(), "linear-shap")("a good film")
    assert lc.Explainer(model, lc.maskers.Text())("a good film").provenance["name"] == "shapley"


def test_changed_vectorizers_and_bad_input():
    class Doubled(text.CountVectorizer):
        def build_tokenizer(self):
            tokenize = super().build_tokenizer()
            return lambda x: tokenize(x) + tokenize(x[:9])

    with pytest.raises(lc.errors.MethodError, match="do not depend on each other, got Doubled"):
        split_counted_words(pipeline.make_pipeline(Doubled(), linear_model.Ridge()).fit(TEXTS, np.arange(18)))
    unfitted = pipeline.make_pipeline(text.CountVectorizer(), linear_model.Ridge())
    with pytest.raises(lc.errors.MethodError, match="CountVectorizer that is not fitted"):
        read_weights(unfitted, "predict")
    assert split_counted_words(linear_model.Ridge()) is None
    for method in ("linear-shap", "auto"):
        with pytest.raises(lc.errors.LcshapError):
            lc.Explainer(fit("counts"), lc.maskers.Tabular([[0.0, 1.0]]), method)([1.0, 2.0])
    with pytest.raises(TypeError, match="counts the words of texts"):
        read_weights(fit("counts"), "decision_function").encoder.encode(np.zeros((1, 2)))


def test_the_model_is_not_changed():
    model = fit("presence")
    before = pickle.dumps(model)
    weights = pickle.loads(pickle.dumps(read_weights(model, "decision_function")))
    lc.Explainer(model, lc.maskers.Text(), kind="logits", value="output")(REVIEW)
    assert pickle.dumps(model) == before
    expected = model.decision_function(TEXTS) - model[-1].intercept_
    np.testing.assert_allclose(weights.predict(weights.encoder.encode(TEXTS))[:, 0], expected)
