"""What is but rounding is zero."""

import numpy as np

from lcshap.core.rounding import largest, settled


def test_rounding_is_zero_next_to_what_it_is_compared_with():
    assert settled(1.2e-16, [1.0, -2.0]) == 0.0
    assert settled(1.2e-16, [1e-16]) == 1.2e-16
    assert settled(np.array([1e-17, -0.5, np.inf]), [0.1], 3.0).tolist() == [0.0, -0.5, np.inf]
    assert isinstance(settled(np.float64(1.0), 1.0), float)


def test_the_largest_is_finite_and_never_zero():
    assert largest([[np.inf, 2.0], [-3.0]]) == 3.0
    assert largest([]) == largest([[0.0], []]) == 1.0
