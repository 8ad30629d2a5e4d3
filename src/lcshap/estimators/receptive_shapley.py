"""The exact Shapley value of message-passing networks: a sum of functions of small neighbourhoods."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..core.adaptive import Program
from ..core.coalitions import Coalitions
from ..core.explanation import Explanation, edge_matrix
from ..core.game import AbstractGame, name
from ..core.graphs import Graph
from ..core.limits import MAX_CALLS
from ..core.method import Cost, Method, Stop, check_count
from ..core.plan import Plan, check_calls, check_memory
from ..core.run import explain_values
from ..errors import MethodError, PlanTooLargeError
from .axioms import Axioms
from .cheaper import in_time
from .covering import codes, covering
from .subsets import interaction_weights, masks, shapley_weights

_CHECKED = 8  # coalitions on which the parts must sum to the value
_AGREE = 1e-5  # how closely, in units of the largest sum of |parts| or value: single precision is enough
_MOST = 30  # units of a neighbourhood that no machine can do, whatever limit was lifted
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class ReceptiveShapley(Method):
    r"""The exact Shapley value when each node's part of the value depends only on its r-hop neighbourhood.

    .. math:: v(S) = c + \sum_i f_i(S \cap N_r(i)) \quad\Longrightarrow\quad
              \phi(j) = \sum_{i:\; j \in N_r(i)} \phi_j(f_i)

    The Shapley value of :math:`f_i` is taken over the subsets of :math:`N_r(i)`.

    Parameters
    ----------
    hops : r, how far the part of a node sees: the number of message-passing layers. One more where absent nodes lose
        their edges (``GraphNodes(remove_edges=True)``) and layers divide by degrees, as GCN layers do: then the degree
        of a neighbour depends on that neighbour's neighbours.
    interactions : also give the exact Shapley interaction index of every pair of units within a neighbourhood, from the
        same coalitions. The index of all other pairs is 0.

    Notes
    -----
    Choose it for graph neural networks of a few layers whose readout is a sum or a mean over all nodes of a linear
    head: molecules, small networks. The model says what each node adds to its output:
    ``adapters.CallableModel(predict, kind, parts=...)``, or ``TorchModel(..., parts=...)``. A mean counts absent nodes
    too, which `GraphNodes` keeps; batch normalisation is local in evaluation mode only; nothing but a linear layer may
    come after the pooling. The value must be linear in the outputs: ``value="output"``, log-odds of two logits, or the
    contrast of two classes.

    One coalition S shows :math:`f_i(S \cap N_r(i))` for all nodes i at once, so that about :math:`2^n` coalitions serve
    all nodes, n being the size of the largest neighbourhood: 32 for two layers on a chain of any length.

    All that is assumed is checked on the way: that the parts sum to the value of the model on ∅, V and six random
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
    >>> e = lc.ReceptiveShapley(hops=1, interactions=True).explain(v, lc.Graph.chain(50))
    >>> e.scores[:3], e.calls
    (array([0.5, 1. , 1. ]), 16)
    >>> e.interactions[0, 1], e.interactions[0, 2]
    (np.float64(1.0), np.float64(0.0))
    """

    hops: int = 2
    interactions: bool = False
    name: ClassVar[str] = "receptive-shapley"
    summary: ClassVar[str] = (
        "The exact Shapley value when each node's part of the value depends only on its r-hop neighbourhood."
    )
    choose: ClassVar[str] = (
        "Choose it for graph neural networks of a few layers that pool a linear head by sum or mean, and that return "
        "what each node adds to the output."
    )
    cost_in_words: ClassVar[str] = "about 2^n for n nodes in the largest neighbourhood, for any d"
    has_plan: ClassVar[bool] = False

    @classmethod
    def examples(cls) -> tuple[ReceptiveShapley, ...]:
        """The parameters that the conformance suite runs."""
        return (cls(hops=1), cls(), cls(hops=1, interactions=True))

    def axioms(self, graph: Graph) -> Axioms:
        """What it promises on this graph."""
        return Axioms(planned=False, efficient="graph")

    def __post_init__(self) -> None:
        check_count("hops", self.hops)
        if not isinstance(self.interactions, bool):
            raise MethodError(f"Expected interactions=True or False, got {self.interactions!r}.")

    def cost(self, graph: Graph, max_calls: int | None = MAX_CALLS) -> Cost:
        """The coalitions whose parts are asked for; on some of them the value is asked for too."""
        balls, checked, rest = self._design(graph, max_calls)
        calls, most = len(checked) + len(rest), int(np.diff(balls.indptr).max())
        what = f"for parts that see up to {most} units; {len(checked)} of them also for the value, to check the parts"
        return Cost(calls, True, 0, f"{self}\n  on      {graph}\n  calls   {calls:,}, {what}")

    def calls_within(self, graph: Graph, limit: int) -> int | None:
        """How many calls it takes, or None where that is more than the limit."""
        try:
            _, checked, rest = _design(self.hops, graph, limit)
        except PlanTooLargeError:
            return None
        return len(checked) + len(rest)

    def program(
        self, game: AbstractGame, graph: Graph, max_calls: int | None = MAX_CALLS, stop: Stop | None = None
    ) -> Program[Explanation]:
        """Ask for the value of a few coalitions and the parts of all; compare; share each part out."""
        self.check_stop(stop)
        balls, checked, rest = self._design(graph, max_calls)
        values = yield checked
        some = _parts(game, checked)
        scale = _check_sums(some, values, checked)
        kept = np.concatenate([checked.dense(), rest.dense()])
        parts = np.concatenate([some, _parts(game, rest)]) if len(rest) else some
        scores = np.zeros((graph.d, *parts.shape[2:]))
        pairs, indices = [np.empty((0, 2), np.intp)], [np.empty((0, *parts.shape[2:]))]
        for i in range(graph.d):
            units = balls.indices[balls.indptr[i] : balls.indptr[i + 1]].astype(np.intp)
            table = _table(parts[:, i], codes(kept, units), 2 ** len(units), scale, i, self, kept)
            np.add.at(scores, units, shapley(table))
            if self.interactions:
                pairs.append(units[np.stack(np.triu_indices(len(units), 1), axis=1)])
                indices.append(interactions(table))
        e = explain_values(Plan(self, graph, checked, np.zeros((graph.d, len(checked)))), values, game)
        return Explanation(
            scores,
            e.base_value,
            e.full_value,
            graph,
            calls=len(kept),
            provenance=e.provenance,
            interactions=edge_matrix(graph, np.concatenate(indices), np.concatenate(pairs))
            if self.interactions
            else None,
        )

    def _design(self, graph: Graph, max_calls: int | None) -> tuple[sparse.csr_array, Coalitions, Coalitions]:
        try:
            return _design(self.hops, graph, max_calls)
        except PlanTooLargeError as error:
            message = f"{self} on {graph} needs {error}. {self._advice(graph, max_calls, error.above)}"
            raise PlanTooLargeError(message, error.calls, error.exact, error.above) from None

    @in_time
    def _cheaper(self, graph: Graph) -> Iterable[Iterable[Method]]:
        from .graph_kernel_shap import GraphKernelSHAP
        from .l_shapley import LShapley

        yield (LShapley(order=k, context="both") for k in (2, 1))
        yield (GraphKernelSHAP(k * graph.d + 2) for k in (8, 2))


def _design(hops: int, graph: Graph, limit: int | None) -> tuple[sparse.csr_array, Coalitions, Coalitions]:
    """The neighbourhoods; coalitions on which the value is asked for too (∅ first, V last); and all others."""
    d, most = graph.d, _MOST if limit is None else max(limit, 1).bit_length() - 1
    for k, balls in enumerate(graph.grow_balls()):
        n = int(np.diff(balls.indptr).max())
        if n > most:
            unit = graph.names[int(np.argmax(np.diff(balls.indptr)))]
            at = f"above max_calls={limit:,}" if limit is not None else "which no machine can do"
            shown = f"{2**n:,}" if n < 50 else f"2^{n}"
            raise PlanTooLargeError(
                f"at least {shown} calls, {at}: {n} units are within {k} hops of {unit}. Neighbourhoods of at "
                f"most {most} units fit, as those of hops={max(k - 1, 0)} do",
                2**n,
            )
        if k == hops:
            break
    check_memory(24 * d * 2**n, 2**n, limit)
    checked = _checked(d)
    sets = Coalitions.from_dense(np.concatenate([checked.dense(), covering(balls, limit)]))
    distinct, where = sets.unique()
    rest = distinct.take(np.setdiff1d(np.arange(len(distinct)), where[: len(checked)]))
    check_calls(len(distinct), limit, exact=True)
    return balls, checked, rest


def _checked(d: int) -> Coalitions:
    """∅, V and some random coalitions of all sizes, by size: all there are where these are few."""
    rng = np.random.default_rng(0)
    if 2**d <= _CHECKED:
        kept = masks(d)
    else:
        random = rng.random((_CHECKED - 2, d)) < np.linspace(0.2, 0.8, _CHECKED - 2)[:, None]
        kept = np.concatenate([np.zeros((1, d), bool), np.ones((1, d), bool), random])
    return Coalitions.from_dense(kept).unique()[0]


def _parts(game: AbstractGame, coalitions: Coalitions) -> Floats:
    found = game.parts(coalitions)
    if found is None:
        raise MethodError(
            "Expected a game that returns the part of each unit, got one without parts. Give Game(..., "
            "part_fn=...), or choose a method that needs only values, such as GraphKernelSHAP."
        )
    return found


def _check_sums(parts: Floats, values: Floats, checked: Coalitions) -> Floats:
    """Raise unless the parts sum to the values, but for a constant. Returns the size of a number, for each output."""
    sums = parts.sum(axis=1)
    if sums.shape != values.shape:
        raise MethodError(
            f"Expected parts for values of shape {values.shape[1:]}, got parts of shape {parts.shape[2:]}. Return a "
            "part for each output."
        )
    scale = np.maximum(np.abs(values).max(axis=0), np.abs(parts).sum(axis=1).max(axis=0))
    gaps = np.abs((sums - sums[0]) - (values - values[0])).reshape(len(values), -1)
    worst = int(gaps.max(axis=1).argmax())
    if not (gaps <= _AGREE * np.reshape(scale, -1)).all():
        raise MethodError(
            "Expected parts that sum to the value, up to a constant, got sums that differ from it by "
            f"{gaps[worst].max():.2g} at {name(checked, worst)}. Return what each node adds to the output, "
            "after a sum or a mean over all nodes that only a linear layer follows; or choose another "
            "method, such as GraphKernelSHAP."
        )
    return np.asarray(scale)


def _table(
    part: Floats,
    code: NDArray[np.int64],
    count: int,
    scale: Floats,
    i: int,
    method: ReceptiveShapley,
    kept: NDArray[np.bool_],
) -> Floats:
    """The part of unit i for each subset of its neighbourhood, less that of ∅; raise if it depends on other units."""
    first = np.empty(count, np.intp)
    first[code[::-1]] = np.arange(len(code))[::-1]
    gaps = np.abs(part - part[first[code]]).reshape(len(part), -1)
    if not (gaps <= _AGREE * np.reshape(scale, -1)).all():
        row = int(gaps.max(axis=1).argmax())
        one, other = (name(Coalitions.from_dense(kept[[r]]), 0) for r in (first[code[row]], row))
        raise MethodError(
            f"Expected parts that depend only on units within hops={method.hops}, got one of unit {i} that "
            f"differs by {gaps[row].max():.2g} between {one} and {other}, which agree there. Set hops to the "
            "number of message-passing layers, and to one more if absent nodes lose their edges and layers "
            "divide by degrees; divide a mean by the number of all nodes; put batch normalisation into "
            "evaluation mode; or choose another method, such as GraphKernelSHAP."
        )
    return np.asarray(part[first] - part[first[0]])


def shapley(table: Floats) -> Floats:
    """The Shapley value of a game from all its values, `(2^n,)` or `(2^n, outputs)`: bit p of a row stands for unit p.

    >>> shapley(np.array([0.0, 1.0, 2.0, 5.0]))
    array([2., 3.])
    """
    n = len(table).bit_length() - 1
    weights = shapley_weights(n)[masks(n - 1).sum(axis=1)] if n > 1 else np.ones(1)
    return np.array([weights @ _change(table, place) for place in range(n)])


def _change(table: Floats, place: int) -> Floats:
    """What the unit at a place adds to each set without it, in the order of these sets."""
    halves = table.reshape(-1, 2, 2**place, *table.shape[1:])
    return np.asarray((halves[:, 1] - halves[:, 0]).reshape(-1, *table.shape[1:]))


def interactions(table: Floats) -> Floats:
    """The Shapley interaction index of every pair, in the order of `np.triu_indices`, from all values of a game.

    >>> interactions(np.array([0.0, 1.0, 2.0, 5.0]))
    array([2.])
    """
    n = len(table).bit_length() - 1
    if n < 2:
        return np.empty((0, *table.shape[1:]))
    weights = interaction_weights(n)[masks(n - 2).sum(axis=1)] if n > 2 else np.ones(1)
    changes = [_change(table, place) for place in range(n)]
    return np.array([weights @ _change(changes[q], p) for p in range(n) for q in range(p + 1, n)])
