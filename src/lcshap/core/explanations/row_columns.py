"""The explanations of many inputs as columns: the numbers of all inputs in flat arrays, everything else stored once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..explanation import Explanation
from ..graphs import Graph
from .object_columns import CodedColumn, EntryColumn, ObjectColumn
from .ragged import Ragged, Rows

Outcome = Explanation | Exception


@dataclass(frozen=True, eq=False, kw_only=True)
class ExplanationColumns:
    """The explanations of many inputs.

    Attributes
    ----------
    scores : the scores of each input, unit after unit and, within a unit, output after output.
    outputs : the number of outputs of each input; 0 if scores have no axis for outputs.
    base_values, full_values : the base value and the full value of each output.
    stderr : as `scores`; the row of an input with exact scores is empty.
    dof, calls, rows : a number for each input, -1 for None.
    graphs : the graph of each input, None if the input failed.
    provenance : a column for each entry of the provenance.
    views, interactions, interaction_stderr, curves : an object for each input; None if no input has one.
    changes : for an input whose explanation differs from what the other columns say, the class of the explanation and
        the fields that replace the others.
    errors : the errors of the inputs that failed, by the number of the input.
    """

    scores: Ragged
    outputs: NDArray[np.int32]
    base_values: Ragged
    full_values: Ragged
    stderr: Ragged
    dof: NDArray[np.int64]
    calls: NDArray[np.int64]
    rows: NDArray[np.int64]
    graphs: CodedColumn
    provenance: Mapping[str, EntryColumn]
    views: ObjectColumn | None = None
    interactions: ObjectColumn | None = None
    interaction_stderr: ObjectColumn | None = None
    curves: ObjectColumn | None = None
    changes: ObjectColumn | None = None
    errors: Mapping[int, Exception]

    def __len__(self) -> int:
        return len(self.calls)

    @property
    def succeeded(self) -> NDArray[np.bool_]:
        """Which inputs have an explanation."""
        mask = np.ones(len(self), bool)
        mask[list(self.errors)] = False
        return mask

    def explanation(self, row: int) -> Outcome:
        """The explanation of an input, or its error."""
        if row in self.errors:
            return self.errors[row]
        outputs = int(self.outputs[row])
        shape = (-1, outputs) if outputs else (-1,)
        stderr = self.stderr[row]
        content: dict[str, Any] = {
            "scores": self.scores[row].reshape(shape),
            "base_value": _value(self.base_values[row], outputs),
            "full_value": _value(self.full_values[row], outputs),
            "graph": self.graphs.get(row),
            "calls": int(self.calls[row]),
            "provenance": self.provenance_of(row),
            "stderr": stderr.reshape(shape) if stderr.size else None,
            "dof": _optional(self.dof[row]),
            "rows": _optional(self.rows[row]),
            "view": None if self.views is None else self.views.get(row),
            "curve": None if self.curves is None else self.curves.get(row),
        }
        for name in ("interactions", "interaction_stderr"):
            column = getattr(self, name)
            content[name] = None if column is None else column.get(row)
        change = None if self.changes is None else self.changes.get(row)
        if change is None:
            return Explanation(**content)
        kind, changed = change
        explanation: Explanation = kind(**{**content, **changed})
        return explanation

    def provenance_of(self, row: int) -> dict[str, Any]:
        """The provenance of an input."""
        return {key: column.get(row) for key, column in self.provenance.items() if column.has(row)}

    def take(self, rows: Rows) -> ExplanationColumns:
        """The columns for some of the inputs."""
        numbers = np.arange(len(self))[rows]
        taken: dict[str, Any] = {}
        for f in fields(self):
            column = getattr(self, f.name)
            if isinstance(column, np.ndarray):
                taken[f.name] = column[rows]
            elif f.name not in ("provenance", "errors") and column is not None:
                taken[f.name] = column.take(rows)
        taken["provenance"] = {key: column.take(rows) for key, column in self.provenance.items()}
        taken["errors"] = (
            {position: self.errors[number] for position, number in enumerate(numbers.tolist()) if number in self.errors}
            if self.errors
            else {}
        )
        return replace(self, **taken)

    def __iter__(self) -> Iterator[Outcome]:
        return map(self.explanation, range(len(self)))

    def columns(self) -> ExplanationColumns:
        """These columns: other storages read theirs from files."""
        return self

    @property
    def loaded(self) -> ExplanationColumns | None:
        """These columns, which are in memory."""
        return self

    @property
    def different_graphs(self) -> tuple[Graph, ...]:
        """The graphs that inputs have."""
        return self.graphs.objects


def _value(numbers: NDArray[np.float64], outputs: int) -> float | NDArray[np.float64]:
    return numbers if outputs else float(numbers[0])


def _optional(number: np.int64) -> int | None:
    return None if number < 0 else int(number)
