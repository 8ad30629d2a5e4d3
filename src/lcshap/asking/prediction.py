"""What a model says of the full input, for the record of an explanation."""

from __future__ import annotations

import numpy as np

from . import chances
from .values import FixedValue

MOST_CLASSES = 20  # that are recorded, the most probable first


def prediction(value: FixedValue) -> list[tuple[str, float | None]]:
    """Find the classes that the model chooses between at the full input, the most probable first.

    Parameters
    ----------
    value : the value of a game, which knows what the model answered at the full input.

    Returns
    -------
    The names of up to `MOST_CLASSES` classes with their probabilities. A model that gives margins has no probabilities:
    the class that it predicts stands there alone, with None. The list is empty for labels that do not exclude each
    other and for outputs that are no classes.

    Examples
    --------
    >>> from lcshap.asking.values import Value
    >>> prediction(Value().resolve(np.array([[0.25, 0.75]]), "probabilities", ["no", "yes"]))
    [('yes', 0.75), ('no', 0.25)]
    """
    kind = value.kind
    if kind == "output" or kind in chances.LABELS:
        return []
    (found,) = (chances.margins if kind == "margin" else chances.probabilities)(value.full, kind)
    known = value.classes if value.classes is not None and len(value.classes) == len(found) else range(len(found))
    names = [str(name) for name in known]
    order = np.argsort(-found, kind="stable")[: 1 if kind == "margin" else MOST_CLASSES].tolist()
    return [(names[k], None if kind == "margin" else float(found[k])) for k in order]
