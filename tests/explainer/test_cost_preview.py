import time

import numpy as np
import pytest

import lcshap as lc
from lcshap.adapters.base import Model


class Reader(Model):
    kind = "output"
    counts_tokens = True

    def predict(self, rows):
        return [[float(len(row))] for row in rows]

    def describe_tokens(self, rows):
        return f"{sum(len(row.split()) for row in rows)} words"


def test_a_model_that_counts_what_it_reads_is_shown_the_rows_of_the_plan():
    preview = lc.Explainer(Reader(), lc.maskers.Text(), "feature-ablation").preview("to be or")
    assert "tokens  9 words" in preview  # ∅, three without one word, V
    timed = lc.Explainer(Reader(), lc.maskers.Text(), budget="3s").preview("to be or")
    assert timed == "3 s, in which a few rows are timed first"
    assert "tokens" not in lc.Explainer(Reader(), lc.maskers.Text(), "deletion-path").preview("to be or")


def test_the_time_of_the_method_is_shown_if_it_matters(monkeypatch):
    """It is a formula, so that nothing is computed and the second preview prints the same as the first."""
    monkeypatch.setattr("lcshap.estimators.graph_kernel_shap.choose_pairs", None)
    explainer = lc.Explainer(
        lambda texts: np.zeros(len(texts)), lc.maskers.Text(), "graph-kernel-shap", budget="8d", kind="output"
    )
    assert "own  " not in explainer.preview(" ".join(f"word{i}" for i in range(30)))
    text = " ".join(f"word{i}" for i in range(1500))
    preview = explainer.preview(text)
    own_line = next(line for line in preview.splitlines() if line.startswith("  own  "))
    assert 0.1 < float(own_line.split("about ")[1].split(" s of")[0]) < 10
    assert explainer.preview(text) == preview


@pytest.mark.parametrize(("side", "budget"), [(64, "2d"), (64, "32d"), (100, "8d"), (300, "2d")])
def test_previews_of_large_inputs_take_no_time(side, budget):
    """No coalitions are chosen, whatever the method is. Processor time, with a generous limit."""
    explainer = lc.Explainer(
        lambda images: np.zeros(len(images)), lc.maskers.Image(patch=1), budget=budget, kind="output"
    )
    image = np.random.default_rng(0).random((side, side))
    explainer.preview(image[:4, :4])
    start = time.process_time()
    preview = explainer.preview(image)
    assert time.process_time() - start < 1
    assert f"{side * side} units" in preview
    seconds = next(line for line in preview.splitlines() if line.startswith("  own  ")).split()[2]
    assert set(seconds) <= set("0123456789.")
