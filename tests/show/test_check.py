import numpy as np
import pytest

import lcshap as lc
from lcshap.show.check import check_count


def test_whole_numbers_pass():
    assert check_count("top", 1) == 1
    assert check_count("order", np.int64(0), least=0) == 0
    assert type(check_count("top", np.int32(4))) is int


@pytest.mark.parametrize("value", [0, -3, 2.0, True, None, "all"])
def test_others_are_refused_by_name(value):
    with pytest.raises(lc.ShowError, match=f"Expected rows as an integer of at least 1, got {value!r}"):
        check_count("rows", value)
