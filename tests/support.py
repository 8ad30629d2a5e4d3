"""Games and graphs for tests, and the bridge between a table of values and `lcshap.Game`."""

import runpy
from pathlib import Path

import numpy as np
from hypothesis import strategies as st

import lcshap as lc


def table_game(d, seed=0, outputs=None, check=False):
    """A game with a random value for every coalition: as `lc.Game`, and as the dict that the oracles take."""
    values = np.random.default_rng(seed).normal(size=(2**d, outputs or 1))
    powers = 2 ** np.arange(d)

    def fn(kept):
        found = values[kept @ powers]
        return found if outputs else found[:, 0]

    as_dict = {
        frozenset(i for i in range(d) if code >> i & 1): [float(x) for x in values[code]] for code in range(2**d)
    }
    return lc.Game(fn, d, check=check), as_dict


def edges_of(graph):
    return [tuple(e) for e in graph.edges.tolist()]


NAMED_GRAPHS = {
    "one unit": lc.Graph.chain(1),
    "two units": lc.Graph.chain(2),
    "two apart": lc.Graph.from_edges(2, []),
    "chain": lc.Graph.chain(7),
    "ring": lc.Graph.ring(6),
    "grid": lc.Graph.grid((2, 4)),
    "diagonal grid": lc.Graph.grid((3, 3), diagonal=True),
    "cube": lc.Graph.grid((2, 2, 2)),
    "tree": lc.Graph.tree([None, 0, 0, 1, 1, 2, 5]),
    "star": lc.Graph.tree([-1, 0, 0, 0, 0, 0]),
    "complete": lc.Graph.complete(5),
    "disconnected": lc.Graph.from_edges(7, [(0, 3), (3, 6), (1, 2), (2, 4), (1, 4)]),
    "no edges": lc.Graph.from_edges(4, []),
}


@st.composite
def graphs(draw, max_d=7):
    """Any graph: connected or not, numbered in any order."""
    d = draw(st.integers(1, max_d))
    pairs = [(i, j) for i in range(d) for j in range(i)]
    edges = draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    return lc.Graph.from_edges(d, edges)


def example(name):
    """What a script of examples/ defines, without running it as a program."""
    return runpy.run_path(str(Path(__file__).parents[1] / "examples" / f"{name}.py"), run_name="example")
