"""How large a page of many explanations with labels is, and how long it takes to write and to open in Chromium.

python benchmarks/report_size.py                                needs playwright and /usr/bin/chromium
python benchmarks/report_size.py --count 1000 --words 300       one page instead of all
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from playwright.sync_api import Page, sync_playwright

import lcshap as lc

OPTIONS = "--no-sandbox --disable-gpu --disable-background-networking --disable-component-update --disable-sync"
SHOWN = "document.querySelectorAll('#picture span').length > 0"
COUNTED = "document.querySelectorAll('#dataset td').length > 0"
PAGES = ((1_000, 300), (10_000, 30))  # samples, and words of each
CLASSES = ["negative", "positive"]
WRONG = 0.1  # the share of labels that are not what the model says


def explanations(count: int, words: int) -> tuple[list[lc.Explanation], list[str]]:
    """Texts of random words, with masking curves and labels: a model that has a weight for each word."""
    rng = np.random.default_rng(0)
    weights = rng.normal(size=5000)

    def model(texts: list[str]) -> Any:
        sums = [float(weights[[int(word[1:]) for word in text.split()]].sum()) if text else 0.0 for text in texts]
        return np.stack([np.zeros(len(sums)), np.array(sums)], axis=1)

    texts = [" ".join(f"w{i}" for i in rng.integers(5000, size=words)) for _ in range(count)]
    explainer = lc.Explainer(
        model, lc.maskers.Text(), lc.FeatureAblation(), kind="logits", classes=CLASSES, curve=True, progress=False
    )
    found = list(explainer(texts))
    says = [CLASSES.index(e.provenance["prediction"][0][0]) for e in found]
    return found, [CLASSES[said ^ bool(wrong)] for said, wrong in zip(says, rng.random(count) < WRONG, strict=True)]


class Opened(NamedTuple):
    """Seconds until the first sample and then the data-set view are drawn, and the memory of the script in bytes."""

    sample: float
    dataset: float
    heap: float


def opened(path: Path) -> Opened:
    """Open a page in a browser of its own."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=OPTIONS.split())
        page = browser.new_page()
        start = time.perf_counter()
        page.goto(path.as_uri())
        page.wait_for_function(SHOWN)
        sample = time.perf_counter() - start
        start = time.perf_counter()
        page.click("#views button[value=all]")
        page.wait_for_function(COUNTED)
        found = Opened(sample, time.perf_counter() - start, _heap(page))
        browser.close()
    return found


def _heap(page: Page) -> float:
    """What the script of a page holds in memory, without garbage."""
    session = page.context.new_cdp_session(page)
    session.send("HeapProfiler.collectGarbage")
    session.send("Performance.enable")
    metrics = session.send("Performance.getMetrics")["metrics"]
    return next(float(metric["value"]) for metric in metrics if metric["name"] == "JSHeapUsedSize")


def measure(count: int, words: int, folder: Path) -> str:
    """A row of the table: one page, opened three times."""
    found, labels = explanations(count, words)
    begin = time.perf_counter()
    page = lc.report(found, folder / f"report_{count}_{words}.html", labels=labels)
    written = time.perf_counter() - begin
    runs = [opened(page) for _ in range(3)]
    spans = [f"{min(column):.1f} to {max(column):.1f} s" for column in list(zip(*runs, strict=True))[:2]]
    size, heap = page.stat().st_size / 1e6, max(run.heap for run in runs) / 1e6
    return f"| {count:,} | {words} | {size:.1f} MB | {written:.1f} s | {spans[0]} | {spans[1]} | {heap:.0f} MB |"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int)
    parser.add_argument("--words", type=int, default=300)
    given = parser.parse_args()
    print("| samples | words of each | file | written in | first sample after | data set after | JavaScript heap |")
    print("|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as place:
        for pair in PAGES if given.count is None else [(given.count, given.words)]:
            print(measure(*pair, Path(place)), flush=True)
