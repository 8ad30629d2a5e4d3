"""Read saved explanations back. Reading executes nothing."""

from __future__ import annotations

import json
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import FileFormatError
from .explanation import Explanation, PathExplanation, edge_matrix
from .graphs import Graph
from .record import APART, FORMAT, VERSION, save, to_dict
from .views import KINDS, View

__all__ = ["from_dict", "load", "save", "to_dict"]


def load(path: str | Path) -> Explanation:
    """Read an explanation back: equal to what was saved."""
    try:
        content = json.loads(Path(path).read_text(encoding="utf-8"))
    except (UnicodeDecodeError, json.JSONDecodeError) as error:
        raise FileFormatError(f"{path} is not an explanation saved by lcshap: {error}") from None
    return from_dict(content, str(path))


def from_dict(content: Any, source: str = "this") -> Explanation:
    """The explanation in a dict made by `to_dict`."""
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise FileFormatError(f"{source} is not an explanation saved by lcshap")
    if content.get("version", 0) > VERSION:
        raise FileFormatError(
            f"{source} has version {content['version']}, this lcshap reads up to {VERSION}: update it"
        )
    classes = {"Explanation": Explanation, "PathExplanation": PathExplanation}
    try:
        kind, stored = classes[content["class"]], content["graph"]
        made = Graph.from_edges(stored["d"], np.array(stored["edges"], np.int64).reshape(-1, 2), stored["names"])
        graph = Graph(made.adjacency, made.names, stored["kind"], tuple(stored["shape"]))
        values = {f.name: _array(content.get(f.name)) for f in fields(kind) if f.name not in APART}
        values["view"] = _view_from_dict(content.get("view"), source)
        if values.get("flip_set") is not None:
            values["flip_set"] = tuple(values["flip_set"])
        if content["interactions"] is not None:
            values["interactions"] = edge_matrix(graph, _array(content["interactions"]))
        e: Explanation = kind(graph=graph, **values)
        return e
    except FileFormatError:
        raise
    except (KeyError, TypeError, ValueError) as error:
        raise FileFormatError(f"{source} is damaged: {error!r}") from None


def _view_from_dict(content: Any, source: str) -> View | None:
    """The view of a kind that this version knows, from its fields; fields that it does not have keep their default."""
    if content is None:
        return None
    kind = KINDS.get(content["kind"])
    if kind is None:
        raise FileFormatError(
            f"Expected {source} to be of an input of kind {', '.join(KINDS)}, got {content['kind']!r}. "
            "Update lcshap, or make the explanation without a view."
        )
    return kind(**{f.name: _array(content[f.name]) for f in fields(kind) if f.name in content})


def _array(value: Any) -> Any:
    if isinstance(value, dict) and set(value) == {"array", "shape", "type"}:
        numbers = [float(n) if isinstance(n, str) else n for n in value["array"]]
        return np.array(numbers, dtype=np.dtype(value["type"])).reshape(value["shape"])
    if isinstance(value, dict):
        return {key: _array(part) for key, part in value.items()}
    return value
