"""Views of molecules: what is refused."""

import pytest
from saved_views import read

import lcshap as lc


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"block": None}, "at view.block: expected a text, got nothing"),
    ],
)
def test_damaged_ones(change, says):
    with pytest.raises(lc.errors.FileFormatError, match=says):
        read("molecule", **change)
