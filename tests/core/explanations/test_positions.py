import numpy as np
import pandas as pd
import pytest

from lcshap.core.explanations.positions import resolve_index, resolve_mask
from lcshap.errors import OptionError


@pytest.mark.parametrize(
    "mask",
    [
        [True, False, True],
        np.array([True, False, True]),
        pd.Series([True, False, True], index=[9, 8, 7]),
        pd.Series([True, False, True], dtype="boolean"),
        pd.Series([True, False, True], dtype=object),
    ],
)
def test_masks_of_all_types(mask):
    assert resolve_index(mask, 3).tolist() == [0, 2]
    assert resolve_mask(mask, 3).tolist() == [0, 2]


@pytest.mark.parametrize("number", [3, -4, np.int64(3)])
def test_inputs_that_do_not_exist_raise_as_lists_do(number):
    with pytest.raises(IndexError, match="from -3 to 2"):
        resolve_index(number, 3)
    with pytest.raises(IndexError, match="from -3 to 2"):
        resolve_index([number], 3)


@pytest.mark.parametrize(
    "index",
    [(0, 1), "a", 1.0, None, [1.5], [[0, 1]], ["a"], [True, False], [[1], [1, 2]], pd.Series([True, None, False])],
)
def test_other_things_are_refused(index):
    with pytest.raises(OptionError, match="Expected"):
        resolve_index(index, 3)


@pytest.mark.parametrize("mask", [[1, 0, 1], [True], np.ones((3, 1), bool), "yes"])
def test_masks_need_one_boolean_for_each_input(mask):
    with pytest.raises(OptionError, match="3 booleans"):
        resolve_mask(mask, 3)


def test_an_empty_set_has_an_empty_mask():
    assert len(resolve_mask([], 0)) == len(resolve_index([], 0)) == 0
    with pytest.raises(IndexError, match="empty"):
        resolve_index(0, 0)
