"""One suite over every registered method: the axioms that it satisfies, and the requirements for all methods.

The cases come from the methods: `examples` has the parameters, `axioms` the axioms that they declare. A new
file in `estimators/` is tested here without a change.
"""

import json
import sys
from types import SimpleNamespace

import command
import numpy as np
import pytest

import lcshap as lc
from lcshap.core.method import PLAN_CACHE
from lcshap.core.table_method import TableMethod
from lcshap.estimators.saliency import GradientMethod
from support import NAMED_GRAPHS, table_game

GRAPHS = {
    "chain": lc.Graph.chain(6),
    "grid": lc.Graph.grid((2, 3)),
    "scattered": lc.Graph.from_edges(6, [(0, 4), (4, 1), (2, 5)]),
}
CHAIN = GRAPHS["chain"]
EXAMPLES = [method for entry in lc.METHODS.built_in() for method in entry.examples]
MORE = (GradientMethod, TableMethod, lc.ReceptiveShapley)  # methods that need more than values: tested by themselves
METHODS = [m for m in EXAMPLES if not isinstance(m, MORE)]
TABLE_METHODS = [m for m in EXAMPLES if isinstance(m, TableMethod)]
BY_METHOD = pytest.mark.parametrize("method", METHODS, ids=str)
BY_METHOD_AND_GRAPH = pytest.mark.parametrize(
    ("method", "graph"),
    [pytest.param(m, g, id=f"{m}-{name}") for m in METHODS for name, g in GRAPHS.items()],
)


def parametrize_by_axiom(axiom, graphs=GRAPHS):
    """The methods and graphs for which an axiom is declared."""
    cases = [(m, g, f"{m}-{name}") for m in METHODS for name, g in graphs.items() if getattr(m.axioms(g), axiom)]
    assert len({type(m) for m, *_ in cases}) > 3
    return pytest.mark.parametrize(("method", "graph"), [pytest.param(m, g, id=name) for m, g, name in cases])


def game_of(values, d):
    """A game from a table of 2^d values (or rows of outputs), indexed by the bits of the coalition."""
    return lc.Game(lambda kept: values[kept @ (2 ** np.arange(d))], d)


def close(a, b):
    np.testing.assert_allclose(a, b, rtol=0, atol=1e-12)


def test_every_method_has_examples_and_axioms():
    for entry in lc.METHODS.built_in():
        assert entry.examples, f"{entry.name} is not tested: give it `examples`"
        assert {type(method) for method in entry.examples} == {entry.method}
        assert len(set(entry.examples)) == len(entry.examples)
        assert all(isinstance(m.axioms(g), lc.Axioms) for m in entry.examples for g in GRAPHS.values())
    assert {type(m) for m in EXAMPLES} >= {lc.Shapley, lc.LShapley, lc.CShapley, lc.LIME, lc.DeletionPath, lc.Saliency}


def test_unusual_options_are_among_the_examples():
    """What was forgotten once, or is a path of its own through the code."""
    required = [
        lc.LIME(26, seed=5, features=2),
        lc.GraphKernelSHAP(44, order=0, seed=5),
        lc.LShapley(2, interactions=True),
        lc.CShapley(2, "both", "myerson", "decomposed"),
        lc.CShapley(None, "absent", "paper", "direct", 3),
        lc.RegressionCShapley(3, "kernel", "removed", 1.0),
        lc.SampledLShapley(80, 2, "both", 1),
        lc.SampledCShapley(40, 3, "absent", "paper"),
    ]
    assert set(required) <= set(EXAMPLES)


@parametrize_by_axiom("linear")
def test_linear_and_blind_to_constants(method, graph):
    x, y = np.random.default_rng(0).normal(size=(2, 2**graph.d))
    explain = lambda v: method.explain(game_of(v, graph.d), graph).scores  # noqa: E731
    close(explain(2 * x - 3 * y + 100), 2 * explain(x) - 3 * explain(y))


