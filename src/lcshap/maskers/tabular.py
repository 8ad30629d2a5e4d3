"""Tables: the columns of a row as units; absent ones take the values of a reference row or of background rows."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.coalitions import Coalitions
from ..core.graphs import Graph
from ..core.views import TableView
from ..errors import MaskerError
from ..extras import need
from .base import Blend, Masked, Masker, check_units
from .many import are_rows, split_rows

_FEWEST_ROWS = 10  # to learn a graph from: two in each of the five parts of the cross-validation

Names = tuple[str, ...]
Column = int | str


@dataclass(frozen=True, eq=False)
class Tabular(Masker):
    """The columns of a row as units; those that are absent take background values.

    Parameters
    ----------
    background : a reference row (the mean of the data, say), or rows `(M, columns)`. With M rows each coalition takes M
        model rows, x where units are kept and row m of the background elsewhere, and the answers are averaged.
    graph : which columns are neighbours. A `Graph` over all columns, such as `learn_graph` returns; "complete", the
        same as None: nothing known; "chain": each next to the one before and after; "learn": learnt from `background`.
    names : of all columns, to show instead of those of the data.
    pin : columns, by name or number, that are always present: no units of the game.
    drop : columns that are always absent: no units either.

    Notes
    -----
    Choose a reference row to save calls, and some 20 to 100 background rows where no single row stands for "unknown".
    Columns with names (a pandas DataFrame as background, a Series as row) must agree in them. Rows for the model are
    always arrays, with all columns in their order, of the dtype of x where that is a float and else float64; encode
    categories as numbers first. Of a given or learnt graph the edges between units stay; a chain joins those next to
    each other among the units.

    Examples
    --------
    >>> import lcshap as lc
    >>> masked = Tabular([[0, 1, 2], [3, 4, 5]], names=["age", "dose", "sex"], pin=["sex"]).mask([70, 80, 90])
    >>> masked.graph.names, masked.rows_per_call
    (('age', 'dose'), 2)
    >>> masked.rows(lc.Coalitions.from_sets(2, [[], [1]])).astype(int).tolist()
    [[0, 1, 90], [3, 4, 90], [0, 80, 90], [3, 80, 90]]
    """

    background: Any = field(repr=False)
    graph: Graph | str | None = None
    names: Sequence[str] | None = None
    pin: Column | Sequence[Column] = ()
    drop: Column | Sequence[Column] = ()

    def __post_init__(self) -> None:
        if not (self.graph is None or isinstance(self.graph, Graph) or self.graph in ("complete", "chain", "learn")):
            raise MaskerError(f'graph must be a Graph, "complete", "chain" or "learn", not {self.graph!r}')
        rows = self._table[0]
        features = rows.shape[1]
        if not rows.size:
            raise MaskerError(f"a background of shape {rows.shape} has no values")
        if isinstance(self.names, str) or (self.names is not None and len(self.names) != features):
            raise MaskerError(f"names must be {features} strings, one a column, not {self.names!r}")
        _check_finite(rows, self._names, "the background")
        if isinstance(self.graph, Graph):
            if self.graph.d != features:
                raise MaskerError(f"a graph of {self.graph.d} units for a background of {features} columns")
            _agree(self._table[1], _own_names(self.graph), "the background", "the graph")
        pinned, dropped = self._find(self.pin), self._find(self.drop)
        both = sorted(pinned & dropped)
        if both:
            raise MaskerError(f"column {_say(both[0], self._names)} is both pinned and dropped")
        if len(pinned | dropped) == features:
            raise MaskerError(f"all {features} columns are pinned or dropped: there is nothing to explain")
        if self.graph == "learn":
            _ = self._graph  # so that what goes wrong does so here

    def is_many(self, x: Any) -> bool:
        """A list of numbers is one row; a list of rows, an array with two axes or a DataFrame is many."""
        return are_rows(x)

    def inputs(self, x: Any) -> list[Any]:
        """The rows in a list of rows; one is a list of one."""
        return split_rows(x) if self.is_many(x) else [x]

    def mask(self, x: Any) -> MaskedTabular:
        """Cut a row into its columns. x is a sequence of numbers, an array or a pandas Series."""
        background = self._table[0]
        row, found = _read(x, "x")
        if row.ndim != 1:
            raise MaskerError(f"x is one row of {background.shape[1]} numbers, not of shape {row.shape}")
        if len(row) != background.shape[1]:
            raise MaskerError(f"x has {len(row)} columns and the background {background.shape[1]}")
        _agree(self._found, found, "the masker", "x")
        names = self._names or found or tuple(map(str, range(len(row))))
        _check_finite(row[None], names, "x")
        graph = replace(self._graph, names=tuple(names[i] for i in self._units))
        return MaskedTabular(graph, row, background.astype(row.dtype, copy=False), names, self._units, self._pinned)

    @cached_property
    def _table(self) -> tuple[NDArray[np.floating], Names | None]:
        """The background as rows, and the names of its columns if it has any."""
        rows, names = _read(self.background, "the background")
        if rows.ndim not in (1, 2):
            raise MaskerError(f"a background is a row or a table of rows, not of shape {rows.shape}")
        return np.atleast_2d(rows), names

    @cached_property
    def _names(self) -> Names | None:
        """The names of all columns to show, where anything but x tells them."""
        return self._found if self.names is None else tuple(map(str, self.names))

    @cached_property
    def _found(self) -> Names | None:
        """The names of all columns in the background or else in the graph."""
        return self._table[1] or (_own_names(self.graph) if isinstance(self.graph, Graph) else None)

    @cached_property
    def _pinned(self) -> NDArray[np.intp]:
        return np.array(sorted(self._find(self.pin)), np.intp)

    @cached_property
    def _units(self) -> NDArray[np.intp]:
        """The columns that are units."""
        return np.setdiff1d(np.arange(self._table[0].shape[1]), list(self._find(self.pin) | self._find(self.drop)))

    @cached_property
    def _graph(self) -> Graph:
        """The graph over the units."""
        d = len(self._units)
        if self.graph == "chain":
            return Graph.chain(d)
        if self.graph is None or self.graph == "complete":
            return Graph.complete(d)
        whole = self.graph if isinstance(self.graph, Graph) else learn_graph(self._table[0], names=self._names)
        return whole if d == whole.d else Graph.from_sparse(whole.adjacency[self._units][:, self._units])

    def _find(self, columns: Column | Sequence[Column]) -> set[int]:
        """The numbers of columns given by name or number."""
        known, features = self._names or (), self._table[0].shape[1]
        found = set()
        for column in [columns] if isinstance(columns, int | np.integer | str) else columns:
            if isinstance(column, bool):
                raise MaskerError("pin and drop take names or numbers of columns, not True and False")
            if isinstance(column, str):
                if known.count(column) != 1:
                    raise MaskerError(f"{known.count(column)} columns are named {column!r}; the names are {known}")
                found.add(known.index(column))
                continue
            try:
                found.add(range(features)[operator.index(column)])
            except (TypeError, IndexError):
                raise MaskerError(f"no column {column!r}: give a name or a number below {features}") from None
        return found


@dataclass(frozen=True, eq=False)
class MaskedTabular(Masked):
    """A row cut into its columns.

    Attributes
    ----------
    x : the row.
    background : `(M, columns)`, what absent units take.
    columns : the names of all columns, pinned and dropped ones too.
    units : which columns are units, in the order of the graph.
    pinned : which columns are always present; those in neither are always absent.
    """

    x: NDArray[np.floating]
    background: NDArray[np.floating]
    columns: Names
    units: NDArray[np.intp]
    pinned: NDArray[np.intp]

    @property
    def content(self) -> tuple[Any, ...]:
        """The row, the background and which columns are units; graph and names play no part."""
        return self.x, self.background, self.units, self.pinned

    @property
    def rows_per_call(self) -> int:
        """M, the number of background rows."""
        return len(self.background)

    @property
    def owners(self) -> NDArray[np.intp]:
        """The unit of each column."""
        found = np.full(len(self.x), -1, np.intp)
        found[self.units] = np.arange(len(self.units))
        return found

    @property
    def view(self) -> TableView:
        """The columns with their values."""
        return TableView(columns=tuple(self.columns), values=self.x, labels=self.owners)

    def rows(self, coalitions: Coalitions) -> NDArray[np.floating]:
        """An array `(n * M, columns)`: for each coalition, all background rows in their order."""
        return self.blend(coalitions).rows

    def blend(self, coalitions: Coalitions) -> Blend:
        """Which columns are those of the row, and which those of the background."""
        check_units(coalitions, self.graph)
        kept = np.zeros((len(coalitions), len(self.x)), bool)
        kept[:, self.pinned] = True
        kept[:, self.units] = coalitions.dense()
        return Blend(kept[:, None], self.x, self.background)


def learn_graph(data: Any, threshold: float = 0.1, names: Sequence[str] | None = None, seed: int = 0) -> Graph:
    """A graph over the columns of a table: an edge where two are still correlated given all the others.

    The graphical lasso on standardised columns, its penalty chosen by cross-validation. Needs scikit-learn:
    ``pip install "lcshap[sklearn]"``.

    Parameters
    ----------
    data : rows `(n, columns)`, an array or a pandas DataFrame; many more rows than columns, at least 10.
    threshold : an edge needs a partial correlation above this, in absolute value. Cross-validation chooses penalties
        that predict well and so lets in many tiny ones; 0 keeps them all.
    names : of the columns, to show instead of those of the data.
    seed : of the order of the rows, which the parts of the cross-validation are cut from.

    Notes
    -----
    Choose it where no graph is known and all columns are numbers. It sees linear dependence only, and none in a column
    that never changes. For Gaussian data the edges are the conditional dependences, which L-Shapley builds on.

    Examples
    --------
    >>> steps = np.random.default_rng(0).normal(size=(500, 4))
    >>> learn_graph(steps.cumsum(axis=1), names=["spring", "summer", "autumn", "winter"]).edges.tolist()
    [[0, 1], [1, 2], [2, 3]]
    """
    table, found = _read(data, "the data")
    if table.ndim != 2 or not table.size:
        raise MaskerError(f"a graph is learnt from rows and columns, not from a shape of {table.shape}")
    if len(table) < _FEWEST_ROWS:
        raise MaskerError(
            f"{len(table)} rows are too few to learn a graph from: give learn_graph more, or another graph"
        )
    if not 0 <= threshold < 1:
        raise MaskerError(f"threshold must be from 0 to below 1, not {threshold!r}")
    _check_finite(table, found, "the data")
    covariance = need("sklearn.covariance", "sklearn")
    varying = np.flatnonzero(np.ptp(table, axis=0) > 0)
    edges = np.empty((0, 2), np.intp)
    if len(varying) > 1:
        shuffled = np.random.default_rng(seed).permutation(table[:, varying].astype(np.float64))
        standard = (shuffled - shuffled.mean(axis=0)) / shuffled.std(axis=0)
        try:
            precision = covariance.GraphicalLassoCV().fit(standard).precision_
        except FloatingPointError as error:
            raise MaskerError(
                f"no graph could be learnt, are some columns copies or sums of others? ({error})"
            ) from None
        scale = np.sqrt(np.diag(precision))
        partial = np.triu(np.abs(precision) / np.outer(scale, scale), k=1)
        edges = varying[np.argwhere(partial > threshold)]
    return Graph.from_edges(table.shape[1], edges, names if names is not None else found)


def _read(data: Any, who: str) -> tuple[NDArray[np.floating], Names | None]:
    """A new array of floats, and the names of its columns: strings in `columns` (DataFrame) or in `index` (Series)."""
    framed = hasattr(data, "to_numpy")
    labels = list(getattr(data, "columns", getattr(data, "index", ()))) if framed else []
    names = tuple(labels) if labels and all(isinstance(label, str) for label in labels) else None
    array = np.array(data.to_numpy() if framed else np.asarray(data))
    if array.dtype.kind == "f":
        return array, names
    try:
        if array.dtype.kind in "biuO":
            return array.astype(np.float64), names
        reason = str(array.dtype)
    except (TypeError, ValueError) as error:
        reason = str(error)
    raise MaskerError(f"{who} has values that are no numbers ({reason}): encode them as numbers first")


def _say(column: int, names: Names | None) -> str:
    return repr(names[column]) if names else str(column)


def _check_finite(rows: NDArray[np.floating], names: Names | None, who: str) -> None:
    bad = np.argwhere(~np.isfinite(rows))
    if len(bad):
        row, column = bad[0].tolist()
        raise MaskerError(f"{who} has {rows[row, column]} in column {_say(column, names)}: fill it in first")


def _own_names(graph: Graph) -> Names | None:
    """The names of a graph, unless they are the numbers it gives by itself."""
    return None if graph.names == tuple(map(str, range(graph.d))) else graph.names


def _agree(one: Names | None, other: Names | None, who: str, whom: str) -> None:
    """Refuse columns that are named and ordered differently in two places."""
    for i, (a, b) in enumerate(zip(one or (), other or (), strict=False)):
        if a != b:
            raise MaskerError(f"column {i} is {a!r} in {who} and {b!r} in {whom}: give both the same columns and order")
