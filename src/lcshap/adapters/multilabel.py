"""Classifiers with the methods of scikit-learn that were fitted on several labels, each of which is true or false."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import ModelError

_MULTILABEL_LOSSES = ("MultiLogloss", "MultiCrossEntropy")  # loss functions of CatBoost


def is_multilabel(estimator: Any) -> bool:
    """Whether an estimator has several labels that do not exclude each other.

    `OneVsRestClassifier` has an attribute for this; forests, neighbours, chains and `MultiOutputClassifier` have the
    classes of each label in a list; scikit-learn's networks end in a logistic function; CatBoost has a loss for it.
    """
    last = _final_estimator(estimator)
    if getattr(last, "multilabel_", False) is True or label_classes(last) is not None:
        return True
    if getattr(last, "out_activation_", None) == "logistic":
        return int(getattr(last, "n_outputs_", 1)) > 1
    settings = getattr(last, "get_all_params", None)
    if not (callable(settings) and hasattr(last, "classes_")) or getattr(last, "tree_count_", 0) is None:
        return False  # without trees, it is not fitted
    return settings().get("loss_function") in _MULTILABEL_LOSSES


def label_classes(estimator: Any) -> list[Any] | None:
    """The classes of each label, if an estimator has them in a list; otherwise None."""
    classes = getattr(_final_estimator(estimator), "classes_", None)
    nested = isinstance(classes, list) and bool(classes) and all(isinstance(c, np.ndarray) for c in classes)
    return classes if nested else None


def label_names(estimator: Any) -> tuple[str, ...] | None:
    """Return a name for each label; numbers if the estimator has no names."""
    nested = label_classes(estimator)
    names = getattr(_final_estimator(estimator), "classes_", ()) if nested is None else range(len(nested))
    return tuple(str(name) for name in names) or None


def label_columns(tables: list[Any], classes: list[Any] | None, model: str) -> NDArray[np.float64]:
    """The probability that each label is true, `(n, labels)`, from one table of class probabilities for each label.

    >>> label_columns([[[0.25, 0.75]], [[1.0]]], [np.array([0, 1]), np.array([0])], "predict_proba").tolist()
    [[0.75, 0.0]]
    """
    columns = []
    for number, label_table in enumerate(tables):
        table = np.asarray(label_table, np.float64)
        class_values = [0, 1][: table.shape[-1]] if classes is None else list(classes[number])
        if table.ndim != 2 or len(class_values) > 2 or table.shape[1] != len(class_values):
            raise ModelError(
                f"Expected a table of two columns, no and yes, for every label from {model}, got shape "
                f"{table.shape} in number {number} of {len(tables)}. Explain one output: lambda rows: "
                f'estimator.predict_proba(rows)[{number}], with kind="probabilities".'
            )
        columns.append(table[:, 1] if len(class_values) == 2 else np.full(len(table), float(bool(class_values[0]))))
    return np.stack(columns, axis=1)


def _final_estimator(estimator: Any) -> Any:
    """The last step of a pipeline, or the best estimator of a search; any other estimator unchanged."""
    for _ in range(10):
        steps, best = getattr(estimator, "steps", None), getattr(estimator, "best_estimator_", None)
        if isinstance(steps, list) and steps and isinstance(steps[-1], tuple):
            estimator = steps[-1][1]
        elif best is not None:
            estimator = best
        else:
            break
    return estimator
