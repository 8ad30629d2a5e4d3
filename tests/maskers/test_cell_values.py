"""Values of tables: what is equal, what is missing, what is refused."""

from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

from lcshap.errors import MaskerError
from lcshap.maskers.cell_values import align_columns, equality_key, is_missing, to_number


def test_identities():
    things = [0, 0.0, -0.0, False, "0", None, float("nan"), b"0", pd.Timestamp(0), pd.NaT, pd.NA, (0,), [0], object()]
    assert len({equality_key(value) for value in things}) == len(things)
    assert equality_key(np.float64("nan")) == equality_key(float("nan"))
    assert equality_key(np.int64(3)) == equality_key(3)
    assert equality_key(np.arange(3)) == equality_key(np.arange(3))


def test_what_is_missing():
    assert all(map(is_missing, [None, np.nan, np.float32("nan"), pd.NA, pd.NaT, np.datetime64("NaT")]))
    assert not any(map(is_missing, [0, "", "nan", False, pd.Timestamp(0), [], np.inf]))


def test_numbers():
    assert [to_number(x, "a", "x") for x in (1, 2.5, True, np.int8(3), Decimal("4.5"))] == [1.0, 2.5, 1.0, 3.0, 4.5]
    for bad in ("1", None, 1j, np.inf, [1]):
        with pytest.raises(MaskerError, match="Expected a finite number in column 'a' of x"):
            to_number(bad, "a", "x")


def test_columns():
    assert align_columns(("a", "b"), ("a", "b"), "x") is None
    assert align_columns(("a", "b"), ("b", "a"), "x") == [1, 0]
    with pytest.warns(UserWarning, match="Columns of x that the model does not have are left out: 'c'"):
        assert align_columns(("a", "b"), ("b", "c", "a"), "x", "the model") == [2, 0]
    with pytest.raises(MaskerError, match="got one without 'b' and with 'c'"):
        align_columns(("a", "b"), ("a", "c"), "x")
    with pytest.raises(MaskerError, match="Expected x to have one column of each name, got several named 'b'"):
        align_columns(("a", "b"), ("a", "b", "b"), "x")
