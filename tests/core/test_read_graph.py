"""Graphs of files: checked before anything is made of them."""

import time

import pytest

import lcshap as lc
from lcshap.core.json_reader import JsonNode
from lcshap.core.read_graph import read_graph
from lcshap.core.serialize import to_dict

GRAPHS = {
    "chain": lc.Graph.chain(5),
    "one": lc.Graph.chain(1),
    "ring": lc.Graph.ring(5),
    "pair": lc.Graph.ring(2),
    "grid": lc.Graph.grid((2, 3)),
    "king": lc.Graph.grid((2, 3), diagonal=True),
    "flat": lc.Graph.grid((1, 1, 4, 1)),
    "complete": lc.Graph.complete(4),
    "tree": lc.Graph.tree([None, 0, 0, 2, None]),
    "any": lc.Graph.from_edges(5, [(3, 1), (0, 4)]),
}


def content(graph):
    e = lc.FeatureAblation().explain(lc.Game(lambda kept: kept.sum(axis=1) * 1.0, graph.d), graph)
    return to_dict(e)["graph"]


@pytest.mark.parametrize("name", GRAPHS)
def test_every_kind_comes_back(name):
    assert read_graph(JsonNode(content(GRAPHS[name]), "x")) == GRAPHS[name]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"d": 300_000_000}, "at names: expected a list of 300,000,000, got one of 6"),
        ({"d": 0}, "at d: expected an integer from 1"),
        ({"d": True}, "at d"),
        ({"d": 6.0}, "at d"),
        ({"names": ["a"] * 5 + [None]}, r"at names\[5\]: expected a text, got nothing"),
        ({"names": "abcdef"}, "at names: expected a list"),
        ({"edges": [[0, 1], [0, 6]]}, r"at edges\[1\]\[1\]: expected an integer from 0 to 5, got 6"),
        ({"edges": [[0, 1], [0]]}, r"at edges\[1\]: expected a pair"),
        ({"edges": [[0, 1], 5]}, r"at edges\[1\]: expected a pair"),
        ({"edges": [[0, 1.0]]}, r"at edges\[0\]\[1\]"),
        ({"edges": [[0, 2**64]]}, r"at edges\[0\]\[1\]"),
        ({"edges": [[1, 2], [0, 1]], "kind": "graph"}, "in ascending order"),
        ({"edges": [[0, 1], [0, 1]], "kind": "graph"}, "in ascending order"),
        ({"edges": [[1, 0]], "kind": "graph"}, "in ascending order"),
        ({"edges": [[1, 1]], "kind": "graph"}, "in ascending order"),
        ({"edges": [[0, 1]]}, "at edges: expected those of a grid, got others"),
        ({"kind": "chain", "shape": [6]}, "those of a chain"),
        ({"kind": "ring", "shape": [6]}, "those of a ring"),
        ({"kind": "complete", "shape": [6]}, "those of a complete"),
        ({"kind": "tree", "shape": [6]}, "those of a tree"),
        ({"kind": "blob"}, "at kind: expected one of chain"),
        ({"kind": "graph"}, "only a grid has several sides"),
        ({"shape": [2, 2]}, "sides whose product is 6"),
        ({"shape": []}, "sides whose product is 6"),
        ({"shape": [6, *[1] * 40]}, "sides whose product is 6"),
        ({"shape": [2, "3"]}, r"at shape\[1\]"),
    ],
)
def test_damaged_ones(change, says):
    start = time.perf_counter()
    with pytest.raises(lc.errors.FileFormatError, match=says):
        read_graph(JsonNode({**content(GRAPHS["grid"]), **change}, "x"))
    assert time.perf_counter() - start < 1
