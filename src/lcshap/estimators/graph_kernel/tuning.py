"""The settings of the regression. All of them were chosen on measured errors, and none depends on the model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


class LogNormal(NamedTuple):
    """The prior of a positive hyperparameter: its median, and the standard deviation of its logarithm."""

    median: float
    deviation: float


@dataclass(frozen=True)
class Sizes:
    """How large a problem each step takes. Cholesky factors take the cube of the number of pairs."""

    units: int = 4096  # with more units than this, the method is refused
    cells: int = 1 << 27  # pairs times units, at most
    many_units: int = 64  # above this, pairs are random, units have no length scales of their own, and wide terms go
    process_pairs: int = 4096  # the process takes no more pairs; a regression on its residuals uses the others
    process_pairs_per_unit: float = 2.5  # and with many units, so many for each unit,
    min_process_pairs: int = 1024  # but at least this many
    evidence_pairs: int = 512  # the evidence is computed from at most so many pairs
    shared_pairs: int = 96  # and from so many where units are not fitted one by one yet,
    shared_pairs_many: int = 256  # or never will be, because there are many of them
    even_units: int = 400  # with more units than this, units have no length scales of their own in the even half
    triples_per_unit: int = 64  # more triples than this are no neighbourhood any more, and the term is left out
    triples_per_unit_many: int = 4  # with many units, each triple takes as long as a unit
    checked_rows: int = 256  # leave-one-out residuals are computed for so many rows


@dataclass(frozen=True)
class DesignSettings:
    """The choice of pairs.

    The kernel for choosing pairs is simpler and noisier than the one for scores: pairs chosen with it are good for many
    games.
    """

    linear: float = 1.0
    white: float = 0.2
    smooth: float = 0.15
    smooth_few: float = 1.0  # where pairs are few
    few_pairs_per_unit: int = 4  # up to so many pairs a unit, all single units are among them (more: mixed results)
    chain_pairs_per_unit: float = 1.75  # and on a chain from so many on: with fewer, errors on texts are larger
    candidates_per_pair: tuple[tuple[int, int], ...] = ((32, 4), (64, 2))  # by the largest number of units
    candidates_few: int = 1 << 13  # where pairs are few, they are chosen out of so many,
    comparisons_few: int = 1 << 19  # or as many as make so many comparisons
    block: int = 256  # so many pairs are chosen at a time


@dataclass(frozen=True)
class KernelPriors:
    """The priors of hyperparameters, for values with a mean square of 1."""

    inverse_length: LogNormal  # the common inverse length scale, times the number of units
    white: LogNormal
    product: LogNormal
    low_order: LogNormal  # linear effects in the odd half, pair effects in the even half
    term: LogNormal  # each term whose form is the same for every input
    tie: LogNormal  # the exponent by which a unit with a larger inverse length scale also has larger own effects
    unit_spread: float = 0.5  # the standard deviation of the logarithms of units' inverse length scales, at the start
    unit_spread_weight: float = 4.0  # this spread counts as much as if so many units had shown it
    low: float = -16.0  # bounds of logarithms of variances
    high: float = 8.0


ODD_PRIORS = KernelPriors(
    inverse_length=LogNormal(8.0, 1.5),
    white=LogNormal(1e-4, 3.0),
    product=LogNormal(0.1, 2.0),
    low_order=LogNormal(1.0, 2.0),
    term=LogNormal(0.003, 3.0),
    tie=LogNormal(0.5, 0.5),
)
EVEN_PRIORS = KernelPriors(
    inverse_length=LogNormal(8.0, 1.5),
    white=LogNormal(1e-4, 3.0),
    product=LogNormal(0.1, 2.0),
    low_order=LogNormal(1.0, 2.0),
    term=LogNormal(0.03, 3.0),
    tie=LogNormal(0.5, 0.0),  # not fitted
)


@dataclass(frozen=True)
class FitSettings:
    """The search for the hyperparameters of greatest evidence. Gains are differences of log evidence."""

    steps: int = 10
    steps_shared: int = 5  # for the first of two kernels
    steps_units: int = 6  # for the second of two kernels
    steps_units_slow: int = 3  # with more than `slow_units` units, a step takes long
    steps_slow: int = 4
    slow_units: int = 40
    spread_updates: int = 3  # updates of the spread of units before the first step, where steps are few
    min_gain: float = 0.3  # a step that gains less is the last
    min_gain_shared: float = 2.0  # and before units are fitted one by one
    max_step: float = 2.0  # no logarithm moves further in a step
    units_gain: float = 1.0  # length scales of single units are fitted if they are expected to gain this
    unit_spreads: tuple[float, ...] = (0.25, 0.5, 1.0, 2.0)  # the spreads that are tried to find out
    min_pairs_for_units: int = 64  # with fewer pairs, units are alike at first: too little is known of each
    min_effect: float = 1e-4  # of the largest: units with smaller single effects start with equal length scales


@dataclass(frozen=True)
class ErrorSettings:
    """The calibration of standard errors."""

    caution: float = 1.2  # factor on standard errors of scores: the kernel was fitted to the values that it explains
    caution_interactions: float = 1.25  # the same for interactions
    slope_deviation: float = 2.0  # prior of the slope of log residuals by the log-odds of the size of a coalition
    scoring_steps: int = 25
    few_values: float = 3.0  # a game with at most so many different values, such as a vote, is one of few values
    value_bins: int = 1000  # values within the same such part of their range are one value
    unseen_values: int = 30  # in games of few values, so many other values may exist among as many pairs as were seen
    average_power: int = 3  # averages over two kernels are weighted by this power of their inverse variances


@dataclass(frozen=True)
class UnitVarianceSettings:
    """The regression with heavy tails that estimates how much each unit does by itself."""

    dof: float = 0.3  # of Student's t distribution of effects: a few units may do nearly all
    steps: int = 5  # more hardly lower the error of the scores
    min_noise: float = 1e-10  # of the mean square, so that matrices can be factored
    min_residual_dof: float = 0.05  # of the number of pairs


SIZES = Sizes()
DESIGN = DesignSettings()
FIT = FitSettings()
ERRORS = ErrorSettings()
UNIT_VARIANCES = UnitVarianceSettings()
