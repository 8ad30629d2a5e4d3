"""A plan: which coalitions to evaluate, and the linear map from their values to scores."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..errors import PlanError, PlanTooLargeError
from .coalitions import Coalitions
from .graphs import Graph
from .locks import ForkSafeLock

TERMS = 1 << 20  # how many terms to write down at once
_ENTRIES_PER_CALL = 50
_BYTES_A_TERM, _BYTES_AN_INDEX = 80, 10  # measured, at the peak of `Plan.from_terms`
_SECONDS_AN_INDEX = 0.7e-6  # of a connected set around one of its units: found, split and weighed
MEMORY = 2_000_000_000  # bytes that making a plan may take at its peak, unless the limit is lifted


class Described(Protocol):
    """What a plan knows of its method: its name and its parameters. Equal methods have equal plans."""

    name: ClassVar[str]

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters and their values."""

    def __hash__(self) -> int: ...


class LinearMap(Protocol):
    """What turns values into scores: a sparse or dense matrix, or anything else that multiplies like one.

    Its rows must send a constant to zero: scores do not change when the same number is added to every value.
    """

    @property
    def shape(self) -> tuple[int, ...]:
        """Rows (units or edges) and columns (coalitions)."""

    @property
    def nbytes(self) -> int:
        """Memory held (SciPy's matrices, which lack this, are known)."""

    def __matmul__(self, values: Any, /) -> Any: ...


