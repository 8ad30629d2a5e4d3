"""The columns of a table that the answers of a model depend on, as far as they can be read from it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.additive_terms import AdditiveTerms
from ..core.row_encoding import RowEncoder, chain_encoders
from ..core.tree_ensembles import Trees
from ..core.weights import Weights
from ..errors import MethodError
from .additive_models import is_boosting_machine, read_terms
from .column_preprocessing import split_columnwise
from .linear_models import read_any_weights
from .tree_models import ensemble_library, read_trees

Places = NDArray[np.intp]


def used_columns(estimator: Any) -> Places | None:
    """The numbers of the columns that a tree ensemble, a linear or an additive model uses; None if this is not known.

    Whatever the model computes from its sum, such as probabilities, depends on no other column.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> used_columns(DecisionTreeClassifier().fit([[5, 1], [5, 2], [6, 1]], ["no", "yes", "no"]))
    array([1])
    """
    try:
        steps, model = split_columnwise(estimator)
        structure = _read(model)
    except (MethodError, NotImplementedError, AttributeError):
        return None
    numbers = _used_numbers(structure)
    encoder: RowEncoder | None = chain_encoders(steps, structure.encoder)
    columns = numbers if encoder is None else encoder.sources[numbers]
    return np.unique(columns[columns >= 0])


def _read(model: Any) -> Trees | AdditiveTerms | Weights:
    if ensemble_library(model) is not None:
        return read_trees(model)
    return read_terms(model, "decision_function") if is_boosting_machine(model) else read_any_weights(model)


def _used_numbers(structure: Trees | AdditiveTerms | Weights) -> Places:
    if isinstance(structure, Trees):
        return np.unique(structure.feature[structure.left >= 0])
    if isinstance(structure, Weights):
        return np.flatnonzero(structure.coefficients.any(axis=0))
    used = (n for table, n in zip(structure.tables, structure.numbers, strict=True) if np.ptp(table.reshape(-1)) > 0)
    return np.array(sorted({number for numbers in used for number in numbers}), np.intp)
