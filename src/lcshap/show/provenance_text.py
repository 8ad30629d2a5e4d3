"""How an explanation was made: its provenance as text."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from ..core.explanation import Explanation
from .literals import literal
from .probability_of_value import format_percent, probability_of
from .words import target_name


def settings(provenance: dict[str, Any]) -> list[tuple[str, str]]:
    """How an explanation was made, a row for each setting.

    >>> settings({"method": "LIME()", "parameters": {"seed": 3}, "versions": {"lcshap": "1.0"}})
    [('method', 'LIME()'), ('seed', '3'), ('versions', 'lcshap 1.0')]
    >>> settings({"masker": {"name": "Text", "parameters": {"units": "word"}}, "targets": [["sci", "fi"]]})
    [('masker', "Text(units='word')"), ('targets', 'sci rather than fi')]
    """
    has_method = "method" in provenance
    hidden = ("name", "class", "parameters") if has_method else ()
    content = {key: value for key, value in provenance.items() if key not in hidden}
    if has_method and isinstance(
        provenance.get("parameters"), dict
    ):  # in the method already, but for being easy to find
        seed = provenance["parameters"].get("seed", "none: the method draws nothing")
        content = {"method": provenance["method"], "seed": seed, **content}
    return [(str(key), _SETTINGS.get(str(key), format_setting)(value)) for key, value in content.items()]


def format_setting(value: Any, between: str = " = ") -> str:
    """A setting in one line; nested settings are written as ``name = value``."""
    if isinstance(value, dict):
        return ", ".join(f"{name}{between}{entry}" for name, entry in value.items())
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def format_versions(value: Any) -> str:
    """The versions of packages."""
    return format_setting(value, " ")


def format_masker(record: Any) -> str:
    """A recorded masker as a call; records of version 0.1 are texts already.

    >>> format_masker({"name": "Text", "parameters": {"units": "word", "pin": []}})
    "Text(units='word', pin=())"
    """
    if not isinstance(record, dict) or not isinstance(record.get("parameters"), dict):
        return format_setting(record)
    parameters = ", ".join(f"{name}={literal(argument)}" for name, argument in record["parameters"].items())
    return f"{record.get('name')}({parameters})"


def _targets(value: Any) -> str:
    return (
        ", ".join(map(target_name, value))
        if isinstance(value, Iterable) and not isinstance(value, str)
        else format_setting(value)
    )


def _prediction(value: Any) -> str:
    """The most probable classes.

    >>> _prediction([["good", 0.75], ["bad", 0.25]])
    'good 75.0 %, bad 25.0 %'
    """
    pairs = read_prediction({"prediction": value})
    return ", ".join(
        name if share is None else f"{name} {format_percent(share)}" for name, share in pairs
    ) or format_setting(value)


def read_prediction(provenance: dict[str, Any]) -> list[tuple[str, float | None]]:
    """The classes that the model chose between and their probabilities, the most probable first; empty if unknown.

    A record that was read from a file may hold anything: what is no pair of a name and a probability is left out.

    >>> read_prediction({"prediction": [["good", 0.75], ["bad", "?"], 3]})
    [('good', 0.75)]
    """
    classes, items = [], provenance.get("prediction")
    for item in items if isinstance(items, list | tuple) else []:
        if isinstance(item, list | tuple) and len(item) == 2:
            name, share = item
            number = isinstance(share, float | int) and not isinstance(share, bool) and 0 <= share <= 1
            if number or share is None:
                classes.append((target_name(name), float(share) if number else None))
    return classes


def recorded_prediction(e: Explanation) -> list[tuple[str, float | None]]:
    """The prediction as `read_prediction` returns it; if it is not recorded, derived from the explained values.

    For labels that do not exclude each other, these are the explained labels with a probability of at least 0.5.

    >>> import numpy as np
    >>> import lcshap as lc
    >>> provenance = {"value": "log_odds", "targets": ["toxic"]}
    >>> recorded_prediction(lc.Explanation(np.ones(1), -2.0, 1.0, lc.Graph.chain(1), 2, provenance))
    [('toxic', 0.7310585786300049)]
    """
    classes, items = read_prediction(e.provenance), e.provenance.get("targets")
    values = np.ravel(e.full_value).tolist()
    if classes or not isinstance(items, list | tuple) or len(items) != len(values):
        return classes
    shares = [(target_name(item), probability_of(value, e)) for item, value in zip(items, values, strict=True)]
    likely = [pair for pair in shares if (pair[1] or 0.0) >= 0.5]
    return sorted(likely, key=lambda pair: -(pair[1] or 0.0))


_SETTINGS: dict[str, Callable[[Any], str]] = {
    "versions": format_versions,
    "masker": format_masker,
    "targets": _targets,
    "prediction": _prediction,
}
