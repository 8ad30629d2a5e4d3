"""Against brute force over all coalitions: random local functions, and networks of PyTorch Geometric on molecules."""

from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lcshap as lc
import oracles
from lcshap.estimators.receptive_shapley import interactions_from_table, shapley_from_table
from support import NAMED_GRAPHS, edges_of, every, graphs


def local_game(graph, order, seed=0, outputs=None, constant=3.0):
    """A random number for every subset of the neighbourhood of every unit; balls by the oracle's own walk."""
    rng, near = np.random.default_rng(seed), oracles.neighbours(graph.d, edges_of(graph))
    balls = [sorted(oracles.ball(near, i, order)) for i in range(graph.d)]
    tables = [rng.normal(size=(2 ** len(ball), outputs or 1)) for ball in balls]

    def parts(kept):
        node_parts = [t[kept[:, b] @ (2 ** np.arange(len(b)))] for t, b in zip(tables, balls, strict=True)]
        return np.stack(node_parts, axis=1)[..., slice(None) if outputs else 0]

    return lc.Game(lambda kept: parts(kept).sum(axis=1) + constant, graph.d, part_fn=parts)


def as_dict(game):
    values = game.evaluate(lc.Coalitions.from_dense(every(game.d))).reshape(2**game.d, -1)
    sets = [frozenset(np.flatnonzero(kept).tolist()) for kept in every(game.d)]
    return dict(zip(sets, values.tolist(), strict=True))


def check_exact(e, game, tolerance=1e-12):
    d, table = game.d, as_dict(game)
    expected = np.array(oracles.shapley(d, table))
    np.testing.assert_allclose(e.scores.reshape(d, -1), expected, rtol=0, atol=tolerance)
    np.testing.assert_allclose(e.residual, 0, atol=d * tolerance)
    if e.interactions is not None:
        matrices = e.interactions if isinstance(e.interactions, tuple) else (e.interactions,)
        together = oracles.neighbours(d, combinations(range(d), 2))
        for i, j in combinations(range(d), 2):
            index = oracles.interaction(d, together, table, 1, "absent", i, j)
            np.testing.assert_allclose([m[i, j] for m in matrices], index, rtol=0, atol=4 * tolerance)
            np.testing.assert_allclose([m[j, i] for m in matrices], index, rtol=0, atol=4 * tolerance)


# -- random local functions ------------------------------------------------------------------------------------------


@settings(max_examples=40)
@given(graphs(max_d=7), st.integers(0, 3), st.integers(0, 9), st.sampled_from([None, 1, 2]))
def test_it_is_the_shapley_value_of_every_sum_of_local_functions(graph, order, seed, outputs):
    game = local_game(graph, order, seed, outputs)
    check_exact(lc.ReceptiveShapley(order, interactions=True).explain(game, graph), game)


@pytest.mark.parametrize("graph", NAMED_GRAPHS.values(), ids=NAMED_GRAPHS)
def test_larger_orders_give_the_same(graph):
    game = local_game(graph, 1)
    scores = [lc.ReceptiveShapley(order).explain(game, graph).scores for order in (1, 2, 9)]
    np.testing.assert_allclose(scores[1:], scores[:1] * 2, rtol=0, atol=1e-12)


def test_a_long_chain_costs_no_more_than_its_neighbourhoods():
    graph = lc.Graph.chain(300)
    game = local_game(graph, 2)
    e = lc.ReceptiveShapley(2).explain(game, graph)
    assert e.calls == lc.ReceptiveShapley(2).cost(graph).calls == 40  # 2^5 and eight to check
    assert e.rows == 48
    exact = lc.LShapley(4).explain(game, graph)  # no part that a unit has a share in reaches further
    np.testing.assert_allclose(e.scores, exact.scores, rtol=0, atol=1e-10)


def test_each_coalition_is_evaluated_once_within_the_cost():
    graph, evaluated = lc.Graph.grid((3, 3)), []
    inner = local_game(graph, 1)
    fn = lambda kept: [evaluated.append(bytes(k)) for k in kept] and inner.part_fn(kept)  # noqa: E731
    game = lc.Game(inner.fn, 9, part_fn=fn, batch_size=5)
    e = lc.ReceptiveShapley(1).explain(game, graph)
    assert len(evaluated) == len(set(evaluated)) == e.calls == lc.ReceptiveShapley(1).cost(graph).calls
    assert {bytes(9), b"\x01" * 9} <= set(evaluated)


def test_pairs_in_no_common_neighbourhood_have_no_entry():
    graph = lc.Graph.chain(8)
    e = lc.ReceptiveShapley(1, interactions=True).explain(local_game(graph, 1), graph)
    assert {(i, j) for i, j in zip(*e.interactions.nonzero(), strict=True) if i < j} == {
        (i, j) for i, j in combinations(range(8), 2) if j - i <= 2
    }


