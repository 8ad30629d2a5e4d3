"""The attributes of a set of explanations that are arrays, with a row for each input."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import OptionError
from . import dense
from .row_columns import ExplanationColumns


class ArrayAttributes(ABC):
    """Arrays of the numbers of all inputs. They cannot be written to."""

    __slots__ = ()

    @property
    @abstractmethod
    def _columns(self) -> ExplanationColumns:
        """All inputs in memory, as columns."""

    @property
    def scores(self) -> NDArray[np.float64]:
        """The scores, `(n, d)` or `(n, d, outputs)`; NaN for inputs that failed.

        Raises
        ------
        OptionError : if inputs have different units, as texts do. Use `scores_of` or `to_dataframe`.
        """
        return dense.dense_scores(self._columns)

    @property
    def values(self) -> NDArray[np.float64]:
        """The scores, under the name that shap uses."""
        return self.scores

    def scores_of(self, index: int) -> NDArray[np.float64]:
        """The scores of one input, `(d,)` or `(d, outputs)`."""
        columns = self._columns
        row = range(len(columns))[index]
        outcome = columns.explanation(row)
        if isinstance(outcome, Exception):
            raise OptionError(f"Expected an input that was explained, got input {row}, which failed: {outcome}")
        return outcome.scores

    @property
    def stderr(self) -> NDArray[np.float64] | None:
        """The standard errors of the scores, of the shape of `scores`; None if there are none, as for exact scores.

        If only some inputs have standard errors, those of the others are NaN.
        """
        return dense.dense_stderr(self._columns)

    @property
    def base_values(self) -> NDArray[np.float64]:
        """The value without any unit, `(n,)` or `(n, outputs)`."""
        return dense.dense_values(self._columns, "base_values")

    @property
    def predictions(self) -> NDArray[np.float64]:
        """The explained value of each whole input, `(n,)` or `(n, outputs)`: the full values."""
        return dense.dense_values(self._columns, "full_values")

    @property
    def interactions(self) -> NDArray[np.float64] | None:
        """The interactions, `(n, d, d)` or `(n, d, d, outputs)`; None if there are none.

        An array of more than 4 GB is refused; ``xs[i].interactions`` is a sparse matrix.
        """
        return dense.dense_interactions(self._columns)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the units, which are those of all inputs."""
        return dense.shared_names(self._columns)

    @property
    def data(self) -> Any:
        """What the units hold, as far as it was kept.

        For tables the feature values, `(n, d)`: numbers, with NaN for missing values, or objects if some values are
        texts. For texts a list with the words of each text. For other kinds a list of the inputs.
        """
        return dense.unit_data(self._columns)

    @property
    def targets(self) -> NDArray[np.object_]:
        """The class or output that is explained, `(n,)` or `(n, outputs)`; None where it is not recorded."""
        return dense.target_array(self._columns)

    @property
    def calls(self) -> NDArray[Any]:
        """The number of coalitions of each input."""
        counts = dense.dense_counts(self._columns, "calls")
        return np.full(len(self._columns), np.nan) if counts is None else counts

    @property
    def rows(self) -> NDArray[Any] | None:
        """The number of rows that were sent to the model for each input; None if they were not counted."""
        return dense.dense_counts(self._columns, "rows")

    @property
    def methods(self) -> NDArray[np.object_]:
        """The method of each input with its parameters; None where it is not recorded."""
        columns = self._columns
        column = columns.provenance.get("method")
        return np.array([None if column is None else column.get(row) for row in range(len(columns))], object)

    @property
    def method(self) -> str | None:
        """The method of all inputs; None if it is not recorded.

        Raises
        ------
        OptionError : if inputs have different methods, which `methods` has.
        """
        names = self._method_names
        if len(names) > 1:
            raise OptionError(
                f"Expected one method for all inputs, got {len(names)}: {', '.join(names[:3])}. Use methods, which has "
                "that of each input."
            )
        return names[0] if names else None

    @property
    def _method_names(self) -> list[str]:
        column = self._columns.provenance.get("method")
        return [] if column is None else list(dict.fromkeys(map(str, column.objects)))
