"""What the page may ask for, read from JSON: anything else is refused."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field, fields
from typing import Any

from ..advice.budget import parse_budget
from ..core.explanation import Explanation
from ..core.graphs import Graph
from ..core.method import Method
from ..errors import OptionError
from ..estimators.registry import METHODS
from ..show import words
from .references import OWN


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
    reference: str = OWN
    budget: int | str | None = None

    def method(self, graph: Graph) -> Method | str | None:
        """The method for an input with this graph; "auto" or None where the explainer chooses it."""
        if self.name in (None, "auto"):
            return self.name
        kind = METHODS[self.name]
        given = dict(self.parameters)
        for f in fields(kind):
            if f.name == "budget":
                given["budget"] = max(parse_budget(self.budget, graph.d), graph.d + 2)
            elif f.default is MISSING and f.name not in given:
                given[f.name] = 1  # the least order of L- and C-Shapley
        return kind(**given)

    def label(self, e: Explanation) -> str:
        """How the column is called: by its method, and by what it sets beside that."""
        parts = [words.method(e)]
        if isinstance(self.target, tuple):
            parts.append(f"why {self.target[0]}, not {self.target[1]}")
        elif self.target is not None:
            parts.append(f"why {self.target}")
        return ", ".join(parts if self.reference == OWN else [*parts, self.reference])


def form_of(sent: Any) -> str:
    """What was sent, in a few words: its content may be long.

    >>> form_of([1, 2]), form_of("no"), form_of(None)
    ('a list of length 2', 'a str', 'nothing')
    """
    if sent is None:
        return "nothing"
    return f"a {type(sent).__name__}" + (f" of length {len(sent)}" if isinstance(sent, list | dict) else "")


def read_json(data: bytes) -> dict[str, Any]:
    """The object in the body of a request.

    >>> read_json(b'{"a": 1}')
    {'a': 1}
    """
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        raise OptionError("Expected JSON, got something else.") from None
    if not isinstance(found, dict):
        raise OptionError(f"Expected a JSON object, got {form_of(found)}.")
    return found


def read_columns(sent: Any) -> list[Column]:
    """The columns of a request."""
    if not isinstance(sent, list):
        raise OptionError(f"Expected a list of columns, got {form_of(sent)}.")
    return [read_column(one) for one in sent]


def read_column(sent: Any) -> Column:
    """One column of a request.

    >>> column = read_column({"method": "l-shapley", "order": 2, "target": ["a", "b"]})
    >>> column.name, column.parameters, column.target
    ('l-shapley', {'order': 2}, ('a', 'b'))
    """
    sent = {} if sent is None else sent
    if not isinstance(sent, Mapping):
        raise OptionError(f"Expected a column as an object, got {form_of(sent)}.")
    given = dict(sent)
    reference = given.pop("reference", None) or OWN
    if not isinstance(reference, str):
        raise OptionError(f"Expected the name of a reference, got {form_of(reference)}.")
    target = _read_target(given.pop("target", None))
    budget = given.pop("budget", None)
    if not (budget is None or isinstance(budget, str) or (isinstance(budget, int) and not isinstance(budget, bool))):
        raise OptionError(f"Expected a budget such as 400 or '8d', got {form_of(budget)}.")
    name = given.pop("method", None)
    if name in (None, "", "auto"):
        own = {"interactions": given.pop("interactions")} if "interactions" in given else {}
        _refuse(given)
        if not all(isinstance(value, bool) for value in own.values()):
            raise OptionError("Expected true or false as interactions, got something else.")
        return Column(name or None, own, target, reference, budget or None)
    if not isinstance(name, str) or name not in METHODS:
        raise OptionError(f"Expected the name of a method, got {name!r:.60}.")
    known = {f.name for f in fields(METHODS[name]) if f.init and f.name != "budget"}
    own = {key: given.pop(key) for key in list(given) if key in known}
    _refuse(given)
    if any(not isinstance(value, str | int | float | bool | None) for value in own.values()):
        raise OptionError("Expected numbers, texts or truth values as parameters of a method, got something else.")
    return Column(name, own, target, reference, budget or None)


def _refuse(given: Mapping[str, Any]) -> None:
    if given:
        raise OptionError(
            "Expected a method, its parameters, a budget, a target and a reference in a column, got "
            f"{next(iter(given))!r:.60}."
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
        raise OptionError(f"Expected a class by its name or number, got {form_of(sent)}.")
    return sent


def read_units(sent: Any) -> list[int]:
    """Numbers of units."""
    if not isinstance(sent, list) or not all(isinstance(u, int) and not isinstance(u, bool) for u in sent):
        raise OptionError(f"Expected a list of numbers of units, got {form_of(sent)}.")
    return sent


def read_replaced(sent: Any) -> dict[int, Any]:
    """What replaces units, by their numbers."""
    if not isinstance(sent, Mapping) or not all(isinstance(v, str | int | float) for v in sent.values()):
        raise OptionError(f"Expected an object from numbers of units to texts, got {form_of(sent)}.")
    try:
        return {int(unit): value for unit, value in sent.items()}
    except ValueError:
        raise OptionError(f"Expected numbers of units, got {form_of(list(sent))}.") from None
