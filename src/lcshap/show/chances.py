"""Probabilities for people: what a log-probability or the log of odds stands for."""

from __future__ import annotations

import math
from typing import Any

from ..core.explanation import Explanation


def value_name(e: Explanation) -> str | None:
    """Which number is explained; None where the record, which may hold anything, does not say it."""
    found = e.provenance.get("value")
    return found if isinstance(found, str) else None


def chance(value: Any, e: Explanation) -> float | None:
    """The probability that a value of an explanation stands for; None where it stands for none.

    >>> import numpy as np
    >>> import lcshap as lc
    >>> e = lc.Explanation(np.array([1.0]), -2.0, 0.0, lc.Graph.chain(1), 2, {"value": "log_odds", "targets": ["good"]})
    >>> chance(0.0, e), chance(e.base_value, e)
    (0.5, 0.11920292202211755)
    """
    kind, targets = value_name(e), e.provenance.get("targets")
    if isinstance(targets, list | tuple) and any(isinstance(item, list | tuple) for item in targets):
        return None  # a contrast
    if kind == "log_prob":
        found = math.exp(min(float(value), 0.0))
    elif kind == "log_odds":
        found = 1 / (1 + math.exp(-min(max(float(value), -700.0), 700.0)))
    else:
        found = float(value) if kind == "prob" else math.nan
    return found if 0 <= found <= 1 else None


def percent(share: float) -> str:
    """A probability for people.

    >>> [percent(p) for p in (0.5, 0.98712, 0.0012, 1e-7, 1 - 1e-7, 1.0)]
    ['50.0 %', '98.7 %', '0.12 %', '< 0.01 %', '> 99.99 %', '100 %']
    """
    if share in (0.0, 1.0):
        return f"{share:.0%}".replace("%", " %")
    if not 1e-4 <= share <= 1 - 1e-4:
        return "< 0.01 %" if share < 0.5 else "> 99.99 %"
    return f"{100 * share:.{1 if 0.01 <= share < 0.995 else 2}f} %"
