import pytest

from lcshap import errors
from lcshap.core.explanations.stored_errors import describe_class, restore_error, stored_message


@pytest.mark.parametrize("error", [errors.MaskerError("a"), errors.ModelError("b", row=3), errors.BudgetError("c", 4)])
def test_errors_of_lcshap_keep_their_class_and_message(error):
    restored = restore_error(describe_class(error), stored_message(error))
    assert type(restored) is type(error)
    assert str(restored) == str(error)


@pytest.mark.parametrize(
    ("kind", "text"),
    [("KeyError", "KeyError: x"), ("SystemExit", "SystemExit: x"), ("annotations", "annotations: x"), (None, "x")],
)
def test_other_errors_are_errors_of_lcshap(kind, text):
    restored = restore_error(kind, "x")
    assert type(restored) is errors.LcshapError
    assert str(restored) == text


def test_an_error_that_takes_more_than_a_message():
    assert str(restore_error("PlanTooLargeError", "too large")) == "too large"


def test_surrogates_are_escaped():
    assert stored_message(ValueError("\ud800")) == "\\ud800"
