"""Classes by number and by name, and what is said of those that do not exist."""

import numpy as np
import pytest

from lcshap.errors import ModelError
from lcshap.values.targets import find_pairs, find_second_class

NAMES = ["toxic", "obscene", "threat"]


def test_targets_by_number_by_name_as_a_list_and_as_a_contrast():
    assert find_pairs("obscene", NAMES) == (((1, None),), False)
    assert find_pairs(2, NAMES) == (((2, None),), False)
    assert find_pairs(["toxic", 2], NAMES) == (((0, None), (2, None)), True)
    assert find_pairs("all", NAMES) == (((0, None), (1, None), (2, None)), True)
    assert find_pairs(("toxic", "threat"), NAMES) == (((0, 2),), False)


@pytest.mark.parametrize("target", ["insult", ("toxic", "insult"), ["insult"]])
def test_a_label_that_does_not_exist_is_one_line_with_those_that_do(target):
    with pytest.raises(ModelError) as error:
        find_pairs(target, NAMES)
    assert (
        str(error.value)
        == "Expected the name of a class as the target, got 'insult': the classes are toxic, obscene, threat"
    )


def test_of_very_many_classes_the_like_ones_come_first():
    names = [f"class {k}" for k in range(500)] + ["heartwarming"]
    with pytest.raises(ModelError) as error:
        find_pairs("heartwarmin", names)
    message = str(error.value)
    assert "the classes are heartwarming, class 0, " in message
    assert message.endswith("and 481 more")
    assert "\n" not in message


@pytest.mark.parametrize(
    ("target", "message"),
    [
        (3, "0 to 2"),
        (True, "Expected a target from 0 to 2, got True"),
        (1.5, "an index, a name"),
        ((0, 0), "Expected two different classes"),
        ((0, 1, 2), "a pair"),
        ([], "empty"),
    ],
)
def test_targets_that_are_none(target, message):
    with pytest.raises(ModelError, match=message):
        find_pairs(target, NAMES)


@pytest.mark.parametrize("target", [1, "spam", np.int64(1)])
def test_the_only_output_of_two_classes_belongs_to_the_second(target):
    assert find_second_class(target, ["ham", "spam"]) == (((0, None),), False)


@pytest.mark.parametrize("target", [0, "ham", (0, 1), [1, 0]])
def test_the_first_of_two_classes_has_no_number_of_its_own(target):
    with pytest.raises(ModelError, match=r"Expected class 'spam' as the target, got .* set value='log_odds'"):
        find_second_class(target, ["ham", "spam"])


def test_several_of_the_one_number():
    assert find_second_class("all", ["ham", "spam"]) == (((0, None),), True)
