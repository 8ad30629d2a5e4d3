"""Ours: what `auto` chooses for goal "fair", single methods, the paths, and any method written as an expression."""

from __future__ import annotations

from typing import Any

import numpy as np

from .base import Answer, Estimate, Value, contestant


def graph_of(value: Value) -> Any:
    """The graph of a game, from what can be sent to a process."""
    import lcshap as lc

    if value.graph in ("complete", "chain"):
        return getattr(lc.Graph, value.graph)(value.d)
    if isinstance(value.graph, dict):
        return lc.Graph.grid(value.graph["grid"])
    return lc.Graph.from_edges(value.d, np.asarray(value.graph, np.int64).reshape(-1, 2))


def run(method: Any, value: Value, graph: Any = None) -> Answer | None:
    """The method's explanation on the game's graph, or another; None where it refuses the budget, with the reason."""
    import lcshap as lc

    try:
        e = method.explain(lc.Game(value, value.d), graph or graph_of(value))
    except (lc.errors.BudgetError, lc.errors.MethodError) as error:
        return Answer(None, note=str(error))
    lower, upper = (None, None) if e.stderr is None or not e.dof else e.interval()
    pairs = None
    if e.interactions is not None:
        dense = e.interactions.toarray() if hasattr(e.interactions, "toarray") else np.asarray(e.interactions)
        pairs = dense[np.triu_indices(value.d, 1)]
    return Answer(e.scores, pairs, lower, upper)


def expression(text: str) -> Estimate:
    """A method from an expression in which {budget}, {seed} and {d} are filled in."""

    def estimate(value: Value, budget: int, seed: int) -> Answer | None:
        import lcshap as lc

        filled = text.format(budget=budget, seed=seed, d=value.d)
        if "{seed}" not in text and seed:
            import dataclasses

            method = eval(filled, {"lc": lc, "np": np})
            return run(dataclasses.replace(method, seed=seed) if hasattr(method, "seed") else method, value)
        return run(eval(filled, {"lc": lc, "np": np}), value)

    return estimate


@contestant("auto", "lcshap")
def auto(value: Value, budget: int, seed: int) -> Any:
    """What `choose` picks for goal "fair"."""
    import lcshap as lc

    try:
        method = lc.choose(graph_of(value), "fair", budget, seed=seed).method
    except lc.LcshapError as error:
        return Answer(None, note=str(error))
    return run(method, value)


@contestant("pairs", "lcshap", pairs=True)
def pairs(value: Value, budget: int, seed: int) -> Any:
    """Interactions of all pairs, as the peers give them: `GraphKernelSHAP` gives those of the edges of its graph."""
    import lcshap as lc

    return run(lc.GraphKernelSHAP(budget, seed=seed, interactions=True), value, lc.Graph.complete(value.d))


contestant("GraphKernelSHAP", "lcshap")(expression("lc.GraphKernelSHAP({budget}, seed={seed})"))
contestant("SampleShapley", "lcshap")(expression("lc.SampleShapley({budget}, seed={seed})"))
contestant("KernelSHAP", "lcshap")(expression("lc.KernelSHAP({budget}, seed={seed})"))
contestant("DeletionPath", "lcshap", other=True)(expression("lc.DeletionPath({budget})"))
contestant("InsertionPath", "lcshap", other=True)(expression("lc.InsertionPath({budget})"))
