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
        raise OptionError("Expected a JSON object.")
    return found


def read_columns(sent: Any) -> list[Column]:
    """The columns of a request."""
    if not isinstance(sent, list):
        raise OptionError("Expected a list of columns.")
    return [read_column(one) for one in sent]


def read_column(sent: Any) -> Column:
    """One column of a request.

    >>> column = read_column({"method": "l-shapley", "order": 2, "target": ["a", "b"]})
    >>> column.name, column.parameters, column.target
    ('l-shapley', {'order': 2}, ('a', 'b'))
    """
    sent = {} if sent is None else sent
    if not isinstance(sent, Mapping):
        raise OptionError("Expected a column as an object.")
    given = dict(sent)
    reference = given.pop("reference", None) or OWN
    if not isinstance(reference, str):
        raise OptionError("Expected the name of a reference.")
    target = _read_target(given.pop("target", None))
    budget = given.pop("budget", None)
    if not (budget is None or isinstance(budget, str) or (isinstance(budget, int) and not isinstance(budget, bool))):
        raise OptionError("Expected a budget such as 400 or '8d'.")
    name = given.pop("method", None)
    if name in (None, "", "auto"):
        own = {"interactions": given.pop("interactions")} if "interactions" in given else {}
        _refuse(given)
        if not all(isinstance(value, bool) for value in own.values()):
            raise OptionError("Expected true or false as interactions.")
        return Column(name or None, own, target, reference, budget or None)
    if not isinstance(name, str) or name not in METHODS:
        raise OptionError(f"Expected the name of a method, got {name!r:.60}.")
    known = {f.name for f in fields(METHODS[name]) if f.init and f.name != "budget"}
    own = {key: given.pop(key) for key in list(given) if key in known}
    _refuse(given)
    if any(not isinstance(value, str | int | float | bool | None) for value in own.values()):
        raise OptionError("Expected plain values as parameters of a method.")
    return Column(name, own, target, reference, budget or None)


def _refuse(given: Mapping[str, Any]) -> None:
    if given:
        raise OptionError(f"Expected no {next(iter(given))!r:.60} in a column.")


def _read_target(sent: Any) -> Any:
    """A class by name or number, or a pair of them."""
    if sent is None or sent == "":
        return None
    if isinstance(sent, list):
        if len(sent) != 2:
            raise OptionError("Expected two classes for a contrast.")
        return tuple(map(_read_target, sent))
    if isinstance(sent, bool) or not isinstance(sent, str | int):
        raise OptionError("Expected a class by its name or number.")
    return sent


def read_units(sent: Any) -> list[int]:
    """Numbers of units."""
    if not isinstance(sent, list) or not all(isinstance(u, int) and not isinstance(u, bool) for u in sent):
        raise OptionError("Expected a list of numbers of units.")
    return sent


def read_replaced(sent: Any) -> dict[int, Any]:
    """What replaces units, by their numbers."""
    if not isinstance(sent, Mapping) or not all(isinstance(v, str | int | float) for v in sent.values()):
        raise OptionError("Expected an object from numbers of units to texts.")
    try:
        return {int(unit): value for unit, value in sent.items()}
    except ValueError:
        raise OptionError("Expected numbers of units.") from None
