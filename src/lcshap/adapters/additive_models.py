"""The terms of explainable boosting machines of the package interpret, which are generalized additive models."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.additive_terms import AdditiveTerms
from ..core.row_encoding import RowEncoder, chain_encoders
from ..errors import MethodError
from ..maskers.cell_values import is_missing
from ..maskers.input_lists import is_frame
from .column_preprocessing import LINK, flatten_pipeline, split_columnwise

Floats = NDArray[np.float64]
_UNKNOWN, _MISSING = -1, 0  # the positions of values that are not in the training data, and of missing values
_MACHINE = "EBMModel"
_ADVICE = "Choose another method, such as GraphKernelSHAP."


class BinnedColumns(RowEncoder):
    """The columns of a table as the numbers of their bins, in one or more ways for each column.

    Parameters
    ----------
    names : the names of all columns, in their order.
    columns : for each number the column that it is computed from.
    bins : for each number the cuts between its bins in ascending order, or the bin of each category by its text.

    Examples
    --------
    >>> encoder = BinnedColumns(["age", "city"], [0, 1], [np.array([30.0, 60.0]), {"Oslo": 1, "Rome": 2}])
    >>> encoder.encode(np.array([[30, "Rome"], [np.nan, "Bonn"]], object))
    array([[ 2.,  2.],
           [ 0., -1.]])
    """

    def __init__(self, names: Sequence[str], columns: Sequence[int], bins: Sequence[Any]) -> None:
        self.names, self.bins = tuple(names), tuple(bins)
        self.sources = np.array(columns, np.intp)

    def encode(self, rows: Any) -> Floats:
        """The numbers of rows."""
        rows = rows.toarray() if hasattr(rows, "toarray") else rows
        if is_frame(rows) and tuple(map(str, rows.columns)) != self.names:
            raise ValueError("the columns are not those of the training data, in their order")
        if rows.shape[1] != len(self.names):
            raise ValueError(f"{len(self.names)} columns are in the training data, and {rows.shape[1]} in the rows")
        positions = np.empty((len(rows), len(self.bins)))
        for number, (column, bins) in enumerate(zip(self.sources.tolist(), self.bins, strict=True)):
            cells = np.asarray(rows[rows.columns[column]] if is_frame(rows) else rows[:, column])
            positions[:, number] = _category_bins(cells, bins) if isinstance(bins, dict) else _cut(cells, bins)
        return positions


def read_terms(estimator: Any, method: str) -> AdditiveTerms:
    """The terms of a fitted explainable boosting machine, whose sum plus a constant is what one of its methods returns.

    Parameters
    ----------
    estimator : the machine, or a pipeline whose steps before it treat each column by itself.
    method : "decision_function", "predict", or "linear_predictor" for the sum of the terms before the inverse link.

    Raises
    ------
    NotImplementedError : if this is no such machine.
    MethodError : if the method is not a sum of terms, or if they cannot be read.
    """
    machine = flatten_pipeline(estimator)[1]
    if not is_boosting_machine(machine):
        raise NotImplementedError
    name = type(machine).__name__
    if method == "predict_proba":
        raise MethodError(
            f"Expected a number that is a sum of terms, got the probabilities of {name}. Explain its log-odds with "
            f'kind="logits" and value="output". {_ADVICE}'
        )
    if not hasattr(machine, "term_scores_"):
        raise MethodError(f"Expected a fitted model, got {name} that is not fitted. Call its method fit first.")
    if method == "predict" and machine.link_ != "identity":
        raise MethodError(
            f"Expected a number that is a sum of terms, got the output of {name} with the link {machine.link_!r}. "
            f'Explain lc.adapters.SklearnModel(model, method="{LINK}") if the link is "log". {_ADVICE}'
        )
    steps, _ = split_columnwise(estimator)
    try:
        terms = _read(machine)
    except Exception as error:  # a newer version of the library stores its models differently
        version = getattr(sys.modules.get("interpret"), "__version__", "unknown")
        raise MethodError(
            f"Expected terms in the format that interpret is known to have, got those of {name} of version {version}: "
            f"{error}. {_ADVICE}"
        ) from error
    return AdditiveTerms(terms.tables, terms.numbers, chain_encoders(steps, terms.encoder))


def is_boosting_machine(model: Any) -> bool:
    """Whether a model is an explainable boosting machine. Nothing is imported for this.

    >>> is_boosting_machine(len)
    False
    """
    return any(
        kind.__name__ == _MACHINE and kind.__module__.partition(".")[0] == "interpret" for kind in type(model).__mro__
    )


def _read(machine: Any) -> AdditiveTerms:
    """The terms of a fitted machine.

    A column may be divided into bins more coarsely in terms of two columns than in a term of its own.
    """
    outputs = np.size(machine.intercept_)
    number_of: dict[tuple[int, int], int] = {}
    tables, numbers = [], []
    for columns, scores in zip(machine.term_features_, machine.term_scores_, strict=True):
        levels = [(column, min(len(machine.bins_[column]), len(columns)) - 1) for column in columns]
        numbers.append(tuple(number_of.setdefault(level, len(number_of)) for level in levels))
        table = np.asarray(scores, np.float64)
        tables.append(table if table.ndim > len(columns) else table[..., None])
        if tables[-1].ndim != len(columns) + 1 or tables[-1].shape[-1] != outputs:
            raise ValueError(f"a table of shape {table.shape} for {len(columns)} columns and {outputs} outputs")
    if not tables:
        raise ValueError("no terms")
    bins = [machine.bins_[column][level] for column, level in number_of]
    encoder = BinnedColumns(
        [str(name) for name in machine.feature_names_in_], [column for column, _ in number_of], bins
    )
    return AdditiveTerms(tuple(tables), tuple(numbers), encoder)


def _cut(cells: NDArray[Any], cuts: Floats) -> Floats:
    """The bin of each number: 1 below the first of the cuts; a number that equals one of them is above it."""
    numbers = np.asarray(cells, np.float64)
    return np.where(np.isnan(numbers), _MISSING, 1 + np.searchsorted(cuts, numbers, side="right")).astype(np.float64)


def _category_bins(cells: NDArray[Any], categories: dict[str, int]) -> Floats:
    """The bin of each cell by its text."""
    listed = cells.tolist()
    bins = {(type(cell), cell): 0 for cell in listed}  # True and 1 have different texts
    bins = {key: _category_bin(key[1], categories) for key in bins}
    return np.array([bins[type(cell), cell] for cell in listed], np.float64)


def _category_bin(cell: Any, categories: dict[str, int]) -> int:
    if is_missing(cell):
        return _MISSING
    if isinstance(cell, bool):  # by version of the library: "0" and "1", or "False" and "True"
        return categories.get(str(int(cell)), categories.get(str(cell), _UNKNOWN))
    text = str(cell + 0.0).removesuffix(".0") if isinstance(cell, float) else str(cell)
    return categories.get(text, _UNKNOWN)
