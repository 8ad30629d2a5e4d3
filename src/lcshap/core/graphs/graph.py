"""The graph over the units of an input: undirected, unweighted, immutable."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import prod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from ...errors import GraphError
from . import build


@dataclass(frozen=True, eq=False, repr=False)
class Graph:
    """An undirected graph over units 0..d-1, with a name for each.

    Make one with `chain`, `ring`, `grid`, `complete`, `tree`, `from_edges`, `from_sparse` or `from_networkx`. All take
    `names`, one string a unit; names may repeat, as words in a text do.

    Attributes
    ----------
    adjacency : `(d, d)` symmetric boolean sparse matrix in CSR form, sorted, with an empty diagonal.
    names : one string a unit ("0", "1", ... unless given).
    kind : how it was made: "chain", "ring", "grid", "complete", "tree" or "graph".
    shape : the layout of the units: `(d,)`, or the shape of the grid.

    Examples
    --------
    >>> g = Graph.chain(5, names=["it", "is", "not", "it", "is"])
    >>> g.neighbours(2), g.ball(2, 1)
    ((1, 3), (1, 2, 3))
    >>> Graph.grid((28, 28))
    Graph.grid((28, 28)): 784 units, 1512 edges
    """

    adjacency: sparse.csr_array
    names: tuple[str, ...]
    kind: str = "graph"
    shape: tuple[int, ...] = field(default=())

    # -- makers ---------------------------------------------------------------------------------------------------

    @classmethod
    def _make(
        cls,
        d: int,
        edges: NDArray[np.integer],
        names: Sequence[str] | None,
        kind: str = "graph",
        shape: tuple[int, ...] = (),
    ) -> Graph:
        return cls(build.adjacency_from_edges(d, edges), build.check_unit_names(names, d), kind, shape or (d,))

    @classmethod
    def chain(cls, d: int, names: Sequence[str] | None = None) -> Graph:
        """`d` units in a row, each next to the one before and after: words in a text, steps in time.

        `names` has one for each unit, here and in the other graphs. By default they are numbers.
        """
        d = build.check_size(d)
        return cls(build.chain_adjacency(d), build.check_unit_names(names, d), "chain", (d,))

    @classmethod
    def ring(cls, d: int, names: Sequence[str] | None = None) -> Graph:
        """A chain of `d` units whose ends are neighbours, as the authors' code has for texts. `names`: one for each
        unit.
        """
        d = build.check_size(d)
        return cls._make(d, build.ring_edges(d), names, "ring")

    @classmethod
    def grid(cls, shape: Sequence[int], diagonal: bool = False, names: Sequence[str] | None = None) -> Graph:
        """Pixels, patches or voxels in an array of this `shape`, numbered row by row. `names`: one for each.

        Each has 4 neighbours in 2-D and 6 in 3-D; 8 and 26 with `diagonal`."""
        sides = tuple(build.check_size(side) for side in shape)
        if not sides:
            raise GraphError("Expected a grid of at least one side, such as (28, 28), got none.")
        if len(sides) > 32:
            raise GraphError(f"Expected a grid of at most 32 sides, got {len(sides)}.")
        d = build.check_size(prod(sides))
        return cls._make(d, build.grid_edges(sides, diagonal), names, "grid", sides)

    @classmethod
    def complete(cls, d: int, names: Sequence[str] | None = None) -> Graph:
        """`d` units, each next to every other: no structure is known. `names`: one for each.

        L-Shapley of order 1 on this graph is the Shapley value."""
        d = build.check_size(d)
        return cls._make(d, build.complete_edges(d), names, "complete")

    @classmethod
    def tree(cls, parents: Sequence[int | None], names: Sequence[str] | None = None) -> Graph:
        """A tree (or several) from `parents`, the parent of each unit; a root has parent -1 or None. `names`: one for
        each unit. Useful for parse trees.

        >>> Graph.tree([None, 0, 0, 2]).neighbours(2)
        (0, 3)
        """
        return cls._make(build.check_size(len(parents)), build.tree_edges(parents), names, "tree")

    @classmethod
    def from_edges(
        cls, d: int, pairs: Iterable[tuple[int, int]] | ArrayLike, names: Sequence[str] | None = None
    ) -> Graph:
        """`d` units and `pairs` of them, each pair an edge; the order within a pair and repeats do not matter.
        `names`: one for each unit."""
        return cls._make(build.check_size(d), build.pair_edges(pairs), names)

    @classmethod
    def from_sparse(cls, A: Any, names: Sequence[str] | None = None) -> Graph:
        """From a square matrix `A` (SciPy sparse or dense): every nonzero is an edge, in whichever triangle it is.
        `names`: one for each unit."""
        matrix = build.as_square_matrix(A)
        return cls._make(build.check_size(matrix.shape[0]), np.stack(matrix.nonzero(), axis=1), names)

    @classmethod
    def from_networkx(cls, G: Any, names: Sequence[str] | None = None) -> Graph:
        """From the NetworkX graph `G`. Units are numbered in the order of ``G.nodes``; `names` are the nodes by
        default.
        """
        order = {node: i for i, node in enumerate(G.nodes)}
        pairs = [(order[u], order[v]) for u, v in G.edges()]
        return cls.from_edges(len(order), pairs, [str(node) for node in order] if names is None else names)

    # -- what one asks of a graph ---------------------------------------------------------------------------------

    @property
    def d(self) -> int:
        """The number of units."""
        return int(self.adjacency.shape[0])

    def __len__(self) -> int:
        return self.d

    @property
    def edges(self) -> NDArray[np.int32]:
        """All edges as an array `(m, 2)`, the smaller unit first, in ascending order."""
        units, neighbours = np.repeat(np.arange(self.d), self.degrees), self.adjacency.indices
        upper = units < neighbours
        return np.stack([units[upper], neighbours[upper]], axis=1).astype(np.int32)

    @cached_property
    def degrees(self) -> NDArray[np.int64]:
        """How many neighbours each unit has."""
        return np.asarray(np.diff(self.adjacency.indptr), np.int64)

    def neighbours(self, i: int) -> tuple[int, ...]:
        """The units next to `i`."""
        i = range(self.d)[i]
        return tuple(self.adjacency.indices[self.adjacency.indptr[i] : self.adjacency.indptr[i + 1]].tolist())

    def ball(self, i: int, order: int) -> tuple[int, ...]:
        """`N_k(i)`: the units within `order` edges of `i`, `i` included."""
        i = range(self.d)[i]
        members, frontier = {i}, {i}
        for _ in range(order):
            frontier = {j for u in frontier for j in self.neighbours(u)} - members
            if not frontier:
                break
            members |= frontier
        return tuple(sorted(members))

    def grow_balls(self) -> Iterator[sparse.csr_array]:
        """`N_0, N_1, N_2, ...` of all units at once, as boolean matrices with a row a unit. Ends when nothing grows."""
        step = (self.adjacency + sparse.eye_array(self.d, dtype=bool, format="csr")).astype(bool)
        ball = sparse.eye_array(self.d, dtype=bool, format="csr")
        while True:
            yield ball
            wider = ball @ step
            if wider.nnz == ball.nnz:
                return
            wider.sort_indices()
            ball = wider

    def balls(self, order: int) -> sparse.csr_array:
        """`N_k` of all units at once, k being `order`: a boolean matrix with a row for each unit."""
        for k, ball in enumerate(self.grow_balls()):  # noqa: B007
            if k == order:
                break
        return ball

    @cached_property
    def components(self) -> NDArray[np.int32]:
        """For each unit, the number of its connected component."""
        return np.asarray(connected_components(self.adjacency, directed=False)[1], np.int32)

    @cached_property
    def is_chain(self) -> bool:
        """Whether it is one chain, however it was made and numbered."""
        degrees = np.diff(self.adjacency.indptr)
        return bool(degrees.max() <= 2 and self.adjacency.nnz == 2 * (self.d - 1) and self.components.max() == 0)

    @cached_property
    def key(self) -> str:
        """A digest of the structure (not of the names): equal keys, equal plans."""
        digest = hashlib.sha256(repr((self.kind, self.shape, self.d)).encode())
        digest.update(self.adjacency.indptr.astype(np.int64).tobytes())
        digest.update(self.adjacency.indices.astype(np.int64).tobytes())
        return digest.hexdigest()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Graph) and self.key == other.key and self.names == other.names

    def __hash__(self) -> int:
        return hash(self.key)

    def __repr__(self) -> str:
        argument = self.shape if self.kind == "grid" else "..." if self.kind == "tree" else self.d
        maker = "from_edges" if self.kind == "graph" else self.kind
        edge_count = self.adjacency.nnz // 2
        return (
            f"Graph.{maker}({argument}): {self.d} unit{'s' * (self.d != 1)}, {edge_count} edge{'s' * (edge_count != 1)}"
        )