def test_the_shapley_value_of_one_and_of_two_units():
    assert shapley_from_table(np.array([1.0, 3.0])).tolist() == [2]
    assert shapley_from_table(np.array([[0.0], [1.0], [2.0], [5.0]])).tolist() == [[2], [3]]
    assert interactions_from_table(np.array([1.0, 3.0])).tolist() == []
    assert interactions_from_table(np.array([[0.0], [1.0], [2.0], [5.0]])).tolist() == [[2]]


def test_files_keep_all_pairs(tmp_path):
    graph = lc.Graph.ring(7)
    for outputs in (None, 2):
        e = lc.ReceptiveShapley(1, interactions=True).explain(local_game(graph, 1, outputs=outputs), graph)
        e.save(tmp_path / "e.json")
        loaded = lc.load(tmp_path / "e.json")
        matrices = [x.interactions if outputs else (x.interactions,) for x in (e, loaded)]
        for matrix, loaded_matrix in zip(*matrices, strict=True):
            assert matrix.toarray().tobytes() == loaded_matrix.toarray().tobytes()
            assert matrix.nnz == loaded_matrix.nnz == 28


# -- what is refused --------------------------------------------------------------------------------------------------


def test_parts_that_reach_further_are_refused():
    graph = lc.Graph.chain(9)
    with pytest.raises(
        lc.errors.MethodError, match=r"within order=1, got one of unit \d that differs by .* agree there"
    ):
        lc.ReceptiveShapley(1).explain(local_game(graph, 2), graph)


@pytest.mark.parametrize("seed", range(10))
def test_a_single_far_unit_is_noticed(seed):
    """A part that depends on one unit outside its neighbourhood, by a hundredth."""
    rng, graph = np.random.default_rng(seed), lc.Graph.chain(20)
    inner, (i, j) = local_game(graph, 1, seed), rng.choice(20, 2, replace=False)
    if abs(i - j) <= 1:
        j = (i + 10) % 20

    def parts(kept):
        return inner.part_fn(kept) + 0.01 * kept[:, [j]] * (np.arange(20) == i)

    game = lc.Game(lambda kept: parts(kept).sum(axis=1), 20, part_fn=parts)
    with pytest.raises(lc.errors.MethodError, match=f"got one of unit {i} "):
        lc.ReceptiveShapley(1).explain(game, graph)


def test_parts_that_do_not_sum_to_the_value_are_refused():
    graph = lc.Graph.chain(9)
    inner = local_game(graph, 1)
    bent = lc.Game(lambda kept: np.tanh(inner.fn(kept)), 9, part_fn=inner.part_fn)
    with pytest.raises(lc.errors.MethodError, match="Expected parts that sum to the value"):
        lc.ReceptiveShapley(1).explain(bent, graph)
    several = lc.Game(lambda kept: np.stack([inner.fn(kept)] * 2, axis=1), 9, part_fn=inner.part_fn)
    with pytest.raises(lc.errors.MethodError, match=r"Expected parts for values of shape \(2,\)"):
        lc.ReceptiveShapley(1).explain(several, graph)


def test_a_game_without_parts_and_parameters():
    with pytest.raises(lc.errors.MethodError, match="got one without parts"):
        lc.ReceptiveShapley().explain(lc.Game(lambda kept: kept.sum(axis=1), 4), lc.Graph.chain(4))
    with pytest.raises(lc.errors.MethodError, match="Expected order as an integer of at least 0"):
        lc.ReceptiveShapley(-1)
    with pytest.raises(lc.errors.MethodError, match="Expected interactions=True or False, got 'all'"):
        lc.ReceptiveShapley(1, interactions="all")
    with pytest.raises(lc.errors.MethodError, match="to stop on a tolerance or a ranking, got"):
        lc.ReceptiveShapley(1).explain(local_game(lc.Graph.chain(4), 1), lc.Graph.chain(4), tolerance=0.1)


@pytest.mark.parametrize("bad", [lambda kept: kept[:, :2], lambda kept: kept.sum(axis=1), lambda kept: kept[:-1]])
def test_parts_of_another_shape(bad):
    game = lc.Game(lambda kept: kept.sum(axis=1), 4, part_fn=bad)
    with pytest.raises(lc.errors.GameError, match="Expected parts of shape"):
        lc.ReceptiveShapley(1).explain(game, lc.Graph.chain(4))


def test_parts_that_are_not_finite():
    game = lc.Game(lambda kept: kept.sum(axis=1), 4, part_fn=lambda kept: np.where(kept, np.nan, 0))
    with pytest.raises(lc.errors.GameError, match="Expected finite parts"):
        lc.ReceptiveShapley(1).explain(game, lc.Graph.chain(4))


