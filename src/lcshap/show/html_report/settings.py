"""How an explanation was made: as rows to read, and as Python to run again."""

from __future__ import annotations

import ast
from dataclasses import fields, is_dataclass
from typing import Any

from ... import estimators, maskers
from ...asking.values import VALUES


def rows(provenance: dict[str, Any]) -> list[tuple[str, str]]:
    """The settings, one a row; what is nested as ``name = value``.

    >>> rows({"method": "LIME()", "parameters": {"seed": 3}, "versions": {"lcshap": "1.0"}})
    [('method', 'LIME()'), ('seed', '3'), ('versions', 'lcshap 1.0')]
    """
    named = "method" in provenance
    content = {key: value for key, value in provenance.items() if not (named and key in ("name", "parameters"))}
    if named and isinstance(provenance.get("parameters"), dict):  # in the method already, but for being easy to find
        seed = provenance["parameters"].get("seed", "none: the method draws nothing")
        content = {"method": provenance["method"], "seed": seed, **content}
    return [(str(key), _say(value, " " if key == "versions" else " = ")) for key, value in content.items()]


def python(provenance: dict[str, Any], curve: bool = False) -> str:
    """A snippet that makes the explanation again, given the model and the input.

    Nothing is taken for code but calls of lcshap's own methods and maskers with literal arguments; whatever else the
    record holds is a literal or a comment.
    """
    versions = _say(provenance.get("versions", ""), " ")
    method = _call(provenance.get("method", ""), estimators, "lc.")
    head = [f"# made with {_one_line(versions)}"] if versions else []
    head += ["import lcshap as lc", ""]
    after = ".rescaled()" if provenance.get("rescaled") else ""
    if "masker" not in provenance:
        expression, comment = method
        body = [
            f"graph = ...  # {_one_line(provenance.get('graph', 'the units and who is next to whom'))}",
            "game = ...  # lc.Game(values_of_coalitions, graph.d)",
            f"method = {expression}{comment}",
            f"e = method.explain(game, graph){after}",
        ]
        return "\n".join([*head, *body])
    masker = _call(provenance["masker"], maskers, "lc.maskers.")
    body = [
        f"model = ...  # what was explained, here as {_one_line(provenance.get('model', 'a model'))}",
        "x = ...  # the input",
        "explainer = lc.Explainer(",
        "    model,",
        *(f"    {expression},{comment}" for expression, comment in (masker, method)),
        *(f"    {option}" for option in _options(provenance, curve)),
        ")",
        f"e = explainer(x){after}",
    ]
    return "\n".join([*head, *body])


def _say(value: Any, between: str) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name}{between}{part}" for name, part in value.items())
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def _options(provenance: dict[str, Any], curve: bool) -> list[str]:
    value, kind, targets = (provenance.get(key) for key in ("value", "kind", "targets"))
    found = [f"kind={kind!r},"] if isinstance(kind, str) else []
    if value in VALUES:
        found.append(f"value={value!r},")
    elif value is not None:
        found.append(f"value=...,  # {_one_line(value)}")
    if targets:
        names = [_contrast(str(target)) for target in targets]
        hint = (
            "" if all(str(target).isdigit() for target in targets) else "  # and classes=[...], if the model has none"
        )
        found.append(f"target={(names[0] if len(names) == 1 else names)!r},{hint}")
    return [*found, "curve=True,"] if curve else found


def _contrast(target: str) -> str | tuple[str, ...]:
    """A pair of classes is recorded as "a - b"."""
    parts = target.split(" - ")
    return tuple(parts) if len(parts) == 2 else target


def _call(text: Any, module: Any, prefix: str) -> tuple[str, str]:
    """A recorded call as code, or ... with the record as a comment; what its repr leaves out is said beside it."""
    try:
        call = ast.parse(str(text), mode="eval").body
    except (SyntaxError, ValueError):
        call = None
    if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and _is_literal(call)):
        return "...", f"  # {_one_line(text) or 'a method'}"
    made = getattr(module, call.func.id, None)
    if call.func.id not in module.__all__ or not is_dataclass(made):
        return "...", f"  # {_one_line(text)}"
    hidden = [f.name for f in fields(made) if not f.repr]
    return prefix + ast.unparse(call), f"  # with its {' and '.join(hidden)}, if any" if hidden else ""


def _is_literal(call: ast.Call) -> bool:
    try:
        for argument in [*call.args, *(keyword.value for keyword in call.keywords)]:
            ast.literal_eval(argument)
    except ValueError:
        return False
    return True


def _one_line(text: Any) -> str:
    """For comments: nothing can break out of one."""
    return " ".join(str(text).split())
