import subprocess
import sys

import numpy as np
import pytest
from scipy import sparse

import lcshap as lc
import oracles
from lcshap import Coalitions, Graph
from lcshap.adapters.torch import TorchModel
from lcshap.errors import MaskerError, PlanError
from lcshap.maskers.graph_nodes import GraphNodes

FEATURES = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 9.0]])
INDEX = np.array([[0, 1, 1, 2], [1, 0, 1, 1]])  # 0-1 both ways, a loop at 1, and 2 -> 1
MATRIX = np.array([[0, 2, 0], [3, 5, 0], [0, 7, 0]])
GRAPH = Graph.from_edges(3, [(0, 1), (1, 2)])


def rows(masker, x, sets):
    masked = masker.mask(x)
    return masked.rows(Coalitions.from_sets(masked.graph.d, sets))


def without(features, absent, reference=0.0):
    masked_features = features.copy()
    for node in absent:
        masked_features[node] = reference
    return masked_features


def brute_force(d, value):
    """Shapley by definition; `value` is called with the set of kept nodes."""
    table = {S: [float(value(S))] for S in oracles.subsets(range(d))}
    return [score for (score,) in oracles.shapley(d, table)]


# -- rows -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "edges",
    [
        INDEX,
        MATRIX,
        MATRIX.astype(float),
        MATRIX > 0,
        sparse.csr_array(MATRIX),
        sparse.coo_matrix(MATRIX),
        [(0, 1), (1, 0), (1, 1), (2, 1)],
        [(0, 1), (2, 1)],
    ],
)
def test_the_game_is_on_the_undirected_graph_however_edges_are_given(edges):
    assert GraphNodes().mask((FEATURES, edges)).graph == GRAPH


def test_features_become_the_reference_and_edges_stay():
    x, edges = rows(GraphNodes(), (FEATURES, INDEX), [[1]])[0]
    assert x.tolist() == [[0, 0], [3, 4], [0, 0]]
    assert edges is INDEX
    assert rows(GraphNodes("mean"), (FEATURES, INDEX), [[0, 1]])[0][0].tolist() == [[1, 2], [3, 4], [3, 5]]
    assert rows(GraphNodes(7), (FEATURES, INDEX), [[0, 1]])[0][0].tolist() == [[1, 2], [3, 4], [7, 7]]
    assert rows(GraphNodes([8, 9]), (FEATURES, INDEX), [[0, 2]])[0][0].tolist() == [[1, 2], [8, 9], [5, 9]]
    node_reference = -FEATURES
    assert rows(GraphNodes(node_reference), (FEATURES, INDEX), [[0]])[0][0].tolist() == [[1, 2], [-3, -4], [-5, -9]]
    assert rows(GraphNodes(), (FEATURES, INDEX), []) == []


@pytest.mark.parametrize("kept", [{0, 1, 2}, {0, 1}, {1, 2}, {0, 2}, {1}, set()])
def test_edges_of_absent_nodes_are_removed_in_all_forms(kept):
    masker = GraphNodes(remove_edges=True)
    matrix = MATRIX.copy()
    for node in {0, 1, 2} - kept:
        matrix[node, :] = matrix[:, node] = 0
    pairs = [(i, j) for i, j in INDEX.T.tolist() if {i, j} <= kept]
    x, row_edges = rows(masker, (FEATURES, INDEX), [kept])[0]
    assert x.tolist() == without(FEATURES, {0, 1, 2} - kept).tolist()
    assert row_edges.T.tolist() == [list(pair) for pair in pairs]
    assert row_edges.dtype == INDEX.dtype
    assert rows(masker, (FEATURES, [tuple(pair) for pair in INDEX.T.tolist()]), [kept])[0][1] == pairs
    for dtype in (np.int64, np.float32, bool):
        row_edges = rows(masker, (FEATURES, MATRIX.astype(dtype)), [kept])[0][1]
        assert row_edges.dtype == dtype
        assert row_edges.tolist() == matrix.astype(dtype).tolist()
    for kind in (sparse.csr_array, sparse.csc_matrix, sparse.coo_array):
        row_edges = rows(masker, (FEATURES, kind(MATRIX)), [kept])[0][1]
        assert type(row_edges) is kind
        assert row_edges.nnz == np.count_nonzero(matrix)
        assert row_edges.toarray().tolist() == matrix.tolist()


