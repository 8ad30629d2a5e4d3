"""A small text model, and a real browser that must stay silent."""

import contextlib

import numpy as np
import pytest
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

import lcshap as lc
from lcshap.show.html_report import report

GOOD = ["a good plot and great actors", "great fun, good end", "good good film", "I liked the great end"]
BAD = ["a bad plot and poor actors", "poor fun, bad end", "bad bad film", "I hated the poor end"]
LISTEN = """
window.violations = [];
document.addEventListener("securitypolicyviolation", (event) => window.violations.push(event.violatedDirective));
"""


@pytest.fixture(scope="session")
def opinion():
    """Is a text for or against? Word counts and logistic regression."""
    model = make_pipeline(CountVectorizer(), LogisticRegression(C=10.0))
    return model.fit(GOOD + BAD, np.array(["for"] * 4 + ["against"] * 4))


@pytest.fixture(scope="session")
def explain(opinion):
    """Explanations of texts with interactions and curves, unless told otherwise."""

    def explain(texts, method=None, **options):
        method = method or lc.LShapley(1, interactions=True)
        return lc.Explainer(opinion, lc.maskers.Text(), method, **{"target": "for", "curve": True, **options})(texts)

    return explain


@pytest.fixture
def show(chromium, tmp_path):
    """Writes a report and opens it from disk. At the end no error, violation, dialog or request may have happened."""
    pages, complaints = [], []

    def show(explanations, width=1200, height=800, dark=False, **options):
        path = report(explanations, tmp_path / f"report{len(pages)}.html", **options)
        page = chromium.new_page(
            viewport={"width": width, "height": height},
            color_scheme="dark" if dark else "light",
            reduced_motion="reduce",
        )
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("dialog", lambda dialog: (complaints.append(dialog.message), dialog.dismiss()))
        page.on("request", lambda request: request.url == path.as_uri() or complaints.append(request.url))
        page.add_init_script(LISTEN)
        page.goto(path.as_uri())
        pages.append(page)
        return page

    show.complaints = complaints
    yield show
    for page in pages:
        complaints += page.evaluate("window.violations")
        page.close()
    assert complaints == []


@pytest.fixture
def without_scripts(chromium):
    """Opens a page in a browser that runs no scripts."""

    @contextlib.contextmanager
    def opened(path):
        context = chromium.new_context(java_script_enabled=False)
        try:
            page = context.new_page()
            page.goto(path.as_uri())
            yield page
        finally:
            context.close()

    return opened
