"""Classifiers of scikit-learn's kind that were fitted on several labels, each of which holds or does not."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import ModelError

_LOSSES = ("MultiLogloss", "MultiCrossEntropy")  # of CatBoost


def is_multilabel(estimator: Any) -> bool:
    """Whether an estimator says that it has several labels that do not exclude each other.

    `OneVsRestClassifier` says so itself; forests, neighbours, chains and `MultiOutputClassifier` have the classes of
    each label in a list; scikit-learn's networks end in a logistic function; CatBoost has a loss for it.
    """
    last = _last(estimator)
    if getattr(last, "multilabel_", False) is True or label_classes(last) is not None:
        return True
    if getattr(last, "out_activation_", None) == "logistic":
        return int(getattr(last, "n_outputs_", 1)) > 1
    settings = getattr(last, "get_all_params", None)
    return callable(settings) and hasattr(last, "classes_") and settings().get("loss_function") in _LOSSES


def label_classes(estimator: Any) -> list[Any] | None:
    """The classes of each label, where an estimator has them in a list; else None."""
    found = getattr(_last(estimator), "classes_", None)
    nested = isinstance(found, list) and bool(found) and all(isinstance(c, np.ndarray) for c in found)
    return found if nested else None


def label_names(estimator: Any) -> tuple[str, ...] | None:
    """A name for each label; numbers where the estimator knows none."""
    nested = label_classes(estimator)
    names = getattr(_last(estimator), "classes_", ()) if nested is None else range(len(nested))
    return tuple(str(name) for name in names) or None


def label_columns(parts: list[Any], classes: list[Any] | None, model: str) -> NDArray[np.float64]:
    """The probability that each label holds, `(n, labels)`, from one table of class probabilities for each label.

    >>> label_columns([[[0.25, 0.75]], [[1.0]]], [np.array([0, 1]), np.array([0])], "predict_proba").tolist()
    [[0.75, 0.0]]
    """
    columns = []
    for number, part in enumerate(parts):
        table = np.asarray(part, np.float64)
        own = [0, 1][: table.shape[-1]] if classes is None else list(classes[number])
        if table.ndim != 2 or len(own) > 2 or table.shape[1] != len(own):
            raise ModelError(
                f"Expected a table of two columns, no and yes, for every label from {model}, got shape "
                f"{table.shape} in number {number} of {len(parts)}. Explain one output: lambda rows: "
                f'estimator.predict_proba(rows)[{number}], with kind="probabilities".'
            )
        columns.append(table[:, 1] if len(own) == 2 else np.full(len(table), float(bool(own[0]))))
    return np.stack(columns, axis=1)


def _last(estimator: Any) -> Any:
    """The last step of a pipeline, the best estimator of a search; any other as it is."""
    for _ in range(10):
        steps, best = getattr(estimator, "steps", None), getattr(estimator, "best_estimator_", None)
        if isinstance(steps, list) and steps and isinstance(steps[-1], tuple):
            estimator = steps[-1][1]
        elif best is not None:
            estimator = best
        else:
            break
    return estimator
