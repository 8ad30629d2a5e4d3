"""Numbers of pairs of units as sparse matrices."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from .graphs import Graph


def pair_matrix(
    graph: Graph, values: NDArray[np.float64], pairs: NDArray[np.integer] | None = None
) -> sparse.csr_array | tuple[sparse.csr_array, ...]:
    """Put one number for each edge into a symmetric sparse matrix; with several columns, each into a matrix of its own.

    With `pairs`, the numbers belong to these pairs instead of the edges; numbers of equal pairs are summed.
    """
    if values.ndim == 2:
        columns = [pair_matrix(graph, column, pairs) for column in values.T]
        return tuple(c for c in columns if not isinstance(c, tuple))
    first, second = (graph.edges if pairs is None else pairs).T
    coordinates = (np.concatenate([first, second]), np.concatenate([second, first]))
    return sparse.csr_array(sparse.coo_array((np.tile(values, 2), coordinates), shape=(graph.d, graph.d)))
