"""Graphs as inputs: nodes with features are units; absent nodes lose their features and, as an option, their edges."""

from __future__ import annotations

import copy
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..core.coalitions import Coalitions
from ..core.digest import class_name
from ..core.graphs import Graph
from ..core.graphs.build import as_square_matrix, pair_edges
from ..errors import GraphError, MaskerError
from .base import Masked, Masker, check_units
from .input_lists import count_axes, is_list
from .text_keys import find_idle

Kept = NDArray[np.bool_]
Form = Literal["sparse", "dense", "index", "list"]
_EXPECTED_INPUT = (
    "Expected a pair (features, edges), a mapping of x and edge_index or adjacency, or a PyG Data as the graph"
)


@dataclass(frozen=True, eq=False)
class GraphNodes(Masker):
    """A graph whose nodes have features: nodes are units, and the graph of the game is the graph itself.

    A graph is one of these; a list of them is many graphs:

    - a pair ``(features, edges)``. Features are an array or tensor `(nodes, f)`; edges are a matrix `(nodes, nodes)`,
      dense or SciPy sparse, nonzero where there is an edge, or integers `(2, m)`, or a list of pairs of nodes. An array
      `(2, 2)` for two nodes is read as a matrix.
    - a mapping ``{"x": features, "edge_index": integers}`` or ``{"x": features, "adjacency": matrix}``.
    - a PyTorch Geometric `Data` with `x` and `edge_index`; its other attributes are kept.

    Rows are a list of graphs of the same kind and types.

    Parameters
    ----------
    reference : the features of absent nodes. "zero". "mean": the average over the nodes of the graph. Or an array: one
        number, `(f,)`, or `(nodes, f)`.
    remove_edges : whether the edges of absent nodes are removed too, including loops. All nodes are kept.
    names : the names of the nodes; by default their numbers.

    Notes
    -----
    Choose `remove_edges` if an absent node should not pass on messages. With fixed edges it still relays the messages
    of its neighbours, and counts in their degrees. The graph of the game has no directions, weights or loops: two nodes
    are neighbours if there is an edge in either direction. Rows with fixed edges share them, so a model must not write
    into its input.

    Examples
    --------
    >>> import lcshap as lc
    >>> features, path = np.array([[1.0], [2.0], [4.0]]), [(0, 1), (1, 2)]
    >>> masked = GraphNodes(remove_edges=True).mask((features, path))
    >>> x, edges = masked.rows(lc.Coalitions.from_sets(3, [[1, 2]]))[0]
    >>> x.tolist(), edges
    ([[0.0], [2.0], [4.0]], [(1, 2)])
    >>> def model(graphs):  # the sum over all edges of the product of their two nodes
    ...     return [sum(x[i, 0] * x[j, 0] for i, j in edges) for x, edges in graphs]
    >>> lc.Explainer(model, GraphNodes(), lc.Shapley(), kind="output")((features, path)).scores
    array([1., 5., 4.])

    A PyTorch Geometric network that is called with a batch::

        def predict(graphs):
            with torch.no_grad():
                return network(Batch.from_data_list(graphs))

        Explainer(predict, GraphNodes(remove_edges=True), kind="logits")(data)
    """

    reference: Literal["zero", "mean"] | float | NDArray[Any] | Sequence[Any] = "zero"
    remove_edges: bool = False
    names: Sequence[str] | None = None

    def __post_init__(self) -> None:
        if isinstance(self.reference, str) and self.reference not in ("zero", "mean"):
            raise MaskerError(f'Expected "zero", "mean" or an array as reference, got {self.reference!r}.')
        if not isinstance(self.remove_edges, bool):
            raise MaskerError(f"Expected remove_edges=True or False, got {self.remove_edges!r}.")

    def is_many(self, x: Any) -> bool:
        """A list is many graphs, a tuple one. An iterator, an array of objects and a PyG `Dataset` are many too."""
        dataset = getattr(sys.modules.get("torch_geometric.data"), "Dataset", None)
        if dataset is not None and isinstance(x, dataset):
            return True
        return count_axes(x) == 1 or (is_list(x) and not isinstance(x, tuple))

    def mask(self, x: Any) -> MaskedGraphNodes:
        """Take every node as a unit."""
        raw_features, edges, key = _unpack(x)
        features = _check_features(_to_array(raw_features, "features").copy())
        form = _find_edge_form(edges, key, len(features))
        try:
            pairs = _edge_pairs(edges, form)
            graph = Graph.from_edges(len(features), pairs[pairs[:, 0] != pairs[:, 1]], self.names)
        except GraphError as error:
            raise MaskerError(str(error)) from error
        reference = self._reference(features)
        return MaskedGraphNodes(graph, x, features, reference, form, self.remove_edges)

    def _reference(self, features: NDArray[Any]) -> NDArray[Any]:
        """The features of absent nodes, in the shape and dtype of all features."""
        if isinstance(self.reference, str):
            reference = (
                np.zeros(features.shape[1]) if self.reference == "zero" else features.mean(axis=0, dtype=np.float64)
            )
        else:
            reference = np.asarray(self.reference)
        if reference.dtype.kind not in "biuf" or not np.isfinite(reference).all():
            raise MaskerError("Expected a reference of finite numbers, got NaN or infinite ones.")
        if reference.shape not in ((), features.shape[1:], features.shape):
            raise MaskerError(
                f"Expected a reference that fits features of shape {features.shape}, got shape {reference.shape}."
            )
        cast = np.broadcast_to(reference, features.shape).astype(features.dtype)
        if features.dtype.kind != "f" and (cast != reference).any():
            raise MaskerError(
                f"Expected a reference that features of {features.dtype} can hold, got {reference.dtype}. Convert "
                "one of them."
            )
        return cast


