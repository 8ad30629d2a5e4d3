"""How large a page of many explanations is, and how long it takes to write and to open in Chromium.

python benchmarks/report_size.py        needs playwright and /usr/bin/chromium
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

import numpy as np
from playwright.sync_api import sync_playwright

import lcshap as lc

OPTIONS = "--no-sandbox --disable-gpu --disable-background-networking --disable-component-update --disable-sync"
SHOWN = "document.querySelectorAll('#picture span').length > 0"


def explanations(count: int, words: int) -> list[lc.Explanation]:
    """Texts of random words, with masking curves: a model that has a weight for each word."""
    rng = np.random.default_rng(0)
    weights = rng.normal(size=5000)

    def model(texts: list[str]) -> list[float]:
        return [float(weights[[int(word[1:]) for word in text.split()]].sum()) if text else 0.0 for text in texts]

    texts = [" ".join(f"w{i}" for i in rng.integers(5000, size=words)) for _ in range(count)]
    explainer = lc.Explainer(model, lc.maskers.Text(), lc.FeatureAblation(), kind="output", curve=True, progress=False)
    return list(explainer(texts))


def opened(path: Path) -> float:
    """Seconds until the first sample is drawn."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=OPTIONS.split())
        page = browser.new_page()
        start = time.perf_counter()
        page.goto(path.as_uri())
        page.wait_for_function(SHOWN)
        took = time.perf_counter() - start
        browser.close()
    return took


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--words", type=int, default=300)
    given = parser.parse_args()
    found = explanations(given.count, given.words)
    with tempfile.TemporaryDirectory() as folder:
        begin = time.perf_counter()
        page = lc.report(found, Path(folder) / "report.html")
        written = time.perf_counter() - begin
        times = [opened(page) for _ in range(3)]
        size = page.stat().st_size / 1e6
        print(f"{given.count:,} texts of {given.words} words: {size:.1f} MB, written in {written:.1f} s")
        print(f"first sample drawn after {min(times):.1f} to {max(times):.1f} s")
