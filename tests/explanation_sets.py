"""Explanations of many kinds, for tests of sets."""

from dataclasses import replace

import numpy as np
import pandas as pd

import lcshap as lc
from lcshap.core.views import TableView
from support import table_game


def row_explanations(count=5, outputs=None, seed=0):
    """Explanations of rows of a table with a category and a gap."""
    rng = np.random.default_rng(seed)
    graph = lc.Graph.complete(3, ["age", "dose", "city"])
    for number in range(count):
        game, _ = table_game(3, seed + number, outputs)
        e = lc.Shapley().explain(game, graph)
        view = TableView(
            columns=graph.names,
            values=np.array([rng.integers(18, 80), np.nan if number == 1 else rng.normal(), np.nan]),
            labels=np.arange(3),
            texts=("", "missing" if number == 1 else "", ["Oslo", "Rome"][number % 2]),
        )
        provenance = {**e.provenance, "targets": ["yes" if number % 2 else "no"], "value": "log_prob"}
        yield replace(e, view=view, provenance=provenance)


def text_explanations(texts=("a good film", "bad", "not so good"), **options):
    explainer = lc.Explainer(
        lambda rows: [1.0 * ("good" in row) - 2.0 * ("bad" in row) for row in rows],
        lc.maskers.Text(),
        kind="output",
        **options,
    )
    return [explainer(text) for text in texts]


def odd_explanations():
    """One explanation of each kind that columns of numbers do not hold by themselves."""
    game, _ = table_game(4, 1)
    several, _ = table_game(4, 2, outputs=3)
    graph = lc.Graph.chain(4)
    sampled = lc.GraphKernelSHAP(12).explain(game, graph)
    return [
        lc.DeletionPath(20).explain(game, graph),
        lc.InsertionPath(20).explain(several, graph),
        lc.GraphKernelSHAP(14, interactions=True).explain(game, graph),
        lc.GraphKernelSHAP(14, interactions="all").explain(several, graph),
        sampled,
        replace(sampled, scores=sampled.scores.astype(np.float32), base_value=np.float64(0.5)),
        replace(sampled, rows=None, dof=None, provenance={"list": [1, {"a": np.ones(2)}], "none": None}),
        lc.Explanation(np.ones(4), 0, 4, graph, 2),
        *text_explanations(curve=True),
        *row_explanations(2),
    ]


def failed():
    return lc.errors.MaskerError("Expected a text, got nothing.")


def frame(count=40, seed=0):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "age": rng.integers(18, 80, count),
            "dose": rng.normal(size=count),
            "city": rng.choice(["Oslo", "Rome"], count),
        }
    )


def array_set(count=6, d=3, outputs=None, seed=0, **options):
    """A set from random arrays, and the arrays."""
    rng = np.random.default_rng(seed)
    shape = (count, d) if outputs is None else (count, d, outputs)
    scores, base = rng.normal(size=shape), rng.normal(size=(count, *shape[2:]))
    return lc.Explanations.from_arrays(scores, base, base + scores.sum(axis=1), **options), scores, base
