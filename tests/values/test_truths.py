"""y: names and numbers of classes, and numbers."""

import numpy as np
import pytest

from lcshap.errors import TargetError
from lcshap.values.truths import read_true_class, read_true_numbers


@pytest.mark.parametrize(
    ("y", "names", "number"),
    [
        ("b", ["a", "b"], 1),
        (0, ["a", "b"], 0),
        (np.int64(3), ["1", "2", "3"], 2),
        (3.0, ["1", "2", "3"], 2),
        (True, ["False", "True"], 1),
        (np.True_, None, 1),
        ("1", None, 1),
    ],
)
def test_classes_are_read_by_name_or_number(y, names, number):
    assert read_true_class(y, names, 3 if names and len(names) == 3 else 2) == number


def test_a_number_is_not_taken_for_another_class():
    with pytest.raises(TargetError, match=r"class of the model \(1, 2, 3\), got 0"):
        read_true_class(0, ["1", "2", "3"], 3)
    with pytest.raises(TargetError, match="Expected y to be 2 finite numbers"):
        read_true_numbers([1.0], 2)


def test_numbers_may_be_texts_of_a_file():
    assert read_true_numbers("2.5", 1).tolist() == [2.5]
    assert read_true_numbers(np.float32(0.5), 1).tolist() == [0.5]
    assert read_true_numbers((1, 2, 3), 3).tolist() == [1.0, 2.0, 3.0]
