"""Which families of games may be looked at while a method is tuned, and which are kept aside.

The rule, written down before anybody tuned on them: in alphabetical order every third family is held out, beginning
with the third. It is applied to the tables and to the tasks separately.
"""

from __future__ import annotations

from collections.abc import Iterable


def holdout(families: Iterable[str]) -> list[str]:
    """The families kept aside.

    >>> holdout(["d", "a", "c", "b", "f", "e"])
    ['c', 'f']
    """
    return sorted(set(families))[2::3]


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
