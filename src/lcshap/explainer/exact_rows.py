"""Exact explanations of all rows of a table at once, if the value is known from the structure of the model."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.checked_coalitions import coalitions_to_check
from ..core.explanations import Explanations
from ..core.explanations.object_columns import CodedColumn, EntryColumn
from ..core.explanations.pair_columns import PairArrays
from ..core.explanations.predicted_classes import PredictedClasses
from ..core.explanations.ragged import Ragged, freeze
from ..core.explanations.row_columns import ExplanationColumns
from ..core.row_encoding import DROPPED
from ..core.run_plan import method_record
from ..core.structures import Structure, StructureGame
from ..core.table_method import RowEstimates, TableMethod
from ..errors import MethodError
from ..evaluation.prediction import MAX_CLASSES, class_names, class_strengths
from ..evaluation.structure_games import linear_weights, number_units, numeric_rows, read_structure
from ..maskers.table_inputs import TableInputs
from ..selection.selection import Selection
from ..values import FixedValue
from .job import Setup
from .probe_rows import probe_rows

_CHECKED_ROWS = 4  # rows of a call for which the structure is compared with the model itself
Floats = NDArray[np.float64]
Places = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class ExactRows:
    """The rows of a table, and a method that explains them from the structure of the model.

    Attributes
    ----------
    setup : the settings of the explainer.
    table : the rows.
    selection : the method, and the reason for it.
    """

    setup: Setup
    table: TableInputs
    selection: Selection

    def explain(self) -> Explanations[Any]:
        """Explain all rows. `MethodError` if the structure cannot be read, or if the model does not agree with it."""
        if self._uses_background and (self.table.column_units == DROPPED).any():
            raise MethodError("Expected no dropped columns for all rows at once, got some.")
        outputs = self.setup.engine.predict_rows(self.table.rows)
        groups = list(self._target_groups(outputs))
        estimates = [self._estimate(members, fixed) for members, fixed in groups]
        order = np.argsort(np.concatenate([members for members, _ in groups]), kind="stable")
        scores, base_values = (
            np.concatenate([getattr(estimate, name) for estimate in estimates])[order]
            for name in ("scores", "base_values")
        )
        offsets = np.concatenate([self._offset(m, v, outputs) for m, v in groups])[order]
        base_values = base_values + offsets
        full_values = np.concatenate([v(outputs[m]).reshape(len(m), -1) for m, v in groups])[order]
        if estimates[0].full_values is not None:
            own_values = [e.full_values for e in estimates if e.full_values is not None]
            full_values = np.concatenate(own_values)[order] + offsets
        if self._method.is_efficient:
            self._method.check_agreement(scores.sum(axis=1), full_values - base_values, full_values, self._structure)
        pairs = None
        if estimates[0].interactions is not None:
            pairs = np.concatenate([e.interactions for e in estimates if e.interactions is not None])[order]
        return self._assemble(scores, base_values, full_values, pairs, groups, outputs)

    # -- reading the model --------------------------------------------------------------------------------------------

    @cached_property
    def _method(self) -> TableMethod:
        assert isinstance(self.selection.method, TableMethod)
        return self.selection.method

    @cached_property
    def _structure(self) -> Structure:
        return read_structure(self._method.reads, self.setup.engine.model)

    @cached_property
    def _numbers(self) -> tuple[Floats, Floats]:
        """The rows and the background rows as numbers."""
        return numeric_rows(self.table.rows, self._structure), numeric_rows(self.table.background, self._structure)

    def _game(self, rows: Floats, weights: Floats) -> StructureGame:
        """The games of some rows."""
        background = self._numbers[1][: None if self.table.has_background else 0]
        units = number_units(self.table.column_units, self._structure)
        return StructureGame(self._structure, rows, background, units, self.table.graph.d, weights, True)

    @cached_property
    def _uses_background(self) -> bool:
        return self._method.uses_background(self._game(self._numbers[0][:1], np.zeros((1, self._structure.outputs))))

    @cached_property
    def _constant(self) -> Floats:
        """The constant `(outputs,)` that the model adds to the outputs of the structure.

        A few coalitions of some of the rows are evaluated by the model and by the structure, each with one background
        row. `MethodError` if they differ by more than a constant.
        """
        d, count = self.table.graph.d, len(self.table)
        coalitions = coalitions_to_check(d)
        numbers = np.unique(np.linspace(0, count - 1, _CHECKED_ROWS).astype(np.intp))
        rng = np.random.default_rng(0)
        answers, expected = [], []
        for number in numbers.tolist():
            background = rng.integers(len(self.table.background), size=len(coalitions))
            rows = self.table.mask(number).single_rows(coalitions, background)
            answers.append(self.setup.engine.predict_rows(rows))
            expected.append(self._structure.predict(numeric_rows(rows, self._structure)))
        if count == 1 and not self.table.has_background:
            rows = probe_rows(self.table.rows, self._structure)
            answers.append(self.setup.engine.predict_rows(rows))
            expected.append(self._structure.predict(numeric_rows(rows, self._structure)))
        answered, computed = np.concatenate(answers), np.concatenate(expected)
        if answered.shape != computed.shape:
            raise MethodError(f"Expected {computed.shape[1]} outputs of the model, got {answered.shape[1]}.")
        differences = answered - computed
        constant = np.median(differences, axis=0)
        self._method.check_agreement(differences, constant, answered, self._structure)
        return np.asarray(constant)

    # -- values -------------------------------------------------------------------------------------------------------

    def _target_groups(self, outputs: Floats) -> Iterator[tuple[Places, FixedValue]]:
        """Rows that are explained for the same classes, and their value. Without a target, it is the predicted one."""
        setup, kind = self.setup, self.setup.engine.model.kind
        first = setup.value.resolve(outputs[:1], kind, setup.classes)
        strengths = class_strengths(outputs, kind)
        if not setup.value.follows_prediction or strengths is None or not first.pairs:
            yield np.arange(len(outputs)), first
            return
        predicted = strengths.argmax(axis=1)
        for target in np.unique(predicted).tolist():
            members = np.flatnonzero(predicted == target)
            yield members, setup.value.resolve(outputs[members[:1]], kind, setup.classes)

    def _weights(self, value: FixedValue) -> Floats:
        weights = linear_weights(value, len(self.table.background) if self._uses_background else 1)
        if weights is None:
            raise MethodError("Expected a value that is a weighted sum of outputs, got another one.")
        return weights

    def _estimate(self, members: Places, value: FixedValue) -> RowEstimates:
        rows, constant = self._numbers[0], self._constant
        weights = self._weights(value)
        if weights.shape[1] != len(constant):
            raise MethodError(f"Expected {weights.shape[1]} outputs that were read, got {len(constant)}.")
        members_rows = rows if len(members) == len(rows) else rows[members]
        return self._method.estimate_rows(self._game(members_rows, weights))

    def _offset(self, members: Places, value: FixedValue, outputs: Floats) -> Floats:
        """What is added to the base values of the structure: the constant of the model, and that of the value."""
        weights, first = self._weights(value), outputs[members[:1]]
        offset = value(first).ravel() - (first @ weights.T)[0] + weights @ self._constant
        return np.broadcast_to(offset, (len(members), len(offset)))

    # -- the result ---------------------------------------------------------------------------------------------------

    def _assemble(
        self,
        scores: Floats,
        base_values: Floats,
        full_values: Floats,
        pairs: Floats | None,
        groups: list[tuple[Places, FixedValue]],
        outputs: Floats,
    ) -> Explanations[Any]:
        """One set of explanations, from arrays."""
        count, values = full_values.shape
        if not groups[0][1].multi_output:
            scores, pairs = scores[..., 0], None if pairs is None else pairs[..., 0]
        return Explanations.from_storage(
            ExplanationColumns(
                scores=Ragged.of_matrix(scores),
                outputs=np.full(count, values if groups[0][1].multi_output else 0, np.int32),
                base_values=Ragged.of_matrix(base_values),
                full_values=Ragged.of_matrix(full_values),
                stderr=Ragged.empty_rows(count),
                dof=np.broadcast_to(np.int64(-1), count),
                calls=np.broadcast_to(np.int64(1), count),
                rows=np.broadcast_to(np.int64(1), count),
                graphs=CodedColumn((self.table.graph,), None),
                provenance=self._provenance(groups, outputs),
                views=self.table.views,
                interactions=None if pairs is None else PairArrays(freeze(pairs)),
                errors={},
            )
        )

    def _provenance(self, groups: list[tuple[Places, FixedValue]], outputs: Floats) -> dict[str, EntryColumn]:
        setup, value = self.setup, groups[0][1]
        batch_size = setup.engine.size.best
        record = {
            **method_record(self._method, self.table.graph, batch_size),
            **setup.record,
            **value.record,
            **self.selection.record,
        }
        columns: dict[str, EntryColumn] = {key: CodedColumn((entry,), None) for key, entry in record.items()}
        codes = np.empty(len(outputs), np.int32)
        for number, (members, _) in enumerate(groups):
            codes[members] = number
        columns["targets"] = CodedColumn(tuple(v.targets for _, v in groups), codes).simplified()
        strengths = class_strengths(outputs, value.kind)
        if strengths is not None:
            names = class_names(value, strengths.shape[1])
            columns["prediction"] = PredictedClasses(names, strengths, value.kind != "margin", MAX_CLASSES)
        return columns
