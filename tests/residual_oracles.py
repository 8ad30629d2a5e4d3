"""The scale of residuals of a process on coalitions, by a search over its definition."""

from itertools import combinations
from math import comb

import numpy as np
from scipy.optimize import minimize


def scale_by_search(kept, ratios):
    """exp(a + b |log-odds of the size|) of greatest posterior density, by a search; its mean over what was not seen."""
    d, size = kept.shape[1], kept[1:].sum(axis=1)

    def odds(s):
        return np.abs(np.log((s + 0.5) / (d - s + 0.5)))

    middle = odds(size).mean()

    def unlikely(coefficients):  # ratios are squares of normal numbers; b has a normal distribution with deviation 2
        log = coefficients[0] + coefficients[1] * (odds(size) - middle)
        return np.sum(log + ratios / np.exp(log)) / 2 + coefficients[1] ** 2 / 8

    a, b = minimize(unlikely, [0.0, 0.0], method="Nelder-Mead", options={"xatol": 1e-7, "fatol": 1e-10}).x
    observed_pairs = {frozenset({bytes(row), bytes(~row)}) for row in kept}
    weight, total = 0.0, 0.0
    for s in range(1, d):  # every size from one to all but one, each as often as its coalitions are unknown
        unseen = [rows for rows in combinations(range(d), s) if not observed_pairs & {pair_of(rows, d)}]
        share = len(unseen) / comb(d, s)
        weight, total = weight + share, total + share * np.exp(a + b * (odds(s) - middle))
    return total / weight


def pair_of(units, d):
    row = np.isin(np.arange(d), units)
    return frozenset({bytes(row), bytes(~row)})
