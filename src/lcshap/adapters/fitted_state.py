"""Whether a model was fitted again since it was read."""

from __future__ import annotations

from typing import Any

from .column_preprocessing import flatten_pipeline

_COUNTS = ("num_trees", "num_boosted_rounds")  # of Boosters, which can grow in place


class FittedState:
    """The objects that a fitted estimator, or each step of a pipeline, consists of.

    Every library replaces some of them when it fits again, or extends a list. This is noticed without looking into
    them.

    Parameters
    ----------
    estimator : a model with the methods of scikit-learn.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> model = SimpleNamespace(weights_=[1.0, 2.0])
    >>> state = FittedState(model)
    >>> state.is_of(model)
    True
    >>> model.weights_ = [1.0, 2.0]
    >>> state.is_of(model)
    False
    """

    def __init__(self, estimator: Any) -> None:
        steps, last_step = flatten_pipeline(estimator)
        self._parts = [(part, _size(part)) for step in (*steps, last_step) for part in _parts(step)]

    def is_of(self, estimator: Any) -> bool:
        """Whether the estimator still consists of the same objects."""
        current = FittedState(estimator)._parts
        return len(current) == len(self._parts) and all(
            part is earlier and size == earlier_size
            for (part, size), (earlier, earlier_size) in zip(current, self._parts, strict=True)
        )


def _parts(step: Any) -> list[Any]:
    return [step, *getattr(step, "__dict__", {}).values()]


def _size(part: Any) -> int:
    """The number of entries of a list, or of trees of a `Booster`; 0 for all others, which are replaced."""
    if isinstance(part, list):
        return len(part)
    if type(part).__name__ == "Booster":
        return next((int(getattr(part, name)()) for name in _COUNTS if hasattr(part, name)), 0)
    return 0
