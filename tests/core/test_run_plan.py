"""How the methods hang together, and what an explanation says."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lcshap as lc
from support import NAMED_GRAPHS, graphs, table_game

DECOMPOSED = {"weights": "myerson", "marginals": "decomposed"}


@settings(max_examples=60, deadline=None)
@given(graphs(max_d=8), st.sampled_from(["absent", "present", "both"]), st.integers(0, 999))
def test_l_shapley_beyond_the_diameter_is_shapley(graph, context, seed):
    game, _ = table_game(graph.d, seed)
    if graph.components.max() > 0:
        graph = lc.Graph.complete(graph.d)  # an unconnected graph has no diameter
    l_shapley = lc.LShapley(graph.d, context).explain(game, graph).scores
    np.testing.assert_allclose(l_shapley, lc.Shapley().explain(game, graph).scores, atol=1e-12)


@settings(max_examples=60, deadline=None)
@given(graphs(max_d=8), st.integers(0, 999))
def test_c_shapley_with_myerson_weights_and_decomposed_marginals_is_myerson(graph, seed):
    game, _ = table_game(graph.d, seed)
    c_shapley = lc.CShapley(graph.d, **DECOMPOSED).explain(game, graph).scores
    np.testing.assert_allclose(c_shapley, lc.Myerson().explain(game, graph).scores, atol=1e-12)


def test_printed_weights_are_not_myerson_not_even_on_a_chain():
    game, _ = table_game(8, seed=0)
    chain = lc.Graph.chain(8)
    myerson = lc.Myerson().explain(game, chain).scores
    for marginals in ("direct", "decomposed"):
        printed = lc.CShapley(8, marginals=marginals).explain(game, chain).scores
        assert abs(printed - myerson).max() > 0.1


def test_direct_marginals_are_myerson_where_the_game_decomposes():
    """The paper's assumption: a coalition is worth what its connected parts are worth."""
    chain = lc.Graph.chain(7)
    worth = np.random.default_rng(1).normal(size=(8, 8))

    def decomposes(kept):
        padded = np.pad(kept, ((0, 0), (1, 1))).astype(int)
        total = np.zeros(len(kept))
        for row, steps in enumerate(np.diff(padded, axis=1)):
            for start, stop in zip(np.flatnonzero(steps == 1), np.flatnonzero(steps == -1), strict=True):
                total[row] += worth[start, stop]
        return total

    game = lc.Game(decomposes, 7)
    myerson = lc.Myerson().explain(game, chain).scores
    direct = lc.CShapley(7, weights="myerson").explain(game, chain).scores
    np.testing.assert_allclose(direct, myerson, atol=1e-12)
    np.testing.assert_allclose(lc.Shapley().explain(game, chain).scores, myerson, atol=1e-12)
    assert abs(lc.CShapley(7).explain(game, chain).scores - myerson).max() > 0.1


def test_order_zero_is_the_unit_alone():
    game, table = table_game(5, seed=2)
    alone = [table[frozenset([i])][0] - table[frozenset()][0] for i in range(5)]
    last = [table[frozenset(range(5))][0] - table[frozenset(range(5)) - {i}][0] for i in range(5)]
    chain = lc.Graph.chain(5)
    np.testing.assert_allclose(lc.LShapley(0).explain(game, chain).scores, alone)
    np.testing.assert_allclose(lc.LShapley(0, "present").explain(game, chain).scores, last)
    np.testing.assert_allclose(lc.CShapley(0, weights="myerson").explain(game, chain).scores, alone)
    np.testing.assert_allclose(3 * lc.CShapley(0).explain(game, chain).scores, alone)


def test_large_offsets_do_not_drown_the_scores():
    """v(∅) goes off before weights go on: scores of a game shifted by 1e9 keep all the digits the game has."""
    graph = lc.Graph.chain(10)
    values = np.random.default_rng(3).integers(-100, 100, size=2**10).astype(float)
    plain = lc.Game(lambda kept: values[kept @ (2 ** np.arange(10))], 10)
    shifted = lc.Game(lambda kept: values[kept @ (2 ** np.arange(10))] + 1e9, 10)
    for method in (lc.Shapley(), lc.LShapley(2), lc.CShapley(2), lc.Myerson()):
        assert method.explain(plain, graph).scores.tobytes() == method.explain(shifted, graph).scores.tobytes()