@runtime_checkable
class EstimatedMap(Protocol):
    """A map from values to estimates of interactions: it says of which pairs, and how sure it is of each."""

    @property
    def pairs(self) -> NDArray[np.integer]:
        """The pairs of units, `(many, 2)`."""

    def stderr(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """The standard error of each number; inf where there is too little to tell."""


class SampledMap(ABC):
    """A map from the values of random samples to scores that can say how sure it is. Most are linear in the values.

    Its samples come in an order, and the first of them are a map of their own (`head`): that is what lets a run stop
    early, or show what it knows so far.
    """

    samples: int
    nbytes: int
    shape: tuple[int, int]

    @property
    @abstractmethod
    def freedom(self) -> int:
        """Degrees of freedom of the standard error (for t quantiles); 0 or less where there are too few samples."""

    @property
    @abstractmethod
    def columns(self) -> NDArray[np.integer]:
        """The columns (coalitions) that the map looks at, in ascending order."""

    @abstractmethod
    def __matmul__(self, values: NDArray[np.float64], /) -> NDArray[np.float64]: ...

    @abstractmethod
    def stderr(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """The standard error of each score; inf where there are too few samples to tell."""

    @abstractmethod
    def head(self, samples: int) -> SampledMap:
        """The map that uses the first samples only."""


@dataclass(frozen=True)
class Terms:
    """A sum being written down: row ``rows[t]`` gets ``weights[t] * v(coalitions[which[t]])``.

    Without `which`, there is one term for each coalition, in order.
    """

    rows: NDArray[np.integer]
    weights: NDArray[np.float64]
    coalitions: Coalitions
    which: NDArray[np.integer] | None = None

    def distinct(self) -> Terms:
        """The same terms, each coalition written once."""
        coalitions, where = self.coalitions.unique()
        which = where if self.which is None else where[self.which]
        return Terms(self.rows, self.weights, coalitions, which.astype(np.int32))


@dataclass(frozen=True, eq=False, repr=False)
class Plan:
    """What a method will do to any game on a graph. Immutable; make it once, run it on every input.

    Attributes
    ----------
    method : the method with its parameters.
    graph : the units, their names and who is next to whom.
    coalitions : the distinct coalitions to evaluate, smallest first: the empty one leads, the full one ends the list.
    operator : values -> scores, `(d, calls)`.
    edge_operator : values -> interactions of ``graph.edges``, where the method gives them.

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

    method: Described
    graph: Graph
    coalitions: Coalitions
    operator: LinearMap
    edge_operator: LinearMap | None = None

    @classmethod
    def from_terms(
        cls, method: Described, graph: Graph, terms: Iterable[Terms], edge_terms: Iterable[Terms] | None = None
    ) -> Plan:
        """Collect the `terms` of a `method` on a `graph` into a plan: each distinct coalition once, and ∅ and V.

        `edge_terms` are those of the pairs on the edges. Give terms in pieces of up to a million, as
        an iterator: repeats within a piece are gone before the next piece is made.
        """
        terms = [t.distinct() for t in terms]
        edge_terms = None if edge_terms is None else [t.distinct() for t in edge_terms]
        ends = Coalitions(graph.d, np.empty(0, np.int32), np.zeros(3, np.int64), np.array([False, True]))
        everything = [*terms, *(edge_terms or ())]
        coalitions, where = Coalitions.concat([ends, *(t.coalitions for t in everything)]).unique()
        columns = np.split(where[2:], np.cumsum([len(t.coalitions) for t in everything])[:-1])
        columns = [c.astype(np.int32)[t.which] for c, t in zip(columns, everything, strict=True)]
        shape = (graph.d, len(coalitions))
        operator = _matrix(terms, columns[: len(terms)], shape)
        edge_operator = None
        if edge_terms is not None:
            edge_shape = (graph.adjacency.nnz // 2, len(coalitions))
            edge_operator = _matrix(edge_terms, columns[len(terms) :], edge_shape)
        return cls(method, graph, coalitions, operator, edge_operator)

    @property
    def calls(self) -> int:
        """How many distinct coalitions a run evaluates."""
        return len(self.coalitions)

    @property
    def nbytes(self) -> int:
        """Memory held by the plan."""
        return self.coalitions.nbytes + sum(_nbytes(m) for m in (self.operator, self.edge_operator) if m is not None)

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
        span = [f"{_span(s.min(), s.max())} kept {len(s):,}" for s in (small, large[large < d]) if len(s)]
        lines = [
            f"{self.method}",
            f"  on      {self.graph}",
            f"  calls   {self.calls:,} ({self.calls / d:.1f} per unit), each a distinct coalition, ∅ and V included",
            f"  sizes   {', '.join([*span, f'all {d:,} kept 1'])}",
            f"  memory  {_bytes(self.nbytes)} for the plan",
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
        apart = sum(p.calls for p in self.parts)
        total = f"together: {self.calls:,} calls ({apart:,} if run one by one)"
        return "\n".join([*map(str, self.parts), total])


class PlanCache:
    """The plans used last, by structure and method, up to a total size. Many texts of one length share a plan."""

    def __init__(self, max_bytes: int) -> None:
        self._plans: OrderedDict[tuple[str, Described], Plan] = OrderedDict()
        self._max_bytes = max_bytes
        self._lock = ForkSafeLock()

    def get(self, method: Described, graph: Graph, make: Callable[[], Plan]) -> Plan:
        """The plan for this method and graph, made if it is not there; with this graph's own names."""
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


def check_calls(calls: int, limit: int | None, exact: bool = False) -> None:
    """Raise `PlanTooLargeError` where `calls` (a lower bound unless `exact`) are above the limit."""
    if limit is not None and calls > limit:
        shown = f"{calls:,}" if calls < 10**15 else f"2^{calls.bit_length() - 1}"
        raise PlanTooLargeError(f"{'' if exact else 'at least '}{shown} calls, above max_calls={limit:,}", calls, exact)


def check_entries(entries: int, calls: int, limit: int | None) -> None:
    """Raise `PlanTooLargeError` where a plan has few calls but so many terms that it would fill the memory."""
    if limit is not None and entries > _ENTRIES_PER_CALL * limit:
        raise PlanTooLargeError(
            f"at least {calls:,} calls and {entries:,} unit indices (about {_bytes(24 * entries)} of memory), "
            f"above the limit of {_ENTRIES_PER_CALL} indices for each call of max_calls={limit:,}",
            calls,
        )


def checks(limit: int | None) -> Callable[[int, int], None]:
    """What enumerations call on their way, with how many coalitions and unit indices there are at least."""

    def check(sets: int, indices: int) -> None:
        check_calls(sets + 1, limit)
        check_entries(indices, sets, limit)

    return check


def rooms(limit: int | None) -> Callable[[int, int], None]:
    """What enumerations call before they take memory, with how many coalitions there are and how many bytes."""
    return lambda sets, nbytes: check_memory(nbytes, sets, limit)


def check_terms(terms: int, indices: int, calls: int, limit: int | None) -> None:
    """Raise `PlanTooLargeError` where the sums of a plan have so many terms that they would fill the memory.

    `indices` are those of the coalitions as they are written down, before equal ones are found.
    """
    check_memory(_BYTES_A_TERM * terms + _BYTES_AN_INDEX * indices, calls, limit)


def check_time(indices: int, calls: int, limit: int | None) -> None:
    """Raise `PlanTooLargeError` where an enumeration of so many unit indices would take long for so few calls."""
    seconds = _SECONDS_AN_INDEX * indices
    if limit is not None and seconds > 5 + 20e-6 * calls:
        raise PlanTooLargeError(
            f"at least {calls:,} calls and {indices:,} unit indices of sets around units, which would take "
            f"more than {seconds:.0f} s to plan. Only max_calls=None allows that",
            calls,
            above="time",
        )


def check_memory(needed: int, calls: int, limit: int | None, fits: str = "") -> None:
    """Raise `PlanTooLargeError` where making a plan would take more bytes than `MEMORY`. `fits` says what would do."""
    if limit is not None and needed > MEMORY:
        raise PlanTooLargeError(
            f"{calls:,} calls and about {_bytes(needed)} of memory, above the limit of "
            f"{_bytes(MEMORY)}{fits and '. '}{fits}",
            calls,
            above="memory",
        )


def _matrix(terms: Sequence[Terms], columns: Sequence[NDArray[np.integer]], shape: tuple[int, int]) -> sparse.csr_array:
    if not terms:
        return sparse.csr_array(shape)
    rows = np.concatenate([t.rows for t in terms]).astype(np.int32, copy=False)
    column = np.concatenate(columns)
    weights = np.concatenate([t.weights for t in terms])
    matrix = sparse.csr_array(sparse.coo_array((weights, (rows, column)), shape=shape))
    matrix.sum_duplicates()
    return matrix


def _nbytes(operator: Any) -> int:
    if sparse.issparse(operator):
        return int(operator.data.nbytes + operator.indices.nbytes + operator.indptr.nbytes)
    return int(operator.nbytes)


def _span(low: int, high: int) -> str:
    return f"{low:,}" if low == high else f"{low:,}..{high:,}"


def _bytes(n: float) -> str:
    for unit in ("B", "kB", "MB"):
        if n < 1000:
            return f"{n:.3g} {unit}"
        n /= 1000
    return f"{n:.3g} GB"
