"""The prediction of a model for the full input, for the record of an explanation."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..adapters.base import Kind
from ..values import FixedValue
from ..values import probabilities as probability_functions

Floats = NDArray[np.float64]
MAX_CLASSES = 20  # classes that are recorded, the most probable first


def predicted_classes(value: FixedValue) -> list[tuple[str, float | None]]:
    """Find the classes that the model chooses between at the full input, the most probable first.

    Parameters
    ----------
    value : the value of a game, with the outputs of the model at the full input.

    Returns
    -------
    The names of up to `MAX_CLASSES` classes with their probabilities. A model that returns margins has no
    probabilities: the list has only the predicted class, with None. The list is empty for labels that do not exclude
    each other and for outputs that are not classes.

    Examples
    --------
    >>> from lcshap.values import Value
    >>> predicted_classes(Value().resolve(np.array([[0.25, 0.75]]), "probabilities", ["no", "yes"]))
    [('yes', 0.75), ('no', 0.25)]
    """
    strengths = class_strengths(value.full, value.kind)
    if strengths is None:
        return []
    (probabilities,), names = strengths, class_names(value, strengths.shape[1])
    order = np.argsort(-probabilities, kind="stable")[: 1 if value.kind == "margin" else MAX_CLASSES].tolist()
    return [(names[k], None if value.kind == "margin" else float(probabilities[k])) for k in order]


def class_strengths(outputs: Floats, kind: Kind) -> Floats | None:
    """The probabilities `(n, classes)` of classes that exclude each other, or their margins; None for other outputs.

    >>> class_strengths(np.array([[0.25], [0.5]]), "probabilities")
    array([[0.75, 0.25],
           [0.5 , 0.5 ]])
    """
    if kind == "output" or kind in probability_functions.MULTILABEL_KINDS:
        return None
    table = probability_functions.margins if kind == "margin" else probability_functions.class_probabilities
    return table(outputs, kind)


def class_names(value: FixedValue, count: int) -> tuple[str, ...]:
    """The names of `count` classes; numbers if they have no names."""
    classes = value.classes if value.classes is not None and len(value.classes) == count else range(count)
    return tuple(map(str, classes))
