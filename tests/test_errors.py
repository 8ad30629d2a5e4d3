"""The tree of errors: what is caught by what, and that they travel between processes."""

import pickle

import pytest

import lcshap as lc
from lcshap import errors


def classes():
    found = [thing for thing in vars(errors).values() if isinstance(thing, type) and issubclass(thing, BaseException)]
    return [thing for thing in found if thing.__module__ == "lcshap.errors"]


def test_the_tree_in_the_description_is_the_tree():
    for thing in classes():
        assert thing.__name__ in errors.__doc__
        assert issubclass(thing, lc.LcshapError | lc.Unfinished)


def test_ctrl_c_is_no_exception_and_a_failed_run_is():
    assert issubclass(lc.Interrupted, KeyboardInterrupt)
    assert not issubclass(lc.Interrupted, Exception)
    assert issubclass(lc.RunFailedError, lc.ModelError)
    assert all(issubclass(e, lc.Unfinished) for e in (lc.Interrupted, lc.RunFailedError))
    assert issubclass(lc.BudgetError, lc.OptionError)
    assert issubclass(lc.OptionError, ValueError)


@pytest.mark.parametrize(
    "error",
    [
        lc.PlanTooLargeError("too large", 12, True, "memory"),
        lc.BudgetError("too small", 7),
        lc.ModelError("bad", row=3),
        lc.RunFailedError("failed", [None], lc.MemoryStore, 4),
        lc.Interrupted("interrupted", [1, None]),
        lc.MethodError("no"),
    ],
    ids=lambda e: type(e).__name__,
)
def test_they_can_be_pickled(error):
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error)
    assert str(again) == str(error)
    assert vars(again) == vars(error)