@BY_METHOD_AND_GRAPH
class TestAxioms:
    def test_dummy(self, method, graph):
        values = np.random.default_rng(1).normal(size=2**graph.d)
        silent = 4
        values = values[np.arange(2**graph.d) & ~(1 << silent)]
        e = method.explain(game_of(values, graph.d), graph)
        score = e.scores[silent]
        if isinstance(e, lc.PathExplanation) and silent in e.path:
            step = e.path.tolist().index(silent)
            assert e.path_values[step] == e.path_values[step + 1]  # the scores are pooled, the values are not
        if method.axioms(graph).dummy:
            assert abs(score) < 1e-12
        elif graph.kind == "chain" and (method.parameters.get("max_size") or 9) > 2 and method.axioms(graph).linear:
            assert abs(score) > 1e-4  # rightly not claimed: it connects others, or takes up what fits badly

    def test_efficiency_or_its_residual(self, method, graph):
        values = np.random.default_rng(3).normal(size=(2**graph.d, 4))
        e = method.explain(game_of(values, graph.d), graph)
        efficient = method.axioms(graph).efficient
        close(e.residual, values[-1] - values[0] - e.scores.sum(axis=0))
        for component in range(graph.components.max() + 1):
            members = graph.components == component
            worth = values[(2 ** np.arange(graph.d))[members].sum()] - values[0]
            if efficient == "component":
                close(e.scores[members].sum(axis=0), worth)
        if efficient == "graph":
            close(e.residual, 0)
        elif efficient == "nothing":
            assert abs(e.residual).max() > 1e-3  # and nothing hides it

    def test_additive_games_are_read_off(self, method, graph):
        worth = np.arange(1.0, graph.d + 1)
        e = method.explain(lc.Game(lambda kept: kept @ worth, graph.d), graph)
        error = abs(e.scores - worth).max()
        if method.axioms(graph).unit_mass:
            close(e.scores, worth)
        elif isinstance(method, lc.ContextCite | lc.BanzhafSurrogate):
            assert 1e-3 < error < 0.3  # their penalty and their prior shrink the scores a little
        else:
            assert error > 0.1  # the printed weights of C-Shapley do not sum to one


@parametrize_by_axiom("symmetric")
def test_relabelling_units_relabels_scores(method, graph):
    if method.axioms(graph).layout and graph.kind == "grid":
        graph = lc.Graph.ring(6)  # patches of a grid cannot be seen in its edges
    values = np.random.default_rng(4).normal(size=2**graph.d)
    new = np.random.default_rng(5).permutation(graph.d)  # unit i becomes unit new[i]
    other = lc.Graph.from_edges(graph.d, new[graph.edges])
    moved = lc.Game(lambda kept: values[kept[:, new] @ (2 ** np.arange(graph.d))], graph.d)
    close(method.explain(moved, other).scores[new], method.explain(game_of(values, graph.d), graph).scores)


@parametrize_by_axiom("symmetric", {"chain": CHAIN})
def test_units_that_an_automorphism_exchanges_score_the_same(method, graph):
    """Mirroring a chain, and turning a ring by one, with games that do not notice."""
    size = (np.arange(2**6)[:, None] >> np.arange(6) & 1).sum(axis=1)
    pairs = np.arange(2**6) & (np.arange(2**6) >> 1)  # neighbours that are both there
    touching = (pairs[:, None] >> np.arange(5) & 1).sum(axis=1)
    mirror = method.explain(game_of(np.sqrt(size) + touching**2, 6), graph).scores
    close(mirror, mirror[::-1])
    turn = method.explain(game_of(np.sqrt(size), 6), lc.Graph.ring(6)).scores
    close(turn, np.full(6, turn[0]))


@parametrize_by_axiom("monotone")
def test_monotone(method, graph):
    rng = np.random.default_rng(2)
    values = rng.normal(size=2**graph.d)
    before = method.explain(game_of(values, graph.d), graph).scores
    for i in range(graph.d):
        has = (np.arange(2**graph.d) >> i & 1).astype(bool)
        more = values + np.where(has, rng.exponential(size=2**graph.d), 0)
        assert method.explain(game_of(more, graph.d), graph).scores[i] >= before[i] - 1e-12


