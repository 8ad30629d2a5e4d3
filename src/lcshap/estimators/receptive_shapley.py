"""The exact Shapley value of message-passing networks: a sum of functions of small neighbourhoods."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..core.coalitions import Coalitions
from ..core.default_limits import MAX_CALLS
from ..core.estimate import Estimate
from ..core.explanation import Explanation
from ..core.game import AbstractGame, describe_coalition
from ..core.graphs import Graph
from ..core.method import Cost, Method, Stop, check_integer, describe_bound
from ..core.plan import check_calls, check_memory
from ..core.programs import Program
from ..core.run_plan import explain_estimate
from ..errors import MethodError, PlanTooLargeError
from .axioms import Axioms
from .cheaper_methods import limit_search_time
from .covering_array import covering, subset_codes
from .subsets import all_subsets, interaction_weights, shapley_weights

_CHECKED_COALITIONS = 8  # the number of coalitions on which the parts must sum to the value
_TOLERANCE = 1e-5  # relative to the largest sum of |parts| or value; single precision is enough
_SECONDS_PER_BALL, _SECONDS_PER_MEMBER = 150e-6, 0.1e-6  # to cover a ball: in itself, and for each unit of a subset
_MAX_SECONDS = 0.3  # If covering takes longer, a bound of the number of sets is given before.
_MAX_UNITS = 30  # in a neighbourhood; no machine can evaluate the subsets of more units
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class ReceptiveShapley(Method):
    r"""The exact Shapley value when each node's part of the value depends only on its r-hop neighbourhood.

    .. math:: v(S) = c + \sum_i f_i(S \cap N_r(i)) \quad\Longrightarrow\quad
              \phi(j) = \sum_{i:\; j \in N_r(i)} \phi_j(f_i)

    The Shapley value of :math:`f_i` is taken over the subsets of :math:`N_r(i)`.

    Parameters
    ----------
    order : r, the radius of the neighbourhood that the part of a node depends on: the number of message-passing layers,
        or one more where absent nodes lose their edges (``GraphNodes(remove_edges=True)``) and layers divide by
        degrees, as GCN layers do: then the degree of a neighbour depends on that neighbour's neighbours.
    interactions : also give the exact Shapley interaction index of every pair of units within a neighbourhood, from the
        same coalitions. The index of all other pairs is 0.

    Notes
    -----
    Choose it for graph neural networks of a few layers whose readout is a sum or a mean over all nodes of a linear
    head: molecules, small networks. The model also returns the contribution of each node to its output:
    ``adapters.CallableModel(predict, kind, parts=...)``, or ``TorchModel(..., parts=...)``. A mean counts absent nodes
    too, which `GraphNodes` keeps; batch normalisation is local in evaluation mode only; nothing but a linear layer may
    come after the pooling. The value must be linear in the outputs: ``value="output"``, log-odds of two logits, or the
    contrast of two classes.

    One coalition S gives :math:`f_i(S \cap N_r(i))` for all nodes i at once, so that about :math:`2^n` coalitions are
    enough for all nodes, n being the size of the largest neighbourhood: 32 for two layers on a chain of any length.

    All assumptions are checked: that the parts sum to the value of the model on the empty, the full and six random
    coalitions, and that no part differs between any two evaluated coalitions that agree within its neighbourhood.
    Otherwise `MethodError` is raised.

    References
    ----------
    It is L-Shapley (Chen et al. 2019, Theorem 1 [chen2019lshapley]_) made exact, by the linearity of the Shapley value.
    The interaction index: Grabisch and Roubens 1999 [grabisch1999axiomatic]_.

    Examples
    --------
    >>> import numpy as np, lcshap as lc
    >>> def parts(kept):  # each unit adds 1 where it and the next one are kept
    ...     return kept * np.roll(kept, -1, axis=1) * (np.arange(kept.shape[1]) < kept.shape[1] - 1)
    >>> v = lc.Game(lambda kept: parts(kept).sum(axis=1), 50, part_fn=parts)
    >>> e = lc.ReceptiveShapley(order=1, interactions=True).explain(v, lc.Graph.chain(50))
    >>> e.scores[:3], e.calls
    (array([0.5, 1. , 1. ]), 16)
    >>> e.interactions[0, 1], e.interactions[0, 2]
    (np.float64(1.0), np.float64(0.0))
    """

    order: int = 2
    interactions: bool = False
    name: ClassVar[str] = "receptive-shapley"
    summary: ClassVar[str] = (
        "The exact Shapley value when each node's part of the value depends only on its r-hop neighbourhood."
    )
    choose: ClassVar[str] = (
        "Choose it for graph neural networks of a few layers that pool a linear head by sum or mean, and that return "
        "the part of each node in the output."
    )
    cost_in_words: ClassVar[str] = "about 2^n for n nodes in the largest neighbourhood, for any d"
    has_plan: ClassVar[bool] = False

    @classmethod
    def examples(cls) -> tuple[ReceptiveShapley, ...]:
        """The parameters that the conformance suite runs."""
        return (cls(order=1), cls(), cls(order=1, interactions=True))

    def axioms(self, graph: Graph) -> Axioms:
        """The axioms that it satisfies on this graph."""
        return Axioms(planned=False, efficient="graph")

    def __post_init__(self) -> None:
        check_integer("order", self.order)
        if not isinstance(self.interactions, bool):
            raise MethodError(f"Expected interactions=True or False, got {self.interactions!r}.")

    def cost(self, graph: Graph, max_calls: int | None = MAX_CALLS) -> Cost:
        """The number of coalitions whose parts are evaluated; for some of them the value is evaluated too.

        If choosing the coalitions would take long, the largest possible number.
        """
        with self._advice_if_too_large(graph, max_calls):
            bound = _bound_sets(_grow_balls_within(self.order, graph, max_calls), graph, max_calls)
        if bound is not None:
            return describe_bound(self, graph, bound, max_calls)
        balls, checked, unchecked = self._design(graph, max_calls)
        calls, largest = len(checked) + len(unchecked), int(np.diff(balls.indptr).max())
        purpose = (
            f"for parts that see up to {largest} units; {len(checked)} of them also for the value, to check the parts"
        )
        return Cost(calls, True, 0, f"{self}\n  on      {graph}\n  calls   {calls:,}, {purpose}")

    def calls_within(self, graph: Graph, limit: int) -> int | None:
        """The number of calls, or None if it is more than the limit."""
        try:
            _, checked, unchecked = _design(self.order, graph, limit)
        except PlanTooLargeError:
            return None
        return len(checked) + len(unchecked)

    def program(
        self, game: AbstractGame, graph: Graph, max_calls: int | None = MAX_CALLS, stop: Stop | None = None
    ) -> Program[Explanation]:
        """Evaluate a few values and all parts, compare them, and add up the scores of all parts."""
        self.check_stop(stop)
        balls, checked, unchecked = self._design(graph, max_calls)
        values = yield checked
        checked_parts = _evaluate_parts(game, checked)
        scale = _check_sums(checked_parts, values, checked)
        kept = np.concatenate([checked.dense(), unchecked.dense()])
        parts = np.concatenate([checked_parts, _evaluate_parts(game, unchecked)]) if len(unchecked) else checked_parts
        scores = np.zeros((graph.d, *parts.shape[2:]))
        pairs, indices = [np.empty((0, 2), np.intp)], [np.empty((0, *parts.shape[2:]))]
        for i in range(graph.d):
            units = balls.indices[balls.indptr[i] : balls.indptr[i + 1]].astype(np.intp)
            table = _part_table(parts[:, i], subset_codes(kept, units), 2 ** len(units), scale, i, self, kept)
            np.add.at(scores, units, shapley_from_table(table))
            if self.interactions:
                pairs.append(units[np.stack(np.triu_indices(len(units), 1), axis=1)])
                indices.append(interactions_from_table(table))
        estimate = Estimate(scores)
        if self.interactions:
            estimate = replace(estimate, interactions=np.concatenate(indices), pairs=np.concatenate(pairs))
        return explain_estimate(self, graph, game, estimate, values[0], values[-1], calls=len(kept))

    def _design(self, graph: Graph, max_calls: int | None) -> tuple[sparse.csr_array, Coalitions, Coalitions]:
        with self._advice_if_too_large(graph, max_calls):
            return _design(self.order, graph, max_calls)

    @limit_search_time
    def _cheaper(self, graph: Graph) -> Iterable[Iterable[Method]]:
        from .graph_kernel_shap import GraphKernelSHAP
        from .l_shapley import LShapley

        yield (LShapley(order=k, context="both") for k in (2, 1))
        yield (GraphKernelSHAP(k * graph.d + 2) for k in (8, 2))


def _design(order: int, graph: Graph, limit: int | None) -> tuple[sparse.csr_array, Coalitions, Coalitions]:
    """The neighbourhoods; the coalitions whose value is evaluated too (∅ first, V last); and all other coalitions."""
    balls = _grow_balls_within(order, graph, limit)
    checked = _coalitions_to_check(graph.d)
    sets = Coalitions.from_dense(np.concatenate([checked.dense(), covering(balls, limit)]))
    distinct, inverse = sets.unique()
    unchecked = distinct.take(np.setdiff1d(np.arange(len(distinct)), inverse[: len(checked)]))
    check_calls(len(distinct), limit, exact=True)
    return balls, checked, unchecked


def _bound_sets(balls: sparse.csr_array, graph: Graph, limit: int | None) -> int | None:
    """The largest possible number of coalitions if choosing them would take long, otherwise None.

    On a chain each neighbourhood has at most one unit more than the ones before it cover, and of every two sets that
    agree on the others one gets this unit, so that no set is added after the first neighbourhood. On other graphs each
    neighbourhood adds at most all its subsets.
    """
    sizes = np.diff(balls.indptr)
    n = int(sizes.max())
    if limit is None or graph.d * (_SECONDS_PER_BALL + _SECONDS_PER_MEMBER * n * 2**n) < _MAX_SECONDS:
        return None
    return _CHECKED_COALITIONS + (2**n if graph.kind == "chain" else int((2.0**sizes).sum()))


def _grow_balls_within(order: int, graph: Graph, limit: int | None) -> sparse.csr_array:
    """The neighbourhoods, unless their subsets exceed the limit."""
    d, max_units = graph.d, _MAX_UNITS if limit is None else max(limit, 1).bit_length() - 1
    for k, balls in enumerate(graph.grow_balls()):
        n = int(np.diff(balls.indptr).max())
        if n > max_units:
            unit = graph.names[int(np.argmax(np.diff(balls.indptr)))]
            limit_text = f"above max_calls={limit:,}" if limit is not None else "which no machine can do"
            calls_text = f"{2**n:,}" if n < 50 else f"2^{n}"
            raise PlanTooLargeError(
                f"at least {calls_text} calls, {limit_text}: {n} units are within {k} edges of {unit}. Neighbourhoods "
                f"of at most {max_units} units fit, as those of order={max(k - 1, 0)} do",
                2**n,
            )
        if k == order:
            break
    check_memory(24 * d * 2**n, 2**n, limit)
    return balls


def _coalitions_to_check(d: int) -> Coalitions:
    """∅, V and some random coalitions of all sizes, sorted by size; all coalitions if there are few."""
    rng = np.random.default_rng(0)
    if 2**d <= _CHECKED_COALITIONS:
        kept = all_subsets(d)
    else:
        random = rng.random((_CHECKED_COALITIONS - 2, d)) < np.linspace(0.2, 0.8, _CHECKED_COALITIONS - 2)[:, None]
        kept = np.concatenate([np.zeros((1, d), bool), np.ones((1, d), bool), random])
    return Coalitions.from_dense(kept).unique()[0]


def _evaluate_parts(game: AbstractGame, coalitions: Coalitions) -> Floats:
    parts = game.parts(coalitions)
    if parts is None:
        raise MethodError(
            "Expected a game that returns the part of each unit, got one without parts. Give Game(..., "
            "part_fn=...), or choose a method that needs only values, such as GraphKernelSHAP."
        )
    return parts


def _check_sums(parts: Floats, values: Floats, checked: Coalitions) -> Floats:
    """Raise unless the parts sum to the values up to a constant. Returns the scale of the numbers, for each output."""
    sums = parts.sum(axis=1)
    if sums.shape != values.shape:
        raise MethodError(
            f"Expected parts for values of shape {values.shape[1:]}, got parts of shape {parts.shape[2:]}. Return a "
            "part for each output."
        )
    scale = np.maximum(np.abs(values).max(axis=0), np.abs(parts).sum(axis=1).max(axis=0))
    gaps = np.abs((sums - sums[0]) - (values - values[0])).reshape(len(values), -1)
    worst = int(gaps.max(axis=1).argmax())
    if not (gaps <= _TOLERANCE * np.reshape(scale, -1)).all():
        raise MethodError(
            "Expected parts that sum to the value, up to a constant, got sums that differ from it by "
            f"{gaps[worst].max():.2g} at {describe_coalition(checked, worst)}. Return what each node adds to the "
            "output, after a sum or a mean over all nodes that only a linear layer follows; or choose another "
            "method, such as GraphKernelSHAP."
        )
    return np.asarray(scale)


def _part_table(
    node_parts: Floats,
    code: NDArray[np.int64],
    count: int,
    scale: Floats,
    i: int,
    method: ReceptiveShapley,
    kept: NDArray[np.bool_],
) -> Floats:
    """The part of unit i for each subset of its neighbourhood, less that of ∅; raises if it depends on other units."""
    first = np.empty(count, np.intp)
    first[code[::-1]] = np.arange(len(code))[::-1]
    gaps = np.abs(node_parts - node_parts[first[code]]).reshape(len(node_parts), -1)
    if not (gaps <= _TOLERANCE * np.reshape(scale, -1)).all():
        row = int(gaps.max(axis=1).argmax())
        first_set, second_set = (
            describe_coalition(Coalitions.from_dense(kept[[r]]), 0) for r in (first[code[row]], row)
        )
        raise MethodError(
            f"Expected parts that depend only on units within order={method.order}, got one of unit {i} that "
            f"differs by {gaps[row].max():.2g} between {first_set} and {second_set}, which agree there. Set order to "
            "the number of message-passing layers, and to one more if absent nodes lose their edges and layers "
            "divide by degrees; divide a mean by the number of all nodes; put batch normalisation into "
            "evaluation mode; or choose another method, such as GraphKernelSHAP."
        )
    return np.asarray(node_parts[first] - node_parts[first[0]])


def shapley_from_table(table: Floats) -> Floats:
    """The Shapley value of a game from all its values, `(2^n,)` or `(2^n, outputs)`; bit p of a row is that of unit p.

    >>> shapley_from_table(np.array([0.0, 1.0, 2.0, 5.0]))
    array([2., 3.])
    """
    n = len(table).bit_length() - 1
    weights = shapley_weights(n)[all_subsets(n - 1).sum(axis=1)] if n > 1 else np.ones(1)
    return np.array([weights @ _unit_changes(table, place) for place in range(n)])


def _unit_changes(table: Floats, place: int) -> Floats:
    """The marginal contributions of the unit at a place to the sets without it, in the order of these sets."""
    halves = table.reshape(-1, 2, 2**place, *table.shape[1:])
    return np.asarray((halves[:, 1] - halves[:, 0]).reshape(-1, *table.shape[1:]))


def interactions_from_table(table: Floats) -> Floats:
    """The Shapley interaction index of every pair, in the order of `np.triu_indices`, from all values of a game.

    >>> interactions_from_table(np.array([0.0, 1.0, 2.0, 5.0]))
    array([2.])
    """
    n = len(table).bit_length() - 1
    if n < 2:
        return np.empty((0, *table.shape[1:]))
    weights = interaction_weights(n)[all_subsets(n - 2).sum(axis=1)] if n > 2 else np.ones(1)
    changes = [_unit_changes(table, place) for place in range(n)]
    return np.array([weights @ _unit_changes(changes[q], p) for p in range(n) for q in range(p + 1, n)])
