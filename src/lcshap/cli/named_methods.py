"""Methods and graphs by name, and the cost of methods."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import MISSING, fields
from difflib import get_close_matches
from typing import Any, NamedTuple

from ..core.earlier_names import rename_parameters
from ..core.graphs import Graph
from ..core.method import Method
from ..core.plan import PlanSum
from ..errors import BudgetError
from ..estimators.registry import METHODS, MethodEntry
from ..selection.budget import parse_budget
from .option_groups import UsageError
from .options_shared import MethodOption, MethodSettings

_SHARED_OPTIONS = (
    "budget",
    "seed",
    "order",
    "context",
    "weights",
    "interactions",
)  # options that are parameters of several methods
_MAX_OWN_SECONDS = 0.3  # With a larger sum of own times, no plans are made to count the calls of several methods.


class NamedMethod(NamedTuple):
    """A method as the user wrote it: its entry in the registry, and the parameters after its name."""

    text: str
    entry: MethodEntry
    parameters: dict[str, Any]

    @property
    def parameter_names(self) -> list[str]:
        """The parameters that it has."""
        return [f.name for f in fields(self.entry.method)]


def make_methods(texts: Sequence[str], graph: Graph, settings: MethodSettings) -> list[Method]:
    """Make methods from texts such as `l-shapley:order=2`, with the options of the command that they take.

    An option that none of the methods takes is refused, and so is a budget that no method can keep.
    """
    named_methods = [_parse_method(text) for text in texts]
    shared = {name: getattr(settings, name) for name in _SHARED_OPTIONS if getattr(settings, name) is not None}
    if settings.interactions is not None:
        shared["interactions"] = settings.interactions.parameter
    if "budget" in shared:
        shared["budget"] = parse_budget(read_budget(shared["budget"]), graph.d)
    for name in shared:
        if name != "budget" or any(name in named.parameters for named in named_methods):
            _check_option_used(name, named_methods)
    methods = [_make_method(named, shared, graph) for named in named_methods]
    if "budget" in shared and not any("budget" in named.parameter_names for named in named_methods):
        _check_costs(methods, graph, shared["budget"], settings.max_calls)
    return methods


def method_options(option: MethodOption, settings: MethodSettings) -> dict[str, Any]:
    """The options of an explainer that makes the method itself, for each input; only those that the user sets."""
    options = {
        "method": option.method,
        "budget": None if settings.budget is None else read_budget(settings.budget),
        "interactions": None if settings.interactions is None else settings.interactions.parameter,
        "seed": settings.seed,
        "goal": option.goal,
    }
    return {name: setting for name, setting in options.items() if setting is not None}


def find_entry(name: str) -> MethodEntry:
    """The entry of a method in the registry."""
    if name not in METHODS:
        raise UsageError(f"Expected a method, got {name!r}{suggest_names(name, METHODS)}. `lcshap methods` lists them.")
    return METHODS.entry(name)


def _parse_method(text: str) -> NamedMethod:
    name, *pairs = text.strip().split(":")
    entry = find_entry(name)
    parameters = {}
    for pair in pairs:
        key, equals, literal = pair.partition("=")
        if not equals:
            raise UsageError(f"Expected a parameter as name=value, got {pair!r} in {text!r}.")
        parameters[key] = _parse_value(literal)
    named_method = NamedMethod(text.strip(), entry, rename_parameters(entry.name, parameters))
    for key in named_method.parameters:
        if key not in named_method.parameter_names:
            raise UsageError(_unknown_parameter(key, named_method))
    return named_method


def _make_method(named_method: NamedMethod, shared: dict[str, Any], graph: Graph) -> Method:
    parameters = {
        name: shared[name] for name in shared if name in named_method.parameter_names
    } | named_method.parameters
    if "budget" in named_method.parameter_names:
        parameters["budget"] = parse_budget(parameters.get("budget"), graph.d)
    for f in fields(named_method.entry.method):
        if f.default is MISSING and f.default_factory is MISSING and f.name not in parameters:
            raise UsageError(
                f"Expected a value for the parameter {f.name} of {named_method.entry.name}, got none. Write "
                f"{named_method.entry.name}:{f.name}=... with the value."
            )
    return named_method.entry.method(**parameters)


def _check_option_used(name: str, named_methods: Sequence[NamedMethod]) -> None:
    """Raise unless at least one of the methods uses an option."""
    if any(name in named.parameter_names and name not in named.parameters for named in named_methods):
        return
    conflicting = next((named for named in named_methods if name in named.parameters), None)
    if conflicting is not None:
        raise UsageError(f"Expected one {name}, got both --{name} and {conflicting.text}. Leave one of them out.")
    if len(named_methods) == 1:
        raise UsageError(_unknown_parameter(name, named_methods[0]))
    raise UsageError(
        f"Expected a method with the parameter {name!r}, got {', '.join(named.entry.name for named in named_methods)}. "
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


def _unknown_parameter(key: str, named_method: NamedMethod) -> str:
    advice = (
        f"Its parameters are {', '.join(named_method.parameter_names)}."
        if named_method.parameter_names
        else "It has no parameters."
    )
    return f"Expected a parameter of {named_method.entry.name}, got {key!r}. {advice}"


def read_budget(text: str) -> int | str:
    """The budget as `Explainer` takes it."""
    return int(text) if text.isdigit() else text


def is_time_budget(budget: str | None) -> bool:
    """Whether a budget is a time."""
    return budget is not None and budget.strip().endswith("s")


def _parse_value(text: str) -> Any:
    """A number, true, false or null as in JSON; anything else is a string."""
    try:
        return json.loads(text.lower() if text in ("True", "False") else text)
    except json.JSONDecodeError:
        return text


def parse_graph(text: str) -> Graph:
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
        raise UsageError(
            f"Expected a graph, got {kind!r}{suggest_names(kind, makers)}. Choose one of {', '.join(makers)}."
        )
    try:
        numbers = [int(number) for number in re.split(r"[x×,]", size)]
        if kind in ("chain", "ring", "complete") and len(numbers) != 1:
            raise ValueError
    except ValueError:
        raise UsageError(f"Expected a graph such as chain:400, grid:28x28 or tree:-1,0,0, got {text!r}.") from None
    return makers[kind](numbers)


def suggest_names(name: str, names: Iterable[str]) -> str:
    """A question after an unknown name, such as " (did you mean lime?)"; empty if none of `names` is similar."""
    near = get_close_matches(name, list(names), 3, 0.6)
    return f" (did you mean {' or '.join(near)}?)" if near else ""


def preview_methods(methods: Sequence[Method], graph: Graph, max_calls: int) -> str:
    """The cost of methods on a graph; if several of them have plans, the cost of these together.

    Plans that take long are not made; then the sum of all calls is an upper bound.
    """
    planned = [method for method in methods if method.has_plan]
    if len(planned) < 2:
        return "\n".join(str(method.cost(graph, max_calls)) for method in methods)
    if sum(method.own_seconds(graph) for method in planned) > _MAX_OWN_SECONDS:
        costs = [method.cost(graph, max_calls) for method in methods]
        calls = sum(cost.calls for cost in costs)
        return "\n".join([*map(str, costs), f"together: up to {calls:,} calls, fewer where coalitions are the same"])
    together = PlanSum(tuple(method.plan(graph, max_calls) for method in planned))
    others = (method.cost(graph, max_calls) for method in methods if not method.has_plan)
    return "\n".join(map(str, [together, *others]))
