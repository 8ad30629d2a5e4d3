"""Tables: the columns of a row are units; absent ones get the values of a reference row or of background rows."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.graphs import Graph
from ..errors import MaskerError
from .base import Masker, is_count
from .cell_values import Names, align_columns
from .dataframes import Frame, select_columns
from .input_lists import holds_rows, is_frame, is_pandas, list_rows
from .masked_table import MaskedFrame, MaskedTabular
from .mixed import encode_columns, read_array, read_table
from .one_hot import find_blocks
from .representatives import choose_rows
from .table_checks import (
    check_missing,
    check_needs_no_background,
    check_same_names,
    check_values,
    format_column,
    graph_names,
    read_row,
)
from .table_graphs import Learner, learn_graph
from .table_inputs import TableInputs, unit_of_columns

Column = int | str
_GRAPHS: dict[str, Learner] = {
    "learn": "partial-correlation",
    "mutual-information": "mutual-information",
    "cluster": "cluster",
}


@dataclass(frozen=True, eq=False)
class Tabular(Masker):
    """The columns of a row as units; absent units get background values.

    Parameters
    ----------
    background : a reference row (such as the mean of the data), or rows `(M, columns)`; an array, or a pandas or polars
        DataFrame (a Series with the names of the columns is a DataFrame of one row). With M rows each coalition takes M
        model rows, with the values of x for kept units and those of row m of the background for the others, and the
        answers are averaged. None, the default, is for tree ensembles only: `TreeSHAP` then lets absent columns follow
        the shares of the training rows that the trees know.
    graph : which columns are neighbours. A `Graph` over all columns, such as `learn_graph` returns; "complete", the
        same as None, if nothing is known; "chain", in the order of the columns; or learnt from `background`: "learn"
        (the graphical lasso, for numbers), "mutual-information" or "cluster" (for mixed columns), see `learn_graph`.
    names : the names of all columns, instead of those in the data.
    pin : columns, by name or number, that are always present, and are not units.
    drop : columns that are always absent, and are not units.
    groups : columns that together are one unit, a mapping from the name of the unit to its columns; or "one-hot": the
        blocks that `one_hot_groups` finds in `background`.
    summary : the number of rows of `background` that are chosen to represent all of it, see `representatives`. Graphs
        and one-hot blocks are found in all rows.

    Notes
    -----
    Choose a reference row to save calls, and some 20 to 100 background rows (`summary=50`) if no single row represents
    an unknown input. A missing value is a value like any other, for models that take it.

    If the background is a DataFrame, the model gets DataFrames of the same kind, with the same columns, types and
    categories. If it is an array, the model gets arrays, of the dtype of x if that is a float and float64 otherwise.
    Give ``frame.to_numpy()`` and `names` if a model needs arrays.

    A row is a list, an array, a Series, a dict or a DataFrame of one row. Other DataFrames, arrays with two axes and
    lists of rows are many. Columns with names may be in another order than in the background, and those that the
    background does not have are left out with a warning. It is an error if one is missing.

    A given or learnt graph keeps the edges between units, and groups have the edges of their columns. A chain joins
    units next to each other.

    Examples
    --------
    >>> import lcshap as lc
    >>> masked = Tabular([[0, 1, 2], [3, 4, 5]], names=["age", "dose", "sex"], pin=["sex"]).mask([70, 80, 90])
    >>> masked.graph.names, masked.rows_per_call
    (('age', 'dose'), 2)
    >>> masked.rows(lc.Coalitions.from_sets(2, [[], [1]])).astype(int).tolist()
    [[0, 1, 90], [3, 4, 90], [0, 80, 90], [3, 80, 90]]

    >>> import pandas as pd
    >>> people = pd.DataFrame({"age": [30.0, None], "city": pd.Categorical(["Oslo", "Rome"])})
    >>> masked = Tabular(people).mask({"city": "Rome", "age": 70})
    >>> rows = masked.rows(lc.Coalitions.from_sets(2, [[0]]))
    >>> rows["age"].tolist(), rows["city"].tolist(), str(rows["city"].dtype)
    ([70.0, 70.0], ['Oslo', 'Rome'], 'category')
    """

    background: Any = field(default=None, repr=False)
    graph: Graph | str | None = None
    names: Sequence[str] | None = None
    pin: Column | Sequence[Column] = ()
    drop: Column | Sequence[Column] = ()
    groups: Mapping[str, Sequence[Column]] | str | None = None
    summary: int | None = None

    def __post_init__(self) -> None:
        names_of_graphs = ("complete", "chain", *_GRAPHS)
        if not (self.graph is None or isinstance(self.graph, Graph) or self.graph in names_of_graphs):
            raise MaskerError(
                f"Expected a Graph or one of {', '.join(map(repr, names_of_graphs))} as graph, got {self.graph!r}."
            )
        if self.background is None:
            check_needs_no_background(self.graph, self.groups, self.summary)
            return
        rows, features = self._all_rows.shape
        if not rows or not features:
            raise MaskerError(f"Expected a background with values, got shape {self._all_rows.shape}.")
        if isinstance(self.names, str) or (self.names is not None and len(self.names) != features):
            raise MaskerError(f"Expected {features} strings as names, one for each column, got {self.names!r}.")
        if isinstance(self.graph, Graph):
            if self.graph.d != features:
                raise MaskerError(
                    f"Expected a graph of {features} units, one for each column of the background, got {self.graph.d}."
                )
            check_same_names(self._background_names, graph_names(self.graph), "the background", "the graph")
        pinned, dropped = self._column_numbers(self.pin), self._column_numbers(self.drop)
        overlapping = sorted(pinned & dropped)
        if overlapping:
            raise MaskerError(
                f"Expected columns that are pinned or dropped, got "
                f"{format_column(overlapping[0], self.column_names)} in both. Remove it from one of them."
            )
        if len(pinned | dropped) == features:
            raise MaskerError(
                f"Expected at least one column that is neither pinned nor dropped, got none of {features}. "
                "There is nothing to explain."
            )
        check_values(self._all_rows, self.column_names, "the background")
        if rows > 1:
            check_missing(self._all_rows, self.column_names, self._units)
        _ = self._graph, self._background_rows  # computed now, so that errors are raised when the masker is made

    def is_many(self, x: Any) -> bool:
        """A list of values is one row, and so is a DataFrame of one; a list of rows or an array of two axes is many.

        `Explainer.many` takes any DataFrame as many rows.
        """
        if isinstance(x, Mapping):
            return False
        return len(x) != 1 if is_frame(x) else holds_rows(x)

    def inputs(self, x: Any) -> list[Any]:
        """The rows in a list of rows, or one row as a list."""
        if not self.is_many(x):
            return [x]
        if is_frame(x):
            background = None if self.background is None else self._background_rows
            x = select_columns(x, background.names, "x") if isinstance(background, Frame) else x
            return [_one_row(x, row) for row in range(len(x))]
        return list_rows(x)

    def mask(self, x: Any) -> MaskedTabular:
        """Cut a row into its columns. x is a sequence of values, an array, a Series, a dict or a one-row DataFrame."""
        if self.background is None:
            return replace(self._with_columns_of(x).mask(x), has_background=False)
        if isinstance(self._background_rows, Frame):
            return self._mask_frame(x, self._background_rows)
        background = self._background_rows
        mapping_names = self._source_names or (None if self.names is None else tuple(self.names))
        row, row_names = self._align_array(*read_row(x, mapping_names))
        if row.ndim != 1:
            raise MaskerError(f"Expected x as one row of {background.shape[1]} numbers, got shape {row.shape}.")
        if len(row) != background.shape[1]:
            raise MaskerError(f"Expected x with {background.shape[1]} columns, as the background has, got {len(row)}.")
        names = self.column_names or row_names or tuple(map(str, range(len(row))))
        check_values(row[None], names, "x")
        arguments = self._name_units(names), row, background.astype(row.dtype, copy=False), names
        return MaskedTabular(*arguments, self._units, self._labels, self._pinned, self._blocks)

    def table(self, x: Any) -> TableInputs | None:
        """Many rows `x` at once: an array, or a DataFrame with the columns and types of the background; else None."""
        if self.background is None:
            return self._table_alone(x)
        background = self._background_rows
        units = unit_of_columns(self._units, self._labels, self._pinned, self._all_rows.shape[1])
        if isinstance(background, Frame):
            if not is_frame(x) or is_pandas(x) != is_pandas(background.data) or not len(x):
                return None
            frame = Frame.from_dataframe(select_columns(x, background.names, "x"), "x")
            if frame.types != background.types:
                return None
            rows, names = frame.data, self.column_names or background.names
            graph = self._name_units(names)
            return TableInputs(graph, rows, background.data, names, units, lambda row: self.mask(_one_row(rows, row)))
        if not (is_frame(x) or isinstance(x, np.ndarray)) or len(x.shape) != 2 or not len(x):
            return None
        rows, row_names = self._align_array(*read_array(x, "x"))
        if rows.shape[1] != background.shape[1] or np.isinf(rows).any():
            return None
        names = self.column_names or row_names or tuple(map(str, range(rows.shape[1])))
        table = background.astype(rows.dtype, copy=False)
        return TableInputs(self._name_units(names), rows, table, names, units, lambda row: self.mask(rows[row]))

    def _with_columns_of(self, row: Any) -> Tabular:
        """The same masker with this row as the reference row, which has names and types of columns."""
        if isinstance(row, Mapping):
            raise MaskerError("Expected a row with the order of its columns, got a mapping. Give a DataFrame.")
        return replace(self, background=row)

    def _table_alone(self, x: Any) -> TableInputs | None:
        """Many rows without a background. They are compared with each other when the model is checked."""
        if not (is_frame(x) or isinstance(x, np.ndarray)) or len(x.shape) != 2 or not len(x):
            return None
        table = self._with_columns_of(x[:1]).table(x)
        if table is None:
            return None
        cut = table.mask

        def mask(number: int) -> MaskedTabular:
            masked = cut(number)
            if isinstance(masked, MaskedFrame):
                return replace(masked, background=table.rows, table=Frame.from_dataframe(table.rows, "x"))
            return replace(masked, background=table.rows)

        return replace(table, background=table.rows, mask=mask, has_background=False)

    def _mask_frame(self, x: Any, table: Frame) -> MaskedFrame:
        row, names = table.row(x), self.column_names or table.names
        check_values(row, names, "x")
        arguments = (
            self._name_units(names),
            row.data,
            table.data,
            names,
            self._units,
            self._labels,
            self._pinned,
            self._blocks,
        )
        return MaskedFrame(*arguments, table=table, row=row)

    def _align_array(
        self, rows: NDArray[np.floating], names: Names | None
    ) -> tuple[NDArray[np.floating], Names | None]:
        """A row or rows with their columns in the order of the background, if both have names."""
        expected = self._source_names
        if expected is None and names is not None and set(names) == set(self.column_names or ()):
            expected = self.column_names
        positions = None if expected is None or names is None else align_columns(expected, names, "x")
        return (rows, names) if positions is None else (rows[..., positions], expected)

    def _name_units(self, names: Names) -> Graph:
        """The graph with the names of the units."""
        titles = {c: name for name, columns in self._groups.items() for c in columns}
        firsts = self._units[np.unique(self._labels, return_index=True)[1]]
        return replace(self._graph, names=tuple(titles.get(c, names[c]) for c in firsts.tolist()))

    @cached_property
    def _all_rows(self) -> NDArray[np.floating] | Frame:
        """All rows that were given."""
        if isinstance(self.background, Mapping):
            raise MaskerError("Expected rows or one row of values as the background, got a mapping. Give a DataFrame.")
        rows = read_table(self.background, "the background")
        if len(rows.shape) not in (1, 2):
            advice = f" To choose {self.background} rows of your data, give Tabular(data, summary={self.background})."
            raise MaskerError(
                f"Expected a row or a table of rows as the background, got an array of shape {rows.shape}."
                f"{advice if is_count(self.background) else ''}"
            )
        return rows if isinstance(rows, Frame) else np.atleast_2d(rows)

    @cached_property
    def _background_rows(self) -> NDArray[np.floating] | Frame:
        """The rows that absent units take."""
        if self.summary is None:
            return self._all_rows
        rows = choose_rows(encode_columns(self._all_rows), self.summary)
        return self._all_rows.pick(rows) if isinstance(self._all_rows, Frame) else self._all_rows[rows]

    @property
    def first_background_row(self) -> Any:
        """The first background row as the model gets it: an array with two axes, or a DataFrame."""
        rows = self._background_rows
        return rows.data[:1] if isinstance(rows, Frame) else rows[:1]

    @cached_property
    def _background_names(self) -> Names | None:
        """The names of all columns in the background."""
        if self.background is None:
            return None
        rows = self._all_rows
        return rows.names if isinstance(rows, Frame) else read_array(self.background, "the background")[1]

    @cached_property
    def column_names(self) -> Names | None:
        """The names of all columns for display, if they are known without x."""
        return self._source_names if self.names is None else tuple(map(str, self.names))

    @cached_property
    def _source_names(self) -> Names | None:
        """The names of all columns in the background, or otherwise in the graph."""
        return self._background_names or (graph_names(self.graph) if isinstance(self.graph, Graph) else None)

    @cached_property
    def _pinned(self) -> NDArray[np.intp]:
        return np.array(sorted(self._column_numbers(self.pin)), np.intp)

    @cached_property
    def _units(self) -> NDArray[np.intp]:
        """The columns that belong to units."""
        return np.setdiff1d(
            np.arange(self._all_rows.shape[1]), list(self._column_numbers(self.pin) | self._column_numbers(self.drop))
        )

    @cached_property
    def _blocks(self) -> Names:
        """One-hot blocks that are not groups, for a hint."""
        if self.groups is not None:
            return ()
        columns = set(self._units.tolist())
        return tuple(
            name for name, block in find_blocks(self._all_rows, self.column_names).items() if columns.issuperset(block)
        )

    @cached_property
    def _groups(self) -> dict[str, list[int]]:
        """The columns of each group."""
        columns = set(self._units.tolist())
        if isinstance(self.groups, str):
            if self.groups != "one-hot":
                raise MaskerError(
                    f'Expected a mapping from names to columns or "one-hot" as groups, got {self.groups!r}.'
                )
            blocks = find_blocks(self._all_rows, self.column_names)
            return {name: block for name, block in blocks.items() if columns.issuperset(block)}
        groups: dict[str, list[int]] = {}
        grouped: set[int] = set()
        for name, members in (self.groups or {}).items():
            groups[str(name)] = group = sorted(self._column_numbers(members))
            invalid = [c for c in group if c in grouped or c not in columns]
            if invalid or not group:
                reason = "in another group, pinned or dropped" if group else ""
                problem = (
                    f"column {format_column(invalid[0], self.column_names)}, which is {reason}"
                    if invalid
                    else "no columns"
                )
                raise MaskerError(f"Expected columns of their own for the group {name!r}, got {problem}.")
            grouped.update(group)
        return groups

    @cached_property
    def _labels(self) -> NDArray[np.intp]:
        """The unit of each column that belongs to one; units are numbered by their first columns."""
        first_column = {c: columns[0] for columns in self._groups.values() for c in columns}
        return np.unique([first_column.get(c, c) for c in self._units.tolist()], return_inverse=True)[1].astype(np.intp)

    @cached_property
    def _graph(self) -> Graph:
        """The graph over the units."""
        d = int(self._labels.max()) + 1
        if self.graph == "chain":
            return Graph.chain(d)
        if self.graph is None or self.graph == "complete":
            return Graph.complete(d)
        column_graph = self.graph
        if isinstance(column_graph, str):
            table = self._all_rows.data if isinstance(self._all_rows, Frame) else self._all_rows
            column_graph = learn_graph(table, names=self.column_names, method=_GRAPHS[column_graph])
        if d == column_graph.d:
            return column_graph
        unit = np.full(column_graph.d, -1, np.intp)
        unit[self._units] = self._labels
        edges = unit[column_graph.edges].reshape(-1, 2)
        edges = edges[(edges >= 0).all(axis=1) & (edges[:, 0] != edges[:, 1])]
        return Graph.from_edges(d, np.unique(np.sort(edges, axis=1), axis=0))

    def _column_numbers(self, columns: Column | Iterable[Column]) -> set[int]:
        """The numbers of columns given by name or number."""
        names, features = self.column_names or (), self._all_rows.shape[1]
        numbers = set()
        for column in [columns] if isinstance(columns, int | np.integer | str) else columns:
            if isinstance(column, bool):
                raise MaskerError("Expected names or numbers of columns in pin and drop, got True or False.")
            if isinstance(column, str):
                if names.count(column) != 1:
                    raise MaskerError(
                        f"Expected a name that one column has, got {column!r}, which {names.count(column)} "
                        f"columns have. The names are {names}."
                    )
                numbers.add(names.index(column))
                continue
            try:
                numbers.add(range(features)[operator.index(column)])
            except (TypeError, IndexError):
                raise MaskerError(
                    f"Expected the name of a column or a number below {features}, got {column!r}."
                ) from None
        return numbers


def _one_row(table: Any, row: int) -> Any:
    """A row of a DataFrame as a DataFrame."""
    return table.iloc[row : row + 1] if is_pandas(table) else table[row]
