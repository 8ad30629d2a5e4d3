"""Save and load explanations: one JSON file, versioned, which any language reads and which executes nothing."""

from __future__ import annotations

import json
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..errors import FileFormatError
from .explanation import Explanation, PathExplanation, edge_matrix
from .graphs import Graph
from .views import KINDS, View

FORMAT, VERSION = "lcshap-explanation", 2  # version 1 is that of lcshap 0.1: views without sentences, or none at all
_APART = ("graph", "interactions", "view")  # fields that are more than numbers, texts and arrays


def save(e: Explanation, path: str | Path) -> Path:
    """Write an explanation. Numbers keep all their bits (JSON holds the shortest text that reads back the same)."""
    path = Path(path)
    path.write_text(json.dumps(to_dict(e), ensure_ascii=False, allow_nan=False, indent=1), encoding="utf-8")
    return path


def load(path: str | Path) -> Explanation:
    """Read an explanation back: equal to what was saved."""
    try:
        content = json.loads(Path(path).read_text(encoding="utf-8"))
    except (UnicodeDecodeError, json.JSONDecodeError) as error:
        raise FileFormatError(f"{path} is not an explanation saved by lcshap: {error}") from None
    return from_dict(content, str(path))


def to_dict(e: Explanation) -> dict[str, Any]:
    """An explanation as plain lists, numbers and strings."""
    graph = {
        "d": e.graph.d,
        "edges": e.graph.edges.tolist(),
        "names": list(e.graph.names),
        "kind": e.graph.kind,
        "shape": list(e.graph.shape),
    }
    content: dict[str, Any] = {"format": FORMAT, "version": VERSION, "class": type(e).__name__, "graph": graph}
    for f in fields(e):
        if f.name not in _APART:
            content[f.name] = _plain(getattr(e, f.name))
    content["view"] = None if e.view is None else _view_to_dict(e.view)
    content["interactions"] = None if e.interactions is None else _plain(_edge_values(e))
    return content


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
        values = {f.name: _array(content.get(f.name)) for f in fields(kind) if f.name not in _APART}
        values["view"] = _view_from_dict(content.get("view"), source)
        if content["interactions"] is not None:
            values["interactions"] = edge_matrix(graph, _array(content["interactions"]))
        e: Explanation = kind(graph=graph, **values)
        return e
    except FileFormatError:
        raise
    except (KeyError, TypeError, ValueError) as error:
        raise FileFormatError(f"{source} is damaged: {error!r}") from None


def _view_to_dict(view: View) -> dict[str, Any]:
    return {"kind": view.kind, **{f.name: _plain(getattr(view, f.name)) for f in fields(view)}}


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


def _edge_values(e: Explanation) -> NDArray[np.float64]:
    one, other = e.graph.edges.T
    matrices = e.interactions if isinstance(e.interactions, tuple) else (e.interactions,)
    if not len(one):
        columns = [np.empty(0) for _ in matrices]
    else:
        columns = [np.asarray(sparse.csr_array(m)[one, other]).ravel() for m in matrices]
    return np.stack(columns, axis=1) if isinstance(e.interactions, tuple) else columns[0]


def _plain(value: Any) -> Any:
    """Arrays as {"array": ..., "type": ...}; infinities, which JSON does not have, as strings inside of them."""
    if isinstance(value, np.ndarray):
        numbers = value.ravel().tolist()
        safe = [n if np.isfinite(n) else str(n) for n in numbers]
        return {"array": safe, "shape": list(value.shape), "type": value.dtype.name}
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, dict):
        return {str(k): _plain(v) for k, v in value.items()}
    if isinstance(value, tuple | list):
        return [_plain(v) for v in value]
    return value


def _array(value: Any) -> Any:
    if isinstance(value, dict) and set(value) == {"array", "shape", "type"}:
        numbers = [float(n) if isinstance(n, str) else n for n in value["array"]]
        return np.array(numbers, dtype=np.dtype(value["type"])).reshape(value["shape"])
    if isinstance(value, dict):
        return {key: _array(part) for key, part in value.items()}
    return value
