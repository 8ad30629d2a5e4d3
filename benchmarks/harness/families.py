"""Which families of games may be looked at while a method is tuned, and which are kept aside.

The rule, written down before anybody tuned on them: in alphabetical order every third family is held out, beginning
with the third. For the tables of games it is applied to the names of the files. For the tasks it was applied once, to
the nineteen that there were then; a task that is added later is held out, because nobody has tuned on it.
"""

from __future__ import annotations

from collections.abc import Iterable

TASKS_TO_TUNE_ON = (
    *("bytes-12", "cifar-64", "forest-regression-60", "lightgbm-30", "linear-pairs-40", "lstm-40", "mlp-30"),
    *("mnist-784", "series-30", "tf-idf-60", "word-cnn-400", "word-cnn-50", "xgboost-15"),
)
TASKS_HELD_OUT = (
    *("forest-30", "lightgbm-64", "minilm-12", "molecules", "word-cnn-200", "xgboost-100"),
    *("digits-64", "photo-regions"),  # added later
)


def holdout(families: Iterable[str]) -> list[str]:
    """The families kept aside.

    >>> holdout(["d", "a", "c", "b", "f", "e"])
    ['c', 'f']
    >>> holdout(["mlp-30", "minilm-12", "series-30"])
    ['minilm-12']
    """
    known = sorted(set(families))
    if known and set(known) <= {*TASKS_TO_TUNE_ON, *TASKS_HELD_OUT}:
        return [name for name in known if name in TASKS_HELD_OUT]
    return known[2::3]


def tune(families: Iterable[str]) -> list[str]:
    """The families that may be looked at.

    >>> tune(["d", "a", "c", "b"])
    ['a', 'b', 'd']
    """
    aside = set(holdout(families))
    return [name for name in sorted(set(families)) if name not in aside]


def select(families: Iterable[str], which: str) -> list[str]:
    """The families that "all", "tune", "holdout" or a comma-separated list of beginnings of names stand for."""
    known = sorted(set(families))
    if which in ("all", "tune", "holdout"):
        return {"all": known, "tune": tune(known), "holdout": holdout(known)}[which]
    found = [name for name in known if name.startswith(tuple(which.split(",")))]
    if not found:
        raise SystemExit(f"Expected families among {', '.join(known)}, got {which!r}.")
    return found
