"""Views of texts: their parts, and what is refused."""

import pytest
from saved_views import array, read

import lcshap as lc
from lcshap.core.views import TextView


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: TextView(text="a", spans=[[0, 1]], labels=[0, 1]), "a label for each span"),
    ],
)
def test_parts_that_do_not_fit_are_refused(make, says):
    with pytest.raises(lc.errors.OptionError, match=says):
        make()


def test_parts_and_owners():
    text = TextView(text="so good!", spans=[[0, 2], [3, 7]], labels=[0, 1], sentences=[[0, 8]])
    assert text.parts == ("so", "good")
    assert text.owners.tolist() == [0, 0, -1, 1, 1, 1, 1, -1]
    assert TextView(text="a", spans=[[0, 1]], labels=[0]).sentences.shape == (0, 2)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"spans": array([[0, 2], [3, 8]])}, "at view.spans: expected integers from 0 to 7, got 0 to 8"),
        ({"spans": array([[2, 0], [3, 7]])}, "end after they start"),
        ({"spans": array([[0, 7]] * 20), "labels": array([0] * 20)}, "hardly overlap"),
        ({"sentences": array([[0, 9]])}, "at view.sentences"),
        ({"sentences": "x"}, "at view.sentences: expected an array"),
        ({"text": 5}, "at view.text: expected a text, got 5"),
    ],
)
def test_damaged_ones(change, says):
    with pytest.raises(lc.errors.FileFormatError, match=says):
        read("text", **change)
