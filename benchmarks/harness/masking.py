"""Masking areas: what the model's value does while the units with the highest scores are removed, or alone are kept.

A contestant's scores put the units in an order. With the first k units removed the value falls to v(V minus top k);
with only them kept it rises to v(top k). The *removing area* is the average of v(V) - v(V minus top k), the *keeping
area* the average of v(top k) - v(empty), over k from none to 20 % or to all of the units. Both are divided by the sum
of the absolute Shapley values of the input, so that inputs of different models can be averaged. More is better.
"""

from __future__ import annotations

import numpy as np

from .game import Bench, Values

AREAS = ("removing_20", "removing_100", "keeping_20", "keeping_100")
SHARES = np.array([*np.linspace(0, 0.2, 9), *np.linspace(0.3, 1, 8)])  # of the units that are removed, or kept
RESAMPLES = 2000  # of the bootstrap


def areas(game: Bench, scores: Values, scale: float) -> dict[str, float]:
    """The four areas of one answer."""
    rank = np.argsort(np.argsort(-scores, kind="stable"), kind="stable")
    top = rank < np.round(SHARES * game.d)[:, None]
    values = np.asarray(game.fn(np.concatenate([~top, top])), np.float64)
    removed, kept = np.split(values, 2)
    falls, rises = (removed[0] - removed) / scale, (kept - kept[0]) / scale
    few = SHARES <= 0.2 + 1e-9
    return {
        f"{name}_{percent}": float(np.trapezoid(curve[these], SHARES[these]) / SHARES[these][-1])
        for name, curve in (("removing", falls), ("keeping", rises))
        for percent, these in ((20, few), (100, np.ones(len(SHARES), bool)))
    }


def paired_interval(differences: Values, seed: int = 0) -> tuple[float, float]:
    """A 95 % interval of the mean of differences between two contestants on the same inputs, by bootstrap.

    >>> low, high = paired_interval(np.array([0.9, 1.0, 1.1, 1.0]))
    >>> 0.9 <= low < high <= 1.1
    True
    """
    drawn = np.random.default_rng(seed).integers(len(differences), size=(RESAMPLES, len(differences)))
    low, high = np.quantile(differences[drawn].mean(axis=1), (0.025, 0.975))
    return float(low), float(high)
