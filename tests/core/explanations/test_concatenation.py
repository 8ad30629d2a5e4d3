import numpy as np
import pytest
from explanation_sets import array_set, failed, frame, odd_explanations, row_explanations, text_explanations

import lcshap as lc
from lcshap.core.explanations.concatenation import concatenate
from lcshap.core.explanations.object_columns import TableRows
from lcshap.core.explanations.pair_columns import PairArrays, PairNumbers

PAIRS = np.ones((6, 3, 3)) - np.eye(3)
SETS = {
    "empty": lc.Explanations(),
    "failed": lc.Explanations([failed()]),
    "rows": lc.Explanations([*row_explanations(3), failed()]),
    "texts": lc.Explanations([failed(), *text_explanations()]),
    "odd": lc.Explanations(odd_explanations()),
    "numbers": array_set(data=np.ones((6, 3)))[0],
    "gaps": array_set(data=np.array([[1, np.nan, 2]] * 6))[0],
    "frame": array_set(data=frame(6), method="mine")[0],
    "pairs": array_set(interactions=PAIRS)[0],
    "outputs": array_set(outputs=2, targets=["a", "b"])[0],
}


@pytest.mark.parametrize("first", SETS)
@pytest.mark.parametrize("second", SETS)
def test_two_sets_are_joined_as_lists_are(first, second):
    first, second = SETS[first], SETS[second]
    both = lc.Explanations.from_storage(concatenate([first._columns, second._columns]))
    assert both == [*first, *second]
    data = both.data
    assert data is None or len(data) == len(both)
    assert len(both.to_dataframe()["input"].unique()) == len(both) - len(both.errors)
    assert list(both.errors) == [*first.errors, *(len(first) + number for number in second.errors)]


def test_rows_of_one_table_stay_one_matrix_and_one_record():
    xs, *_ = array_set(data=frame(6), targets=list("abcabc"))
    joined = concatenate([xs._columns, xs[2:4]._columns, xs[:0]._columns])
    assert isinstance(joined.views, TableRows)
    assert len(joined.different_graphs) == 1
    assert joined.provenance["targets"].objects == (["a"], ["b"], ["c"])
    assert joined.provenance["versions"].codes is None
    pairs = SETS["pairs"]._columns
    assert isinstance(concatenate([pairs, pairs]).interactions, PairArrays)


def test_interactions_stay_numbers_of_pairs():
    pairs = lc.Explanations(odd_explanations()[2:3])
    joined = concatenate([pairs._columns, SETS["rows"]._columns, pairs._columns])
    assert isinstance(joined.interactions, PairNumbers)
    assert len(joined.interactions.patterns.objects) == 1
    arrays = concatenate([SETS["pairs"]._columns, pairs._columns]).interactions
    assert isinstance(arrays, PairNumbers)
    np.testing.assert_array_equal(arrays.get(0).toarray(), PAIRS[0])
