"""Regression-based C-Shapley (Chen et al. 2018, Section 4.3): least squares on the windows of the graph."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from math import comb
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.linalg import cho_solve_banded, cholesky_banded
from scipy.sparse.linalg import splu

from ..core.coalitions import Coalitions
from ..core.estimate import LinearEstimator
from ..core.graphs import Graph
from ..core.graphs.windows import windows as find_windows
from ..core.method import Method, check_choice, check_integer
from ..core.plan import Plan, Terms, check_terms, size_check
from ..errors import MethodError
from .axioms import Axioms
from .cheaper_methods import limit_search_time
from .checks import is_finite
from .subsets import bound_connected_sets

_MIN_BOUNDED_UNITS = 10_000  # on smaller chains and grids the coalitions are counted
_SMALL_BAND_NUMBERS = 1 << 20  # a band of at most this size is always stored completely


@dataclass(frozen=True)
class RegressionCShapley(Method):
    r"""The additive game closest to v on the windows: n-grams of a chain, n×n patches of a grid, small connected sets.

    .. math:: \tilde\phi = (X^\top W X + \lambda I)^{-1} X^\top W F, \qquad F_U = v(U) - v(\emptyset)

    X has a row for each window U with ones at its units, W is the diagonal matrix of the weights, :math:`\lambda` is
    `ridge`. (The paper prints :math:`(X^\top W X)^{-1} X^\top F`, which misses the second W.)

    Parameters
    ----------
    max_size : the largest n of the n-grams or n×n patches; on graphs that are neither chain nor grid, the largest
        number of units in a connected set. About `max_size` × d calls on chains and grids. It is a size and not a
        radius, unlike the `order` of other methods.
    weights : "uniform": 1 for every window. "kernel": the Shapley kernel :math:`(d-1)/(\binom dn n (d-n))` with
        n = \|U\|, as printed. A window of all d units has infinite weight: then the scores sum to the
        prediction less the base value exactly.
    windows : "kept": only the window is present, as in the paper. "removed": only the window is absent,
        :math:`F_U = v(V) - v(V \setminus U)`.
    ridge : the penalty on :math:`\|\phi\|^2`. It is relative to weights scaled so that those of single units are 1;
        without a penalty the scale does not matter.

    Notes
    -----
    Choose it when calls are expensive, especially on grids. Choose "removed" to find what matters in the
    full input, and to rank units for masking. Choose "kernel" only to follow the paper: at d = 400 the weights of n =
    1..4 are 1, 2.5e-3, 1.3e-5 and 9.6e-8, so that the scores are nearly the values of single units (correlation above
    0.9999). On a complete graph with ``max_size >= d``, "kernel" gives the Shapley value.

    The normal equations are factored when the plan is made, so an explanation costs one substitution. On a grid the
    factor is a band: about 8 d (m-1) s bytes for patches of up to m×m, s the product of all sides but the longest. On
    large graphs without small separators, such as random graphs, it is dense: 12 bytes for up to d² numbers.

    References
    ----------
    Chen et al. 2018, Section 4.3 [chen2019lshapley]_; the kernel: Lundberg and Lee 2017 [lundberg2017unified]_.

    Examples
    --------
    >>> import lcshap as lc
    >>> v = lc.Game(lambda kept: kept @ [2.0, 1.0, 1.0, 2.0] + 7.0 * (kept[:, 1] & kept[:, 2]), 4)
    >>> lc.RegressionCShapley(max_size=2).explain(v, lc.Graph.chain(4)).scores.round(3)  # no sum of four fits
    array([1., 3., 3., 1.])
    """

    max_size: int = 4
    weights: Literal["uniform", "kernel"] = "uniform"
    windows: Literal["kept", "removed"] = "kept"
    ridge: float = 0.0
    name: ClassVar[str] = "regression-c-shapley"
    summary: ClassVar[str] = (
        "The additive game closest to v on the windows: n-grams of a chain, n×n patches of a grid, small connected "
        "sets."
    )
    choose: ClassVar[str] = (
        "Choose it when calls are expensive, especially on grids. With windows='removed' it finds what matters in the "
        "full input, and ranks units for masking."
    )
    cost_in_words: ClassVar[str] = "about max_size · d on chains and grids"

    @classmethod
    def examples(cls) -> tuple[RegressionCShapley, ...]:
        """The parameters that the conformance suite runs."""
        return tuple(
            cls(m, weights, windows, ridge)
            for m, ridge in ((4, 0.0), (1, 0.0), (2, 0.0), (3, 0.0), (3, 1.0))
            for weights in ("uniform", "kernel")
            for windows in ("kept", "removed")
        )

    def axioms(self, graph: Graph) -> Axioms:
        """The axioms that it satisfies on this graph."""
        single = self.max_size == 1
        largest = min(graph.shape) if graph.kind == "grid" and len(set(graph.shape)) == 1 else graph.d
        # The kernel gives a window of all units an infinite weight.
        has_full_window = self.weights == "kernel" and self.max_size >= largest and graph.components.max() == 0
        return Axioms(
            layout=True,
            dummy=single,
            monotone=single,
            efficient="graph" if has_full_window else "nothing",
            unit_mass=self.ridge == 0,
        )

    def __post_init__(self) -> None:
        check_integer("max_size", self.max_size, minimum=1)
        check_choice("weights", self.weights, ("uniform", "kernel"))
        check_choice("windows", self.windows, ("kept", "removed"))
        number = isinstance(self.ridge, int | float | np.number) and not isinstance(self.ridge, bool)
        if not (number and is_finite(self.ridge) and self.ridge >= 0):
            raise MethodError(f"Expected ridge as a finite number of at least 0, got {self.ridge!r}.")

    def _bound_calls(self, graph: Graph, limit: int | None) -> int | None:
        is_regular = graph.kind == "grid" or graph.is_chain
        if limit is None or (is_regular and graph.d < _MIN_BOUNDED_UNITS):
            return None
        if not is_regular:
            return bound_connected_sets(graph, self.max_size, limit)
        return len(find_windows(graph, self.max_size, "square", size_check(limit))) + 2

    def _plan(self, graph: Graph, limit: int | None) -> Plan:
        check = size_check(limit)
        sets = find_windows(graph, self.max_size, "square", check)
        check_terms(len(sets.indices), len(sets.indices), len(sets), limit)
        constrained = self.weights == "kernel" and bool((sets.sizes == graph.d).any())
        weights = np.ones(len(sets)) if self.weights == "uniform" else _shapley_kernel(graph.d, sets.sizes)
        inverse = _factor_normal_equations(graph, sets, weights, self.ridge, lambda entries: check(len(sets), entries))
        plan = Plan.from_terms(self, graph, self._responses(sets, weights))
        share = None
        if constrained:
            share = inverse.solve(np.ones(graph.d))
            share /= share.sum()
        assert isinstance(plan.estimator, LinearEstimator)
        return Plan.linear(self, graph, plan.coalitions, LeastSquares(plan.estimator.operator, inverse, share))

    def _responses(self, sets: Coalitions, weights: NDArray[np.float64]) -> Iterator[Terms]:
        """X'W F as a sum over coalitions: each window for each of its units, less the empty or the full coalition."""
        d, lengths = sets.d, np.diff(sets.offsets)
        sign, removed = (1.0, False) if self.windows == "kept" else (-1.0, True)
        coalitions = Coalitions(d, sets.indices, sets.offsets, np.full(len(sets), removed))
        share = sign * np.repeat(weights, lengths)
        yield Terms(sets.indices, share, coalitions, np.repeat(np.arange(len(sets)), lengths))
        reference = Coalitions.from_table(d, np.empty((1, 0), np.int32), removed=removed)
        total = np.zeros(d)
        total += np.bincount(sets.indices, share, minlength=d)
        yield Terms(np.arange(d), -total, reference, np.zeros(d, np.intp))

    @limit_search_time
    def _cheaper(self, graph: Graph) -> Iterable[Iterable[Method]]:
        yield (replace(self, max_size=m) for m in range(min(self.max_size, 8) - 1, 0, -1))