def test_neighbourhoods_that_are_too_large():
    star, method = lc.Graph.tree([-1, *[0] * 40]), lc.ReceptiveShapley(1)
    with pytest.raises(
        lc.errors.PlanTooLargeError, match=r"41 units are within 1 edges of 0. Neighbourhoods of at most 19"
    ):
        method.cost(star)
    with pytest.raises(lc.errors.PlanTooLargeError, match=r"Cheaper: .*GraphKernelSHAP\(budget=330"):
        method.explain(local_game(lc.Graph.chain(41), 1), star)
    with pytest.raises(lc.errors.PlanTooLargeError, match="no machine"):
        method.cost(star, max_calls=None)
    with pytest.raises(
        lc.errors.PlanTooLargeError, match=r"at least 128 calls, .* of at most 6 units fit, as those of order=2"
    ):
        lc.ReceptiveShapley(3).cost(lc.Graph.chain(50), max_calls=100)
    assert method.calls_within(star, 1000) is None
    assert method.calls_within(lc.Graph.chain(50), 1000) == 16


# -- networks of PyTorch Geometric on molecules ----------------------------------------------------------------------

SMILES = ["CC(=O)NCCO", "c1ccccc1O", "CC(C)(C)CC#N", "OCC1CC1Cl"]


def molecule(smiles):
    torch, chem = pytest.importorskip("torch"), pytest.importorskip("rdkit.Chem")
    from torch_geometric.data import Data

    mol = chem.MolFromSmiles(smiles)
    atoms = [[a.GetAtomicNum() / 6, a.GetDegree() - 1.5, float(a.GetIsAromatic())] for a in mol.GetAtoms()]
    bonds = [(b.GetBeginAtomIdx(), b.GetEndAtomIdx()) for b in mol.GetBonds()]
    index = torch.tensor([*bonds, *((j, i) for i, j in bonds)]).T.contiguous()
    return Data(x=torch.tensor(atoms, dtype=torch.float64), edge_index=index)


def network(kind, layers=2, outputs=1, pool="sum", behind=False):
    """A message-passing network with batch normalisation and dropout; it returns its answer, and that of each node."""
    torch = pytest.importorskip("torch")
    from torch_geometric.nn import GCNConv, GINConv, global_add_pool, global_mean_pool

    torch.manual_seed(0)

    class Network(torch.nn.Module):
        def __init__(self):
            super().__init__()
            width = [3, *[8] * layers]
            self.layers = torch.nn.ModuleList(self.layer(a, b) for a, b in pairwise(width))
            self.norms = torch.nn.ModuleList(torch.nn.BatchNorm1d(8) for _ in range(layers))
            self.head = torch.nn.Linear(8, outputs)

        def layer(self, a, b):
            if kind == "gcn":
                return GCNConv(a, b)
            return GINConv(torch.nn.Sequential(torch.nn.Linear(a, b), torch.nn.Tanh(), torch.nn.Linear(b, b)))

        def forward(self, x, edge_index, batch):
            for layer, norm in zip(self.layers, self.norms, strict=True):
                x = torch.nn.functional.dropout(norm(layer(x, edge_index)).relu(), 0.3, self.training)
            nodes = self.head(x)
            if pool == "mean":
                nodes = nodes / torch.bincount(batch)[batch][:, None]
                answer = global_mean_pool(self.head(x), batch)
            else:
                answer = global_add_pool(nodes, batch)
            return {"answer": answer.tanh() if behind else answer + 0.5, "nodes": nodes}

    net = Network().double()
    for norm in net.norms:
        norm.running_mean.uniform_(-0.5, 0.5)
        norm.running_var.uniform_(0.5, 2)
    return net  # in training mode: the adapter sees to that


def prepare(graphs_):
    from torch_geometric.data import Batch

    batch = Batch.from_data_list(graphs_)
    return batch.x, batch.edge_index, batch.batch


def explainer(net, method, remove_edges=False, kind="output", parts="nodes", **options):
    model = lc.adapters.TorchModel(net, kind, prepare=prepare, output="answer", parts=parts)
    return lc.Explainer(model, lc.maskers.GraphNodes(remove_edges=remove_edges), method, **options)


CASES = [("gcn", False, 0), ("gcn", True, 1), ("gin", False, 0), ("gin", True, 0)]


