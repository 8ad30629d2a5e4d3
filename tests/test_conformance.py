"""One suite over every registered method: which axioms it keeps, as MATH says, and what every method must do.

A new method adds its rows to `ROWS`; `test_every_method_has_a_row` fails until it does.
"""

from dataclasses import dataclass

import numpy as np
import pytest

import lcshap as lc
from lcshap.core.method import plans
from support import NAMED_GRAPHS, table_game


@dataclass(frozen=True)
class Row:
    """A method and the axioms that hold for it on every graph and game."""

    method: lc.Method
    linear: bool = True  # in v: all but adaptive methods
    planned: bool = True  # has a plan in advance: all but adaptive methods
    symmetric: bool = True  # blind to how units are numbered: all but sampled methods below their full budget
    layout: bool = False  # looks at the layout of a grid, not only at its edges
    dummy: bool = True  # a unit that never changes the value scores zero
    monotone: bool = True  # larger marginal contributions never lower a score
    efficient: str | None = ""  # what sums to its worth: "graph", "component", "" (nothing), None (it depends)
    unit_mass: bool = True  # on an additive game each unit scores exactly its own worth


ROWS = [
    Row(lc.Shapley(), efficient="graph"),
    Row(lc.Myerson(), dummy=False, monotone=False, efficient="component"),
    *(Row(lc.LShapley(order, context)) for order in (0, 1, 2) for context in ("absent", "present", "both")),
    Row(lc.LShapley(order=2, interactions=True)),
    *(
        Row(
            lc.CShapley(order, context, weights, marginals, max_size),
            dummy=marginals == "direct",
            monotone=marginals == "direct",
            unit_mass=weights == "myerson",
        )
        for order, max_size in ((1, None), (2, None), (None, 3), (2, 2))
        for context in ("absent", "present", "both")
        for weights in ("paper", "myerson")
        for marginals in ("direct", "decomposed")
    ),
    *(
        Row(
            lc.RegressionCShapley(m, weights, windows, ridge),
            layout=True,
            dummy=m == 1,
            monotone=m == 1,
            unit_mass=ridge == 0,
        )
        for m, ridge in ((1, 0.0), (2, 0.0), (3, 0.0), (4, 0.0), (3, 1.0))
        for weights in ("uniform", "kernel")
        for windows in ("kept", "removed")
    ),
    Row(lc.DividendCShapley(1), layout=True),
    Row(lc.DividendCShapley(2), layout=True, dummy=False, monotone=False),
    Row(lc.DividendCShapley(3), layout=True, dummy=False, monotone=False, efficient=None),
    Row(lc.DividendCShapley(6), layout=True, dummy=False, monotone=False, efficient="component"),
    *(
        Row(lc.SampledLShapley(40, 3, context, seed), symmetric=False, efficient=None)
        for context, seed in (("absent", 0), ("present", 3))
    ),
    *(
        Row(
            lc.SampledCShapley(40, 3, "absent", weights),
            symmetric=False,
            efficient=None,
            unit_mass=weights == "myerson",
        )
        for weights in ("paper", "myerson")
    ),
    *(Row(lc.SampleShapley(budget, seed=5), symmetric=False, efficient="graph") for budget in (18, 40)),
    Row(lc.SampleShapley(512), efficient="graph"),
    *(
        Row(lc.KernelSHAP(budget, seed=5), symmetric=False, dummy=False, monotone=False, efficient="graph")
        for budget in (30, 44)
    ),
    Row(lc.KernelSHAP(512), efficient="graph"),
    *(
        Row(
            lc.GraphKernelSHAP(budget, reach, seed=5),
            symmetric=False,
            dummy=False,
            monotone=False,
            efficient="graph",
        )
        for budget, reach in ((18, 2), (30, 2), (44, 0))
    ),
    Row(lc.GraphKernelSHAP(512), efficient="graph"),
    Row(lc.LIME(26, seed=5), symmetric=False, dummy=False, monotone=False, unit_mass=False),
    Row(lc.LIME(512), dummy=False, monotone=False, unit_mass=False),
    Row(lc.FeatureAblation()),
    *(
        Row(path(budget), linear=False, planned=False, symmetric=False, monotone=False, efficient=None)
        for path in (lc.DeletionPath, lc.InsertionPath)
        for budget in (12, 30)
    ),
]
GRADIENT_ROWS = [lc.Saliency(), lc.Saliency("l2"), lc.GradientInput()]  # they see no coalition: tested by themselves
BY_METHOD = pytest.mark.parametrize("row", ROWS, ids=lambda row: str(row.method))