class TestExplanation:
    graph = lc.Graph.chain(4, names=["it", "is", "not", "good"])
    v = lc.Game(lambda kept: 1.0 * kept[:, 3] - 2.0 * (kept[:, 2] & kept[:, 3]) + 0.25, 4)

    def test_what_it_says(self):
        e = lc.Shapley().explain(self.v, self.graph)
        np.testing.assert_allclose(e.scores, [0, 0, -1, 0], atol=1e-15)
        assert e.values is e.scores
        assert e.base_value == e.base_values == 0.25
        assert e.full_value == -0.75
        assert e.residual == pytest.approx(0)
        assert e.names == ("it", "is", "not", "good")
        assert e.calls == 16
        assert e.provenance["method"] == "Shapley()"
        assert e.provenance["versions"]["lcshap"] == lc.__version__
        assert repr(e).startswith("<Shapley(): 4 units, 16 calls; base value 0.25, full value -0.75, residual")
        two_outputs = lc.Shapley().explain(lc.Game(lambda kept: kept[:, :2] * 1.0, 4), self.graph)
        assert repr(two_outputs) == "<Shapley(): 4 units, 16 calls, 2 outputs>"

    def test_ranking_is_descending_with_ties_by_index(self):
        e = lc.LShapley(0).explain(lc.Game(lambda kept: kept @ np.array([1.0, 3, 1, 3]), 4), self.graph)
        assert e.ranking.tolist() == [1, 3, 0, 2]

    def test_it_is_immutable(self):
        e = lc.Shapley().explain(self.v, self.graph)
        with pytest.raises(AttributeError):
            e.scores = np.zeros(4)


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: lc.LShapley(order=-1), "Expected order as an integer of at least 0, got -1"),
        (lambda: lc.LShapley(order=1.5), "Expected order as an integer of at least 0, got"),
        (lambda: lc.LShapley(order=True), "Expected order as an integer of at least 0, got"),
        (lambda: lc.LShapley(order="2"), "Expected order as an integer of at least 0, got"),
        (
            lambda: lc.LShapley(context="outside"),
            "Expected one of 'absent', 'present', 'both' as context, got 'outside'",
        ),
        (lambda: lc.LShapley(order=0, interactions=True), "Expected an order of at least 1 for interactions, got 0"),
        (lambda: lc.CShapley(order=-1), "Expected order as an integer of at least 0, got -1"),
        (lambda: lc.CShapley(max_size=0), "Expected max_size as an integer of at least 1"),
        (lambda: lc.CShapley(order=None), "Expected an order, a max_size or both, got neither"),
        (lambda: lc.CShapley(weights="shapley"), "Expected one of 'auto', 'paper', 'myerson'.* as weights"),
        (lambda: lc.CShapley(marginals="all"), "Expected one of .* as marginals"),
        (lambda: lc.get_method("m-shapley"), "name of a method, got 'm-shapley'. Did you mean 'l-shapley'"),
        (lambda: lc.paper.compat.Authors("X", 2), "Expected one of 'L', 'C'.* as kind"),
        (lambda: lc.paper.compat.Authors("L", -2), "Expected num_neighbors as an integer of at least 0, got -2"),
        (lambda: lc.paper.compat.Authors("C", 2, 0), "Expected max_order as an integer of at least 1, got 0"),
    ],
)
def test_bad_parameters(make, says):
    with pytest.raises(lc.errors.MethodError, match=says):
        make()


@pytest.mark.parametrize("name", ["one unit", "two units", "two apart", "no edges"])
def test_tiny_and_empty_graphs_have_the_right_answer(name):
    """Without edges every neighbourhood is the unit alone; with all of the graph in reach it is Shapley's."""
    graph = NAMED_GRAPHS[name]
    game, table = table_game(graph.d, seed=4)
    alone = [table[frozenset([i])][0] - table[frozenset()][0] for i in range(graph.d)]
    c_shapley = [lc.CShapley(1000, weights="myerson"), lc.CShapley(1000, **DECOMPOSED)]
    for method in (lc.LShapley(1000), *c_shapley, lc.Myerson()):
        expected = alone if not len(graph.edges) else lc.Shapley().explain(game, graph).scores
        np.testing.assert_allclose(method.explain(game, graph).scores, expected, atol=1e-12)


