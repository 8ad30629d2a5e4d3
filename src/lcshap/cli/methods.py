"""Methods and graphs by name, what methods cost, and what their descriptions say."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import fields
from difflib import get_close_matches
from typing import Any

from ..advice.chooser import parse_budget
from ..core.graphs import Graph
from ..core.plan import PlanSum
from ..errors import PlanTooLargeError
from ..estimators import METHODS, DeletionPath, InsertionPath, Method, SampledMethod
from .options import Settings, UsageError


def make_method(text: str, graph: Graph, settings: Settings, strict: bool = True) -> Method:
    """The method that `l-shapley:order=2` names, with budget and seed, and with other settings where it has them.

    With `strict` a setting that it does not have is refused.
    """
    name, *pairs = text.strip().split(":")
    if name not in METHODS:
        raise UsageError(f"there is no method {name!r}{guess(name, METHODS)}: `lcshap methods` lists them")
    kind = METHODS[name]
    known = [f.name for f in fields(kind)]
    shared = {key: getattr(settings, key) for key in ("order", "context", "weights")}
    given = {key: value for key, value in shared.items() if value is not None and (strict or key in known)}
    if "budget" in known:
        given["budget"] = parse_budget(read_budget(settings.budget), graph.d)
    if "seed" in known:
        given["seed"] = settings.seed
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals:
            raise UsageError(f"a parameter is written as name=value, not {pair!r}, in {text!r}")
        given[key] = _value(value)
    foreign = [key for key in given if key not in known]
    if foreign:
        has = f"it has {', '.join(known)}" if known else "it has none"
        raise UsageError(f"{name} has no parameter {foreign[0]!r}: {has}")
    if isinstance(given.get("budget"), str):
        given["budget"] = parse_budget(given["budget"], graph.d)
    return kind(**given)


def read_budget(text: str) -> int | str:
    """The budget as `Explainer` takes it."""
    return int(text) if text.isdigit() else text


def _value(text: str) -> Any:
    """A number, true, false or null as in JSON; anything else is a string."""
    try:
        return json.loads(text.lower() if text in ("True", "False") else text)
    except json.JSONDecodeError:
        return text


def read_graph(text: str) -> Graph:
    """The graph that chain:400, grid:28x28 or tree:-1,0,0 names."""
    kind, _, size = text.partition(":")
    makers: dict[str, Callable[[list[int]], Graph]] = {
        "chain": lambda n: Graph.chain(n[0]),
        "ring": lambda n: Graph.ring(n[0]),
        "complete": lambda n: Graph.complete(n[0]),
        "grid": Graph.grid,
        "tree": Graph.tree,
    }
    if kind not in makers:
        raise UsageError(f"there is no graph {kind!r}{guess(kind, makers)}: there are {', '.join(makers)}")
    try:
        numbers = [int(number) for number in re.split(r"[x×,]", size)]
        if kind in ("chain", "ring", "complete") and len(numbers) != 1:
            raise ValueError
    except ValueError:
        raise UsageError(f"a graph is written as chain:400, grid:28x28 or tree:-1,0,0, not {text!r}") from None
    return makers[kind](numbers)


def guess(name: str, known: Iterable[str]) -> str:
    """A question to put after an unknown name, where some known ones are like it."""
    near = get_close_matches(name, list(known), 3, 0.6)
    return f" (did you mean {' or '.join(near)}?)" if near else ""


def preview(methods: Sequence[Method], graph: Graph, max_calls: int) -> str:
    """What methods cost on a graph; together, where there are several that have plans."""
    plans = [method.plan(graph, max_calls) for method in methods if method.has_plan]
    shared = [str(PlanSum(tuple(plans)))] if len(plans) > 1 else list(map(str, plans))
    others = (method for method in methods if not method.has_plan)
    return "\n".join([*shared, *(f"{m}\n  on      {graph}\n  calls   {_without_plan(m)}" for m in others)])


def _without_plan(method: Method) -> str:
    if isinstance(method, DeletionPath | InsertionPath):
        return f"at most {method.budget:,}: each step decides what to ask next"
    return "2, and one gradient of the model"


def cost(kind: type[Method], graph: Graph) -> str:
    """How many calls a method takes with its usual parameters, in a few words."""
    if issubclass(kind, SampledMethod):
        return f"as many as the budget, from {_least(kind, graph):,},"
    if issubclass(kind, DeletionPath | InsertionPath):
        return f"up to the budget, from {graph.d + 2:,},"
    if not kind.has_plan:
        return "a gradient and 2"
    try:
        return f"{kind().plan(graph).calls:,}"
    except PlanTooLargeError as error:
        return f"2^{error.calls.bit_length() - 1}"


def _least(kind: type[SampledMethod], graph: Graph) -> int:
    return kind(budget=10**9).minimum(graph)  # type: ignore[call-arg]


def purpose(kind: type[Method]) -> tuple[str, str]:
    """What a method computes and when to choose it: the first line of its description and its advice."""
    text = inspect.cleandoc(kind.__doc__ or "")
    first, _, rest = text.partition("\n")
    notes = re.search(r"Notes\n-+\n(.*?)(?=\n\n\w+\n-+\n|\Z)", text, re.DOTALL)
    body = notes[1] if notes else re.split(r"\n\w+\n-+\n", rest)[0]
    paragraphs = [p for p in body.strip().split("\n\n") if not p.startswith(".. math")]
    sentences = re.split(r'(?<=[.:;])\s+(?=[A-Zc"])', plain(" ".join(paragraphs)))
    advice = [s[0].upper() + s[1:].rstrip(";") for s in sentences if s.startswith(("Choose", "choose"))]
    return plain(first), " ".join(s if s.endswith(".") else s + "." for s in advice) or plain(paragraphs[0])


def plain(text: str) -> str:
    """A docstring's prose without its markup, on one line."""
    text = re.sub(r":math:`([^`]*)`", lambda found: _symbols(found[1]), text)
    text = re.sub(r"\s*\[\w+\]_", "", text.replace("``", "`"))
    return " ".join(text.replace("`", "").split())


def _symbols(formula: str) -> str:
    for name, sign in {r"\setminus": "\\", r"\emptyset": "∅", r"\,": " ", "{": "", "}": ""}.items():
        formula = formula.replace(name, sign)
    return formula
