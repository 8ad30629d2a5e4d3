"""Equal items are found, and a hash that collides cannot merge different ones."""

import numpy as np

from lcshap.core.unique import concatenate_ranges, group_equal, hash_integers, sort_small


def test_groups_in_the_order_of_first_appearance():
    items = np.array([5, 3, 5, 9, 3, 5])
    first, inverse = group_equal(
        lambda salt: hash_integers(items, salt), lambda a, b: np.array_equal(items[a], items[b])
    )
    assert first.tolist() == [0, 1, 3]
    assert inverse.tolist() == [0, 1, 0, 2, 1, 0]


def test_collisions_are_found_and_tried_again():
    items, salts = np.arange(50), []

    def collides(salt):
        salts.append(salt)
        return hash_integers(items % 7, 0) if salt < 3 else hash_integers(items, salt)

    first, inverse = group_equal(collides, lambda a, b: np.array_equal(items[a], items[b]))
    assert salts == [0, 1, 2, 3]
    assert first.tolist() == inverse.tolist() == items.tolist()


def test_hints_change_nothing():
    items = np.random.default_rng(0).integers(0, 5_000, 200_000)
    same = lambda a, b: np.array_equal(items[a], items[b])  # noqa: E731
    plain = group_equal(lambda salt: hash_integers(items, salt), same)
    hinted = group_equal(lambda salt: hash_integers(items, salt), same, near=items // 10)
    assert plain[0].tolist() == hinted[0].tolist()
    assert np.array_equal(plain[1], hinted[1])
    assert np.array_equal(items[plain[0]][plain[1]], items)


def test_sorting_and_ranges():
    numbers = np.array([3, 70_000, 3, 0])
    assert sort_small(numbers)[0].tolist() == [3, 0, 2, 1]
    assert concatenate_ranges(np.array([4, 0]), np.array([0, 2])).tolist() == [0, 1]
    assert group_equal(lambda salt: hash_integers(np.empty(0, int), salt), lambda a, b: True)[0].tolist() == []