@pytest.mark.parametrize("pool", ["sum", "mean"])
@pytest.mark.parametrize(("kind", "remove_edges", "more"), CASES)
def test_networks_on_molecules_against_brute_force(kind, remove_edges, more, pool):
    """GCN layers divide by degrees: where edges are removed, they see a hop further."""
    layers = 1 if more else 2
    method = lc.ReceptiveShapley(layers + more, interactions=True)
    explain = explainer(network(kind, layers, pool=pool), method, remove_edges)
    for smiles in SMILES[:2]:
        e, game = explain(molecule(smiles)), explain.game(molecule(smiles))
        check_exact(e, game, 1e-8)
        check_exact(e, game, 1e-12)


@pytest.mark.parametrize("kind", ["gcn", "gin"])
def test_many_molecules_at_once_with_several_outputs(kind):
    explain = explainer(network(kind, 1, outputs=3), lc.ReceptiveShapley(1), target=[0, 2])
    molecules = [molecule(smiles) for smiles in SMILES]
    for x, e in zip(molecules, explain(molecules), strict=True):
        check_exact(e, explain.game(x), 1e-12)
        assert e.scores.shape == (x.num_nodes, 2)
        assert e.scores.tobytes() == explain(x).scores.tobytes()


def test_a_drug_takes_few_calls_and_agrees_with_all_coalitions():
    x = molecule("CC(=O)Oc1ccccc1C(=O)O")  # 13 atoms
    explain = explainer(network("gin", 1), lc.ReceptiveShapley(1))
    e = explain(x)
    assert e.calls < 30
    np.testing.assert_allclose(e.scores, explainer(network("gin", 1), lc.Shapley())(x).scores, rtol=0, atol=1e-12)


def test_single_precision_is_enough():
    x = molecule(SMILES[0])
    exact = explainer(network("gcn"), lc.ReceptiveShapley(2))(x).scores
    np.testing.assert_allclose(explainer(network("gcn").float(), lc.ReceptiveShapley(2))(x).scores, exact, atol=1e-5)


@pytest.mark.parametrize(("kind", "value"), [("logits", "log_odds"), ("logits", "output")])
def test_classes(kind, value):
    x = molecule(SMILES[0])
    explain = explainer(network("gin", outputs=2), lc.ReceptiveShapley(2), kind=kind, value=value)
    check_exact(explain(x), explain.game(x), 1e-12)


def test_networks_that_are_refused():
    x = molecule("CC(=O)NCCOCC")
    refused = lc.errors.MethodError
    with pytest.raises(refused, match="Expected parts that depend only on units within order=1"):
        explainer(network("gin", 2), lc.ReceptiveShapley(1))(x)
    with pytest.raises(refused, match="Expected parts that depend only on units within order=1"):
        explainer(network("gcn", 1), lc.ReceptiveShapley(1), remove_edges=True)(x)
    with pytest.raises(refused, match="parts that sum to the value"):
        explainer(network("gin", behind=True), lc.ReceptiveShapley(2))(x)
    with pytest.raises(refused, match="got TorchModel without parts"):
        explainer(network("gin"), lc.ReceptiveShapley(2), parts=None)(x)
    with pytest.raises(refused, match="linear in the model's outputs, got 'log_prob' of kind='logits'"):
        explainer(network("gin", outputs=2), lc.ReceptiveShapley(2), kind="logits")(x)
    with pytest.raises(lc.errors.ModelError, match=r"Expected parts of shape .* got \(8, 1\)"):
        explainer(network("gin"), lc.ReceptiveShapley(2), parts="answer")(x)


def test_a_mean_over_what_is_left_is_refused():
    """A readout that divides by the nodes that are kept is no sum of local parts."""
    features, path = np.arange(1.0, 8)[:, None], [(i, i + 1) for i in range(6)]

    def parts(rows):
        x = np.stack([x[:, 0] for x, _ in rows])
        return x / np.maximum((x != 0).sum(axis=1, keepdims=True), 1)

    model = lc.adapters.CallableModel(lambda rows: parts(rows).sum(axis=1), "output", parts=parts)
    with pytest.raises(lc.errors.MethodError, match="divide a mean by the number of all nodes"):
        lc.Explainer(model, lc.maskers.GraphNodes(), lc.ReceptiveShapley(1))((features, path))


def test_batch_normalisation_over_the_batch_is_refused():
    """A function that leaves the network in training mode: a node's part depends on the other rows of its batch."""
    torch = pytest.importorskip("torch")
    net = network("gin").train()

    def run(graphs_, key):
        with torch.no_grad():
            return net(*prepare(graphs_))[key].numpy()

    model = lc.adapters.CallableModel(lambda g: run(g, "answer"), "output", parts=lambda g: run(g, "nodes"))
    with pytest.raises(lc.errors.MethodError, match="Expected parts that"):
        lc.Explainer(model, lc.maskers.GraphNodes(), lc.ReceptiveShapley(2))(molecule(SMILES[0]))
