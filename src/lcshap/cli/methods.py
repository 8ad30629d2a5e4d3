"""Methods and graphs by name, what methods cost, and what the registry says of them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import MISSING, fields
from difflib import get_close_matches
from typing import Any, NamedTuple

from ..advice.budget import parse_budget
from ..core.graphs import Graph
from ..core.method import Method
from ..core.plan import PlanSum
from ..errors import BudgetError
from ..estimators.registry import METHODS, Entry
from .declare import UsageError
from .options import MethodOption, MethodSettings

_SHARED = (
    "budget",
    "seed",
    "order",
    "context",
    "weights",
    "interactions",
)  # options that are parameters of several methods


class NamedMethod(NamedTuple):
    """A method as the user wrote it: its entry, and the parameters after its name."""

    text: str
    entry: Entry
    parameters: dict[str, Any]

    @property
    def known(self) -> list[str]:
        """The parameters that it has."""
        return [f.name for f in fields(self.entry.method)]


def make_methods(texts: Sequence[str], graph: Graph, settings: MethodSettings) -> list[Method]:
    """The methods that texts such as `l-shapley:order=2` name, with the options of the command where they take them.

    An option that none of the methods takes is refused, and so is a budget that none of them can keep.
    """
    wanted = [_read(text) for text in texts]
    given = {name: getattr(settings, name) for name in _SHARED if getattr(settings, name) is not None}
    if settings.interactions is not None:
        given["interactions"] = settings.interactions.parameter
    if "budget" in given:
        given["budget"] = parse_budget(read_budget(given["budget"]), graph.d)
    for name in given:
        if name != "budget" or any(name in w.parameters for w in wanted):
            _check_taken(name, wanted)
    methods = [_make(w, given, graph) for w in wanted]
    if "budget" in given and not any("budget" in w.known for w in wanted):
        _check_costs(methods, graph, given["budget"], settings.max_calls)
    return methods


def given_by_name(option: MethodOption, settings: MethodSettings) -> dict[str, Any]:
    """What the explainer takes where it makes the method itself, for each input: what the user has given."""
    given = {
        "method": option.method,
        "budget": None if settings.budget is None else read_budget(settings.budget),
        "interactions": None if settings.interactions is None else settings.interactions.parameter,
        "seed": settings.seed,
        "goal": option.goal,
    }
    return {name: value for name, value in given.items() if value is not None}


def find_entry(name: str) -> Entry:
    """What the registry knows under a name."""
    if name not in METHODS:
        raise UsageError(f"Expected a method, got {name!r}{guess(name, METHODS)}. `lcshap methods` lists them.")
    return METHODS.entry(name)


def _read(text: str) -> NamedMethod:
    name, *pairs = text.strip().split(":")
    entry = find_entry(name)
    given = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals:
            raise UsageError(f"Expected a parameter as name=value, got {pair!r} in {text!r}.")
        given[key] = _value(value)
    wanted = NamedMethod(text.strip(), entry, given)
    for key in given:
        if key not in wanted.known:
            raise UsageError(_has_no(key, wanted))
    return wanted


def _make(wanted: NamedMethod, given: dict[str, Any], graph: Graph) -> Method:
    parameters = {name: value for name, value in given.items() if name in wanted.known} | wanted.parameters
    if "budget" in wanted.known:
        parameters["budget"] = parse_budget(parameters.get("budget"), graph.d)
    for f in fields(wanted.entry.method):
        if f.default is MISSING and f.default_factory is MISSING and f.name not in parameters:
            raise UsageError(
                f"Expected a value for the parameter {f.name} of {wanted.entry.name}, got none. Write "
                f"{wanted.entry.name}:{f.name}=... with the value."
            )
    return wanted.entry.method(**parameters)


def _check_taken(name: str, wanted: Sequence[NamedMethod]) -> None:
    """Raise unless an option goes to one of the methods at least."""
    if any(name in w.known and name not in w.parameters for w in wanted):
        return
    own = next((w for w in wanted if name in w.parameters), None)
    if own is not None:
        raise UsageError(f"Expected one {name}, got both --{name} and {own.text}. Leave one of them out.")
    if len(wanted) == 1:
        raise UsageError(_has_no(name, wanted[0]))
    raise UsageError(
        f"Expected a method with the parameter {name!r}, got {', '.join(w.entry.name for w in wanted)}. "
        f"Leave --{name} out."
    )


def _check_costs(methods: Sequence[Method], graph: Graph, budget: int, max_calls: int) -> None:
    for method in methods:
        calls = method.cost(graph, max_calls).calls
        if calls > budget:
            raise BudgetError(
                f"Expected a budget that {method} can keep, got {budget:,} calls: it takes {calls:,} for {graph.d} "
                "units. Leave --budget out, or choose a method that has one."
            )


def _has_no(key: str, wanted: NamedMethod) -> str:
    has = f"Its parameters are {', '.join(wanted.known)}." if wanted.known else "It has no parameters."
    return f"Expected a parameter of {wanted.entry.name}, got {key!r}. {has}"


def read_budget(text: str) -> int | str:
    """The budget as `Explainer` takes it."""
    return int(text) if text.isdigit() else text


def in_seconds(budget: str | None) -> bool:
    """Whether a budget is a time."""
    return budget is not None and budget.strip().endswith("s")


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
        raise UsageError(f"Expected a graph, got {kind!r}{guess(kind, makers)}. Choose one of {', '.join(makers)}.")
    try:
        numbers = [int(number) for number in re.split(r"[x×,]", size)]
        if kind in ("chain", "ring", "complete") and len(numbers) != 1:
            raise ValueError
    except ValueError:
        raise UsageError(f"Expected a graph such as chain:400, grid:28x28 or tree:-1,0,0, got {text!r}.") from None
    return makers[kind](numbers)


def guess(name: str, known: Iterable[str]) -> str:
    """A question to put after an unknown name, where some known ones are like it."""
    near = get_close_matches(name, list(known), 3, 0.6)
    return f" (did you mean {' or '.join(near)}?)" if near else ""


def preview(methods: Sequence[Method], graph: Graph, max_calls: int) -> str:
    """What methods cost on a graph; together, where there are several that have plans."""
    planned = [method for method in methods if method.has_plan]
    if len(planned) < 2:
        return "\n".join(str(method.cost(graph, max_calls)) for method in methods)
    together = PlanSum(tuple(method.plan(graph, max_calls) for method in planned))
    others = (method.cost(graph, max_calls) for method in methods if not method.has_plan)
    return "\n".join(map(str, [together, *others]))
