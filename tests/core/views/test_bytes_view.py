"""Views of files: their parts, and what is refused."""

import pytest
from saved_views import array, read

import lcshap as lc
from lcshap.core.views import BytesView


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: BytesView(bytes=[1], spans=[[0, 1]], labels=[]), "a label for each span"),
    ],
)
def test_parts_that_do_not_fit_are_refused(make, says):
    with pytest.raises(lc.errors.OptionError, match=says):
        make()


def test_owners():
    assert BytesView(bytes=[1, 2, 255], spans=[[0, 2], [2, 3]], labels=[0, 1]).owners.tolist() == [0, 0, 1]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"bytes": array([1, 2, 3])}, "at view.bytes"),
        ({"bytes": array([], "uint8")}, "at view.bytes"),
    ],
)
def test_damaged_ones(change, says):
    with pytest.raises(lc.errors.FileFormatError, match=says):
        read("bytes", **change)