@dataclass(frozen=True, eq=False)
class MaskedGraphNodes(Masked):
    """A graph with features.

    Attributes
    ----------
    x : the input.
    features : an array `(nodes, f)`.
    reference : the features of absent nodes, an array of the same shape.
    form : the form of the edges in the input: "sparse" or "dense" (a matrix), "index" or "list".
    remove_edges : whether absent nodes lose their edges.
    """

    x: Any
    features: NDArray[Any]
    reference: NDArray[Any]
    form: Form
    remove_edges: bool

    @property
    def content(self) -> tuple[Any, ...]:
        """The complete input, and what absent nodes lose."""
        raw_features, edges, key = _unpack(self.x)
        graph = self.x.to_dict() if hasattr(self.x, "edge_index") else edges
        kind = (key, hasattr(raw_features, "new_tensor"), class_name(type(self.x)))
        return kind, raw_features, graph, self.features, self.reference, self.form, self.remove_edges

    def rows(self, coalitions: Coalitions) -> list[Any]:
        """One graph per coalition, of the same kind as the input."""
        check_units(coalitions, self.graph)
        kept = coalitions.dense()
        features = _convert_like(_unpack(self.x)[0], np.where(kept[:, :, None], self.features, self.reference))
        return [self._row(f, k) for f, k in zip(features, kept, strict=True)]

    @cached_property
    def _idle_units(self) -> NDArray[np.bool_]:
        """Nodes whose features are the reference and which have no edges to lose."""
        nodes = np.broadcast_to(np.arange(self.graph.d)[:, None], self.features.shape)
        idle = find_idle(self.features, self.reference, nodes, self.graph.d)
        if self.remove_edges:
            idle[_edge_pairs(_unpack(self.x)[1], self.form)] = False
        return idle

    def _row(self, features: Any, kept: Kept) -> Any:
        _, edges, key = _unpack(self.x)
        if hasattr(self.x, "edge_index"):  # a `Data` object, whose own method also selects the attributes of edges
            edge_kept = kept[_edge_index(edges)].all(axis=0)
            row = self.x.edge_subgraph(edges.new_tensor(edge_kept).bool()) if self.remove_edges else copy.copy(self.x)
            row.x = features
            return row
        edges = _keep_edges(edges, self.form, kept) if self.remove_edges else edges
        return (features, edges) if key is None else {"x": features, key: edges}