def test_the_authors_value_function():
    """log(p + 1e-15) of the class predicted at the full input, wherever p is 0 too."""
    probability = lambda kept: np.stack([1.0 * ~kept.all(axis=1), 1.0 * kept.all(axis=1)], axis=1)  # noqa: E731
    v = lc.paper.compat.authors_game(probability, 3)
    values = v.evaluate(lc.Coalitions.from_sets(3, [[], [0, 1], [0, 1, 2]]))
    np.testing.assert_allclose(values, [np.log(1e-15), np.log(1e-15), np.log(1 + 1e-15)])
    with pytest.raises(lc.errors.GameError, match="class probabilities"):
        lc.paper.compat.authors_game(lambda kept: kept.sum(axis=1), 3)


def test_the_authors_text_is_a_ring_and_ours_a_chain():
    game, _ = table_game(7, seed=5)
    ring = lc.LShapley(1, "present").explain(game, lc.Graph.ring(7)).scores
    chain = lc.LShapley(1, "present").explain(game, lc.Graph.chain(7)).scores
    theirs = lc.paper.compat.authors(game, "L", num_neighbors=2).scores
    np.testing.assert_allclose(theirs, ring, atol=1e-12)
    assert abs(theirs - chain)[[0, -1]].min() > 1e-3
    np.testing.assert_allclose(theirs[1:-1], chain[1:-1], atol=1e-12)
    c_ring = lc.CShapley(1, "present", "paper").explain(game, lc.Graph.ring(7)).scores
    np.testing.assert_allclose(lc.paper.compat.authors(game, "C", num_neighbors=2).scores, c_ring, atol=1e-12)
    silently = lc.paper.compat.authors(game, "L", num_neighbors=100).scores
    np.testing.assert_allclose(silently, lc.Shapley().explain(game, lc.Graph.ring(7)).scores, atol=1e-12)


@pytest.mark.parametrize(
    "method", [lc.Shapley(), lc.LShapley(1), lc.SampleShapley(12), lc.GraphKernelSHAP(16), lc.DeletionPath(20)]
)
@pytest.mark.parametrize("size", [1e308, 1e291])
def test_values_too_large_to_subtract_are_refused(method, size):
    game = lc.Game(lambda kept: np.where(kept[:, 0], size, -size), 5)
    with pytest.raises(lc.errors.GameError, match="too large to subtract"):
        method.explain(game, lc.Graph.chain(5))


@pytest.mark.parametrize(
    "method",
    [
        lc.Shapley(),
        lc.LShapley(1),
        lc.SampleShapley(16),
        lc.KernelSHAP(40),
        lc.BanzhafSurrogate(40),
        lc.GraphKernelSHAP(40, interactions=True),
    ],
    ids=lambda method: method.name,
)
@pytest.mark.parametrize("exponent", [400, 700, 960])
def test_large_values_are_estimated_saved_and_loaded(tmp_path, method, exponent):
    """Scores, interactions and their errors are those of small values, times a power of two."""
    worth = np.random.default_rng(0).normal(size=7)

    def explain(factor):
        game = lc.Game(lambda kept: factor * (kept @ worth + kept[:, 0] * kept[:, 1]), 7)
        return method.explain(game, lc.Graph.chain(7))

    small, large = explain(1.0), explain(2.0**exponent)
    np.testing.assert_allclose(large.scores / 2.0**exponent, small.scores, rtol=1e-9, atol=1e-12)
    if small.stderr is not None:
        np.testing.assert_allclose(large.stderr / 2.0**exponent, small.stderr, rtol=1e-6, atol=1e-9)
    if small.interactions is not None:
        pairs = (large.interactions / 2.0**exponent, small.interactions)
        np.testing.assert_allclose(*(pair.toarray() for pair in pairs), rtol=1e-9, atol=1e-12)
    large.save(tmp_path / "e.json")
    np.testing.assert_array_equal(lc.load(tmp_path / "e.json").scores, large.scores)
