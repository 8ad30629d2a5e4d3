"""Read the graph of a saved explanation, with all checks before it is built."""

from __future__ import annotations

from itertools import chain
from math import prod

import numpy as np
from numpy.typing import NDArray

from .graphs import Graph, build
from .json_reader import JsonNode

_KINDS = ("chain", "ring", "grid", "complete", "tree", "graph")


def read_graph(place: JsonNode) -> Graph:
    """The graph that a file holds.

    >>> content = {"d": 2, "edges": [[0, 1]], "names": ["so", "good"], "kind": "chain", "shape": [2]}
    >>> read_graph(JsonNode(content, "x.json"))
    Graph.chain(2): 2 units, 1 edge
    >>> read_graph(JsonNode({**content, "d": 300_000_000}, "x.json"))
    Traceback (most recent call last):
        ...
    lcshap.errors.FileFormatError: x.json is damaged at names: expected a list of 300,000,000, got one of 2.
    """
    d = place["d"].integer(1, 2**31 - 1)
    names = place["names"].strings(d)
    kind = place["kind"].choice(_KINDS)
    shape = tuple(side.integer(1, d) for side in place["shape"].items())
    edges = read_edges(place["edges"], d)
    if (shape or kind == "grid") and (prod(shape) != d or len(shape) > 32 or not shape):
        place["shape"].fail(f"sides whose product is {d:,}")
    if kind != "grid" and len(shape) > 1:
        place["shape"].fail(f"[{d}]: only a grid has several sides")
    if not _edges_match_kind(kind, d, shape, edges):
        place["edges"].fail(f"those of a {kind}", "others")
    return Graph(build.adjacency_from_edges(d, edges), names, kind, shape)


def read_edges(place: JsonNode, d: int) -> NDArray[np.int64]:
    """Pairs of units in ascending order, the smaller unit first: the order that interactions follow."""
    if type(place.value) is dict:
        edges = place.integer_array(0, d - 1, *place.array("iu").shape[:1], 2)
        return _check_ascending(place, edges, d)
    place.items()
    pairs = place.value
    if not set(map(type, pairs)) <= {list} or not set(map(len, pairs)) <= {2}:
        next(pair for pair in place.items() if type(pair.value) is not list or len(pair.value) != 2).fail("a pair")
    flat = list(chain.from_iterable(pairs))
    if not set(map(type, flat)) <= {int} or min(flat, default=0) < 0 or max(flat, default=0) >= d:
        for pair in place.items():
            for unit in pair.items():
                unit.integer(0, d - 1)
    return _check_ascending(place, np.array(flat, np.int64).reshape(-1, 2), d)


def _check_ascending(place: JsonNode, edges: NDArray[np.int64], d: int) -> NDArray[np.int64]:
    positions = edges[:, 0] * d + edges[:, 1]
    if (edges[:, 0] >= edges[:, 1]).any() or (np.diff(positions) <= 0).any():
        place.fail("pairs in ascending order, each once, the smaller unit first", "others")
    return edges


def _edges_match_kind(kind: str, d: int, shape: tuple[int, ...], edges: NDArray[np.int64]) -> bool:
    """Whether these are the edges of a graph of that kind. Counting them first bounds the memory by the file's size."""
    if kind == "complete":
        return len(edges) == d * (d - 1) // 2
    if kind == "tree":
        component_count = Graph(build.adjacency_from_edges(d, edges), ()).components.max() + 1
        return len(edges) == d - int(component_count)
    if kind in ("chain", "ring"):
        expected = build.grid_edges((d,), False) if kind == "chain" else build.ring_edges(d)
        return _equal_edges(edges, expected)
    if kind == "grid":
        return any(
            len(edges) == build.count_grid_edges(shape, diagonal)
            and _equal_edges(edges, build.grid_edges(shape, diagonal))
            for diagonal in (False, True)
        )
    return True


def _equal_edges(edges: NDArray[np.int64], expected: NDArray[np.int64]) -> bool:
    ordered = np.sort(expected, axis=1)
    ordered = ordered[np.lexsort((ordered[:, 1], ordered[:, 0]))]
    return bool(np.array_equal(edges, ordered))
