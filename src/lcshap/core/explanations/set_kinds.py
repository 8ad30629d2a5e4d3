"""Which explanations of a set can be combined: those of one output, for the same target, by comparable methods."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ...errors import OptionError
from ..printable import printable
from . import dense
from .object_columns import CodedColumn
from .ragged import Ragged
from .row_columns import ExplanationColumns

# Methods that compute or estimate the Shapley value of all units, so that their scores have the same meaning.
_SHAPLEY_METHODS = {
    "additive-shap",
    "graph-kernel-shap",
    "kernel-shap",
    "linear-shap",
    "sample-shapley",
    "shapley",
    "tree-shap",
}

_USUAL_PARAMETERS = {"background": "masker", "index": "shapley"}  # other ones give scores another meaning


def check_comparable(columns: ExplanationColumns, output: int | None = None) -> ExplanationColumns:
    """The explanations of one output if their scores can be averaged over inputs.

    Raises
    ------
    OptionError : if inputs were explained for different targets or values, or by methods whose scores have different
        meanings.
    """
    columns = columns_of_output(columns, output)
    targets = list(dict.fromkeys(dense.target_array(columns).tolist()))
    if len(targets) > 1:
        names = ", ".join(printable(str(name), max_length=40) for name in targets[:3])
        raise OptionError(
            f"Expected explanations of one target, got {len(targets)}: {names}. Scores of different targets cannot be "
            f"averaged. Choose one with xs.where(xs.targets == {targets[0]!r}), or each with by=xs.targets, or give "
            "the explainer a target."
        )
    _check_entry(columns, "value", "explained values")
    check_methods(columns)
    return columns


def check_methods(columns: ExplanationColumns) -> None:
    """Refuse explanations by methods whose scores have different meanings.

    Raises
    ------
    OptionError : if there are such methods, or one of them with parameters that change the meaning of scores.
    """
    names, parameters = columns.provenance.get("name"), columns.provenance.get("parameters")
    if names is None or not len(columns):
        return
    codes = [column.codes_of(len(columns)) for column in (names, parameters) if column is not None]
    _, rows = np.unique(np.stack(codes), axis=1, return_index=True)
    meanings = {
        _describe_meaning(str(names.get(row)), None if parameters is None else parameters.get(row))
        for row in rows.tolist()
        if names.has(row)
    }
    if len(meanings) > 1 and not meanings <= _SHAPLEY_METHODS:
        raise OptionError(
            f"Expected explanations by one method, got {', '.join(sorted(meanings))}, whose scores have different "
            "meanings. Choose those of one method."
        )


def _describe_meaning(name: str, parameters: Any) -> str:
    """The name of a method, with its parameters that change what scores mean.

    >>> _describe_meaning("tree-shap", {"index": "shapley", "background": "masker"})
    'tree-shap'
    >>> _describe_meaning("tree-shap", {"index": "banzhaf", "background": "masker"})
    'tree-shap(index=banzhaf)'
    """
    chosen = parameters if isinstance(parameters, dict) else {}
    changes = [f"{key}={chosen[key]}" for key, usual in _USUAL_PARAMETERS.items() if chosen.get(key, usual) != usual]
    return f"{name}({', '.join(changes)})" if changes else name


def _entries(columns: ExplanationColumns, key: str) -> list[Any]:
    column = columns.provenance.get(key)
    return [] if column is None else list(column.objects)


def _check_entry(columns: ExplanationColumns, key: str, subject: str) -> None:
    entries = sorted({str(entry) for entry in _entries(columns, key)})
    if len(entries) > 1:
        raise OptionError(
            f"Expected explanations of one kind of {subject}, got {', '.join(entries)}. Their scores have different "
            "units. Choose those of one kind."
        )


def columns_of_output(columns: ExplanationColumns, output: int | None) -> ExplanationColumns:
    """The explanations of one output of several; unchanged if scores have no axis for outputs.

    Raises
    ------
    OptionError : if there are several outputs and none is chosen, or one is chosen that some inputs do not have.
    """
    counts = columns.outputs[columns.succeeded]
    if not counts.any():
        if output is not None and len(counts):
            raise OptionError(
                "Expected explanations of several outputs, got one output. Leave out the choice of an output."
            )
        return columns
    if not counts.all():
        dense.output_count(columns)  # refuses explanations of which only some have several outputs
    if output is None:
        raise OptionError(f"Expected one output, got {int(counts.max())}. Choose one, such as output=0 for the first.")
    if not 0 <= output < int(counts.min()):
        raise OptionError(f"Expected an output from 0 to {int(counts.min()) - 1}, got {output}.")
    outputs = np.maximum(columns.outputs, 1)
    return replace(
        columns,
        scores=_every(columns.scores, outputs, output),
        stderr=_every(columns.stderr, outputs, output),
        base_values=_every(columns.base_values, outputs, output),
        full_values=_every(columns.full_values, outputs, output),
        outputs=np.zeros_like(columns.outputs),
        provenance={**columns.provenance, "output": CodedColumn((output,), None)},
        interactions=None,
        interaction_stderr=None,
        changes=None,
    )


def _every(rows: Ragged, outputs: np.ndarray[Any, np.dtype[np.int32]], output: int) -> Ragged:
    """The numbers of one output, from numbers unit by unit and, within a unit, output by output."""
    inputs = np.repeat(np.arange(len(rows)), rows.lengths)
    places = np.arange(len(inputs)) - rows.offsets[:-1][inputs]
    lengths = rows.lengths // outputs
    return Ragged(rows.values[places % outputs[inputs] == output], np.concatenate([[0], np.cumsum(lengths)]))
