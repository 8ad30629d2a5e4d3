"""Many explanations for shap's plots."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import OptionError
from ..shap_values import make_shap_explanation, split_interactions
from . import dense
from .object_columns import TableRows
from .row_columns import ExplanationColumns


def set_to_shap(columns: ExplanationColumns, interactions: bool) -> Any:
    """A `shap.Explanation` of the inputs that were explained; see `Explanations.to_shap`."""
    if columns.errors:
        columns = columns.take(np.flatnonzero(columns.succeeded))
    base_values = dense.dense_values(columns, "base_values")
    if interactions:
        return make_shap_explanation(
            _interaction_values(columns), base_values, _data(columns), dense.shared_names(columns)
        )
    if len({graph.names for graph in columns.different_graphs}) > 1:
        scores = [columns.scores[row].reshape(_shape(columns, row)) for row in range(len(columns))]
        names = [list(columns.graphs.get(row).names) for row in range(len(columns))]
        return make_shap_explanation(_object_array(scores), base_values, _object_array(names), _object_array(names))
    return make_shap_explanation(
        np.array(dense.dense_scores(columns)),
        np.array(base_values),
        _data(columns),
        dense.shared_names(columns),
        stderr=dense.dense_stderr(columns),
        output_names=_output_names(columns),
    )


def _shape(columns: ExplanationColumns, row: int) -> tuple[int, ...]:
    return (-1, int(columns.outputs[row])) if columns.outputs[row] else (-1,)


def _data(columns: ExplanationColumns) -> NDArray[Any] | None:
    """The feature values of tables, or the words of texts with the same units; None for other inputs."""
    if isinstance(columns.views, TableRows):
        return np.array(dense.unit_data(columns))
    return np.array(dense.unit_data(columns), object) if len(columns) and dense.has_texts(columns) else None


def _object_array(rows: list[Any]) -> NDArray[np.object_]:
    array = np.empty(len(rows), object)
    array[:] = rows
    return array


def _output_names(columns: ExplanationColumns) -> list[str] | None:
    """The names of several outputs, if all inputs have the same."""
    targets = dense.target_array(columns)
    if targets.ndim != 2 or not len(targets) or not (targets == targets[0]).all() or None in targets[0]:
        return None
    return [str(name) for name in targets[0]]


def _interaction_values(columns: ExplanationColumns) -> NDArray[np.float64]:
    interactions = dense.dense_interactions(columns)
    if interactions is None or np.isnan(interactions).any():
        raise OptionError(
            "Expected explanations with interactions, got some without. Make them with a method that estimates "
            "interactions, such as Explainer(..., interactions='all')."
        )
    scores = dense.dense_scores(columns)
    if scores.ndim == 2:
        return split_interactions(scores, interactions)
    split = split_interactions(np.moveaxis(scores, 2, 0), np.moveaxis(interactions, 3, 0))
    return np.moveaxis(split, 0, 3)
