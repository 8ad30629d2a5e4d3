"""The pages of the API reference: every public name has a place on one of them."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator
from types import ModuleType
from typing import Any

import lcshap as lc

PAGES: dict[str, tuple[str, str, tuple[str, ...]]] = {  # file: title, what is there, public names of lcshap
    "explaining": (
        "Explaining a model",
        "One model, one masker and one method make an explainer.",
        (
            "explain",
            "Explainer",
            "Execution",
            "Stop",
            "global_importance",
            "choose",
            "Selection",
            "locality",
            "Locality",
            "zoom",
            "serve",
        ),
    ),
    "explanations": (
        "Explanations",
        "What an explainer returns, and how it is saved, loaded and shown.",
        (
            "Explanation",
            "Explanations",
            "Comparison",
            "Importance",
            "CohortImportance",
            "PathExplanation",
            "load",
            "from_shap",
            "report",
            "unsupported",
        ),
    ),
    "games": (
        "Games, graphs and plans",
        "The parts below an explainer: neighbours, coalitions, and what coalitions are worth.",
        ("Graph", "Game", "Coalitions", "Plan", "PlanSum", "run", "Cost"),
    ),
    "stores": (
        "Stores",
        "What the model has already answered, in memory or in a file.",
        ("Store", "MemoryStore", "SQLiteStore"),
    ),
    "errors": ("Errors", "Every error that lcshap raises is an `LcshapError`.", ()),
    "methods": ("Methods", "Each method computes one kind of score. They share one interface, `Method`.", ()),
}
MODULES = {  # file: title, what is there, module
    "maskers": ("Maskers", "A masker cuts an input into units and leaves units out.", lc.maskers),
    "adapters": ("Adapters", "An adapter lets lcshap call a model of some framework.", lc.adapters),
    "values": ("Values", "A value turns the outputs of a model into the number that is explained.", lc.values),
    "bulk": ("Whole data sets", "Explain a data set on all cores or on a cluster, and read the results.", lc.bulk),
    "metrics": ("Metrics", "How good is an explanation?", lc.metrics),
    "plots": ("Plots", "Figures for matplotlib.", lc.plots),
    "quantus": ("Quantus", "Explanations for the metrics of Quantus.", lc.metrics.quantus),
    "datasets": ("Data sets", "The data sets of the paper's experiments.", lc.paper.datasets),
    "networks": ("Networks", "The networks of the paper's experiments, and the two of the demo.", lc.paper.networks),
    "compat": ("The authors' code", "What the code released with the paper computes.", lc.paper.compat),
}


def pages() -> dict[str, str]:
    """The Markdown of every page, by its file's name."""
    made = {name: _page(title, about, _named(name, names)) for name, (title, about, names) in PAGES.items()}
    made |= {name: _page(title, about, _public(module)) for name, (title, about, module) in MODULES.items()}
    titles = {name: parts[:2] for name, parts in (PAGES | MODULES).items()}
    rows = [f"| [{title}]({name}.md) | {about} |" for name, (title, about) in titles.items()]
    head = "# API reference\n\nThese pages are generated from the docstrings. `import lcshap as lc` gives every name.\n"
    made["index"] = "\n".join([head, "| page | what is there |", "|---|---|", *rows]) + "\n"
    return made


def _named(page: str, names: tuple[str, ...]) -> Iterable[Any]:
    if page == "errors":
        return [
            thing
            for thing in vars(lc.errors).values()
            if inspect.isclass(thing) and thing.__module__ == "lcshap.errors"
        ]
    if page == "methods":
        found = [
            thing
            for thing in (getattr(lc, name) for name in lc.__all__)
            if inspect.isclass(thing) or inspect.isfunction(thing)
        ]
        return [thing for thing in found if thing is lc.Method or thing.__module__.startswith("lcshap.estimators.")]
    return [getattr(lc, name) for name in names]


def _public(module: ModuleType) -> Iterator[Any]:
    """The classes and functions of a module: those it lists, or those it defines."""
    listed = getattr(module, "__all__", None)
    home = module.__name__ if listed is None else "lcshap."
    for name in listed or [name for name in vars(module) if not name.startswith("_")]:
        thing = getattr(module, name)
        ours = (getattr(thing, "__module__", "") or "").startswith(home)
        if (inspect.isclass(thing) or inspect.isfunction(thing)) and ours:
            yield thing


def _page(title: str, about: str, things: Iterable[Any]) -> str:
    unique = dict.fromkeys(f"{inspect.unwrap(thing).__module__}.{thing.__qualname__}" for thing in things)
    return "\n\n".join([f"# {title}", about, *(f"::: {path}" for path in unique)]) + "\n"
