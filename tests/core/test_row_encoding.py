import numpy as np

from lcshap.core.row_encoding import RowEncoder


class Swapped(RowEncoder):
    sources = np.array([1, 0, 1])

    def encode(self, rows):
        return np.asarray(rows)[:, self.sources]


def test_the_units_of_numbers_are_those_of_their_columns():
    assert Swapped().number_units(np.array([5, -2])).tolist() == [-2, 5, -2]
