import numpy as np
import pytest
from explanation_sets import failed, odd_explanations, row_explanations
from hypothesis import given, settings
from hypothesis import strategies as st

from lcshap.core.explanations.pack_columns import pack

OUTCOMES = [*odd_explanations(), failed(), *row_explanations(3)]


@settings(deadline=None, max_examples=30)
@given(numbers=st.lists(st.integers(0, len(OUTCOMES) - 1), max_size=6))
def test_some_inputs_are_those_of_a_list(numbers):
    columns = pack(OUTCOMES).take(np.array(numbers, np.intp))
    assert list(columns) == [OUTCOMES[number] for number in numbers]
    assert sorted(columns.errors) == [k for k, n in enumerate(numbers) if isinstance(OUTCOMES[n], Exception)]


@pytest.mark.parametrize("rows", [slice(None), slice(2, 5), slice(None, None, -1), slice(5, 2), slice(1, 9, 3)])
def test_slices_are_those_of_a_list(rows):
    assert list(pack(OUTCOMES).take(rows)) == OUTCOMES[rows]


def test_inputs_without_an_error_have_succeeded():
    assert pack([failed(), *row_explanations(1)]).succeeded.tolist() == [False, True]
