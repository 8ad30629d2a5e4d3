"""The kernels of greatest evidence for the values of one input."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from .even_kernel import EvenKernel
from .evidence import EvidencePoint, expected_gain, maximize_evidence
from .fixed_kernel import Array, Kept
from .hyperparameters import EvenHyperparameters, OddHyperparameters
from .odd_kernel import OddKernel
from .tuning import FIT, ODD_PRIORS
from .unit_variances import unit_variances


def fit_odd_kernels(
    hyperparameters: OddHyperparameters, odd: Array, units: bool = True, effects: Array | None = None
) -> list[OddKernel]:
    """The kernel of greatest evidence, given f at coalitions, the first of which is V.

    First the ratios of the units' scales are fixed (see `unit_variances`; with few pairs they are equal), and a handful
    of hyperparameters are fitted. Then the length scales of single units are fitted too, if this is expected to raise
    the evidence; with few calls they are mostly noise. With `effects`, there are two kernels instead: one without such
    length scales, and one in which they are fitted, starting from these effects.

    Parameters
    ----------
    hyperparameters : the hyperparameters to fit, with the coalitions.
    odd : f at the coalitions, at least as many as the evidence is computed from.
    units : whether each unit may have its own length scale.
    effects : the effect of each unit in the smallest and the largest coalitions, if it is known (see
        `posterior.single_unit_effects`).

    Returns
    -------
    list of OddKernel
        One or two kernels, in the units of f.
    """
    scale = float(np.sqrt(np.mean(odd**2))) or 1.0
    y, coarse = odd / scale, hyperparameters.coarse
    scales = coarse.equal_scales
    if units and len(y) >= FIT.min_pairs_for_units:
        scales = coarse.unit_scales(np.log(unit_variances(hyperparameters.all_kept, y, hyperparameters.gram)))

    def shared(theta: Array, spread: float) -> EvidencePoint | None:
        return coarse.evidence(theta, spread, y[coarse.rows], scales)

    def by_unit(theta: Array, spread: float) -> EvidencePoint | None:
        return hyperparameters.evidence(theta, spread, y[hyperparameters.rows])

    first, may_differ = hyperparameters.first_unit, units and hyperparameters.may_differ
    slow = hyperparameters.d > FIT.slow_units
    effects = effects if may_differ else None
    steps = FIT.steps if effects is None else FIT.steps_shared
    theta = maximize_evidence(shared, hyperparameters.mean, first, FIT.min_gain_shared, steps=steps)
    kernels = [hyperparameters.kernel(theta, scales)]
    if effects is not None:
        start = _with_units(theta, np.log(effects / effects.max() + FIT.min_effect) / 2, first)
        steps = FIT.steps_units_slow if slow else FIT.steps_units
        theta = maximize_evidence(by_unit, start, first, steps=steps, spread_updates=FIT.spread_updates)
        kernels.append(hyperparameters.kernel(theta))
    elif may_differ:
        point = by_unit(_with_units(theta, scales.logarithms, first), ODD_PRIORS.unit_spread)
        if point is not None and expected_gain(point, first) > FIT.units_gain:
            pace = {"steps": FIT.steps_slow, "spread_updates": FIT.spread_updates} if slow else {}
            theta = maximize_evidence(by_unit, point.theta, first, start_point=point, **pace)
            kernels = [hyperparameters.kernel(theta)]
    return [_scaled(kernel, scale**2) for kernel in kernels]


def fit_even_kernel(kept: Kept, even: Array) -> EvenKernel:
    """The kernel of greatest evidence, given g at coalitions, in the units of g."""
    hyperparameters = EvenHyperparameters(kept)
    even = even[: len(hyperparameters.kept)]
    scale = float(np.sqrt(np.mean((even - even.mean()) ** 2))) or 1.0
    y = (even - even.mean()) / scale
    units = np.zeros(hyperparameters.d if hyperparameters.may_differ else 0)
    theta = maximize_evidence(
        lambda theta, spread: hyperparameters.evidence(theta, spread, y),
        np.concatenate([hyperparameters.mean, units]),
        hyperparameters.first_unit,
    )
    return hyperparameters.kernel(theta).scaled(scale)


def _with_units(theta: Array, logarithms: Array, first_unit: int) -> Array:
    """Common logarithms and those of the units, which change inverse length scales and own variances equally."""
    middle = logarithms.mean()
    both = np.asarray(np.concatenate([theta, logarithms - middle]))
    both[[0, 3]] += middle  # the common logarithms of inverse length scale and own variance
    both[first_unit - 1] = 1.0  # the tie, with which own variances differ as much as inverse length scales
    return both


def _scaled(kernel: OddKernel, square: float) -> OddKernel:
    """The same kernel for values whose square is larger by a factor."""
    return replace(
        kernel,
        low_order=square * kernel.low_order,
        product=square * kernel.product,
        term_variances=square * kernel.term_variances,
        white=square * kernel.white,
    )
