"""Bootstrap intervals for the difference of two methods, over the samples that both explained."""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import MetricError

_NUMBERS_PER_BATCH = 1 << 20  # a batch takes tens of megabytes


def paired_bootstrap(
    a: Any,
    b: Any,
    statistic: Callable[..., Any] = np.mean,
    resamples: int = 10_000,
    confidence: float = 0.95,
    seed: int = 0,
) -> tuple[float, float, float]:
    """The difference of a statistic between two methods, with a percentile interval.

    Samples are drawn with replacement, the same ones for both methods, as often as there are samples; the ends of the
    interval are quantiles of the differences of all these draws (percentiles, not BCa).

    Parameters
    ----------
    a, b : one number for each sample, in the same order.
    statistic : takes an array and ``axis``, as NumPy's `mean` and `median` do.
    resamples : the number of draws, at least 2.
    confidence : the share of them that is within the interval.
    seed : the seed of the draws.

    Returns
    -------
    The difference (that of a minus that of b), and the lower and the upper end of the interval.

    Raises
    ------
    MetricError : if the two samples are not finite numbers of the same shape, or an option is not valid.

    Examples
    --------
    >>> from lcshap.metrics import paired_bootstrap
    >>> [round(x, 9) for x in paired_bootstrap([5.0, 7.0, 9.0], [4.0, 6.0, 8.0])]
    [1.0, 1.0, 1.0]
    """
    first, second = (np.asarray(side, np.float64) for side in (a, b))
    if first.ndim != 1 or first.shape != second.shape or not len(first):
        raise MetricError(
            f"Expected one number for each sample of both methods, got shapes {first.shape} and {second.shape}."
        )
    if not (np.isfinite(first).all() and np.isfinite(second).all()):
        raise MetricError("Expected finite numbers, got NaN or infinite ones. Leave these samples out of both.")
    if not 0 < confidence < 1:
        raise MetricError(f"Expected a confidence between 0 and 1, got {confidence!r}.")
    if resamples < 2:
        raise MetricError(f"Expected resamples as a number of at least 2, got {resamples!r}.")

    def difference(x: NDArray[np.float64], y: NDArray[np.float64], axis: int = -1) -> NDArray[np.float64]:
        return np.asarray(statistic(x, axis=axis) - statistic(y, axis=axis), np.float64)

    observed = float(difference(first, second))
    if len(first) == 1:  # a single number can be drawn in one way only
        return observed, observed, observed
    low, high = _interval((first, second), difference, resamples, confidence, np.random.default_rng(seed))
    return observed, float(low), float(high)


def _interval(
    samples: tuple[NDArray[np.float64], NDArray[np.float64]],
    statistic: Callable[..., NDArray[np.float64]],
    resamples: int,
    confidence: float,
    rng: np.random.Generator,
) -> tuple[float, float]:
    from scipy.stats import bootstrap

    # The second name is that of SciPy before 1.15.
    generator = "rng" if "rng" in signature(bootstrap).parameters else "random_state"
    interval = bootstrap(
        samples,
        statistic,
        n_resamples=resamples,
        batch=max(1, _NUMBERS_PER_BATCH // len(samples[0])),
        vectorized=True,
        paired=True,
        confidence_level=confidence,
        method="percentile",
        **{generator: rng},
    ).confidence_interval
    return interval.low, interval.high