def test_a_mapping_gives_mappings():
    row = rows(GraphNodes(remove_edges=True), {"x": FEATURES, "edge_index": INDEX}, [[0, 1]])[0]
    assert list(row) == ["x", "edge_index"]
    assert row["x"].tolist() == [[1, 2], [3, 4], [0, 0]]
    assert row["edge_index"].tolist() == [[0, 1, 1], [1, 0, 1]]
    row = rows(GraphNodes(), {"x": FEATURES, "adjacency": MATRIX}, [[]])[0]
    assert row["adjacency"] is MATRIX
    ambiguous = np.array([[0, 0], [1, 1]])  # as an index: the edge 0 -> 1 twice; as a matrix: 1 -> 0 and a loop
    mappings = rows(GraphNodes(remove_edges=True), {"x": FEATURES[:2], "edge_index": ambiguous}, [[0, 1], [0]])
    assert [row["edge_index"].shape for row in mappings] == [(2, 2), (2, 0)]
    mappings = rows(GraphNodes(remove_edges=True), {"x": FEATURES[:2], "adjacency": ambiguous}, [[1]])
    assert mappings[0]["adjacency"].tolist() == [[0, 0], [0, 1]]


def test_types_are_kept_and_the_input_is_left_alone():
    features = np.array([[1], [2]], np.int32)
    graphs = rows(GraphNodes(), (features, [(0, 1)]), [[0], [0, 1]])
    assert [x.dtype for x, _ in graphs] == [np.int32, np.int32]
    graphs[1][0][:] = 9
    assert features.tolist() == [[1], [2]]
    masked = GraphNodes().mask((features, [(0, 1)]))
    features[:] = 5
    assert masked.rows(Coalitions.from_sets(2, [[0]]))[0][0].tolist() == [[1], [0]]


def test_small_and_loose_graphs_have_scores():
    def total(graphs):
        return [x.sum() for x, _ in graphs]

    for edges in ([], np.zeros((2, 0)), np.zeros((2, 0), int)):
        masker = GraphNodes(remove_edges=True)
        e = lc.Explainer(total, masker, lc.Myerson(), kind="output")((FEATURES, edges))
        np.testing.assert_allclose(e.scores, [3, 7, 14])
    single_node = lc.Explainer(total, GraphNodes(), lc.Shapley(), kind="output")((FEATURES[:1], [(0, 0)]))
    assert single_node.scores.tolist() == [3]


def test_names_and_lists_of_graphs():
    def total(graphs):
        return [x.sum() for x, _ in graphs]

    explainer = lc.Explainer(total, GraphNodes(names=["a", "b", "c"]), lc.LShapley(1), kind="output")
    first, second = explainer([(FEATURES, INDEX), (2 * FEATURES, INDEX)])
    assert first.names == ("a", "b", "c")
    np.testing.assert_allclose(first.scores, [3, 7, 14])
    np.testing.assert_allclose(second.scores, [6, 14, 28])
    assert explainer([]) == []


# -- models -----------------------------------------------------------------------------------------------------------


def small_graph():
    """Six nodes with features and a ring with a chord, as edges in one direction."""
    x = np.random.default_rng(0).normal(size=(6, 3)).astype(np.float32)
    return x, [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 0), (1, 4)]


def dense(n, pairs):
    adjacency = np.zeros((n, n), np.float32)
    for i, j in pairs:
        adjacency[i, j] = adjacency[j, i] = 1
    return adjacency


@pytest.mark.parametrize("remove_edges", [False, True])
def test_a_numpy_model_against_brute_force(remove_edges):
    x, pairs = small_graph()

    def smooth(graphs):
        return [np.tanh((adjacency + np.eye(len(f))) @ f).sum() for f, adjacency in graphs]

    def value(S):
        kept_pairs = [(i, j) for i, j in pairs if not remove_edges or {i, j} <= S]
        return smooth([(without(x, set(range(6)) - S), dense(6, kept_pairs))])[0]

    masker = GraphNodes(remove_edges=remove_edges)
    e = lc.Explainer(smooth, masker, lc.Shapley(), kind="output")((x, dense(6, pairs)))
    np.testing.assert_allclose(e.scores, brute_force(6, value), atol=1e-6)


