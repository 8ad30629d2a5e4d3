import numpy as np
from scipy import sparse

from lcshap.core.columnwise import ColumnwisePreprocessing
from lcshap.core.tree_ensembles import DROPPED, PINNED


def test_units_follow_the_sources():
    preprocessing = ColumnwisePreprocessing(lambda rows: rows, np.array([2, 0, -1, 1, 2]))
    assert preprocessing.units(np.array([0, DROPPED, 1])).tolist() == [1, 0, PINNED, DROPPED, 1]


def test_sparse_columns_become_numbers():
    preprocessing = ColumnwisePreprocessing(sparse.csr_array, np.array([0, 1]))
    np.testing.assert_array_equal(preprocessing.transform(np.array([[0, 2]])), [[0.0, 2.0]])
