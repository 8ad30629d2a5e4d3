"""Games and graphs for tests, and the bridge between a table of values and `lcshap.Game`."""

import runpy
from pathlib import Path

import numpy as np
from hypothesis import strategies as st

import lcshap as lc
import oracles
from lcshap.core.additive_terms import AdditiveTerms
from lcshap.core.structures import StructureGame
from lcshap.core.tree_ensembles import TreeGame, Trees
from lcshap.core.weights import Weights


def table_game(d, seed=0, outputs=None, check=False):
    """A game with a random value for every coalition: as `lc.Game`, and as the dict that the oracles take."""
    values = np.random.default_rng(seed).normal(size=(2**d, outputs or 1))
    powers = 2 ** np.arange(d)

    def fn(kept):
        outputs_of_rows = values[kept @ powers]
        return outputs_of_rows if outputs else outputs_of_rows[:, 0]

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


def smooth_game(d, seed=0, outputs=None):
    """A game with interactions of all orders that decay: what models look like more than a random table does."""
    rng = np.random.default_rng(seed)
    unary = rng.normal(size=(d, outputs or 1))
    pairs = rng.normal(size=(d, d, outputs or 1)) / d

    def fn(kept):
        z = kept.astype(float)
        score = z @ unary + np.einsum("ni,nj,ijo->no", z, z, pairs)
        value = -np.logaddexp(0, -score)
        return value if outputs else value[:, 0]

    if d > 14:
        return lc.Game(fn, d)
    values = fn(every(d))  # looked up, so that a value does not depend on the batch it is asked for in
    return lc.Game(lambda kept: values[kept @ (2 ** np.arange(d))], d)


def every(d):
    """All coalitions of d units, in the order of their numbers."""
    return (np.arange(2**d)[:, None] >> np.arange(d)) & 1 == 1


def exact_table(game):
    """All values of a game, as the dict that the oracles take."""
    kept = every(game.d)
    sets = [frozenset(np.flatnonzero(row).tolist()) for row in kept]
    return {s: np.atleast_1d(v).tolist() for s, v in zip(sets, game.fn(kept), strict=True)}


def check_against(oracle, method, graph, seed=0, outputs=None):
    """A method on a random game against an oracle, a function of neighbours and table; the explanation."""
    game, table = table_game(graph.d, seed, outputs)
    e = method.explain(game, graph)
    expected = np.array(oracle(oracles.neighbours(graph.d, edges_of(graph)), table))
    expected = expected if outputs else expected[:, 0]
    assert e.scores.shape == expected.shape
    np.testing.assert_allclose(e.scores, expected, rtol=0, atol=1e-10)
    full, empty = table[frozenset(range(graph.d))], table[frozenset()]
    np.testing.assert_array_equal(e.full_value, full if outputs else full[0])
    np.testing.assert_array_equal(e.base_value, empty if outputs else empty[0])
    missing = np.array(full) - np.array(empty) - np.array(expected).reshape(graph.d, -1).sum(axis=0)
    np.testing.assert_allclose(e.residual, missing if outputs else missing[0], atol=1e-10)
    return e


def check_unbiased(make, options, graph, oracle):
    """Over 400 seeds: the mean within 4 standard errors of the truth, and 95 % intervals that cover 90-99 %."""
    game, seeds = smooth_game(graph.d, seed=1), 400
    truth = np.ravel(oracle(graph.d, oracles.neighbours(graph.d, edges_of(graph)), exact_table(game)))
    explanations = [make(seed=seed, **options).explain(game, graph) for seed in range(seeds)]
    assert all(e.calls <= options["budget"] for e in explanations)
    scores = np.stack([e.scores for e in explanations])
    spread = scores.std(axis=0, ddof=1) / np.sqrt(seeds)
    assert (np.abs(scores.mean(axis=0) - truth) <= 4 * spread + 1e-12).all()
    enough = [e for e in explanations if e.dof >= 7]
    assert len(enough) > 300
    covered = np.mean([(e.interval()[0] <= truth + 1e-12) & (truth - 1e-12 <= e.interval()[1]) for e in enough])
    assert 0.90 <= covered <= 0.99