def rows(**wanted):
    """Only the rows with these flags."""
    chosen = [row for row in ROWS if all(getattr(row, name) == value for name, value in wanted.items())]
    return pytest.mark.parametrize("row", chosen, ids=lambda row: str(row.method))


GRAPHS = {
    "chain": lc.Graph.chain(6),
    "grid": lc.Graph.grid((2, 3)),
    "scattered": lc.Graph.from_edges(6, [(0, 4), (4, 1), (2, 5)]),
}
BY_GRAPH = pytest.mark.parametrize("graph", GRAPHS.values(), ids=GRAPHS)


def game_of(values, d):
    """A game from a table of 2^d values (or rows of outputs), indexed by the bits of the coalition."""
    return lc.Game(lambda kept: values[kept @ (2 ** np.arange(d))], d)


def close(a, b):
    np.testing.assert_allclose(a, b, rtol=0, atol=1e-12)


def test_every_method_has_a_row():
    tested = {type(row.method) for row in ROWS} | {type(method) for method in GRADIENT_ROWS}
    assert tested == set(lc.METHODS.values())


@rows(linear=True)
@BY_GRAPH
def test_linear_and_blind_to_constants(row, graph):
    x, y = np.random.default_rng(0).normal(size=(2, 2**graph.d))
    explain = lambda v: row.method.explain(game_of(v, graph.d), graph).scores  # noqa: E731
    close(explain(2 * x - 3 * y + 100), 2 * explain(x) - 3 * explain(y))


@BY_METHOD
@BY_GRAPH
class TestAxioms:
    def test_dummy(self, row, graph):
        values = np.random.default_rng(1).normal(size=2**graph.d)
        silent = 4
        values = values[np.arange(2**graph.d) & ~(1 << silent)]
        score = row.method.explain(game_of(values, graph.d), graph).scores[silent]
        if row.dummy:
            assert abs(score) < 1e-12
        elif graph.kind == "chain" and (row.method.parameters.get("max_size") or 9) > 2:
            assert abs(score) > 1e-4  # rightly not claimed: it connects others, or takes up what fits badly

    def test_efficiency_or_its_residual(self, row, graph):
        values = np.random.default_rng(3).normal(size=(2**graph.d, 4))
        e = row.method.explain(game_of(values, graph.d), graph)
        close(e.residual, values[-1] - values[0] - e.scores.sum(axis=0))
        for part in range(graph.components.max() + 1):
            members = graph.components == part
            worth = values[(2 ** np.arange(graph.d))[members].sum()] - values[0]
            if row.efficient == "component":
                close(e.scores[members].sum(axis=0), worth)
        if row.efficient == "graph":
            close(e.residual, 0)
        elif row.efficient == "":
            assert abs(e.residual).max() > 1e-3  # and nothing hides it

    def test_additive_games_are_read_off(self, row, graph):
        worth = np.arange(1.0, graph.d + 1)
        e = row.method.explain(lc.Game(lambda kept: kept @ worth, graph.d), graph)
        if row.unit_mass:
            close(e.scores, worth)
        else:
            assert abs(e.scores - worth).max() > 0.1  # the printed weights of C-Shapley do not sum to one


@rows(symmetric=True)
@BY_GRAPH
def test_relabelling_units_relabels_scores(row, graph):
    if row.layout and graph.kind == "grid":
        graph = lc.Graph.ring(6)  # patches of a grid cannot be seen in its edges
    values = np.random.default_rng(4).normal(size=2**graph.d)
    new = np.random.default_rng(5).permutation(graph.d)  # unit i becomes unit new[i]
    other = lc.Graph.from_edges(graph.d, new[graph.edges])
    moved = lc.Game(lambda kept: values[kept[:, new] @ (2 ** np.arange(graph.d))], graph.d)
    close(row.method.explain(moved, other).scores[new], row.method.explain(game_of(values, graph.d), graph).scores)


