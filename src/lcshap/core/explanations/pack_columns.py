"""From a list of explanations to columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import Any

import numpy as np

from ...errors import OptionError
from ..explanation import Explanation
from .object_columns import CodedColumn, EntryColumn, TableRows
from .pair_columns import PairNumbers
from .ragged import Ragged
from .row_columns import ExplanationColumns, Outcome

_ABSENT = object()
_COMMON_FIELDS = {f.name for f in fields(Explanation)}


def pack(outcomes: Sequence[Outcome]) -> ExplanationColumns:
    """The columns of some explanations, and of the errors of inputs that have none."""
    for number, outcome in enumerate(outcomes):
        if not isinstance(outcome, Explanation | Exception):
            raise OptionError(
                "Expected explanations, or errors of inputs that cannot be explained, got "
                f"{type(outcome).__name__} at position {number}."
            )
    explanations = [outcome if isinstance(outcome, Explanation) else None for outcome in outcomes]
    errors = {number: outcome for number, outcome in enumerate(outcomes) if isinstance(outcome, Exception)}
    views = [None if e is None else e.view for e in explanations]
    return ExplanationColumns(
        scores=Ragged.join([() if e is None else e.scores for e in explanations]),
        outputs=np.array([0 if e is None else _output_count(e) for e in explanations], np.int32),
        base_values=Ragged.join([() if e is None else e.base_value for e in explanations]),
        full_values=Ragged.join([() if e is None else e.full_value for e in explanations]),
        stderr=Ragged.join([() if e is None or e.stderr is None else e.stderr for e in explanations]),
        dof=_integers([None if e is None else e.dof for e in explanations]),
        calls=_integers([None if e is None else e.calls for e in explanations]),
        rows=_integers([None if e is None else e.rows for e in explanations]),
        graphs=CodedColumn.of([None if e is None else e.graph for e in explanations]),
        provenance=_provenance_columns(explanations),
        views=TableRows.of(views, errors) or CodedColumn.listed(views),
        interactions=PairNumbers.of([None if e is None else e.interactions for e in explanations]),
        interaction_stderr=PairNumbers.of([None if e is None else e.interaction_stderr for e in explanations]),
        curves=CodedColumn.listed([None if e is None else e.curve for e in explanations]),
        changes=CodedColumn.listed([None if e is None else _changes(e) for e in explanations]),
        errors=errors,
    )


def _output_count(e: Explanation) -> int:
    return e.scores.shape[1] if e.scores.ndim == 2 else 0


def _integers(numbers: Sequence[int | None]) -> np.ndarray[Any, np.dtype[np.int64]]:
    return np.array([-1 if number is None else number for number in numbers], np.int64)


def _provenance_columns(explanations: Sequence[Explanation | None]) -> dict[str, EntryColumn]:
    records = [{} if e is None else e.provenance for e in explanations]
    keys = dict.fromkeys(key for record in records for key in record)
    return {key: CodedColumn.of([record.get(key, _ABSENT) for record in records], _ABSENT) for key in keys}


def _changes(e: Explanation) -> tuple[type[Explanation], dict[str, Any]] | None:
    """The class and the fields of an explanation that the columns of numbers do not hold; None if they hold all."""
    changed = {f.name: getattr(e, f.name) for f in fields(e) if f.name not in _COMMON_FIELDS}
    for name in ("scores", "stderr"):
        array = getattr(e, name)
        if array is not None and (array.dtype != np.float64 or array.ndim not in (1, 2) or not array.size):
            changed[name] = array
    for name in ("base_value", "full_value"):
        number = getattr(e, name)
        if isinstance(number, np.ndarray) != (e.scores.ndim == 2) or np.asarray(number).dtype.kind != "f":
            changed[name] = number
    return (type(e), changed) if changed or type(e) is not Explanation else None
