"""Graphs of columns: learnt ones against known structures, and against other implementations."""

import importlib
import sys

import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.cluster.hierarchy import fcluster, linkage
from sklearn.metrics import mutual_info_score

import lcshap as lc
from lcshap.errors import MaskerError, MissingExtraError
from lcshap.maskers.table_graphs import learn_graph
from lcshap.maskers.tabular import Tabular

from .test_tabular import NAMES, ROWS, Frame, X, chain_data


def test_a_learnt_graph():
    importlib.import_module("sklearn")
    data = chain_data(500, 5)
    learnt = learn_graph(Frame(data, NAMES))
    assert learnt.names == NAMES
    assert learnt.edges.tolist() == [[0, 1], [1, 2], [2, 3], [3, 4]]
    assert learn_graph(data, names=NAMES) == learnt
    assert learn_graph(data * [1, 1e3, 1, 1e-3, 1] + 7, names=NAMES) == learnt
    assert Tabular(Frame(data, NAMES), "learn").mask(X).graph == learnt
    assert Tabular(ROWS, learnt, pin="sex").mask(X).graph.edges.tolist() == [[0, 1], [2, 3]]
    assert len(learn_graph(data, threshold=0.99).edges) == 0
    assert len(learn_graph(data, threshold=0).edges) >= 4


def test_the_learnt_graph_is_that_of_the_partial_correlations():
    """With many rows the lasso hardly shrinks: compare with the inverse of the correlation matrix."""
    importlib.import_module("sklearn")
    rng = np.random.default_rng(3)
    mix = np.linalg.inv(np.eye(6) - np.tril(rng.random((6, 6)) < 0.4, k=-1) * 0.7)
    data = rng.normal(size=(4000, 6)) @ mix.T
    inverse = np.linalg.inv(np.corrcoef(data.T))
    partial = np.abs(inverse) / np.sqrt(np.outer(np.diag(inverse), np.diag(inverse)))
    expected = [[i, j] for i in range(6) for j in range(i + 1, 6) if partial[i, j] > 0.1]
    assert 3 <= len(expected) <= 12
    assert learn_graph(data).edges.tolist() == expected
    sorted_rows = data[np.argsort(data[:, 0])]  # parts cut from sorted rows would each see another world
    assert learn_graph(sorted_rows).edges.tolist() == expected


def test_columns_that_never_change_have_no_neighbours():
    importlib.import_module("sklearn")
    data = np.insert(chain_data(300, 3), 1, 5.0, axis=1)
    assert learn_graph(data).edges.tolist() == [[0, 2], [2, 3]]
    assert learn_graph(np.ones((20, 3))).edges.tolist() == []
    assert learn_graph(chain_data(20, 1)).d == 1


def test_learning_needs_an_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn", None)
    monkeypatch.setitem(sys.modules, "sklearn.covariance", None)
    with pytest.raises(MissingExtraError, match=r'pip install "lcshap\[sklearn\]"'):
        Tabular(chain_data(50, 3), "learn")


@pytest.mark.parametrize(
    ("data", "threshold", "message"),
    [
        (ROWS, 0.1, "Expected more rows to learn a graph from, got 4"),
        (X, 0.1, r"Expected rows and columns to learn a graph from, got shape \(5,\)"),
        (chain_data(50, 3), 1.0, r"Expected a threshold of at least 0 and below 1, got 1\.0"),
        (chain_data(50, 3), -0.1, r"Expected a threshold of at least 0 and below 1, got -0\.1"),
        (
            Frame(np.where(np.eye(20, 2) > 0, np.nan, 1.0), ["a", "b"]),
            0.1,
            "Expected numbers in every column, got nan in column 'a'",
        ),
    ],
)
def test_data_to_learn_from_is_checked(data, threshold, message):
    with pytest.raises(MaskerError, match=message):
        learn_graph(data, threshold)


def test_copies_of_columns_are_named_as_the_trouble(monkeypatch):
    covariance = importlib.import_module("sklearn.covariance")

    class Fails:
        def fit(self, data):
            raise FloatingPointError("Non SPD result")

    monkeypatch.setattr(covariance, "GraphicalLassoCV", Fails)
    with pytest.raises(
        MaskerError, match=r"Expected columns of which a graph can be learnt, got others \(Non SPD result\).*copies"
    ):
        learn_graph(chain_data(50, 3))


# -- mixed columns -------------------------------------------------------------------------------------------------


def mixed_chain(n, seed=0):
    """A Markov chain a - b - c - d - e of mixed columns, with gaps, and a column that has nothing to do with it."""
    rng = np.random.default_rng(seed)
    a = rng.integers(0, 3, n)
    b = a + 0.5 * rng.normal(size=n)
    c = (b + 0.5 * rng.normal(size=n) > 1).astype(int) + (b + 0.5 * rng.normal(size=n) > 2)
    d = np.where(rng.random(n) < 0.8, c, rng.integers(0, 3, n))
    e = d + 0.4 * rng.normal(size=n)
    frame = pd.DataFrame(
        {
            "a": np.array(["low", "mid", "high"])[a],
            "noise": rng.normal(size=n),
            "b": b,
            "c": pd.Categorical(np.array(["x", "y", "z"])[c]),
            "d": d,
            "e": e,
        }
    )
    frame.loc[rng.random(n) < 0.05, "b"] = np.nan
    frame.loc[rng.random(n) < 0.05, "a"] = None
    return frame