@pytest.mark.parametrize("remove_edges", [False, True])
def test_a_graph_network_in_plain_torch_against_brute_force(remove_edges):
    import torch

    class GCN(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.second = torch.nn.Linear(3, 8), torch.nn.Linear(8, 2)

        def forward(self, x, adjacency):
            loops = adjacency + torch.eye(adjacency.shape[-1])
            steps = loops / loops.sum(dim=-1, keepdim=True)
            return self.second(steps @ torch.relu(steps @ self.first(x))).mean(dim=1)

    torch.manual_seed(0)
    net = GCN()
    x, pairs = small_graph()

    def stack(graphs):
        return tuple(np.stack(parts) for parts in zip(*graphs, strict=True))

    def value(S):
        kept_pairs = [(i, j) for i, j in pairs if not remove_edges or {i, j} <= S]
        with torch.no_grad():
            features = torch.tensor(without(x, set(range(6)) - S))[None]
            return torch.log_softmax(net(features, torch.tensor(dense(6, kept_pairs))[None]), dim=1)[0, 1]

    model = TorchModel(net, "logits", prepare=stack)
    e = lc.Explainer(model, GraphNodes(remove_edges=remove_edges), lc.Shapley(), target=1)((x, dense(6, pairs)))
    np.testing.assert_allclose(e.scores, brute_force(6, value), atol=1e-6)


@pytest.mark.filterwarnings("ignore:.*torch.jit.script.*:DeprecationWarning")
@pytest.mark.parametrize("remove_edges", [False, True])
def test_a_pytorch_geometric_network_against_brute_force(remove_edges):
    import torch
    import torch_geometric as geometric
    from torch_geometric.nn import GCNConv, global_mean_pool

    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.second = GCNConv(3, 8), GCNConv(8, 2)

        def forward(self, data):
            h = torch.relu(self.first(data.x, data.edge_index, data.edge_attr))
            return global_mean_pool(self.second(h, data.edge_index, data.edge_attr), data.batch)

    torch.manual_seed(0)
    net = Net().eval()
    x, pairs = small_graph()
    directed = [*pairs, *((j, i) for i, j in pairs)]
    weights = [0.5 + 0.1 * number for number in range(len(directed))]

    def graph(features, edges, weight):
        index = torch.tensor(edges, dtype=torch.long).reshape(-1, 2).T
        return geometric.data.Data(
            x=torch.tensor(features), edge_index=index, edge_attr=torch.tensor(weight), y=torch.tensor([1])
        )

    def predict(graphs):
        with torch.no_grad():
            return net(geometric.data.Batch.from_data_list(graphs))

    def value(S):
        kept_edges = [k for k, edge in enumerate(directed) if not remove_edges or set(edge) <= S]
        subgraph = graph(
            without(x, set(range(6)) - S), [directed[k] for k in kept_edges], [weights[k] for k in kept_edges]
        )
        with torch.no_grad():
            return torch.log_softmax(net(subgraph), dim=1)[0, 0]

    data = graph(x, directed, weights)
    masker = GraphNodes(remove_edges=remove_edges)
    e = lc.Explainer(predict, masker, lc.Shapley(), target=0, kind="logits")(data)
    np.testing.assert_allclose(e.scores, brute_force(6, value), atol=1e-5)
    assert torch.equal(data.x, torch.tensor(x))
    assert data.num_edges == len(directed)
    row = rows(masker, data, [[0, 1]])[0]
    assert type(row) is type(data)
    assert row.x.dtype == torch.float32
    assert row.y.tolist() == [1]
    assert row.num_edges == (2 if remove_edges else len(directed))


def test_tensors_stay_tensors():
    import torch

    x = torch.tensor(FEATURES, dtype=torch.float16, requires_grad=True)
    for edges in (torch.tensor(INDEX), torch.tensor(MATRIX)):
        row_features, row_edges = rows(GraphNodes(remove_edges=True), (x, edges), [[0, 1]])[0]
        assert row_features.dtype == torch.float16
        assert row_features.tolist() == [[1, 2], [3, 4], [0, 0]]
        assert row_edges.dtype == torch.int64
        expected = [[0, 1, 1], [1, 0, 1]] if edges.shape == (2, 4) else [[0, 2, 0], [3, 5, 0], [0, 0, 0]]
        assert row_edges.tolist() == expected


def test_nothing_heavy_is_imported():
    code = (
        "import lcshap.maskers.graph_nodes, sys; print([m for m in ('torch', 'torch_geometric') if m in sys.modules])"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


# -- what is refused --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("x", "message"),
    [
        (
            FEATURES,
            r"Expected a pair \(features, edges\), a mapping of x and edge_index or adjacency, or a PyG.*, got ndarray",
        ),
        (
            (FEATURES,),
            r"Expected a pair \(features, edges\), a mapping of x and edge_index or adjacency, or a PyG.*tuple",
        ),
        (
            (FEATURES, INDEX, None),
            r"Expected a pair \(features, edges\), a mapping of x and edge_index or adjacency, or a PyG.*tuple",
        ),
        ({"x": FEATURES}, r"Expected a pair \(features, edges\), a mapping of x and edge_index or adjacency, or a PyG"),
        (
            {"x": FEATURES, "edge_index": INDEX, "edge_attr": 1},
            r"Expected a pair \(features, edges\), a mapping of x and edge_index or adjacency, or a PyG.*edge_attr",
        ),
        ({}, r"Expected a pair \(features, edges\), a mapping of x and edge_index or adjacency, or a PyG.*nothing"),
        (
            (FEATURES[0], INDEX),
            r"Expected features of shape \(nodes, features\), with at least one of each, got \(2,\)",
        ),
        (
            (np.zeros((0, 2)), []),
            r"Expected features of shape \(nodes, features\), with at least one of each, got \(0, 2\)",
        ),
        (
            (np.zeros((3, 0)), []),
            r"Expected features of shape \(nodes, features\), with at least one of each, got \(3, 0\)",
        ),
        (([["a"]], []), "Expected features as real numbers, got <U1"),
        (([[1], [2, 3]], []), "Expected features as an array or a tensor of numbers, got something else: setting an"),
        ((np.array([[1.0], [np.nan]]), []), "Expected finite features, got nan as feature 0 of node 1"),
        (
            (FEATURES, np.eye(4)),
            r"Expected edges as a matrix \(3, 3\), a list of pairs or integers of shape \(2, m\), got.*float",
        ),
        ((FEATURES, sparse.eye_array(4)), r"Expected an adjacency matrix of shape \(3, 3\) for 3 nodes, got \(4, 4\)"),
        (
            {"x": FEATURES, "adjacency": np.eye(4)},
            r"Expected an adjacency matrix of shape \(3, 3\) for 3 nodes, got \(4, 4\)",
        ),
        (
            {"x": FEATURES, "edge_index": INDEX.T},
            r"Expected edges as integers of shape \(2, m\), got int64 of shape \(4, 2\)",
        ),
        (
            (FEATURES, INDEX.T),
            r"Expected edges as a matrix \(3, 3\), a list of pairs or integers of shape \(2, m\), got",
        ),
        (
            (FEATURES, INDEX + 0.5),
            r"Expected edges as a matrix \(3, 3\), a list of pairs or integers of shape \(2, m\), got.*float",
        ),
        (
            (FEATURES, [[0], [1, 2]]),
            "Expected edges as an array or a tensor of numbers, got something else: setting an array",
        ),
        ((FEATURES, {"a": 1}), r"of shape \(\)"),
        ((FEATURES, [(0, 1, 2)]), "pairs of integers"),
        ((FEATURES, [(0, 3)]), r"Expected edges between the units 0 to 2, got the edge \(0, 3\)"),
        ((FEATURES, [(0, -1)]), r"Expected edges between the units 0 to 2, got the edge \(0, -1\)"),
        ((FEATURES, np.full((3, 3), np.nan)), "finite numbers, got NaN"),
    ],
)
def test_inputs_that_are_no_graphs(x, message):
    with pytest.raises(MaskerError, match=message):
        GraphNodes().mask(x)


def test_data_without_features_or_edges():
    import torch
    from torch_geometric.data import Data

    for incomplete in (Data(edge_index=torch.tensor(INDEX)), Data(x=torch.tensor(FEATURES))):
        with pytest.raises(
            MaskerError,
            match=r"Expected a pair \(features, edges\), a mapping of x and edge_index or adjacency, or a PyG",
        ):
            GraphNodes().mask(incomplete)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"reference": "blur"}, '"zero", "mean" or an array'),
        ({"remove_edges": 1}, "True or False"),
    ],
)
def test_invalid_parameters(options, message):
    with pytest.raises(MaskerError, match=message):
        GraphNodes(**options)


@pytest.mark.parametrize(
    ("options", "features", "message"),
    [
        (
            {"reference": [1, 2, 3]},
            FEATURES,
            r"Expected a reference that fits features of shape \(3, 2\), got shape \(3,\)",
        ),
        ({"reference": np.inf}, FEATURES, "finite"),
        ({"reference": ["a", "b"]}, FEATURES, "finite numbers"),
        (
            {"reference": "mean"},
            np.array([[1], [2], [2]]),
            "Expected a reference that features of int64 can hold, got float64",
        ),
        (
            {"reference": 300},
            np.zeros((3, 1), np.uint8),
            "Expected a reference that features of uint8 can hold, got int64",
        ),
        ({"names": ["a"]}, FEATURES, "Expected 3 names, one for each unit, got 1"),
    ],
)
def test_parameters_that_do_not_fit_the_input(options, features, message):
    with pytest.raises(MaskerError, match=message):
        GraphNodes(**options).mask((features, INDEX))


def test_coalitions_of_another_input():
    with pytest.raises(
        PlanError, match="Expected coalitions over the 3 units of the input, got coalitions over 2 units"
    ):
        GraphNodes().mask((FEATURES, INDEX)).rows(Coalitions.from_sets(2, [[0]]))
