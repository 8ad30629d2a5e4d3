"""How an explanation was made, as Python to run again."""

from __future__ import annotations

import keyword
import re
from typing import Any

from .. import provenance_text as recorded
from .. import words
from ..literals import is_plain, literal

_CLASS_NAME = re.compile(r"[A-Z][A-Za-z0-9]*")  # how classes of methods and maskers are called
_VALUE_NAMES = ("log_prob", "expected_log_prob", "prob", "log_odds", "output")  # any other value is a user's function


def python_snippet(provenance: dict[str, Any], curve: bool = False) -> str:
    """A snippet that makes the explanation again, given the model and the input.

    It is built from the provenance. Only valid names of classes and parameters, and literals, become code. Everything
    else becomes a comment, including the texts that version 0.1 recorded.

    >>> text = {"name": "Text", "parameters": {"units": "word"}}
    >>> method = {"method": "LIME(budget=9)", "name": "lime", "class": "LIME", "parameters": {"budget": 9}}
    >>> print(python_snippet({**method, "masker": text, "value": "log_prob", "targets": [["sci", "fi"]]}))
    import lcshap as lc
    <BLANKLINE>
    model = ...  # what was explained, here as a model
    x = ...  # the input
    explainer = lc.Explainer(
        model,
        lc.maskers.Text(units='word'),
        lc.LIME(budget=9),
        value='log_prob',
        target=('sci', 'fi'),  # and classes=[...], if the model has none
    )
    e = explainer(x)
    """
    versions = _one_line(recorded.format_versions(provenance.get("versions", "")))
    head = [*([f"# made with {versions}"] if versions else []), "import lcshap as lc", ""]
    body = _model_snippet(provenance, curve) if "masker" in provenance else _game_snippet(provenance)
    body[-1] += _postprocessing(provenance)
    if provenance.get("grouped") is True:
        body.append("# and then e.group(...): the groups are not recorded")
    return "\n".join([*head, *body])


def _game_snippet(provenance: dict[str, Any]) -> list[str]:
    method, comment = _method(provenance)
    return [
        f"graph = ...  # {_one_line(provenance.get('graph', 'the units and who is next to whom'))}",
        "game = ...  # lc.Game(values_of_coalitions, graph.d)",
        f"method = {method}{comment}",
        "e = method.explain(game, graph)",
    ]


def _model_snippet(provenance: dict[str, Any], curve: bool) -> list[str]:
    arguments = [_masker(provenance["masker"]), _method(provenance)]
    return [
        f"model = ...  # what was explained, here as {_one_line(provenance.get('model', 'a model'))}",
        "x = ...  # the input",
        "explainer = lc.Explainer(",
        "    model,",
        *(f"    {expression},{comment}" for expression, comment in arguments),
        *(f"    {option}" for option in _options(provenance, curve)),
        ")",
        "e = explainer(x)",
    ]


def _postprocessing(provenance: dict[str, Any]) -> str:
    """What was done with the explanation afterwards."""
    output = provenance.get("output")
    picked = f".output({output})" if isinstance(output, int) and not isinstance(output, bool) else ""
    return (".rescaled()" if provenance.get("rescaled") is True else "") + picked


# -- the parts of the record ----------------------------------------------------------------------------------------


def _method(provenance: dict[str, Any]) -> tuple[str, str]:
    """The method as an expression, and a comment: by its class, or by its name where the class is not recorded."""
    name, kind, parameters = (provenance.get(key) for key in ("name", "class", "parameters"))
    callee = f"lc.get_method({name!r})" if isinstance(name, str) else None
    if isinstance(kind, str) and _CLASS_NAME.fullmatch(kind):
        callee = f"lc.{kind}"
    return _call(callee, parameters, provenance.get("method", "a method"))


def _masker(record: Any) -> tuple[str, str]:
    if not isinstance(record, dict):
        return "...", f"  # {_one_line(record)}"
    name = record.get("name")
    callee = f"lc.maskers.{name}" if isinstance(name, str) and _CLASS_NAME.fullmatch(name) else None
    return _call(callee, record.get("parameters"), recorded.format_masker(record))


def _call(callee: str | None, parameters: Any, record: Any) -> tuple[str, str]:
    """A call with literal arguments; ... and the record as a comment, where it cannot be written as such."""
    named = isinstance(parameters, dict) and all(_is_name(key) for key in parameters)
    if callee is None or not named:
        return "...", f"  # {_one_line(record)}"
    plain = {key: value for key, value in parameters.items() if is_plain(value)}
    missing = [key for key in parameters if key not in plain]
    arguments = ", ".join(f"{key}={literal(value)}" for key, value in plain.items())
    return f"{callee}({arguments})", f"  # with its {' and '.join(missing)}" if missing else ""


def _options(provenance: dict[str, Any], curve: bool) -> list[str]:
    value, kind = (provenance.get(key) for key in ("value", "kind"))
    options = [f"kind={kind!r},"] if isinstance(kind, str) else []
    if isinstance(value, str) and value in _VALUE_NAMES:
        options.append(f"value={value!r},")
    elif value is not None:
        options.append(f"value=...,  # {_one_line(value)}")
    options += _targets(provenance.get("targets"), old=not isinstance(provenance["masker"], dict))
    return [*options, "curve=True,"] if curve else options


def _targets(items: Any, old: bool) -> list[str]:
    """The target as an option. Version 0.1 recorded the contrast of a and b as "a - b", like a class of that name."""
    if not isinstance(items, list | tuple) or not items:
        return []
    targets = [tuple(map(str, item)) if isinstance(item, list | tuple) else str(item) for item in items]
    if old and any(" - " in item for item in targets if isinstance(item, str)):
        return [f"target=...,  # {_one_line(', '.join(map(words.target_name, items)))}"]
    numbers = all(isinstance(item, str) and item.isdigit() for item in targets)
    hint = "" if numbers else "  # and classes=[...], if the model has none"
    return [f"target={(targets[0] if len(targets) == 1 else targets)!r},{hint}"]


def _is_name(name: Any) -> bool:
    return isinstance(name, str) and name.isascii() and name.isidentifier() and not keyword.iskeyword(name)


def _one_line(text: Any) -> str:
    """For comments: nothing can break out of one."""
    return " ".join(str(text).split())
