r"""Theorems 1 and 2 of Chen et al. (2018), on models small enough to compute both sides exactly.

Both theorems bound the expected distance between a score and the Shapley value,

.. math:: E_X |\hat\phi_X(i) - \phi_X(i)| \le c \varepsilon,

where :math:`\varepsilon` measures how far unit i is from being independent of the units outside its neighbourhood. With
S = N_k(i) the proofs give c = 2 for L-Shapley (Theorem 1, Case 1) and, adding the 2 of the way from L- to C-Shapley,
c = 4 for C-Shapley (Theorem 2, Case 2), provided that its weights are the ones that the proof sums up: "myerson". The
printed weights are those only where a connected set has two neighbours, and their error does not vanish with
:math:`\varepsilon`.

The condition of Theorem 1 must hold for every U, the empty one too. So a Markov chain does not satisfy it with
:math:`\varepsilon = 0`: far units must be independent, not only given the units between them.

References
----------
Chen, Song, Wainwright, Jordan: L-Shapley and C-Shapley, ICLR 2019, Section 4.1 and the proofs in its appendix
[chen2019lshapley]_.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...core.game import Game
from ...core.graphs import Graph, connected_sets
from ...core.method import Method
from ...core.plan import PlanSum
from ...core.run_plan import run
from ...errors import OptionError
from ...estimators.c_shapley import CShapley
from ...estimators.l_shapley import LShapley
from ...estimators.shapley import Shapley

Units = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class JointModel:
    """Binary units X_1..X_d and a label Y, by their joint probabilities.

    Attributes
    ----------
    joint : P(x, y), one axis of length 2 for each unit and a last axis for the label. All positive, so that every
        logarithm is finite.
    """

    joint: NDArray[np.float64]

    def __post_init__(self) -> None:
        if self.joint.ndim < 2 or self.joint.shape[:-1] != (2,) * self.d:
            raise OptionError(f"Expected a joint table of shape (2, ..., 2, labels), got {self.joint.shape}.")
        if not (self.joint > 0).all() or not np.isclose(self.joint.sum(), 1, rtol=0, atol=1e-9):
            raise OptionError("Expected joint probabilities that are positive and sum to 1, got others.")

    @property
    def d(self) -> int:
        """The number of units."""
        return self.joint.ndim - 1

    @cached_property
    def inputs(self) -> NDArray[np.float64]:
        """P(x) of all 2^d inputs, in the order of the outputs of `game`: the last unit changes fastest."""
        return np.ravel(self.joint.sum(axis=-1))

    def marginal(self, units: Iterable[int], label: bool) -> NDArray[np.float64]:
        """P(x_S), or P(x_S, y) with the label; axes that are summed away keep length 1."""
        kept = frozenset((*units, self.d) if label else units)
        if kept not in self._marginals:
            summed_axes = tuple(axis for axis in range(self.d + 1) if axis not in kept)
            self._marginals[kept] = np.asarray(self.joint.sum(axis=summed_axes, keepdims=True))
        return self._marginals[kept]

    @cached_property
    def _marginals(self) -> dict[frozenset[int], NDArray[np.float64]]:
        return {}  # a cache, because the suprema below use each marginal hundreds of times

    def posterior(self, units: Iterable[int]) -> NDArray[np.float64]:
        """P(y | x_S): the prediction from the units S alone; P(y) for S = ∅."""
        units = tuple(units)
        return self.marginal(units, label=True) / self.marginal(units, label=False)

    def value(self, units: Iterable[int]) -> NDArray[np.float64]:
        """`expected_log_prob`, v_x(S) = sum_y P(y|x) log P(y|x_S), for all 2^d inputs x (Section 2.1)."""
        return np.ravel((self.posterior(range(self.d)) * np.log(self.posterior(units))).sum(axis=-1))

    @cached_property
    def game(self) -> Game:
        """v_x(S) as a game with one output for each input x."""
        return Game(lambda kept: np.stack([self.value(np.flatnonzero(row).tolist()) for row in kept]), self.d)


# -- dependence ---------------------------------------------------------------------------------------------------


def absolute_information(model: JointModel, i: int, V: Units, U: Units = (), label: bool = False) -> float:
    r"""Absolute conditional mutual information: :math:`I_a(X_i; X_V | X_U)`, or :math:`I_a(X_i; X_V | X_U, Y)`.

    .. math:: I_a = E\left| \log \frac{P(X_i, X_V | X_U)}{P(X_i | X_U) P(X_V | X_U)} \right|
    """

    def p(*units: int) -> NDArray[np.float64]:
        return model.marginal((*U, *units), label)

    ratio = p(i, *V) * p() / (p(i) * p(*V))
    return float((model.joint * np.abs(np.log(ratio))).sum())


def local_epsilon(model: JointModel, graph: Graph, order: int) -> NDArray[np.float64]:
    """The epsilon of Theorem 1 for each unit i, with S = N_k(i): the largest dependence between i and the outside.

    That is the supremum over `U ⊆ S\\{i}` and `V ⊆ [d]\\S` of both absolute informations, with and without Y.
    """
    epsilon = np.zeros(model.d)
    for i in range(model.d):
        S = {*graph.ball(i, order)}
        outside = {*range(model.d)} - S
        epsilon[i] = max(_dependence(model, i, V, U) for U in _subsets(S - {i}) for V in _subsets(outside))
    return epsilon


def connected_epsilon(model: JointModel, graph: Graph, order: int) -> NDArray[np.float64]:
    """The epsilon of Theorem 2 for each unit i, with S = N_k(i): that of Theorem 1, or of the second condition.

    The second condition is about every connected U ∋ i within S and every V ⊆ R(U), the units neither in U nor next to
    it: both absolute informations of X_i and X_V given `X_{U\\{i}}`.
    """
    epsilon = local_epsilon(model, graph, order)
    for level in connected_sets(graph, order):
        for i, U in zip(level.centres.tolist(), level.members.tolist(), strict=True):
            apart = {*range(model.d)} - {*U} - {j for u in U for j in graph.neighbours(u)}
            others = tuple(u for u in U if u != i)
            epsilon[i] = max(epsilon[i], *(_dependence(model, i, V, others) for V in _subsets(apart)))
    return epsilon


def _dependence(model: JointModel, i: int, V: Units, U: Units) -> float:
    return max(absolute_information(model, i, V, U, label) for label in (False, True))


def _subsets(units: Iterable[int]) -> Iterator[Units]:
    units = sorted(units)
    return chain.from_iterable(combinations(units, size) for size in range(len(units) + 1))


# -- errors -------------------------------------------------------------------------------------------------------


def expected_errors(model: JointModel, graph: Graph, methods: Sequence[Method]) -> NDArray[np.float64]:
    """`E_X |score(i) - Shapley(i)|`: a row for each method, a column for each unit i."""
    plans = PlanSum(tuple(method.plan(graph) for method in (Shapley(), *methods)))
    shapley, *others = run(plans, model.game)
    return np.stack([np.abs(e.scores - shapley.scores) @ model.inputs for e in others])


# -- models -------------------------------------------------------------------------------------------------------


def ising_chain(coupling: float, blocks: Sequence[Units] = ((0, 1), (2, 3), (4, 5)), noise: float = 0.1) -> JointModel:
    """Units on a chain that tend to agree with the next one, P(x) ∝ exp(coupling · Σ s_i s_{i+1}) with s = ±1.

    The label has one component for each block, see `add_labels`. Without coupling the blocks are independent.
    """
    spins = 2.0 * np.indices((2,) * sum(map(len, blocks))) - 1
    weights = np.exp(coupling * (spins[:-1] * spins[1:]).sum(axis=0))
    return add_labels(weights / weights.sum(), blocks, noise)


def independent_blocks(
    rng: np.random.Generator, blocks: Sequence[Units] = ((0, 1), (2, 3), (4, 5)), noise: float = 0.1
) -> JointModel:
    """Blocks of units independent of each other, also given the label; any (random) dependence within a block."""
    d = sum(map(len, blocks))
    prior = np.ones((2,) * d)
    for block in blocks:
        prior = prior * rng.dirichlet(np.full(2 ** len(block), 3.0)).reshape([2 if i in block else 1 for i in range(d)])
    return add_labels(prior, blocks, noise)


def add_labels(prior: NDArray[np.float64], blocks: Sequence[Units], noise: float) -> JointModel:
    """Give inputs with probabilities `prior` a label: one bit per block, whether all its units are on.

    Each bit is wrong with probability `noise`, independently. A label that mixes blocks would make them dependent given
    the label, and violate the condition given Y.
    """
    joint = prior[..., None]
    for block in blocks:
        on = np.indices(prior.shape)[list(block)].all(axis=0)
        bit = np.where(np.stack([on, ~on], axis=-1), 1 - noise, noise)
        joint = (joint[..., :, None] * bit[..., None, :]).reshape(*prior.shape, -1)
    return JointModel(joint)


# -- the sweep ----------------------------------------------------------------------------------------------------


class SweepRow(NamedTuple):
    """One coupling strength; every number is the largest over the units."""

    coupling: float
    local_epsilon: float
    connected_epsilon: float
    l_error: float
    l_bound: float
    c_error_myerson: float
    c_error_paper: float
    c_bound: float


def sweep_couplings(couplings: Iterable[float], order: int = 2) -> list[SweepRow]:
    """Expected errors and their bounds on `ising_chain`, as the coupling varies.

    Examples
    --------
    >>> for row in sweep_couplings([0.0, 0.1]):
    ...     print(f"{row.l_error:.3f} <= {row.l_bound:.3f}, {row.c_error_myerson:.3f} <= {row.c_bound:.3f}")
    0.000 <= 0.000, 0.000 <= 0.000
    0.000 <= 0.016, 0.004 <= 0.117
    """
    rows = []
    for coupling in couplings:
        model = ising_chain(coupling)
        graph = Graph.chain(model.d)
        local = local_epsilon(model, graph, order).max()
        connected = connected_epsilon(model, graph, order).max()
        methods = (LShapley(order), CShapley(order, weights="myerson"), CShapley(order, weights="paper"))
        l_error, myerson, paper = expected_errors(model, graph, methods).max(axis=1)
        numbers = (coupling, local, connected, l_error, 2 * local, myerson, paper, 4 * connected)
        rows.append(SweepRow(*map(float, numbers)))
    return rows