def _shapley_kernel(d: int, sizes: NDArray[np.int64]) -> NDArray[np.float64]:
    """The Shapley kernel divided by its value at n = 1, which is 1/d; in integers, since C(d, n) may not fit a float.

    A window of all units gets 1: the constraint makes its residual zero, so that any weight is correct, and with this
    one a graph of a single unit needs no special case.
    """
    distinct_sizes, inverse = np.unique(sizes, return_inverse=True)
    return np.array([1.0 if n == d else d * (d - 1) / (comb(d, n) * n * (d - n)) for n in distinct_sizes.tolist()])[
        inverse
    ]


@dataclass(frozen=True, eq=False)
class LeastSquares:
    """Solves the normal equations for X'W F; `share` distributes the difference from a fixed sum."""

    right_side: Any
    inverse: Banded | SparseLU
    share: NDArray[np.float64] | None = None

    @property
    def shape(self) -> tuple[int, ...]:
        """Units and coalitions."""
        return tuple(self.right_side.shape)

    @property
    def nbytes(self) -> int:
        """Memory held, the factor included."""
        right_side = sum(a.nbytes for a in (self.right_side.data, self.right_side.indices, self.right_side.indptr))
        return int(right_side + self.inverse.nbytes + (0 if self.share is None else self.share.nbytes))

    def __matmul__(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        scores = self.inverse.solve(self.right_side @ values)
        if self.share is None:
            return scores
        missing = values[-1] - values[0] - scores.sum(axis=0)
        return np.asarray(scores + np.multiply.outer(self.share, missing))


@dataclass(frozen=True, eq=False)
class Banded:
    """The Cholesky factor of a banded matrix, units taken in `order`."""

    order: NDArray[np.intp]
    factor: NDArray[np.float64]

    @property
    def nbytes(self) -> int:
        """Memory held."""
        return self.order.nbytes + self.factor.nbytes

    def solve(self, right: NDArray[np.float64]) -> NDArray[np.float64]:
        """Forward and back substitution."""
        scores = np.empty_like(right)
        scores[self.order] = cho_solve_banded((self.factor, True), right[self.order], check_finite=False)
        return scores


@dataclass(frozen=True, eq=False)
class SparseLU:
    """The sparse factors of a matrix, and the matrix, because the factors themselves cannot be pickled."""

    matrix: sparse.csc_array
    factors: Any

    @classmethod
    def factor(cls, matrix: sparse.csc_array) -> SparseLU:
        """Factor a symmetric positive definite matrix, which needs no pivoting."""
        options = {"SymmetricMode": True}
        return cls(matrix, splu(matrix, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options=options))

    def __reduce__(self) -> tuple[Any, ...]:
        return SparseLU.factor, (self.matrix,)

    @property
    def nbytes(self) -> int:
        """Memory held: a value and an index for each number."""
        return 12 * int(self.matrix.nnz + self.factors.nnz)

    def solve(self, right: NDArray[np.float64]) -> NDArray[np.float64]:
        """Forward and back substitution."""
        return np.asarray(self.factors.solve(right))


def _factor_normal_equations(
    graph: Graph, sets: Coalitions, weights: NDArray[np.float64], ridge: float, check: Callable[[int], None]
) -> Banded | SparseLU:
    """Factor the normal equations: as a band on grids and where the band is small or full, else as a sparse matrix."""
    order = np.arange(graph.d)
    if graph.kind == "grid":  # the longest axis outermost makes the band narrowest
        axes = np.argsort([-side for side in graph.shape], kind="stable")
        order = order.reshape(graph.shape).transpose(axes).ravel()
    place = np.empty_like(order)
    place[order] = np.arange(graph.d)
    positions, starts = place[sets.indices], sets.offsets[:-1]
    # Two units have a common entry where a window has both, so the widest window gives the width of the band.
    width = int((np.maximum.reduceat(positions, starts) - np.minimum.reduceat(positions, starts)).max()) + 1
    banded = graph.kind == "grid" or graph.d * width <= max(_SMALL_BAND_NUMBERS, len(positions))
    if banded:
        check(graph.d * width // 3)  # before memory is allocated; a number has 8 bytes, and an entry counts as 24
    X = sparse.csr_array((np.ones(len(positions)), positions, sets.offsets), shape=(len(sets), graph.d))
    normal = X.T @ X.multiply(weights[:, None]) + ridge * sparse.eye_array(graph.d)
    if not banded:
        return SparseLU.factor(sparse.csc_array(normal))
    lower = sparse.tril(normal, format="coo")
    band = np.zeros((graph.d, width))
    band[lower.col, lower.row - lower.col] = lower.data
    return Banded(order, cholesky_banded(band.T, overwrite_ab=True, lower=True, check_finite=False))