def _unpack(x: Any) -> tuple[Any, Any, str | None]:
    """The features and edges of an input, and the name of its edges."""
    if isinstance(x, Mapping):
        key = next((key for key in ("edge_index", "adjacency") if set(x) == {"x", key}), None)
        if key is None:
            raise MaskerError(f"{_EXPECTED_INPUT}, got a mapping with {', '.join(map(repr, x)) or 'nothing'}.")
        return x["x"], x[key], key
    if isinstance(x, tuple) and len(x) == 2:
        return *x, None
    if getattr(x, "x", None) is None or getattr(x, "edge_index", None) is None:
        raise MaskerError(f"{_EXPECTED_INPUT}, got {type(x).__name__}.")
    return x.x, x.edge_index, "edge_index"


def _check_features(features: NDArray[Any]) -> NDArray[Any]:
    if features.ndim != 2 or not features.size:
        raise MaskerError(
            f"Expected features of shape (nodes, features), with at least one of each, got {features.shape}."
        )
    if features.dtype.kind not in "biuf":
        raise MaskerError(f"Expected features as real numbers, got {features.dtype}.")
    if not np.isfinite(features).all():
        node, feature = np.argwhere(~np.isfinite(features))[0].tolist()
        raise MaskerError(
            f"Expected finite features, got {features[node, feature]} as feature {feature} of node {node}."
        )
    return features


def _find_edge_form(edges: Any, key: str | None, n: int) -> Form:
    """The form of the edges of `n` nodes."""
    if key is None and isinstance(edges, list):
        return "list"
    matrix = sparse.issparse(edges) and key != "edge_index"
    array = edges if matrix else _to_array(edges, "edges")
    if matrix or key == "adjacency" or (key is None and array.shape == (n, n)):
        if array.shape != (n, n):
            raise MaskerError(f"Expected an adjacency matrix of shape ({n}, {n}) for {n} nodes, got {array.shape}.")
        return "sparse" if matrix else "dense"
    if array.ndim != 2 or len(array) != 2 or (array.dtype.kind not in "iu" and array.size):
        alternatives = "" if key else f"a matrix ({n}, {n}), a list of pairs or "
        raise MaskerError(
            f"Expected edges as {alternatives}integers of shape (2, m), got {array.dtype} of shape {array.shape}."
        )
    return "index"


def _edge_pairs(edges: Any, form: Form) -> NDArray[np.int64]:
    """The edges as an array `(m, 2)`."""
    if form == "sparse":
        return np.stack(as_square_matrix(edges).nonzero(), axis=1)
    array = _to_array(edges, "edges")
    if form == "dense":
        return np.stack(as_square_matrix(array).nonzero(), axis=1)
    return pair_edges(array.T if form == "index" else array)


def _keep_edges(edges: Any, form: Form, kept: Kept) -> Any:
    """The edges between kept nodes, in the form of the input."""
    if form == "list":
        return [edge for edge in edges if kept[list(edge)].all()]
    if form == "index":
        index = _edge_index(edges)
        return _convert_like(edges, index[:, kept[index].all(axis=0)])
    if form == "dense":
        return _convert_like(edges, _to_array(edges, "edges") * np.outer(kept, kept))
    matrix = edges.tocoo(copy=True)
    matrix.data = matrix.data * (kept[matrix.row] & kept[matrix.col])
    matrix.eliminate_zeros()
    return matrix.asformat(edges.format)


def _edge_index(edges: Any) -> NDArray[np.int64]:
    return _to_array(edges, "edges").astype(np.int64)


def _to_array(array_like: Any, noun: str) -> NDArray[Any]:
    """An array or a tensor of any device as an array."""
    try:
        return np.asarray(array_like.detach().cpu() if hasattr(array_like, "detach") else array_like)
    except (TypeError, ValueError, RuntimeError) as error:  # for ragged lists and sparse tensors
        raise MaskerError(
            f"Expected {noun} as an array or a tensor of numbers, got something else: {error}."
        ) from error


def _convert_like(template: Any, array: NDArray[Any]) -> Any:
    """An array in the type of the input: a tensor of its dtype and device, if it was one."""
    return template.new_tensor(array) if hasattr(template, "new_tensor") else array
