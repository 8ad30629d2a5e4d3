import numpy as np
from explanation_sets import array_set


def test_numbers_can_be_changed_in_a_copy():
    xs, scores, _ = array_set()
    copied = xs.to_numpy()
    copied[:] = 0
    np.testing.assert_array_equal(xs.scores, scores)
