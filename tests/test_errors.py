"""The tree of errors: what is caught by what, and that they travel between processes."""

import pickle

import pytest

import lcshap as lc
from lcshap import errors


def classes():
    exceptions = [obj for obj in vars(errors).values() if isinstance(obj, type) and issubclass(obj, BaseException)]
    return [obj for obj in exceptions if obj.__module__ == "lcshap.errors"]


def test_the_tree_in_the_description_is_the_tree():
    for error in classes():
        assert error.__name__ in errors.__doc__
        assert issubclass(error, lc.LcshapError | lc.Unfinished)


def test_ctrl_c_is_no_exception_and_a_failed_run_is():
    assert issubclass(lc.errors.Interrupted, KeyboardInterrupt)
    assert not issubclass(lc.errors.Interrupted, Exception)
    assert issubclass(lc.errors.RunFailedError, lc.errors.ModelError)
    assert all(issubclass(e, lc.Unfinished) for e in (lc.errors.Interrupted, lc.errors.RunFailedError))
    assert issubclass(lc.errors.BudgetError, lc.errors.OptionError)
    assert issubclass(lc.errors.OptionError, ValueError)


@pytest.mark.parametrize(
    "error",
    [
        lc.errors.PlanTooLargeError("too large", 12, True, "memory"),
        lc.errors.BudgetError("too small", 7),
        lc.errors.ModelError("bad", row=3),
        lc.errors.RunFailedError("failed", [None], lc.MemoryStore, 4),
        lc.errors.Interrupted("interrupted", [1, None]),
        lc.errors.MethodError("no"),
    ],
    ids=lambda e: type(e).__name__,
)
def test_they_can_be_pickled(error):
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error)
    assert str(again) == str(error)
    assert vars(again) == vars(error)
