"""What is but rounding is zero."""

import numpy as np

from lcshap.core.rounding import max_magnitude, round_to_zero


def test_rounding_is_zero_next_to_what_it_is_compared_with():
    assert round_to_zero(1.2e-16, [1.0, -2.0]) == 0.0
    assert round_to_zero(1.2e-16, [1e-16]) == 1.2e-16
    assert round_to_zero(np.array([1e-17, -0.5, np.inf]), [0.1], 3.0).tolist() == [0.0, -0.5, np.inf]
    assert isinstance(round_to_zero(np.float64(1.0), 1.0), float)


def test_the_largest_is_finite_and_never_zero():
    assert max_magnitude([[np.inf, 2.0], [-3.0]]) == 3.0
    assert max_magnitude([]) == max_magnitude([[0.0], []]) == 1.0
