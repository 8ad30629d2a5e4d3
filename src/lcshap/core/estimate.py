"""What a method computes from the values of coalitions: an estimate of scores and interactions, in one call."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from .coalitions import Coalitions

Values = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Estimate:
    """Scores with everything that was estimated together with them.

    Attributes
    ----------
    scores : `(d,)`, or `(d, outputs)` for values with several outputs.
    stderr : the standard error of each score, inf where there are too few samples to tell; None for exact scores.
    dof : the degrees of freedom of the standard errors, for Student's t; less than 1 where there are too few samples.
    interactions : one number for each pair of `pairs`, `(pairs,)` or `(pairs, outputs)`; None where there are none.
    interaction_stderr : the standard error of each interaction, None for exact ones.
    pairs : `(pairs, 2)`, the units of each pair; None stands for the edges of the graph.
    predict : the value, minus the base value, that the fitted surrogate predicts for coalitions not evaluated; None
        for methods without a surrogate.
    doubt : a sentence that says why the standard errors may be too small, if the values contradict them; else empty.

    Examples
    --------
    >>> Estimate(np.array([1.0, 2.0])).stderr is None
    True
    """

    scores: Values
    stderr: Values | None = None
    dof: int | None = None
    interactions: Values | None = None
    interaction_stderr: Values | None = None
    pairs: NDArray[np.integer] | None = None
    predict: Callable[[Coalitions], Values] | None = None
    doubt: str = ""

    def scaled(self, factor: float) -> Estimate:
        """The estimate for values that are `factor` times as large.

        >>> Estimate(np.array([1.0, 2.0])).scaled(4.0).scores
        array([4., 8.])
        """
        predict = self.predict
        return replace(
            self,
            scores=self.scores * factor,
            stderr=None if self.stderr is None else self.stderr * factor,
            interactions=None if self.interactions is None else self.interactions * factor,
            interaction_stderr=None if self.interaction_stderr is None else self.interaction_stderr * factor,
            predict=None if predict is None else lambda coalitions: predict(coalitions) * factor,
        )


class Estimator(Protocol):
    """Computes an estimate from the values of the coalitions of a plan."""

    @property
    def nbytes(self) -> int:
        """The memory that it holds."""

    def estimate(self, values: Values) -> Estimate:
        """The estimate for values minus the base value, `(calls,)` or `(calls, outputs)`, in the order of the plan."""


class SampledEstimator(ABC):
    """An estimator whose coalitions come in a random order of samples, each of which concerns a few coalitions.

    The first samples make an estimator of their own (`head`), so that a run can show intermediate estimates or stop
    early.
    """

    @property
    @abstractmethod
    def nbytes(self) -> int:
        """The memory that it holds."""

    @property
    @abstractmethod
    def samples(self) -> int:
        """The number of samples."""

    @property
    @abstractmethod
    def columns(self) -> NDArray[np.integer]:
        """The coalitions whose values it uses, as positions in the plan, in ascending order."""

    @abstractmethod
    def estimate(self, values: Values) -> Estimate:
        """The estimate for values minus the base value; values of coalitions that are not in `columns` are ignored."""

    @abstractmethod
    def head(self, samples: int) -> SampledEstimator:
        """The estimator that uses the first samples only."""


class LinearOperator(Protocol):
    """A matrix, sparse or dense, or any other object that multiplies values from the left like one."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Rows (units or edges) and columns (coalitions)."""

    def __matmul__(self, values: Any, /) -> Any: ...


@dataclass(frozen=True, eq=False)
class LinearEstimator:
    """Exact scores that are linear in the values: one product with a matrix.

    Attributes
    ----------
    operator : values -> scores, `(d, calls)`. Its rows sum to zero, so that a constant added to all values changes
        nothing.
    edge_operator : values -> interactions of the edges of the graph, where the method has them.

    Examples
    --------
    >>> LinearEstimator(np.array([[-1.0, 1.0]])).estimate(np.array([0.0, 3.0])).scores
    array([3.])
    """

    operator: LinearOperator
    edge_operator: LinearOperator | None = None

    @property
    def nbytes(self) -> int:
        """The memory that the matrices hold."""
        return sum(_nbytes(matrix) for matrix in (self.operator, self.edge_operator) if matrix is not None)

    def estimate(self, values: Values) -> Estimate:
        """The product of each matrix with the values."""
        interactions = None if self.edge_operator is None else np.asarray(self.edge_operator @ values)
        return Estimate(np.asarray(self.operator @ values), interactions=interactions)


def _nbytes(matrix: Any) -> int:
    if sparse.issparse(matrix):
        return int(matrix.data.nbytes + matrix.indices.nbytes + matrix.indptr.nbytes)
    return int(matrix.nbytes)
