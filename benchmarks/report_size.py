"""How large a page of many explanations with labels is, and how long it takes to write and to open in Chromium.

python benchmarks/report_size.py                                needs playwright and /usr/bin/chromium
python benchmarks/report_size.py --count 1000 --words 300       one page instead of all
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from playwright.sync_api import Page, sync_playwright
from scipy import special

import lcshap as lc

OPTIONS = "--no-sandbox --disable-gpu --disable-background-networking --disable-component-update --disable-sync"
SHOWN = "document.querySelectorAll('#picture span').length > 0"
COUNTED = "document.querySelectorAll('#dataset td').length > 0"
PAGES = ((10_000, 30, False), (10_000, 300, False), (10_000, 300, True))  # samples, words of each, standard errors
CLASSES = ["negative", "positive"]
TITLES = (
    "samples",
    "words of each",
    "standard errors",
    "file",
    "written in",
    "first sample after",
    "data set after",
    "heap",
)
WRONG = 0.1  # the share of labels that are not what the model says


def explanations(count: int, words: int, sampled: bool) -> tuple[list[lc.Explanation], list[str]]:
    """Texts of random words with masking curves and labels: a logistic model that has a weight for each word.

    The first one is asked for; the others have the same form, with scores that are known because the model is additive.

    Parameters
    ----------
    sampled : with standard errors, as methods that sample have them.
    """
    rng = np.random.default_rng(0)
    weights = rng.normal(size=5000) / np.sqrt(words)

    def model(texts: list[str]) -> Any:
        sums = [float(weights[[int(word[1:]) for word in text.split()]].sum()) for text in texts]
        return np.stack([np.zeros(len(sums)), np.array(sums)], axis=1)

    masker = lc.maskers.Text()
    method = lc.SampleShapley(4 * words) if sampled else lc.FeatureAblation()
    options = {"kind": "logits", "classes": CLASSES, "value": "log_odds", "curve": True, "progress": False}
    drawn = rng.integers(5000, size=(count, words))
    texts = [" ".join(f"w{i}" for i in row) for row in drawn]
    first = lc.Explainer(model, masker, method, **options)(texts[0])
    found, labels = [], []
    for row, text, wrong in zip(drawn, texts, rng.random(count) < WRONG, strict=True):
        total = weights[row].sum()
        says = int(total > 0)
        sign, masked = 2 * says - 1, masker.mask(text)
        errors = np.abs(rng.normal(size=words)) / 10 if sampled else None
        scores = sign * weights[row] + (0 if errors is None else errors * rng.normal(size=words))
        share = float(special.expit(abs(total)))
        record = {**first.provenance, "targets": [CLASSES[says]]}
        record["prediction"] = [[CLASSES[says], share], [CLASSES[1 - says], 1 - share]]
        left = np.concatenate([[0.0], np.cumsum(np.sort(scores)[::-1])])
        curve = {**first.curve, "values": abs(total) - left[first.curve["counts"]]}
        made = replace(first, scores=scores, base_value=0.0, full_value=abs(total), stderr=errors, provenance=record)
        found.append(replace(made, graph=masked.graph, view=masked.view, curve=curve))
        labels.append(CLASSES[says ^ bool(wrong)])
    return found, labels


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


def measure(count: int, words: int, sampled: bool, folder: Path) -> str:
    """A row of the table: one page, opened three times."""
    found, labels = explanations(count, words, sampled)
    begin = time.perf_counter()
    page = lc.report(found, folder / f"report_{count}_{words}.html", labels=labels)
    written = time.perf_counter() - begin
    runs = [opened(page) for _ in range(3)]
    spans = [f"{min(column):.1f} to {max(column):.1f} s" for column in list(zip(*runs, strict=True))[:2]]
    size, heap = page.stat().st_size / 1e6, max(run.heap for run in runs) / 1e6
    cells = [f"{count:,}", f"{words}", "yes" if sampled else "no", f"{size:.1f} MB", f"{written:.1f} s"]
    return _row([*cells, *spans, f"{heap:.0f} MB"])


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int)
    parser.add_argument("--words", type=int, default=300)
    parser.add_argument("--errors", action="store_true", help="with standard errors")
    given = parser.parse_args()
    print(_row(TITLES), _row(["---"] * len(TITLES)), sep="\n")
    with tempfile.TemporaryDirectory() as place:
        for pair in PAGES if given.count is None else [(given.count, given.words, given.errors)]:
            print(measure(*pair, Path(place)), flush=True)
