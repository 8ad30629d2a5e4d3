import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lcshap.core.explanations.ragged import Ragged, freeze

ROWS = st.lists(st.lists(st.floats(allow_nan=False), max_size=4), max_size=8)
EQUAL_ROWS = st.integers(0, 3).flatmap(
    lambda d: st.lists(st.lists(st.floats(-9, 9), min_size=d, max_size=d), max_size=8)
)


def listed(ragged):
    return [ragged[row].tolist() for row in range(len(ragged))]


@given(rows=ROWS | EQUAL_ROWS, data=st.data())
def test_rows_are_taken_as_from_a_list(rows, data):
    ragged = Ragged.join(rows)
    assert listed(ragged) == rows
    some = data.draw(st.slices(len(rows)))
    assert listed(ragged.take(some)) == rows[some]
    numbers = data.draw(st.lists(st.integers(0, len(rows) - 1), max_size=9)) if rows else []
    assert listed(ragged.take(np.array(numbers, np.intp))) == [rows[number] for number in numbers]


@given(first=ROWS, second=ROWS)
def test_rows_of_several_pieces_follow_each_other(first, second):
    assert listed(Ragged.concatenate([Ragged.join(first), Ragged.join(second)])) == first + second


def test_a_slice_and_a_matrix_share_their_numbers():
    matrix = np.arange(12.0).reshape(4, 3)
    ragged = Ragged.of_matrix(matrix)
    assert np.shares_memory(ragged.values, matrix)
    assert np.shares_memory(ragged.take(slice(1, 3)).values, matrix)


def test_a_frozen_array_cannot_be_written_to_but_its_source_can():
    array = np.ones(2)
    frozen = freeze(array)
    with pytest.raises(ValueError, match="read-only"):
        frozen[0] = 2
    array[0] = 3
    assert frozen[0] == 3
