"""A plan: which coalitions to evaluate, and the estimator that turns their values into scores."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..errors import PlanError, PlanTooLargeError
from .coalitions import Coalitions
from .estimate import Estimator, LinearEstimator, LinearOperator
from .graphs import Graph
from .locks import ForkSafeLock

TERMS_PER_PIECE = 1 << 20  # This many terms are enumerated at once.
_ENTRIES_PER_CALL = 50
_BYTES_PER_TERM, _BYTES_PER_INDEX = 80, 10  # Measured at the peak of `Plan.from_terms`.
_SECONDS_PER_INDEX = 0.7e-6  # to enumerate, split and weight the connected sets around a unit
MAX_PLAN_BYTES = 2_000_000_000  # The memory of making a plan is limited to this, unless max_calls is None.


class MethodInfo(Protocol):
    """The part of a method that a plan uses: its name and its parameters. Equal methods have equal plans."""

    name: ClassVar[str]

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters and their values."""

    def __hash__(self) -> int: ...


@dataclass(frozen=True)
class Terms:
    """The terms of a sum: row ``rows[t]`` gets ``weights[t] * v(coalitions[which[t]])``.

    Without `coalition_indices`, there is one term for each coalition, in order.
    """

    rows: NDArray[np.integer]
    weights: NDArray[np.float64]
    coalitions: Coalitions
    coalition_indices: NDArray[np.integer] | None = None

    def distinct(self) -> Terms:
        """The same terms, with each distinct coalition once."""
        coalitions, positions = self.coalitions.unique()
        which = positions if self.coalition_indices is None else positions[self.coalition_indices]
        return Terms(self.rows, self.weights, coalitions, which.astype(np.int32))