@BY_METHOD
class TestRunning:
    def test_each_coalition_is_evaluated_once(self, method):
        evaluated = []
        for graph in (lc.Graph.chain(7), lc.Graph.grid((3, 3))):
            evaluated.clear()
            v = lc.Game(lambda kept: [evaluated.append(bytes(k)) or 0.0 for k in kept], graph.d, batch_size=5)
            e = method.explain(v, graph)
            assert len(evaluated) == len(set(evaluated)) == e.calls
            assert not method.axioms(graph).planned or e.calls == method.plan(graph).calls
            assert e.calls <= method.parameters.get("budget", 10**6)
            assert bytes(graph.d) in evaluated
            assert b"\x01" * graph.d in evaluated

    def test_same_bits_twice(self, method):
        game, _ = table_game(8, seed=6)
        first = method.explain(game, lc.Graph.grid((2, 4)))
        PLAN_CACHE.clear()
        second = method.explain(game, lc.Graph.grid((2, 4)))
        assert first.scores.tobytes() == second.scores.tobytes()
        assert first.ranking.tobytes() == second.ranking.tobytes()

    def test_several_outputs_are_as_one_by_one(self, method):
        graph = lc.Graph.grid((2, 3))
        values = np.random.default_rng(7).normal(size=(2**6, 3))
        together = method.explain(game_of(values, 6), graph)
        assert together.scores.shape == (6, 3)
        assert together.ranking.shape == (6, 3)
        for output in range(3) if method.axioms(graph).planned else [0]:  # a path follows one output
            alone = method.explain(game_of(values[:, output], 6), graph)
            close(together.scores[:, output], alone.scores)
            assert together.residual[output] == pytest.approx(alone.residual, abs=1e-12)
            assert together.ranking[:, output].tolist() == alone.ranking.tolist()

    def test_the_batch_size_changes_nothing(self, method):
        graph = lc.Graph.chain(6)
        values = np.random.default_rng(8).normal(size=2**6)
        scores = [
            method.explain(lc.Game(game_of(values, 6).fn, 6, batch_size=b), graph).scores.tobytes()
            for b in (1, 3, None)
        ]
        assert len(set(scores)) == 1

    def test_provenance_and_names(self, method):
        graph = lc.Graph.chain(3, names=["a", "b", "a"])
        e = method.explain(lc.Game(lambda kept: kept.sum(axis=1), 3), graph)
        assert e.names == ("a", "b", "a")
        assert e.provenance["name"] == method.name
        assert lc.get_method(e.provenance["name"])(**e.provenance["parameters"]) == method.for_graph(graph)
        assert str(e.calls) in repr(e)


@parametrize_by_axiom("planned", NAMED_GRAPHS)
def test_the_general_path_gives_the_same_plan(method, graph):
    if method.axioms(graph).layout and graph.kind == "grid":
        graph = lc.Graph.chain(graph.d)
    general = lc.Graph.from_edges(graph.d, graph.edges)
    plan, general_plan = method.plan(graph), method.plan(general)
    assert plan.coalitions == general_plan.coalitions
    np.testing.assert_array_equal(_scores_of_unit_games(plan), _scores_of_unit_games(general_plan))


def _scores_of_unit_games(plan):
    """A column for each coalition of the plan: the scores if it is worth 1 and all others nothing."""
    return plan.estimator.estimate(np.eye(plan.calls)).scores


# -- through every door -----------------------------------------------------------------------------------------------

ROW, BACKGROUND = np.array([1.0, 2, 4, 8, 16, 32]), np.zeros(6)
TABLE = np.random.default_rng(9).normal(size=64)
MASKER = lc.maskers.Tabular(BACKGROUND, names=list("abcdef"), graph=CHAIN)


def look_up(rows):
    """A model that knows every masked row by heart: no rounding, and no row depends on another."""
    return TABLE[np.asarray(rows).sum(axis=1).astype(int)]


def assert_same_bits(e, other_e):
    assert e.scores.tobytes() == other_e.scores.tobytes()
    assert e.ranking.tobytes() == other_e.ranking.tobytes()
    assert (e.stderr is None) == (other_e.stderr is None)
    assert e.stderr is None or e.stderr.tobytes() == other_e.stderr.tobytes()
    assert e.dof == other_e.dof
    assert e.calls == other_e.calls
    assert (e.base_value, e.full_value) == (other_e.base_value, other_e.full_value)
    assert (e.interactions is None) == (other_e.interactions is None)
    if e.interactions is not None:
        assert e.interactions.toarray().tobytes() == other_e.interactions.toarray().tobytes()
    assert e.provenance["parameters"] == other_e.provenance["parameters"]
    assert type(e) is type(other_e)
    if isinstance(e, lc.PathExplanation):
        assert e.path.tobytes() == other_e.path.tobytes()
        assert e.path_values.tobytes() == other_e.path_values.tobytes()