def as_trees(values, d, copies=1):
    """A table of 2^d values (or rows of outputs) as a game of trees: one tree, with a leaf for every coalition."""
    values = np.asarray(values, float).reshape(2**d, -1)
    inner = np.arange(2**d - 1)  # a heap: the children of node i are 2i + 1 and 2i + 2
    depth = np.log2(inner + 1).astype(int)
    leaf = np.full(2**d, -1)
    code = sum((np.arange(2**d) >> (d - 1 - unit) & 1) << unit for unit in range(d))  # of the leaves, from the left
    left, right = np.append(2 * inner + 1, leaf), np.append(2 * inner + 2, leaf)
    trees = Trees(
        np.array([0]),
        left,
        right,
        left,
        np.append(depth, np.zeros(2**d, int)),
        np.append(np.full(2**d - 1, 0.5), np.zeros(2**d)),
        np.concatenate([np.zeros((2**d - 1, values.shape[1])), values[code]]),
    )
    rows = np.ones((copies, d))
    outputs = values.shape[1]
    return TreeGame(trees, rows[:1], 0 * rows, np.arange(d), d, np.eye(outputs), outputs > 1)


def as_weights(worth):
    """An additive game as a game of the weights of a linear model."""
    d = len(worth)
    rows = np.ones((1, d))
    return StructureGame(Weights(np.array([worth], float)), rows, 0 * rows, np.arange(d), d, np.eye(1))


def as_terms(worth):
    """An additive game as a game of the tables of an additive model."""
    d = len(worth)
    terms = AdditiveTerms(tuple(np.array([[0.0], [w]]) for w in worth), tuple((unit,) for unit in range(d)))
    rows = np.ones((1, d))
    return StructureGame(terms, rows, 0 * rows, np.arange(d), d, np.eye(1))


def random_pairs(d, n, seed=0):
    """Coalitions of random sizes, the first of which is V."""
    rng = np.random.default_rng(seed)
    size = rng.integers(1, d, n)
    kept = rng.random((n, d)).argsort(axis=1).argsort(axis=1) < size[:, None]
    kept[0] = True
    return kept


def shapley_operator(d):
    """The Shapley value as a matrix over all coalitions, from the oracle applied to each indicator game."""
    sets = [frozenset(np.flatnonzero(row).tolist()) for row in every(d)]
    games = {s: np.eye(2**d)[c].tolist() for c, s in enumerate(sets)}
    return np.array(oracles.shapley(d, games))


def pair_kernel(d, linear, smooth, pool, white):
    """K over all coalitions, term by term, as the docstring of `Prior` prints it."""
    kept = every(d)
    signs = np.where(kept, 1.0, -1.0)
    r = min(4 / d, 0.9)
    product = np.prod(1 + r * signs[:, None] * signs[None], axis=2)
    odd = product - product[:, ::-1]  # the complement of number c is 2^d - 1 - c
    odd /= odd[0, 0]

    def jaccard(S, T):
        return len(S & T) / len(S | T) if S | T else 1.0

    sets = [frozenset(np.flatnonzero(row).tolist()) for row in kept]
    full_set = frozenset(range(d))
    j = np.array([[jaccard(S, T) for T in sets] for S in sets])
    other = np.array([[jaccard(S, full_set - T) for T in sets] for S in sets])
    J = (j + j[::-1, ::-1] - other - other[::-1, ::-1]) / 2
    # White noise of an odd function: f(S) = -f(S') is the same noise with the other sign.
    W = np.eye(2**d) - np.eye(2**d)[::-1]
    return linear * signs @ signs.T / d + smooth * odd + pool * J + white / d * W
