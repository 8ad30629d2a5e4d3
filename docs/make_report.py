"""Make the picture of docs/report.md: `python docs/make_report.py`. Needs Chromium, playwright and the test extra."""

from __future__ import annotations

import runpy
import shutil
import tempfile
from pathlib import Path

from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

import lcshap as lc

DOCS = Path(__file__).parent
CLASSES = ["negative", "positive"]
TRAIN, SHOWN = 12_000, 200  # reviews


def write_reviews(path: Path) -> Path:
    """A report of movie reviews that the model has not seen, with their labels."""
    text, label = runpy.run_path(str(DOCS.parent / "examples/real_models.py"), run_name="example")["reviews"]()
    model = make_pipeline(TfidfVectorizer(ngram_range=(1, 2), min_df=3), LogisticRegression(C=10))
    model.fit(text[:TRAIN], label[:TRAIN])
    some = range(TRAIN, TRAIN + SHOWN)
    explainer = lc.Explainer(
        model,
        lc.maskers.Text(),
        lc.LShapley(1, interactions=True),
        classes=CLASSES,
        curve=True,
        execution=lc.Execution(progress=False),
    )
    found = explainer([text[k] for k in some])
    return lc.report(found, path, labels=[CLASSES[label[k]] for k in some], title=f"{SHOWN} movie reviews")


def main() -> None:
    """Write the report, and draw its data-set view."""
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        path = write_reviews(Path(folder) / "reviews.html")
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1180, "height": 800}, reduced_motion="reduce")
        page.goto(path.as_uri())
        page.get_by_role("button", name="Data set").click()
        page.get_by_role("button", name="of positive, predicted as negative").click()
        page.mouse.move(2, 2)
        page.screenshot(path=DOCS / "figures/report-data-set.png")
        browser.close()


if __name__ == "__main__":
    main()
