"""From the values of pairs of coalitions to scores and interactions."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ...core.estimate import Estimate, SampledEstimator
from .exact import additive_scores, scores_from_all_pairs
from .hyperparameters import OddHyperparameters
from .interactions import estimate_interactions
from .odd_kernel import KernelTerms
from .posterior import DOUBT, count_values, score_posterior, single_unit_effects, unseen_value_stderr
from .tuning import ERRORS, SIZES


@dataclass(frozen=True, eq=False)
class GraphKernelEstimator(SampledEstimator):
    """The regression. A prior is fitted to the values of pairs, and its posterior gives scores and interactions.

    Attributes
    ----------
    plus, minus : the position of each pair's coalition in the plan, and that of its complement.
    kept : the coalition of each pair, `(pairs + 1, d)`. Row 0 is V.
    triples : `(triples, 3)`, units near each other in the graph.
    edges : the pairs of units whose interactions are estimated, `(edges, 2)`; None for scores alone.
    complete : whether all pairs of coalitions are evaluated, so that the scores are exact.
    """

    plus: NDArray[np.int32]
    minus: NDArray[np.int32]
    kept: NDArray[np.bool_]
    triples: NDArray[np.int32]
    edges: NDArray[np.integer] | None = None
    complete: bool = False

    @property
    def samples(self) -> int:
        """The number of pairs without {V, ∅}."""
        return len(self.kept) - 1

    @property
    def nbytes(self) -> int:
        """The memory in use, including matrices that are kept for the next input."""
        edges = 0 if self.edges is None else self.edges.nbytes
        return self.kept.nbytes + self.triples.nbytes + edges + self._hyperparameters.nbytes

    @property
    def dof(self) -> int:
        """The number of pairs minus that of units; 0 if there are too few pairs to estimate the error."""
        d = self.kept.shape[1]
        if self.complete:
            return max(self.samples, 1)
        return self.samples - d if 4 * self.samples >= 5 * d else 0

    @property
    def columns(self) -> NDArray[np.int32]:
        """The coalitions whose values it uses."""
        return np.unique(np.concatenate([self.plus, self.minus]))

    def estimate(self, values: NDArray[np.float64]) -> Estimate:
        """Fit each output separately: scores from the odd half of the values, interactions from the even half."""
        plus, minus = (values[columns].reshape(len(columns), -1).T for columns in (self.plus, self.minus))
        estimates = [self._fit(*output_values) for output_values in zip(plus, minus, strict=True)]
        arrays = (np.stack(outputs, axis=-1) for outputs in zip(*(arrays for arrays, _ in estimates), strict=True))
        scores, stderr, *even = (array.reshape(len(array), *values.shape[1:]) for array in arrays)
        interactions, interaction_stderr = even or (None, None)
        doubt = DOUBT if any(is_doubtful for _, is_doubtful in estimates) else ""
        return Estimate(scores, stderr, self.dof, interactions, interaction_stderr, self.edges, doubt=doubt)

    def _fit(self, plus: NDArray[np.float64], minus: NDArray[np.float64]) -> tuple[list[NDArray[np.float64]], bool]:
        """Scores and interactions of one output, each with its standard errors; and whether the fit is doubtful."""
        scores, stderr, is_doubtful = self._scores(plus, minus)
        arrays = [scores, stderr]
        if self.edges is not None:
            arrays += estimate_interactions(self.kept, (plus + minus) / 2, self.edges, self.complete)
        return arrays, is_doubtful

    def _scores(
        self, plus: NDArray[np.float64], minus: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], bool]:
        d, odd = self.kept.shape[1], (plus - minus) / 2
        if not np.isfinite(odd).all():  # the values are too large to subtract, and `explain_values` raises an error
            return np.full(d, np.nan), np.full(d, np.nan), False
        if self.complete:
            return scores_from_all_pairs(self.kept, odd), np.zeros(d), False
        scores = additive_scores(self.kept, odd, lambda: self._hyperparameters.gram)
        error, is_doubtful = np.zeros(d), False
        if scores is None:
            effects = single_unit_effects(self.kept, plus, minus)
            few_values = 0 < count_values(plus, minus)[1] <= ERRORS.few_values
            posterior = score_posterior(self.kept, odd, self._hyperparameters, effects=effects, few_values=few_values)
            scores, error, is_doubtful = posterior.scores, posterior.stderr, posterior.is_doubtful
        if not self.dof:
            return scores, np.full(d, np.inf), is_doubtful
        return scores, np.hypot(error, unseen_value_stderr(self.kept, plus, minus)), is_doubtful

    @cached_property
    def _hyperparameters(self) -> OddHyperparameters:
        """The hyperparameters of the odd half. They do not depend on v, so that they are set up once for all inputs."""
        d = self.kept.shape[1]
        if d <= SIZES.many_units:
            sizes_vary = self.samples > SIZES.effect_pairs_per_unit * d
            return OddHyperparameters(self.kept, KernelTerms(d, self.triples, effects_by_size=sizes_vary))
        keep_triples = len(self.triples) <= SIZES.triples_per_unit_many * d
        terms = KernelTerms(d, self.triples, wide=False) if keep_triples else KernelTerms(d, wide=False)
        return OddHyperparameters(self.kept, terms)

    def head(self, samples: int) -> GraphKernelEstimator:
        """The first pairs."""
        if samples == self.samples:
            return self
        rows = slice(0, samples + 1)
        return replace(self, plus=self.plus[rows], minus=self.minus[rows], kept=self.kept[rows], complete=False)
