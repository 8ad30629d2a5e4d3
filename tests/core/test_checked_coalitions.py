import pytest

from lcshap.core.checked_coalitions import coalitions_to_check


@pytest.mark.parametrize("d", [1, 2, 3, 4, 5, 16, 17, 400])
def test_the_empty_and_the_full_one_are_among_them_and_none_twice(d):
    coalitions = coalitions_to_check(d)
    assert len(coalitions) == len(coalitions.unique()[0]) == min(16, 2**d)
    assert coalitions.sizes[0] == 0
    assert coalitions.sizes[-1] == d
