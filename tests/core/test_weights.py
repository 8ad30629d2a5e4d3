import numpy as np
from scipy import sparse

from lcshap.core.weights import Weights


def test_outputs_are_weighted_sums():
    weights = Weights(np.array([[1.0, 2.0, 0.0], [0.0, -1.0, 4.0]]))
    rows = np.array([[1.0, 2.0, 3.0], [0.0, 1.0, 0.0]])
    assert weights.outputs == 2
    np.testing.assert_array_equal(weights.predict(rows), [[5, 10], [2, -1]])
    np.testing.assert_array_equal(weights.predict(sparse.csr_array(rows)), [[5, 10], [2, -1]])
