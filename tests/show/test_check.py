import numpy as np
import pytest

import lcshap as lc
from lcshap.show.check import check_option_count


def test_whole_numbers_pass():
    assert check_option_count("top", 1) == 1
    assert check_option_count("order", np.int64(0), minimum=0) == 0
    assert type(check_option_count("top", np.int32(4))) is int


@pytest.mark.parametrize("value", [0, -3, 2.0, True, None, "all"])
def test_others_are_refused_by_name(value):
    with pytest.raises(lc.errors.ShowError, match=f"Expected rows as an integer of at least 1, got {value!r}"):
        check_option_count("rows", value)
