import numpy as np

from lcshap.core.row_encoding import DROPPED, PINNED, RowEncoder, chain_encoders


class Powers(RowEncoder):
    """The numbers of some columns to a power."""

    def __init__(self, sources, power):
        self.sources, self.power = np.array(sources), power

    def encode(self, rows):
        return np.where(self.sources < 0, 1.0, rows[:, self.sources] ** self.power)


def test_units_follow_the_sources():
    encoder = Powers([2, 0, -1, 1, 2], 2)
    assert encoder.number_units(np.array([0, DROPPED, 1])).tolist() == [1, 0, PINNED, DROPPED, 1]


def test_a_chain_has_the_sources_of_its_first_encoder():
    first, second = Powers([2, 0, -1], 2), Powers([2, 1, -1, 0], 3)
    chain = chain_encoders(first, second)
    assert chain.sources.tolist() == [-1, 0, -1, 2]
    np.testing.assert_array_equal(chain.encode(np.array([[2.0, 3.0, 5.0]])), [[1.0, 64.0, 1.0, 5.0**6]])
    assert chain_encoders(first, None) is first
    assert chain_encoders(None, second) is second
