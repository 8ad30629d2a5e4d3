import numpy as np

from lcshap.core.additive_terms import AdditiveTerms

TABLES = (np.arange(6.0).reshape(3, 2), np.arange(24.0).reshape(3, 4, 2) ** 2)


def test_the_last_position_is_that_of_unknown_values():
    terms = AdditiveTerms(TABLES, ((1,), (1, 0)))
    rows = np.array([[3.0, 2.0], [-1.0, -1.0], [0.0, -1.0]])
    assert [p.tolist() for p in terms.positions(rows, 1)] == [[2, 2, 2], [3, 3, 0]]
    expected = [TABLES[0][2] + TABLES[1][2, 3], TABLES[0][2] + TABLES[1][2, 3], TABLES[0][2] + TABLES[1][2, 0]]
    np.testing.assert_array_equal(terms.predict(rows), expected)
    assert terms.outputs == 2
