"""How an explanation was made, said once: what its record holds, in words."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from .literals import literal
from .words import target


def settings(provenance: dict[str, Any]) -> list[tuple[str, str]]:
    """How an explanation was made, a row for each setting.

    >>> settings({"method": "LIME()", "parameters": {"seed": 3}, "versions": {"lcshap": "1.0"}})
    [('method', 'LIME()'), ('seed', '3'), ('versions', 'lcshap 1.0')]
    >>> settings({"masker": {"name": "Text", "parameters": {"units": "word"}}, "targets": [["sci", "fi"]]})
    [('masker', "Text(units='word')"), ('targets', 'sci rather than fi')]
    """
    named = "method" in provenance
    hidden = ("name", "class", "parameters") if named else ()
    content = {key: value for key, value in provenance.items() if key not in hidden}
    if named and isinstance(provenance.get("parameters"), dict):  # in the method already, but for being easy to find
        seed = provenance["parameters"].get("seed", "none: the method draws nothing")
        content = {"method": provenance["method"], "seed": seed, **content}
    return [(str(key), _SETTINGS.get(str(key), said)(value)) for key, value in content.items()]


def said(value: Any, between: str = " = ") -> str:
    """A setting, in one line: what is nested as ``name = value``."""
    if isinstance(value, dict):
        return ", ".join(f"{name}{between}{part}" for name, part in value.items())
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def versions(value: Any) -> str:
    """The versions of packages."""
    return said(value, " ")


def masker(record: Any) -> str:
    """A recorded masker as a call; records of version 0.1 are texts already.

    >>> masker({"name": "Text", "parameters": {"units": "word", "pin": []}})
    "Text(units='word', pin=())"
    """
    if not isinstance(record, dict) or not isinstance(record.get("parameters"), dict):
        return said(record)
    parameters = ", ".join(f"{name}={literal(part)}" for name, part in record["parameters"].items())
    return f"{record.get('name')}({parameters})"


def _targets(value: Any) -> str:
    return ", ".join(map(target, value)) if isinstance(value, Iterable) and not isinstance(value, str) else said(value)


_SETTINGS: dict[str, Callable[[Any], str]] = {"versions": versions, "masker": masker, "targets": _targets}
