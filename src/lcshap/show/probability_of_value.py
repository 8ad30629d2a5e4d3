"""Probabilities as people read them: the probability that a log-probability or log-odds corresponds to."""

from __future__ import annotations

import math
from typing import Any

from ..core.explanation import Explanation


def value_name(e: Explanation) -> str | None:
    """The name of the explained value; None if it is not recorded as a text."""
    name = e.provenance.get("value")
    return name if isinstance(name, str) else None


def probability_of(value: Any, e: Explanation) -> float | None:
    """The probability that a value of an explanation corresponds to; None if there is none.

    >>> import numpy as np
    >>> import lcshap as lc
    >>> e = lc.Explanation(np.array([1.0]), -2.0, 0.0, lc.Graph.chain(1), 2, {"value": "log_odds", "targets": ["good"]})
    >>> probability_of(0.0, e), probability_of(e.base_value, e)
    (0.5, 0.11920292202211755)
    """
    kind, targets = value_name(e), e.provenance.get("targets")
    if isinstance(targets, list | tuple) and any(isinstance(item, list | tuple) for item in targets):
        return None  # a contrast
    if kind == "log_prob":
        probability = math.exp(min(float(value), 0.0))
    elif kind == "log_odds":
        probability = 1 / (1 + math.exp(-min(max(float(value), -700.0), 700.0)))
    else:
        probability = float(value) if kind == "prob" else math.nan
    return probability if 0 <= probability <= 1 else None


def format_percent(share: float) -> str:
    """A probability as a percentage.

    >>> [format_percent(p) for p in (0.5, 0.98712, 0.0012, 1e-7, 1 - 1e-7, 1.0)]
    ['50.0 %', '98.7 %', '0.12 %', '< 0.01 %', '> 99.99 %', '100 %']
    """
    if share in (0.0, 1.0):
        return f"{share:.0%}".replace("%", " %")
    if not 1e-4 <= share <= 1 - 1e-4:
        return "< 0.01 %" if share < 0.5 else "> 99.99 %"
    return f"{100 * share:.{1 if 0.01 <= share < 0.995 else 2}f} %"
