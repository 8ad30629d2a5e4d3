import numpy as np
import pytest

from lcshap.adapters.tree_arrays import TreeNodes, category_table, join_trees


def stump(**changes):
    nodes = {
        "left": [1, -1, -1],
        "right": [2, -1, -1],
        "default_left": [0, 0, 0],
        "feature": [1, -2, -2],
        "threshold": [0.5, -2, -2],
        "value": [9.0, 3.0, 5.0],
        "cover": [7.0, 3.0, 4.0],
    }
    return TreeNodes(**{name: np.array(numbers) for name, numbers in {**nodes, **changes}.items()})


def test_trees_are_numbered_one_after_the_other():
    trees = join_trees([stump(), stump(), stump()], np.array([0, 1, 0]), outputs=2)
    assert trees.roots.tolist() == [0, 3, 6]
    assert trees.left.tolist() == [1, -1, -1, 4, -1, -1, 7, -1, -1]
    assert trees.default.tolist() == trees.right.tolist()
    assert trees.feature.tolist() == [1, 0, 0] * 3
    assert trees.cover.tolist() == [7, 3, 4] * 3
    assert trees.predict(np.array([[9.0, 0.5], [9.0, 0.6], [9.0, np.nan]])).tolist() == [[6, 3], [10, 5], [10, 5]]


def test_leaves_of_several_outputs_and_sets_of_categories():
    members = np.array([[True, False], [False, True]])
    by_category = stump(choice=[1, -1, -1], value=np.arange(6).reshape(3, 2))
    trees = join_trees([by_category, stump(value=np.ones((3, 2)))], outputs=2, members=members)
    assert trees.choice.tolist() == [1, -1, -1, -1, -1, -1]
    assert trees.predict(np.array([[9.0, 1.0], [9.0, 0.0]])).tolist() == [[3, 4], [5, 6]]


@pytest.mark.parametrize(
    ("changes", "match"),
    [
        ({"left": [3, -1, -1]}, "a child of a node is missing"),
        ({"left": [2, -1, -1]}, "two parents"),
        ({"left": [0, -1, -1]}, "two parents"),
        ({"threshold": [np.nan, 0, 0]}, "a threshold"),
        ({"value": [0, np.inf, 0]}, "a leaf"),
        ({"feature": [-2, 0, 0]}, "the number of a column"),
    ],
)
def test_trees_that_are_no_trees_are_refused(changes, match):
    with pytest.raises(ValueError, match=match):
        join_trees([stump(**changes)])


def test_sets_of_categories_are_as_wide_as_the_largest_category():
    table = category_table(np.array([1, 2, 4], np.uint32), np.array([1, 2]))
    assert table.shape == (2, 35)
    assert [np.flatnonzero(row).tolist() for row in table] == [[0], [1, 34]]
    assert category_table(np.empty(0, np.uint32), np.empty(0, int)).shape == (0, 0)
