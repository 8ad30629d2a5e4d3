"""The prediction of a model for the full input, for the record of an explanation."""

from __future__ import annotations

import numpy as np

from ..values import FixedValue
from ..values import probabilities as probability_functions

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
    kind = value.kind
    if kind == "output" or kind in probability_functions.MULTILABEL_KINDS:
        return []
    (probabilities,) = (
        probability_functions.margins if kind == "margin" else probability_functions.class_probabilities
    )(value.full, kind)
    classes = (
        value.classes
        if value.classes is not None and len(value.classes) == len(probabilities)
        else range(len(probabilities))
    )
    names = [str(name) for name in classes]
    order = np.argsort(-probabilities, kind="stable")[: 1 if kind == "margin" else MAX_CLASSES].tolist()
    return [(names[k], None if kind == "margin" else float(probabilities[k])) for k in order]
