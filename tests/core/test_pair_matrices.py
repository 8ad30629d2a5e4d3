import numpy as np

import lcshap as lc
from lcshap.core.pair_matrices import pair_matrix


def test_numbers_of_edges_and_of_other_pairs():
    graph = lc.Graph.chain(3)
    matrix = pair_matrix(graph, np.array([1.0, 2.0]))
    assert matrix.toarray().tolist() == [[0, 1, 0], [1, 0, 2], [0, 2, 0]]
    other = pair_matrix(graph, np.array([1.0, 2.0]), np.array([[0, 2], [0, 2]]))
    assert other.toarray().tolist() == [[0, 0, 3], [0, 0, 0], [3, 0, 0]]


def test_each_column_has_a_matrix():
    first, second = pair_matrix(lc.Graph.chain(2), np.array([[1.0, 5.0]]))
    assert (first[0, 1], second[1, 0]) == (1.0, 5.0)
