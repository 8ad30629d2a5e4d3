"""The settings of the regression. All of them were chosen by measured errors, and none depends on the model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


class LogNormal(NamedTuple):
    """The prior of a positive hyperparameter: its median, and the standard deviation of its logarithm."""

    median: float
    deviation: float


@dataclass(frozen=True)
class Sizes:
    """The largest problem of each step. The time of a Cholesky factor is cubic in the number of pairs."""

    units: int = 4096  # with more units than this, the method is refused
    cells: int = 1 << 27  # the largest number of pairs times units
    # With more units than this, pairs are random, units share one length scale, and there are no wide terms.
    many_units: int = 64
    # The largest number of pairs of the Gaussian process; a regression on its residuals uses the others.
    process_pairs: int = 4096
    process_pairs_per_unit: float = 2.5  # the largest number of pairs for each unit, with many units
    min_process_pairs: int = 1024  # with many units, the process takes at least this many pairs
    evidence_pairs: int = 512  # the evidence is computed from at most so many pairs
    shared_pairs: int = 96  # the same while all units have one length scale, before each is fitted
    shared_pairs_many: int = 256  # the same with many units, which always share one length scale
    even_units: int = 400  # with more units than this, all units share one length scale in the even half
    triples_per_unit: int = 64  # with more triples than this, the term of triples is omitted
    triples_per_unit_many: int = 4  # the same with many units, where a triple takes as much time as a unit
    # With fewer pairs for each unit, effects by size are omitted: they make errors of smooth games larger.
    effect_pairs_per_unit: int = 12
    correction_pairs_per_unit: int = 12  # with more pairs for each unit, residuals of all of them correct the scores
    checked_rows: int = 256  # leave-one-out residuals are computed for so many rows
    # With more units than this, equations of their size are solved by conjugate gradients, and the diagonals of their
    # inverses are approximated (see `many_units`).
    inverted_units: int = 256
    exact_agreement: int = 256  # so many units have a column of their own in predictions of the product kernel
    checked_units: int = 192  # the posterior variances of so many units are computed, and others are interpolated


@dataclass(frozen=True)
class DesignSettings:
    """The choice of pairs.

    The kernel for choosing pairs is simpler and noisier than the one for scores: pairs chosen with it are good for many
    games.
    """

    linear: float = 1.0
    white: float = 0.2
    smooth: float = 0.15
    smooth_few: float = 1.0  # the same with few pairs
    # Further pairs are random, with the sizes of the Shapley kernel. Some errors of a fit do not become smaller with
    # more pairs, and regressions on its residuals need representative pairs.
    greedy_pairs_per_unit: int = 32
    few_pairs_per_unit: int = 4  # up to so many pairs per unit, the coalitions of single units are included
    # On a chain, only from so many pairs per unit on: with fewer, errors on texts are larger.
    chain_pairs_per_unit: float = 1.75
    # Entries are (largest number of units, candidates for each pair).
    candidates_per_pair: tuple[tuple[int, int], ...] = ((32, 4), (64, 2))
    candidates_few: int = 1 << 13  # the largest number of candidates with few pairs
    comparisons_few: int = 1 << 19  # the largest number of candidates times pairs with few pairs
    block: int = 256  # pairs that are chosen at a time


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
    unit_spread_weight: float = 4.0  # the weight of this spread, as a number of observed units
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
# The variance of effects that depend on the number of units. With a larger median, errors of smooth games are larger.
EFFECTS_BY_SIZE = LogNormal(1e-4, 3.0)
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
    steps_units_slow: int = 3  # the same with more than `slow_units` units, where a step takes long
    steps_slow: int = 4
    slow_units: int = 40
    spread_updates: int = 3  # updates of the spread of units before the first step, where steps are few
    min_gain: float = 0.3  # a step that gains less is the last
    min_gain_shared: float = 2.0  # the same while all units have one length scale
    max_step: float = 2.0  # the largest change of a logarithm in one step
    units_gain: float = 1.0  # length scales of single units are fitted if they are expected to gain this
    unit_spreads: tuple[float, ...] = (0.25, 0.5, 1.0, 2.0)  # the spreads for which the expected gain is computed
    min_pairs_for_units: int = 64  # with fewer pairs, all units start with the same length scale
    # Units with smaller single effects, relative to the largest one, start with equal length scales.
    min_effect: float = 1e-4


@dataclass(frozen=True)
class ErrorSettings:
    """The calibration of standard errors."""

    caution: float = 1.2  # factor on standard errors of scores: the kernel was fitted to the values that it explains
    caution_interactions: float = 1.25  # the same for interactions
    slope_deviation: float = 2.0  # prior of the slope of log residuals by the log-odds of the size of a coalition
    scoring_steps: int = 25
    correction_caution: float = 1.3  # a correction is made if it is larger than this multiple of its sampling variance
    # The smallest variance of scores, relative to that of a regression on residuals. Entries are (pairs for each unit
    # from which on, share); games of few values have a share of their own.
    floor_shares: tuple[tuple[int, float], ...] = ((6, 0.5), (28, 1.0))
    floor_share_few_values: float = 2.0
    floor_pairs_per_unit_few_values: int = 2
    # With few pairs, effects at both ends are compared with those in the middle (see `left_out.compare_effects`). From
    # the first ratio of their difference to the residual of a sum on, intervals are wider, and entirely from the second
    # one on; smaller differences, relative to the effects, do not count.
    exact_gaps: tuple[float, float] = (200.0, 400.0)
    smallest_gap: float = 0.3
    doubtful_share: float = 0.5
    change_variance: float = 1 / 12  # of the share of sizes at which effects have changed, which may be any
    # If squared residuals are so many times as large as predicted, a kernel fitted to some of the coalitions gets more
    # white noise, as one of these shares of its variance.
    contradicting_scale: float = 2.0
    noise_shares: tuple[float, ...] = (1e-5, 1e-4, 1e-3, 1e-2, 0.03, 0.1, 0.3)
    # Residuals at both ends count as effects of units from the first contrast on, and entirely from the second one on.
    contrasts: tuple[float, float] = (1.6, 2.0)
    doubtful_contrast: float = 1.65  # from this contrast on, the intervals are in doubt
    end_variance: float = 1.5  # factor on the variance due to residuals at both ends
    few_values: float = 3.0  # with at most so many different values, a game counts as one of few values, such as a vote
    value_bins: int = 1000  # the range of values is divided into so many bins, and values in one bin count as equal
    # In games of few values, so many other values are assumed among as many pairs as were evaluated.
    unseen_values: int = 30
    average_power: int = 3  # averages over two kernels are weighted by this power of their inverse variances


@dataclass(frozen=True)
class UnitVarianceSettings:
    """The regression with heavy tails that estimates the variance of each unit's own effect."""

    # Of Student's t distribution of effects; the tails are heavy, because a few units may have nearly all effects.
    dof: float = 0.3
    steps: int = 5  # further steps hardly reduce the error of the scores
    min_noise: float = 1e-10  # relative to the mean square, so that matrices can be factored
    min_residual_dof: float = 0.05  # relative to the number of pairs
    # With many units: the relative residual of the equations for the means of effects, and the largest number of steps.
    tolerance: float = 1e-4
    solution_steps: int = 60


SIZES = Sizes()
DESIGN = DesignSettings()
FIT = FitSettings()
ERRORS = ErrorSettings()
UNIT_VARIANCES = UnitVarianceSettings()