@dataclass(frozen=True, eq=False, repr=False)
class Plan:
    """What a method evaluates for any game on a graph. Plans are immutable and can be run on many inputs.

    Attributes
    ----------
    method : the method with its parameters.
    graph : the units, their names and their neighbours.
    coalitions : the distinct coalitions to evaluate, by size: the empty one is the first, the full one the last.
    estimator : turns the values of the coalitions into an `lcshap.core.estimate.Estimate`. It does not depend on v.

    Examples
    --------
    >>> import lcshap as lc
    >>> plan = lc.LShapley(order=1).plan(lc.Graph.chain(100))
    >>> plan.calls
    397
    >>> print(plan)
    LShapley(order=1, context='absent', interactions=False)
      on      Graph.chain(100): 100 units, 99 edges
      calls   397 (4.0 per unit), each a distinct coalition, ∅ and V included
      sizes   0..3 kept 396, all 100 kept 1
      memory  16.6 kB for the plan
    """

    method: MethodInfo
    graph: Graph
    coalitions: Coalitions
    estimator: Estimator

    @classmethod
    def linear(
        cls,
        method: MethodInfo,
        graph: Graph,
        coalitions: Coalitions,
        operator: LinearOperator,
        edge_operator: LinearOperator | None = None,
    ) -> Plan:
        """A plan whose scores are a matrix times the values.

        Parameters
        ----------
        method, graph, coalitions : as in `Plan`.
        operator, edge_operator : as in `lcshap.core.estimate.LinearEstimator`.
        """
        return cls(method, graph, coalitions, LinearEstimator(operator, edge_operator))

    @classmethod
    def from_terms(
        cls, method: MethodInfo, graph: Graph, terms: Iterable[Terms], edge_terms: Iterable[Terms] | None = None
    ) -> Plan:
        """Collect the `terms` of a `method` on a `graph` into a plan: each distinct coalition once, and ∅ and V.

        `edge_terms` are those of the pairs on the edges. Pass the terms as an iterator over
        pieces of up to a million: repeated coalitions of a piece are merged before the next piece is enumerated.
        """
        terms = [t.distinct() for t in terms]
        edge_terms = None if edge_terms is None else [t.distinct() for t in edge_terms]
        ends = Coalitions(graph.d, np.empty(0, np.int32), np.zeros(3, np.int64), np.array([False, True]))
        all_terms = [*terms, *(edge_terms or ())]
        coalitions, positions = Coalitions.concat([ends, *(t.coalitions for t in all_terms)]).unique()
        columns = np.split(positions[2:], np.cumsum([len(t.coalitions) for t in all_terms])[:-1])
        columns = [c.astype(np.int32)[t.coalition_indices] for c, t in zip(columns, all_terms, strict=True)]
        shape = (graph.d, len(coalitions))
        operator = _build_matrix(terms, columns[: len(terms)], shape)
        edge_operator = None
        if edge_terms is not None:
            edge_shape = (graph.adjacency.nnz // 2, len(coalitions))
            edge_operator = _build_matrix(edge_terms, columns[len(terms) :], edge_shape)
        return cls.linear(method, graph, coalitions, operator, edge_operator)

    @property
    def calls(self) -> int:
        """How many distinct coalitions a run evaluates."""
        return len(self.coalitions)

    @property
    def nbytes(self) -> int:
        """Memory held by the plan."""
        return self.coalitions.nbytes + self.estimator.nbytes

    def __add__(self, other: Plan | PlanSum) -> PlanSum:
        """Merge: `run` of the sum evaluates every coalition once and gives one result for each plan."""
        return PlanSum((self,)) + other

    def __radd__(self, other: int) -> PlanSum:
        return 0 + PlanSum((self,)) if other == 0 else NotImplemented

    def __repr__(self) -> str:
        return f"<Plan {self.method} on {self.graph}: {self.calls:,} calls>"

    def __str__(self) -> str:
        """The cost preview."""
        d, sizes = self.graph.d, self.coalitions.sizes
        small = sizes[2 * sizes <= d]
        large = sizes[2 * sizes > d]
        span = [f"{_format_range(s.min(), s.max())} kept {len(s):,}" for s in (small, large[large < d]) if len(s)]
        lines = [
            *describe_calls(self.method, self.graph, self.calls),
            f"  sizes   {', '.join([*span, f'all {d:,} kept 1'])}",
            f"  memory  {_format_bytes(self.nbytes)} for the plan",
        ]
        return "\n".join(lines)


@dataclass(frozen=True, eq=False)
class PlanSum:
    """Several plans over the same units, to be run together. ``sum([a, b, c])`` and ``a + b + c`` make one.

    Attributes
    ----------
    parts : the plans, in their order.

    Examples
    --------
    >>> import lcshap as lc
    >>> g = lc.Graph.chain(3)
    >>> len((lc.Shapley().plan(g) + lc.Myerson().plan(g)).parts)
    2
    """

    parts: tuple[Plan, ...]

    def __post_init__(self) -> None:
        sizes = {p.graph.d for p in self.parts}
        if len(sizes) > 1:
            raise PlanError(f"Expected plans over the same number of units, got {sorted(sizes)} units.")

    def __add__(self, other: Plan | PlanSum) -> PlanSum:
        if isinstance(other, Plan):
            return PlanSum((*self.parts, other))
        return PlanSum((*self.parts, *other.parts)) if isinstance(other, PlanSum) else NotImplemented

    def __radd__(self, other: int | Plan) -> PlanSum:
        return self if other == 0 else NotImplemented

    @cached_property
    def _merged(self) -> tuple[Coalitions, NDArray[np.int32]]:
        return Coalitions.concat([p.coalitions for p in self.parts]).unique()

    @property
    def coalitions(self) -> Coalitions:
        """The distinct coalitions of all parts."""
        return self._merged[0]

    @property
    def calls(self) -> int:
        """How many distinct coalitions a run evaluates."""
        return len(self.coalitions)

    @property
    def columns(self) -> list[NDArray[np.int32]]:
        """For each part, where its coalitions stand among the merged ones."""
        return np.split(self._merged[1], np.cumsum([p.calls for p in self.parts])[:-1])

    def __str__(self) -> str:
        """The cost preview."""
        separate_calls = sum(p.calls for p in self.parts)
        total = f"together: {self.calls:,} calls ({separate_calls:,} if run one by one)"
        return "\n".join([*map(str, self.parts), total])


class PlanCache:
    """The plans used last, by structure and method, up to a total size. Many texts of one length share a plan."""

    def __init__(self, max_bytes: int) -> None:
        self._plans: OrderedDict[tuple[str, MethodInfo], Plan] = OrderedDict()
        self._max_bytes = max_bytes
        self._lock = ForkSafeLock()

    def get(self, method: MethodInfo, graph: Graph, make: Callable[[], Plan]) -> Plan:
        """The plan for this method and graph, built by `make` if it is not cached; with the names of this graph."""
        key = (graph.key, method)
        with self._lock:
            plan = self._plans.get(key)
            if plan is not None:
                self._plans.move_to_end(key)
        if plan is None:
            plan = make()
            with self._lock:
                if plan.nbytes <= self._max_bytes:
                    self._plans[key] = plan
                while sum(p.nbytes for p in self._plans.values()) > self._max_bytes:
                    self._plans.popitem(last=False)
        return plan if plan.graph is graph else replace(plan, graph=graph)

    def clear(self) -> None:
        """Forget all plans."""
        with self._lock:
            self._plans.clear()


def describe_calls(method: MethodInfo, graph: Graph, calls: int) -> list[str]:
    """The first lines of the cost preview: the method, the graph, and the number of calls."""
    words = f"{calls:,} ({calls / graph.d:.1f} per unit), each a distinct coalition, ∅ and V included"
    return [f"{method}", f"  on      {graph}", f"  calls   {words}"]


def check_calls(calls: int, limit: int | None, exact: bool = False) -> None:
    """Raise `PlanTooLargeError` where `calls` (a lower bound unless `exact`) are above the limit."""
    if limit is not None and calls > limit:
        calls_text = f"{calls:,}" if calls < 10**15 else f"2^{calls.bit_length() - 1}"
        raise PlanTooLargeError(
            f"{'' if exact else 'at least '}{calls_text} calls, above max_calls={limit:,}", calls, exact
        )


def check_entries(entries: int, calls: int, limit: int | None) -> None:
    """Raise `PlanTooLargeError` where a plan has few calls but so many terms that it would fill the memory."""
    if limit is not None and entries > _ENTRIES_PER_CALL * limit:
        raise PlanTooLargeError(
            f"at least {calls:,} calls and {entries:,} unit indices (about {_format_bytes(24 * entries)} of memory), "
            f"above the limit of {_ENTRIES_PER_CALL} indices for each call of max_calls={limit:,}",
            calls,
        )


def size_check(limit: int | None) -> Callable[[int, int], None]:
    """A function that enumerations call repeatedly with lower bounds of the numbers of coalitions and unit indices."""

    def check(sets: int, indices: int) -> None:
        check_calls(sets + 1, limit)
        check_entries(indices, sets, limit)

    return check


def memory_check(limit: int | None) -> Callable[[int, int], None]:
    """A function that enumerations call before they allocate memory, with the number of coalitions and of bytes."""
    return lambda sets, nbytes: check_memory(nbytes, sets, limit)


def check_terms(terms: int, indices: int, calls: int, limit: int | None) -> None:
    """Raise `PlanTooLargeError` where the sums of a plan have so many terms that they would fill the memory.

    `indices` counts the unit indices of all coalitions, before equal ones are merged.
    """
    check_memory(_BYTES_PER_TERM * terms + _BYTES_PER_INDEX * indices, calls, limit)


def check_time(indices: int, calls: int, limit: int | None) -> None:
    """Raise `PlanTooLargeError` where an enumeration of so many unit indices would take long for so few calls."""
    seconds = _SECONDS_PER_INDEX * indices
    if limit is not None and seconds > 5 + 20e-6 * calls:
        raise PlanTooLargeError(
            f"at least {calls:,} calls and {indices:,} unit indices of sets around units, which would take "
            f"more than {seconds:.0f} s to plan. Only max_calls=None allows that",
            calls,
            exceeded_limit="time",
        )


def check_memory(needed: int, calls: int, limit: int | None, fits: str = "") -> None:
    """Raise `PlanTooLargeError` if a plan would need more bytes than `MAX_PLAN_BYTES`. `fits` is advice."""
    if limit is not None and needed > MAX_PLAN_BYTES:
        raise PlanTooLargeError(
            f"{calls:,} calls and about {_format_bytes(needed)} of memory, above the limit of "
            f"{_format_bytes(MAX_PLAN_BYTES)}{fits and '. '}{fits}",
            calls,
            exceeded_limit="memory",
        )


def _build_matrix(
    terms: Sequence[Terms], columns: Sequence[NDArray[np.integer]], shape: tuple[int, int]
) -> sparse.csr_array:
    if not terms:
        return sparse.csr_array(shape)
    rows = np.concatenate([t.rows for t in terms]).astype(np.int32, copy=False)
    column = np.concatenate(columns)
    weights = np.concatenate([t.weights for t in terms])
    matrix = sparse.csr_array(sparse.coo_array((weights, (rows, column)), shape=shape))
    matrix.sum_duplicates()
    return matrix


def _format_range(low: int, high: int) -> str:
    return f"{low:,}" if low == high else f"{low:,}..{high:,}"


def _format_bytes(n: float) -> str:
    for unit in ("B", "kB", "MB"):
        if n < 1000:
            return f"{n:.3g} {unit}"
        n /= 1000
    return f"{n:.3g} GB"
