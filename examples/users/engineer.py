"""For an engineer: many inputs, answers that survive a crash, and no repeated model calls."""

import tempfile
from pathlib import Path

import lcshap as lc

asked = []


def model(texts):
    """A slow service; here it counts words."""
    asked.extend(texts)
    return [float(len(text.split())) for text in texts]


tickets = ["the printer is broken", "please reset my password", "the printer is on fire"]
with tempfile.TemporaryDirectory() as folder:
    named = lc.Execution(model_name="word-count-v1")
    options = {"kind": "output", "store": Path(folder) / "answers.db", "execution": named}
    first = lc.Explainer(model, lc.maskers.Text(), **options)(tickets)
    print(f"{len(first)} explanations, {len(asked)} rows sent to the model")
    again = lc.Explainer(model, lc.maskers.Text(), lc.LShapley(order=1), **options)(tickets)  # another method
    print(f"{len(again)} more explanations, {len(asked)} rows in total")