UNUSUAL = [
    lc.DeletionPath(40, flip_below=-0.3),
    lc.InsertionPath(40, flip_above=0.3),
    lc.DeletionPath(64, path_share=1.0, window=2),
    lc.LIME(40, seed=1, kernel_width=0.5, ridge=0.0, features=3),
    lc.LShapley(2, "both", interactions=True),
    lc.SampleShapley(30, seed=2),
]
EVERY = [*METHODS, *(m for m in UNUSUAL if m not in METHODS)]


@pytest.mark.parametrize("method", EVERY, ids=str)
def test_every_entry_point_gives_the_same_bits(method):
    """`explain`, the Explainer with one input and with several, `compare`, `run`: one way, so one answer."""
    game = lc.Game(lambda kept: look_up(kept * ROW), 6)
    alone = method.explain(game, CHAIN)
    explainer = lc.Explainer(look_up, MASKER, method, kind="output")
    assert_same_bits(explainer(ROW), alone)
    for e in explainer([ROW, ROW]):
        assert_same_bits(e, alone)
    other_methods = [lc.Shapley(), lc.SampleShapley(20), lc.DeletionPath(20)]
    assert_same_bits(explainer.compare(ROW, [method])[0], alone)
    assert_same_bits(explainer.compare(ROW, [*other_methods, method])[-1], alone)
    assert_same_bits(method.explain_many([game, game], [CHAIN, CHAIN])[1], alone)
    if method.axioms(CHAIN).planned:
        assert_same_bits(lc.run(method.plan(CHAIN), game), alone)
        assert method.cost(CHAIN).calls == alone.calls
    else:
        assert alone.calls <= method.cost(CHAIN).calls


def linear_network():
    torch = pytest.importorskip("torch")
    net = torch.nn.Linear(6, 1).double()
    with torch.no_grad():
        net.weight[:] = torch.tensor([[1.0, -2.0, 0.5, 0.25, -4.0, 2.0]])
        net.bias[:] = 0.125
    return net


@pytest.mark.parametrize("method", [m for m in EXAMPLES if isinstance(m, GradientMethod)], ids=str)
def test_every_entry_point_gives_the_same_gradient(method):
    """All numbers are small dyadic fractions, so that no order of summation rounds."""
    net = linear_network()
    weights, bias = net.weight.detach().numpy()[0], net.bias.item()
    gradient = lambda: (weights[:, None], (ROW - BACKGROUND)[:, None])  # noqa: E731
    game = lc.Game(lambda kept: (kept * ROW) @ weights + bias, 6, gradient=gradient)
    alone = method.explain(game, CHAIN)
    explainer = lc.Explainer(net, MASKER, method, kind="output")
    assert_same_bits(explainer(ROW), alone)
    assert_same_bits(explainer.compare(ROW, [lc.Shapley(), method])[1], alone)
    cost = method.cost(CHAIN)
    assert (cost.calls, cost.gradients) == (alone.calls, 1)


def grown_tree():
    """The model that knows every row by heart, as a tree with a leaf for each."""
    rows = ROW * (np.arange(64)[:, None] >> np.arange(6) & 1)
    return pytest.importorskip("sklearn.tree").DecisionTreeRegressor(random_state=0).fit(rows, look_up(rows))


def fitted_line():
    """A linear model of two of the columns."""
    rows = ROW * (np.arange(64)[:, None] >> np.arange(6) & 1)
    model = pytest.importorskip("sklearn.linear_model").LinearRegression().fit(rows, rows[:, 1] - 2 * rows[:, 4])
    model.coef_, model.intercept_ = np.round(model.coef_, 6), 0.0  # so that no order of summation rounds
    return model


