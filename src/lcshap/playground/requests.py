"""What the page may ask for, read from JSON: anything else is refused."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field, fields
from typing import Any

from ..core.earlier_names import rename_parameters
from ..core.explanation import Explanation
from ..core.graphs import Graph
from ..core.method import Method
from ..errors import OptionError
from ..estimators.registry import METHODS
from ..selection.budget import parse_budget
from ..show import words
from .references import AS_CONFIGURED


@dataclass(frozen=True)
class Column:
    """One way to explain an input; several stand side by side.

    Attributes
    ----------
    name : of the method; "auto", or None: as the explainer is set.
    parameters : of the method, but for its budget.
    target : a class, a pair of classes for a contrast, or None: as the explainer is set.
    reference : what absent units become, by its name in `references`.
    budget : calls, such as 400 or "8d"; None: the usual ones.
    """

    name: str | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    target: Any = None
    reference: str = AS_CONFIGURED
    budget: int | str | None = None

    def method(self, graph: Graph) -> Method | str | None:
        """The method for an input with this graph; "auto" or None where the explainer chooses it."""
        if self.name in (None, "auto"):
            return self.name
        kind = METHODS[self.name]
        parameters = dict(self.parameters)
        for f in fields(kind):
            if f.name == "budget":
                parameters["budget"] = max(parse_budget(self.budget, graph.d), graph.d + 2)
            elif f.default is MISSING and f.name not in parameters:
                parameters[f.name] = 1  # LShapley and CShapley have at least this order.
        return kind(**parameters)

    def label(self, e: Explanation) -> str:
        """How the column is called: by its method, and by what it sets beside that."""
        parts = [words.method_text(e)]
        if isinstance(self.target, tuple):
            parts.append(f"why {self.target[0]}, not {self.target[1]}")
        elif self.target is not None:
            parts.append(f"why {self.target}")
        return ", ".join(parts if self.reference == AS_CONFIGURED else [*parts, self.reference])


def describe_type(sent: Any) -> str:
    """What was sent, in a few words: its content may be long.

    >>> describe_type([1, 2]), describe_type("no"), describe_type(None)
    ('a list of length 2', 'a str', 'nothing')
    """
    if sent is None:
        return "nothing"
    return f"a {type(sent).__name__}" + (f" of length {len(sent)}" if isinstance(sent, list | dict) else "")


def parse_request_json(data: bytes) -> dict[str, Any]:
    """The object in the body of a request.

    >>> parse_request_json(b'{"a": 1}')
    {'a': 1}
    """
    try:
        content = json.loads(data)
    except (ValueError, RecursionError):
        raise OptionError("Expected JSON, got something else.") from None
    if not isinstance(content, dict):
        raise OptionError(f"Expected a JSON object, got {describe_type(content)}.")
    return content


def parse_columns(sent: Any) -> list[Column]:
    """The columns of a request."""
    if not isinstance(sent, list):
        raise OptionError(f"Expected a list of columns, got {describe_type(sent)}.")
    return [parse_column(column) for column in sent]


def parse_column(sent: Any) -> Column:
    """One column of a request.

    >>> column = parse_column({"method": "l-shapley", "order": 2, "target": ["a", "b"]})
    >>> column.name, column.parameters, column.target
    ('l-shapley', {'order': 2}, ('a', 'b'))
    """
    sent = {} if sent is None else sent
    if not isinstance(sent, Mapping):
        raise OptionError(f"Expected a column as an object, got {describe_type(sent)}.")
    remaining = dict(sent)
    reference = remaining.pop("reference", None) or AS_CONFIGURED
    if not isinstance(reference, str):
        raise OptionError(f"Expected the name of a reference, got {describe_type(reference)}.")
    target = _read_target(remaining.pop("target", None))
    budget = remaining.pop("budget", None)
    if not (budget is None or isinstance(budget, str) or (isinstance(budget, int) and not isinstance(budget, bool))):
        raise OptionError(f"Expected a budget such as 400 or '8d', got {describe_type(budget)}.")
    name = remaining.pop("method", None)
    if name in (None, "", "auto"):
        parameters = {"interactions": remaining.pop("interactions")} if "interactions" in remaining else {}
        _reject_unknown_fields(remaining)
        if not all(isinstance(value, bool) for value in parameters.values()):
            raise OptionError("Expected true or false as interactions, got something else.")
        return Column(name or None, parameters, target, reference, budget or None)
    if not isinstance(name, str) or name not in METHODS:
        raise OptionError(f"Expected the name of a method, got {name!r:.60}.")
    remaining = rename_parameters(name, remaining)
    parameter_names = {f.name for f in fields(METHODS[name]) if f.init and f.name != "budget"}
    parameters = {key: remaining.pop(key) for key in list(remaining) if key in parameter_names}
    _reject_unknown_fields(remaining)
    if any(not isinstance(value, str | int | float | bool | None) for value in parameters.values()):
        raise OptionError("Expected numbers, texts or truth values as parameters of a method, got something else.")
    return Column(name, parameters, target, reference, budget or None)


def _reject_unknown_fields(remaining: Mapping[str, Any]) -> None:
    if remaining:
        raise OptionError(
            "Expected a method, its parameters, a budget, a target and a reference in a column, got "
            f"{next(iter(remaining))!r:.60}."
        )


def _read_target(sent: Any) -> Any:
    """A class by name or number, or a pair of them."""
    if sent is None or sent == "":
        return None
    if isinstance(sent, list):
        if len(sent) != 2:
            raise OptionError(f"Expected two classes for a contrast, got {len(sent)}.")
        return tuple(map(_read_target, sent))
    if isinstance(sent, bool) or not isinstance(sent, str | int):
        raise OptionError(f"Expected a class by its name or number, got {describe_type(sent)}.")
    return sent


def parse_units(sent: Any) -> list[int]:
    """Numbers of units."""
    if not isinstance(sent, list) or not all(isinstance(u, int) and not isinstance(u, bool) for u in sent):
        raise OptionError(f"Expected a list of numbers of units, got {describe_type(sent)}.")
    return sent


def parse_replacements(sent: Any) -> dict[int, Any]:
    """What replaces units, by their numbers."""
    if not isinstance(sent, Mapping) or not all(isinstance(v, str | int | float) for v in sent.values()):
        raise OptionError(f"Expected an object from numbers of units to texts, got {describe_type(sent)}.")
    try:
        return {int(unit): value for unit, value in sent.items()}
    except ValueError:
        raise OptionError(f"Expected numbers of units, got {describe_type(list(sent))}.") from None
