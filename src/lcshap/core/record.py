"""Explanations as plain data, and as one JSON file: versioned, which any language reads and which executes nothing."""

from __future__ import annotations

import json
import re
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..errors import OptionError
from .files import write_file
from .views import View

FORMAT, VERSION = "lcshap-explanation", 2  # version 1 is that of lcshap 0.1: views without sentences, or none at all
APART = ("graph", "interactions", "view")  # fields that are more than numbers, texts and arrays


def save(e: Any, path: str | Path) -> Path:
    """Write an explanation, all of it or nothing.

    Numbers keep all their bits (JSON holds the shortest text that reads back the same).
    """
    try:
        text = json.dumps(to_dict(e), ensure_ascii=False, allow_nan=False, indent=1)
    except (TypeError, ValueError, RecursionError) as error:
        raise OptionError(
            f"Expected an explanation of finite numbers with a record of plain data, got one that JSON has no words "
            f"for: {error}. Change its provenance."
        ) from error
    return write_file(path, text.encode("utf-8", "backslashreplace"))  # halves of characters, as JSON escapes them


def is_explanation(data: bytes) -> bool:
    """Whether a file is a saved explanation, by its beginning.

    >>> is_explanation(b'{ "format": "lcshap-explanation", "version": 2, ...'), is_explanation(b"Dear diary")
    (True, False)
    """
    return re.match(rb'\s*\{\s*"format":\s*"' + FORMAT.encode() + b'"', data) is not None


def to_dict(e: Any) -> dict[str, Any]:
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
        if f.name not in APART:
            content[f.name] = _plain(getattr(e, f.name))
    content["view"] = None if e.view is None else _view_to_dict(e.view)
    content["interactions"] = None if e.interactions is None else _plain(_edge_values(e))
    return content


def _view_to_dict(view: View) -> dict[str, Any]:
    return {"kind": view.kind, **{f.name: _plain(getattr(view, f.name)) for f in fields(view)}}


def _edge_values(e: Any) -> NDArray[np.float64]:
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
