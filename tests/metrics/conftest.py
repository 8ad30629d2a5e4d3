"""A model of texts, its explanations, and its answers written down by hand."""

import pytest
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

import lcshap as lc

TEXTS = ["good fun and a great story told well by all", "bad and dull and awful", "a great film", "an awful mess"]


@pytest.fixture(scope="module")
def explained():
    """An explainer, texts, their explanations, and a function of a text, scores, a count and `keep`."""
    labels = ["yes", "no", "yes", "no"]
    model = make_pipeline(CountVectorizer(token_pattern=r"\S+"), LogisticRegression()).fit(TEXTS, labels)

    def chance(text, scores, count, keep):
        """P of the class predicted for the text, once its first words by score are gone, or alone."""
        words, label = text.split(), model.predict_proba([text])[0].argmax()
        top = sorted(range(len(words)), key=lambda i: (-scores[i], i))[:count]
        kept_words = [word for i, word in enumerate(words) if (i in top) == keep]
        return float(model.predict_proba([" ".join(kept_words)])[0, label])

    explainer = lc.Explainer(model, lc.maskers.Text(), lc.LShapley(1))
    return explainer, TEXTS, explainer(TEXTS), chance


@pytest.fixture
def counted():
    """An explainer of how many words a text has, a text, and its explanation."""
    explainer = lc.Explainer(
        lambda texts: [float(len(t.split())) for t in texts], lc.maskers.Text(), "l-shapley", kind="output"
    )
    return explainer, "one two three four", explainer("one two three four")
