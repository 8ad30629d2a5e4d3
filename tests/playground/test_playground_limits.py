import pytest

from lcshap.errors import OptionError
from lcshap.playground import Limits


@pytest.mark.parametrize("value", [0, -1, True, 1.5, "7"])
def test_limits_are_positive_integers(value):
    with pytest.raises(OptionError, match="as the limit text"):
        Limits(text=value)
