"""Explanations as plain data, and as one versioned JSON file, which any language can read and which runs no code."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..errors import OptionError
from .atomic_files import write_file
from .file_seal import OPEN_SEAL, is_sealed_parquet, seal
from .graphs import Graph
from .views import View

# Version 1 is that of lcshap 0.1: views without sentences, or none at all. Up to version 2 all arrays are lists.
FORMAT, VERSION = "lcshap-explanation", 3
SEAL_FIELD = "seal"  # the digest of the file, see `file_seal`; files of earlier versions have none
MAX_LISTED_NUMBERS = 1000  # arrays of more numbers are written as the base64 of their bytes
STRUCTURED_FIELDS = (
    "graph",
    "interactions",
    "interaction_stderr",
    "view",
)  # These fields are objects that have their own format.
FIELD_NAMES_IN_FILES = {"dof": "freedom"}  # These fields keep their earlier name in files.


def save_explanation(e: Any, path: str | Path) -> Path:
    """Write an explanation, all of it or nothing.

    Numbers keep all their bits: JSON holds the shortest text that reads back the same, and of arrays with more than a
    thousand numbers the base64 of their bytes, the lowest first. The file has a digest of itself.
    """
    try:
        lines = (f"{json.dumps(name)}: {_to_json(content)}" for name, content in to_dict(e).items())
        head, kind, *rest = lines
        text = "{\n" + ",\n".join([head, kind, f'"{SEAL_FIELD}": "{OPEN_SEAL}"', *rest]) + "\n}\n"
    except (TypeError, ValueError, RecursionError) as error:
        raise OptionError(
            "Expected an explanation with finite numbers and a record of plain data, got one that JSON "
            f"cannot hold: {error}. Change its provenance."
        ) from error
    return write_file(path, seal(text.encode("utf-8", "backslashreplace")))  # JSON escapes lone surrogates.


def _to_json(content: Any) -> str:
    return json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def is_explanation(ends: bytes) -> bool:
    """Whether a file has a saved explanation or a set of them, by its beginning and its end.

    >>> is_explanation(b'{ "format": "lcshap-explanation", "version": 2, ...'), is_explanation(b"Dear diary")
    (True, False)
    >>> is_explanation(b'{"format":"lcshap-explanations","version":1, ...')
    True
    """
    is_json = re.match(rb'\s*\{\s*"format":\s*"' + FORMAT.encode() + b's?"', ends)
    return is_json is not None or is_sealed_parquet(ends)


def to_dict(e: Any) -> dict[str, Any]:
    """An explanation as plain lists, numbers and strings."""
    content: dict[str, Any] = {"format": FORMAT, "version": VERSION, "class": type(e).__name__}
    content["graph"] = graph_to_dict(e.graph)
    for f in fields(e):
        if f.name not in STRUCTURED_FIELDS:
            content[FIELD_NAMES_IN_FILES.get(f.name, f.name)] = to_plain(getattr(e, f.name))
    content["view"] = None if e.view is None else _view_to_dict(e.view)
    content["interactions"] = None
    if e.interactions is not None:
        pairs = _interaction_pairs(e)
        content["interactions"] = to_plain(_interaction_values(e.interactions, pairs))
        if e.interaction_stderr is not None:
            content["interaction_stderr"] = to_plain(_interaction_values(e.interaction_stderr, pairs))
        if not np.array_equal(pairs, e.graph.edges):
            content["interaction_pairs"] = _plain_edges(pairs)
    return content


def graph_to_dict(graph: Graph) -> dict[str, Any]:
    """A graph as plain lists, numbers and strings."""
    return {
        "d": graph.d,
        "edges": _plain_edges(graph.edges),
        "names": list(graph.names),
        "kind": graph.kind,
        "shape": list(graph.shape),
    }


def _view_to_dict(view: View) -> dict[str, Any]:
    content = {f.name: to_plain(getattr(view, f.name)) for f in fields(view)}
    return {"kind": view.kind, **content, "labels": to_plain(_shrink_integers(view.labels))}


def _plain_edges(pairs: NDArray[Any]) -> Any:
    return pairs.tolist() if pairs.size <= MAX_LISTED_NUMBERS else to_plain(_shrink_integers(pairs))


def _shrink_integers(integers: NDArray[Any]) -> NDArray[Any]:
    """Long arrays of integers in the smallest type that holds them."""
    if integers.size <= MAX_LISTED_NUMBERS:
        return integers
    return integers.astype(np.result_type(np.min_scalar_type(integers.min()), np.min_scalar_type(integers.max())))


def _interaction_pairs(e: Any) -> NDArray[Any]:
    """The pairs that have interactions: the edges of the graph, unless there are entries for other pairs."""
    first = sparse.csr_array(e.interactions[0] if isinstance(e.interactions, tuple) else e.interactions)
    rows, columns = np.repeat(np.arange(e.graph.d), np.diff(first.indptr)), first.indices.astype(np.int64)
    positions = np.unique((rows * e.graph.d + columns)[rows < columns])
    edges: NDArray[Any] = e.graph.edges
    if np.isin(positions, edges[:, 0].astype(np.int64) * e.graph.d + edges[:, 1]).all():
        return edges
    return np.stack(np.divmod(positions, e.graph.d), axis=1)


def _interaction_values(interactions: Any, pairs: NDArray[Any]) -> NDArray[np.float64]:
    """The entries of a sparse matrix, or of one matrix for each output, at some pairs."""
    rows, cols = pairs.T
    matrices = interactions if isinstance(interactions, tuple) else (interactions,)
    if not len(rows):
        columns = [np.empty(0) for _ in matrices]
    else:
        columns = [np.asarray(sparse.csr_array(m)[rows, cols]).ravel() for m in matrices]
    return np.stack(columns, axis=1) if isinstance(interactions, tuple) else columns[0]


def _array_content(array: NDArray[Any]) -> list[Any] | str:
    if array.size > MAX_LISTED_NUMBERS:
        return b64encode(array.astype(array.dtype.newbyteorder("<")).tobytes()).decode("ascii")
    return [n if np.isfinite(n) else str(n) for n in array.ravel().tolist()]


def to_plain(value: Any) -> Any:
    """Arrays as {"array": ..., "type": ...}; infinities, which JSON does not have, as strings inside of them.

    >>> to_plain(np.array([1.0, np.inf])), to_plain(np.arange(MAX_LISTED_NUMBERS + 1, dtype=np.uint16))["array"][:8]
    ({'array': [1.0, 'inf'], 'shape': [2], 'type': 'float64'}, 'AAABAAIA')
    """
    if isinstance(value, np.ndarray):
        return {"array": _array_content(value), "shape": list(value.shape), "type": value.dtype.name}
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, dict):
        return {str(k): to_plain(v) for k, v in value.items()}
    if isinstance(value, tuple | list):
        return [to_plain(v) for v in value]
    return value
