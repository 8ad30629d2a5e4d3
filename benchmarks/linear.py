"""Linear models beside shap's LinearExplainer in one process: processor time for all rows, and how far scores agree.

Ridge regression of random columns, 100 background rows. "values" is `LinearExplainer.shap_values`, which returns an
array alone; "object" is `LinearExplainer(...)(rows)`, which returns an object with data and base values, as lcshap
does. Each number is the best of several runs. The construction of the explainer is included. Texts are explained by
`CountVectorizer` and a regression, beside the estimate that would be used if the model was not read.

``OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 python benchmarks/linear.py``
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import shap
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline

import lcshap as lc

ROWS, COLUMNS, BACKGROUND = (1, 10, 1_000, 100_000), (30, 200), 100
WORDS = (20, 200, 2_000)


def best_seconds(function: Callable[[], Any], repeats: int = 5) -> float:
    """The least processor time of several runs, within about ten seconds in all."""
    seconds: list[float] = []
    while len(seconds) < repeats and sum(seconds) < 10:
        start = time.thread_time()
        function()
        seconds.append(time.thread_time() - start)
    return min(seconds)


def table_line(rows: int, columns: int) -> str:
    """The times for one table."""
    rng = np.random.default_rng(0)
    data = rng.normal(size=(1_000, columns))
    model = Ridge().fit(data, data @ rng.normal(size=columns))
    x, background = rng.normal(size=(rows, columns)), data[:BACKGROUND]
    scores = lc.Explainer(model, lc.maskers.Tabular(background))(x).scores
    difference = np.abs(scores - shap.LinearExplainer(model, background).shap_values(x)).max()
    own = best_seconds(lambda: lc.Explainer(model, lc.maskers.Tabular(background))(x))
    values = best_seconds(lambda: shap.LinearExplainer(model, background).shap_values(x))
    object_seconds = best_seconds(lambda: shap.LinearExplainer(model, background)(x))
    return (
        f"{rows:>8,}{columns:>9}{1e3 * own:>11.2f}{1e3 * values:>11.2f}{1e3 * object_seconds:>11.2f}"
        f"{own / object_seconds:>11.2f}{difference:>12.1e}"
    )


def text_line(words: int) -> str:
    """The times for a text with so many words."""
    rng = np.random.default_rng(0)
    texts = [" ".join(f"w{word}" for word in rng.zipf(1.5, size=words) % 5_000) for _ in range(50)]
    model = make_pipeline(CountVectorizer(), Ridge()).fit(texts, rng.normal(size=50))
    explainers = [lc.Explainer(model, lc.maskers.Text(), method) for method in ("auto", "graph-kernel-shap")]
    exact, estimated = (best_seconds(lambda e=e: e(texts[0]), 3) for e in explainers)
    calls = [e(texts[0]).calls for e in explainers]
    return f"{words:>8,}{1e3 * exact:>11.1f}{calls[0]:>8}{1e3 * estimated:>13.1f}{calls[1]:>8,}"


if __name__ == "__main__":
    titles = ("columns", 9), ("lcshap ms", 11), ("values ms", 11), ("object ms", 11), ("ratio", 11), ("difference", 12)
    print(f"{'rows':>8}" + "".join(f"{title:>{width}}" for title, width in titles))
    for columns in COLUMNS:
        for rows in ROWS:
            print(table_line(rows, columns), flush=True)
    print(f"\n{'words':>8}{'exact ms':>11}{'calls':>8}{'estimate ms':>13}{'calls':>8}")
    for words in WORDS:
        print(text_line(words), flush=True)