def boosting_machine():
    """An additive model of two columns and their product."""
    rows = ROW * (np.arange(64)[:, None] >> np.arange(6) & 1)
    glassbox = pytest.importorskip("interpret.glassbox")
    options = {"interactions": [(1, 4)], "outer_bags": 1, "validation_size": 0, "max_rounds": 20, "n_jobs": 1}
    return glassbox.ExplainableBoostingRegressor(**options).fit(rows, rows[:, 1] * (1 + rows[:, 4]))


READABLE = {  # a model for each method that reads models
    lc.TreeSHAP: grown_tree,
    lc.LinearSHAP: fitted_line,
    lc.AdditiveSHAP: boosting_machine,
}


@pytest.mark.parametrize("method", TABLE_METHODS, ids=str)
def test_every_entry_point_gives_the_same_scores_of_a_model_that_is_read(method):
    model = READABLE[type(method)]()
    explainer = lc.Explainer(model, MASKER, method, kind="output")
    alone = explainer(ROW)
    close(alone.scores, lc.Explainer(model.predict, MASKER, lc.Shapley(), kind="output")(ROW).scores)
    assert_same_bits(explainer(np.stack([ROW, ROW]))[1], alone)
    game = explainer.game(ROW)
    checked = method.explain(game, game.graph)
    compared, streamed = explainer.compare(ROW, [lc.Shapley(), method])[1], next(iter(explainer.stream(ROW)))
    for e in (checked, compared, streamed):
        close(e.scores, alone.scores)
    assert checked.calls == compared.calls == method.cost(CHAIN).calls


def neighbours(rows):
    """What each unit adds to a number: a product of its value and its right neighbour's, dyadic fractions all."""
    rows = np.asarray(rows)
    return rows * (1 + np.column_stack([rows[:, 1:], np.zeros(len(rows))]) / 8)


SUMMED = lc.adapters.CallableModel(lambda rows: neighbours(rows).sum(axis=1) + 1, "output", parts=neighbours)


@pytest.mark.parametrize("method", [m for m in EXAMPLES if isinstance(m, lc.ReceptiveShapley)], ids=str)
def test_every_entry_point_gives_the_same_parts(method):
    alone = method.explain(
        lc.Game(lambda kept: neighbours(kept * ROW).sum(axis=1) + 1, 6, part_fn=lambda kept: neighbours(kept * ROW)),
        CHAIN,
    )
    explainer = lc.Explainer(SUMMED, MASKER, method)
    close(alone.scores, lc.Explainer(SUMMED, MASKER, lc.Shapley())(ROW).scores)
    assert_same_bits(explainer(ROW), alone)
    assert_same_bits(explainer([ROW, ROW])[1], alone)
    assert_same_bits(explainer.compare(ROW, [lc.Shapley(), method])[1], alone)
    assert_same_bits(next(iter(explainer.stream(ROW))), alone)
    game = explainer.game(ROW)
    assert_same_bits(method.explain(game, game.graph), alone)
    assert method.cost(CHAIN).calls == alone.calls


@pytest.mark.parametrize("method", [*(e.examples[0] for e in lc.METHODS.built_in()), *UNUSUAL], ids=str)
def test_the_command_gives_the_same_scores(method, tmp_path, monkeypatch):
    """`lcshap explain --json` with all parameters written as name=value."""
    name, model = "look_up", look_up
    if isinstance(method, MORE):
        name, model = (
            ("read", READABLE[type(method)]()) if isinstance(method, TableMethod) else ("net", linear_network())
        )
        name, model = ("summed", SUMMED) if isinstance(method, lc.ReceptiveShapley) else (name, model)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setitem(sys.modules, "by_heart", SimpleNamespace(**{name: model, "masker": MASKER}))
    table = "\n".join(",".join(map(str, row)) for row in (ROW, BACKGROUND))
    (tmp_path / "t.csv").write_text(f"a,b,c,d,e,f\n{table}\n")
    written = [f"{key}={json.dumps(value)}" for key, value in method.parameters.items()]
    written = ":".join([method.name, *(pair.replace('"', "") for pair in written)])
    options = ["--csv", str(tmp_path / "t.csv"), "--masker", "by_heart:masker", "--method", written]
    e = command.explained("--model", f"by_heart:{name}", "--kind", "output", *options)
    assert_same_bits(e, lc.Explainer(model, MASKER, method, kind="output")(ROW))
