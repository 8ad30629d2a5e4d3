"""Explanations from plain data, with all checks before they are built."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import FileFormatError, GraphError, OptionError
from .earlier_names import update_provenance
from .explanation import Explanation, PathExplanation
from .json_reader import JsonNode
from .pair_matrices import pair_matrix
from .printable import printable
from .read_graph import read_edges, read_graph
from .read_view import read_view
from .serialize import FIELD_NAMES_IN_FILES, FORMAT, VERSION

_CLASSES = ("Explanation", "PathExplanation")


def from_dict(content: Any, source: str = "this") -> Explanation:
    """The explanation in a dict made by `to_dict`."""
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise FileFormatError(
            f"Expected an explanation saved by lcshap, got {printable(source)}, which is something else."
        )
    place = JsonNode(content, source)
    version = place["version"].integer()
    if version > VERSION:
        raise FileFormatError(
            f"Expected a file of version {VERSION} or lower, got {printable(source)}, which has version "
            f"{version}. Update lcshap to read it."
        )
    try:
        return _read_explanation(place)
    except (GraphError, OptionError) as error:  # of what is made of the parts
        raise FileFormatError(
            f"Expected an explanation as it was saved, got {printable(source)}, which is damaged: {error}"
        ) from None


def _read_explanation(place: JsonNode) -> Explanation:
    kind = place["class"].choice(_CLASSES)
    graph = read_graph(place["graph"])
    scores = _read_scores(place["scores"], graph.d)
    outputs = scores.shape[1:]
    field_values: dict[str, Any] = {
        "scores": scores,
        "base_value": _read_value(place["base_value"], outputs),
        "full_value": _read_value(place["full_value"], outputs),
        "graph": graph,
        "calls": place["calls"].integer(),
        "provenance": _read_provenance(place.get("provenance")),
        "stderr": _read_stderr(place.get("stderr"), scores.shape),
        "view": read_view(place.get("view"), graph.d),
        "curve": _read_curve(place.get("curve")),
    }
    for name in ("dof", "rows"):
        number = place.get(FIELD_NAMES_IN_FILES.get(name, name))
        field_values[name] = None if number.missing else number.integer()
    if not place.get("interactions").missing:
        pairs_place = place.get("interaction_pairs")
        pairs = graph.edges if pairs_place.missing else read_edges(pairs_place, graph.d)
        interactions = place["interactions"].array("f", finite=True)
        if interactions.shape != (len(pairs), *outputs):
            place["interactions"].fail(f"an array of shape {(len(pairs), *outputs)}", str(interactions.shape))
        field_values["interactions"] = pair_matrix(graph, interactions.astype(np.float64, copy=False), pairs)
        errors = _read_stderr(place.get("interaction_stderr"), interactions.shape)
        field_values["interaction_stderr"] = None if errors is None else pair_matrix(graph, errors, pairs)
    if kind == "Explanation":
        return Explanation(**field_values)
    return PathExplanation(**field_values, **_read_path(place, graph.d, outputs))


def _read_scores(place: JsonNode, d: int) -> NDArray[np.float64]:
    scores = _as_array_place(place).array("f", finite=True)
    if scores.ndim not in (1, 2) or len(scores) != d or not scores.size:
        place.fail(f"an array of shape ({d},) or ({d}, outputs): a score for each unit", str(scores.shape))
    return scores.astype(np.float64, copy=False)


def _as_array_place(place: JsonNode) -> JsonNode:
    """An array; also one that is written as plain lists, as `lcshap explain --json` prints it."""
    entries = place.value
    if type(entries) is not list:
        return place
    rows = [entry for entry in entries if type(entry) is list]
    if rows and len(rows) != len(entries):
        place.fail("numbers, or lists of numbers", "both")
    shape = [len(entries), len(rows[0])] if rows else [len(entries)]
    if any(len(row) != shape[-1] for row in rows):
        place.fail("lists of one length", "others")
    numbers = [number for row in rows for number in row] if rows else entries
    return JsonNode({"array": numbers, "shape": shape, "type": "float64"}, place.source, place.name)


def _read_value(place: JsonNode, outputs: tuple[int, ...]) -> float | NDArray[np.float64]:
    if outputs or isinstance(place.value, dict):
        numbers = _as_array_place(place).float_array(*outputs)
        return numbers if outputs else float(numbers)
    return place.number()


def _read_stderr(place: JsonNode, shape: tuple[int, ...]) -> NDArray[np.float64] | None:
    if place.missing:
        return None
    stderr = _as_array_place(place).float_array(*shape, finite=False)
    if not (stderr >= 0).all():
        place.fail("standard errors, from 0 to infinity", "others")
    return stderr


def _read_provenance(place: JsonNode) -> dict[str, Any]:
    provenance = {} if place.missing else place.plain()
    if not isinstance(provenance, dict):
        place.fail("an object")
    return update_provenance(provenance)


def _read_curve(place: JsonNode) -> dict[str, Any] | None:
    if place.missing:
        return None
    percents = place["percents"].float_array(None)
    count = len(percents)
    curve: dict[str, Any] = {"percents": percents, "counts": place["counts"].integer_array(0, 2**31 - 1, count)}
    curve |= {"values": place["values"].float_array(count), "what": place["what"].string()}
    if "keep" in place.mapping():
        curve["keep"] = place["keep"].boolean()
    return curve


def _read_path(place: JsonNode, d: int, outputs: tuple[int, ...]) -> dict[str, Any]:
    """What a path has more."""
    path = place["path"].integer_array(0, d - 1, *place["path"].array("iu").shape[:1])
    order = place["order"].integer_array(0, d - 1, d)
    for name, units in (("path", path), ("order", order)):
        if len(np.unique(units)) < len(units):
            place[name].fail("each unit once", "one twice")
    flips, flipped = place.get("flip_set"), place.get("flipped")
    flip_set = None if flips.missing else tuple(unit.integer(0, d - 1) for unit in flips.items())
    if flip_set is not None and len(set(flip_set)) < len(flip_set):
        flips.fail("each unit once", "one twice")
    return {
        "path": path.astype(np.intp, copy=False),
        "path_values": place["path_values"].float_array(len(path) + 1, *outputs),
        "order": order.astype(np.intp, copy=False),
        "flipped": None if flipped.missing else flipped.boolean(),
        "flip_set": flip_set,
        "rounds": 0 if place.get("rounds").missing else place["rounds"].integer(),
    }