CHAIN = [[0, 2], [2, 3], [3, 4], [4, 5]]


@pytest.mark.parametrize("method", ["mutual-information", "cluster"])
@pytest.mark.parametrize("seed", range(3))
def test_the_structure_of_mixed_columns_is_found(method, seed):
    data = mixed_chain(3000, seed)
    learnt = learn_graph(data, method=method)
    assert learnt.edges.tolist() == CHAIN
    assert learnt.names == tuple(data.columns)
    assert learn_graph(pl.from_pandas(data), method=method) == learnt
    assert Tabular(data, method, pin="noise", summary=5).mask(data[:1]).graph.edges.tolist() == [
        [0, 1], [1, 2], [2, 3], [3, 4]
    ]  # fmt: skip


@pytest.mark.parametrize("method", ["mutual-information", "cluster"])
def test_independent_columns_have_no_edges(method):
    rng = np.random.default_rng(0)
    for seed in range(10):
        data = np.random.default_rng(seed).normal(size=(300, 8))
        assert learn_graph(data, method=method).edges.tolist() == []
    codes = pd.DataFrame(rng.integers(0, 30, (500, 5)).astype(str))
    assert learn_graph(codes, method=method).edges.tolist() == []
    assert learn_graph(np.ones((20, 3)), method=method).edges.tolist() == []


def categories(seed, d=7, n=800):
    """Columns of few categories, each of which depends on some before it."""
    rng = np.random.default_rng(seed)
    columns = [rng.integers(0, 3, n)]
    for _ in range(d - 1):
        parent = columns[rng.integers(len(columns))]
        columns.append(np.where(rng.random(n) < 0.7, parent, rng.integers(0, 3, n)))
    return np.stack(columns, axis=1)


@pytest.mark.parametrize("seed", range(5))
def test_the_cluster_tree_is_the_maximum_spanning_tree_and_single_linkage(seed):
    """Against scikit-learn's mutual information, NetworkX's spanning tree and SciPy's clusters."""
    data = categories(seed)
    d = data.shape[1]
    information = np.array([[mutual_info_score(data[:, i], data[:, j]) for j in range(d)] for i in range(d)])
    complete = nx.Graph()
    complete.add_weighted_edges_from((i, j, information[i, j]) for i in range(d) for j in range(i))
    expected = sorted(sorted(edge) for edge in nx.maximum_spanning_tree(complete).edges)
    learnt = learn_graph(pd.DataFrame(data.astype(str)), threshold=0, method="cluster")
    assert learnt.edges.tolist() == expected
    far = information.max() - information[np.triu_indices(d, k=1)]
    for clusters in range(2, d):
        ids = fcluster(linkage(far, "single"), clusters, "maxclust")
        strongest = sorted(learnt.edges.tolist(), key=lambda edge: -information[tuple(edge)])[: d - clusters]
        parts = list(nx.connected_components(nx.Graph([(i, i) for i in range(d)] + [tuple(e) for e in strongest])))
        assert {frozenset(component) for component in parts} == {frozenset(np.flatnonzero(ids == c)) for c in set(ids)}


@pytest.mark.parametrize("seed", range(5))
def test_the_weakest_pair_of_three_is_left_out(seed):
    """Against a loop over all triples."""
    data = categories(seed)
    d = data.shape[1]
    strength = {}
    for i in range(d):
        for j in range(d):
            excess = mutual_info_score(data[:, i], data[:, j]) - 4 / (2 * len(data))
            strength[i, j] = np.sqrt(1 - np.exp(-2 * max(excess, 0)))
    dependent = {(i, j) for i in range(d) for j in range(d) if i != j and strength[i, j] > 0.1}
    expected = []
    for i, j in sorted(dependent):
        between = [k for k in range(d) if (i, k) in dependent and (k, j) in dependent]
        if i < j and not any(strength[i, j] < min(strength[i, k], strength[k, j]) for k in between):
            expected.append([i, j])
    assert learn_graph(pd.DataFrame(data.astype(str)), method="mutual-information").edges.tolist() == expected


def test_what_the_graphical_lasso_does_not_take():
    data = mixed_chain(50)
    with pytest.raises(
        MaskerError, match=r"Expected numbers in every column, got categories in column 'a'.*graph.*mutual.*information"
    ):
        Tabular(data, "learn")
    with pytest.raises(MaskerError, match="one of partial-correlation, mutual-information, cluster as method, got 'x'"):
        learn_graph(data, method="x")
    assert learn_graph(chain_data(500, 4), method="cluster") == lc.Graph.from_edges(4, [[0, 1], [1, 2], [2, 3]])