@rows(symmetric=True)
def test_units_that_an_automorphism_exchanges_score_the_same(row):
    """Mirroring a chain, and turning a ring by one, with games that do not notice."""
    size = (np.arange(2**6)[:, None] >> np.arange(6) & 1).sum(axis=1)
    pairs = np.arange(2**6) & (np.arange(2**6) >> 1)  # neighbours that are both there
    touching = (pairs[:, None] >> np.arange(5) & 1).sum(axis=1)
    mirror = row.method.explain(game_of(np.sqrt(size) + touching**2, 6), lc.Graph.chain(6)).scores
    close(mirror, mirror[::-1])
    turn = row.method.explain(game_of(np.sqrt(size), 6), lc.Graph.ring(6)).scores
    close(turn, np.full(6, turn[0]))


@rows(monotone=True)
@BY_GRAPH
def test_monotone(row, graph):
    rng = np.random.default_rng(2)
    values = rng.normal(size=2**graph.d)
    before = row.method.explain(game_of(values, graph.d), graph).scores
    for i in range(graph.d):
        has = (np.arange(2**graph.d) >> i & 1).astype(bool)
        more = values + np.where(has, rng.exponential(size=2**graph.d), 0)
        assert row.method.explain(game_of(more, graph.d), graph).scores[i] >= before[i] - 1e-12


@BY_METHOD
class TestRunning:
    def test_each_coalition_is_evaluated_once(self, row):
        seen = []
        for graph in (lc.Graph.chain(7), lc.Graph.grid((3, 3))):
            seen.clear()
            v = lc.Game(lambda kept: [seen.append(bytes(k)) or 0.0 for k in kept], graph.d, batch_size=5)
            e = row.method.explain(v, graph)
            assert len(seen) == len(set(seen)) == e.calls
            assert not row.planned or e.calls == row.method.plan(graph).calls
            assert e.calls <= row.method.parameters.get("budget", 10**6)
            assert bytes(graph.d) in seen
            assert b"\x01" * graph.d in seen

    def test_same_bits_twice(self, row):
        game, _ = table_game(8, seed=6)
        one = row.method.explain(game, lc.Graph.grid((2, 4)))
        plans.clear()
        other = row.method.explain(game, lc.Graph.grid((2, 4)))
        assert one.scores.tobytes() == other.scores.tobytes()
        assert one.ranking.tobytes() == other.ranking.tobytes()

    def test_several_outputs_are_as_one_by_one(self, row):
        graph = lc.Graph.grid((2, 3))
        values = np.random.default_rng(7).normal(size=(2**6, 3))
        together = row.method.explain(game_of(values, 6), graph)
        assert together.scores.shape == (6, 3)
        assert together.ranking.shape == (6, 3)
        for output in range(3) if row.planned else [0]:  # a path follows one output
            alone = row.method.explain(game_of(values[:, output], 6), graph)
            close(together.scores[:, output], alone.scores)
            assert together.residual[output] == pytest.approx(alone.residual, abs=1e-12)
            assert together.ranking[:, output].tolist() == alone.ranking.tolist()

    def test_the_batch_size_changes_nothing(self, row):
        graph = lc.Graph.chain(6)
        values = np.random.default_rng(8).normal(size=2**6)
        scores = [
            row.method.explain(lc.Game(game_of(values, 6).fn, 6, batch_size=b), graph).scores.tobytes()
            for b in (1, 3, None)
        ]
        assert len(set(scores)) == 1

    def test_provenance_and_names(self, row):
        graph = lc.Graph.chain(3, names=["a", "b", "a"])
        e = row.method.explain(lc.Game(lambda kept: kept.sum(axis=1), 3), graph)
        assert e.names == ("a", "b", "a")
        assert e.provenance["name"] == row.method.name
        assert lc.get_method(e.provenance["name"])(**e.provenance["parameters"]) == row.method
        assert str(e.calls) in repr(e)


@pytest.mark.parametrize("name", NAMED_GRAPHS)
@rows(planned=True)
def test_the_general_path_gives_the_same_plan(row, name):
    graph = NAMED_GRAPHS[name]
    if row.layout and graph.kind == "grid":
        graph = lc.Graph.chain(graph.d)
    general = lc.Graph.from_edges(graph.d, graph.edges)
    one, other = row.method.plan(graph), row.method.plan(general)
    assert one.coalitions == other.coalitions
    np.testing.assert_array_equal(_dense(one.operator), _dense(other.operator))


def _dense(operator):
    return operator.toarray() if hasattr(operator, "toarray") else operator @ np.eye(operator.shape[1])
