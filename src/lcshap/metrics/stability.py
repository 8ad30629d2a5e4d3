"""The stability of scores under another seed of a sampling method, and under small changes of the input."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.explanation import Explanation
from ..errors import MetricError, OptionError
from ..evaluation.model_game import at_target
from ..explainer import Explainer
from ..selection.selector import with_seed
from .score_agreement import rank_correlation


@dataclass(frozen=True, eq=False)
class SeedStability:
    """How much scores depend on the seed.

    Attributes
    ----------
    std : the standard deviation of each score over the seeds, with n - 1 in the denominator.
    rank_correlation : Spearman's correlation, averaged over all pairs of seeds; NaN if all scores of a seed are equal.

    Examples
    --------
    >>> from lcshap.metrics import SeedStability
    >>> SeedStability(np.zeros(3), 1.0).rank_correlation
    1.0
    """

    std: NDArray[np.float64]
    rank_correlation: float


def seed_stability(explainer: Explainer, x: Any, seeds: Iterable[int] = range(5)) -> SeedStability:
    """Explain an input with several seeds and compare the scores.

    Parameters
    ----------
    explainer : an `Explainer` whose method has a `seed`.
    x : one input.
    seeds : the seeds to use, at least two.

    Returns
    -------
    SeedStability : the standard deviation of each score, and how well the rankings agree.

    Raises
    ------
    MetricError : if there are fewer than two seeds, or the method has no seed.

    Examples
    --------
    >>> import lcshap as lc
    >>> from lcshap.metrics import seed_stability
    >>> letters = lambda texts: [float(len(t.replace(" ", ""))) for t in texts]
    >>> explainer = lc.Explainer(letters, lc.maskers.Text(), lc.SampleShapley(10), kind="output")
    >>> round(seed_stability(explainer, "a sum of letters, say").rank_correlation, 6)
    1.0
    """
    seed_list = list(seeds)
    if len(seed_list) < 2:
        raise MetricError(f"Expected at least two seeds, got {seed_list}.")
    explanations = [_with_seed(explainer, seed)(x) for seed in seed_list]
    if not all(isinstance(e, Explanation) and e.scores.ndim == 1 for e in explanations):
        raise MetricError("Expected one input and one output, got several. Explain one target.")
    scores = np.array([e.scores for e in explanations])
    correlations = [rank_correlation(a, b) for a, b in combinations(scores, 2)]
    return SeedStability(scores.std(axis=0, ddof=1), float(np.mean(correlations)))


def max_sensitivity(
    explainer: Explainer,
    x: Any,
    perturb: Callable[[Any, np.random.Generator], Any],
    samples: int = 10,
    seed: int = 0,
) -> float:
    r"""The largest relative change of the scores over small changes of the input. Lower is more stable.

    .. math:: \max_{s} \frac{\|\phi(x_s) - \phi(x)\|_2}{\|\phi(x)\|_2}

    Parameters
    ----------
    explainer : the `Explainer`; the class is always the one that it explains at x.
    x : one input.
    perturb : takes an input and a random generator, and returns a changed input x_s with the same number of units.
    samples, seed : the number of changed inputs, and the seed of the generator.

    Returns
    -------
    float : the largest relative change; 0 means that the scores never changed.

    Raises
    ------
    MetricError : if there are several inputs or outputs, or `perturb` changes the number of units.

    References
    ----------
    Yeh et al. 2019, On the (in)fidelity and sensitivity of explanations.

    Examples
    --------
    >>> import lcshap as lc
    >>> from lcshap.metrics import max_sensitivity
    >>> double = lambda rows: rows.sum(axis=1) * 2
    >>> explainer = lc.Explainer(double, lc.maskers.Tabular([0.0, 0.0]), lc.Shapley(), kind="output")
    >>> round(max_sensitivity(explainer, np.array([3.0, 4.0]), lambda x, rng: x + [0.0, 0.5]), 6)
    0.1
    """
    if samples < 1:
        raise MetricError(f"Expected samples as a number of at least 1, got {samples!r}.")
    rng = np.random.default_rng(seed)
    explainer_at_class = _fix_class(explainer, x)
    first, *perturbed = explainer_at_class([x, *(perturb(x, rng) for _ in range(samples))])
    if first.scores.ndim == 2:
        raise MetricError("Expected one input and one output, got several. Explain one target.")
    for e in perturbed:
        if e.graph.d != first.graph.d:
            raise MetricError(f"Expected perturb to keep the {first.graph.d} units of the input, got {e.graph.d}.")
    size = float(np.linalg.norm(first.scores))
    if not size:
        raise MetricError(
            "Expected scores that are not all zero, got only zeros. Their relative change is not defined."
        )
    return float(np.linalg.norm([e.scores - first.scores for e in perturbed], axis=1).max()) / size


def _with_seed(explainer: Explainer, seed: int) -> Explainer:
    """The explainer with another seed."""
    try:
        return replace(explainer, **with_seed(explainer.method, seed))
    except OptionError as error:
        raise MetricError(str(error)) from error


def _fix_class(explainer: Explainer, x: Any) -> Explainer:
    """The explainer with its target fixed to the class at x."""
    value = at_target(explainer.game(x))
    if value == explainer.value_function:
        return explainer
    return replace(explainer, model=explainer.adapter, value=value, target=None)
