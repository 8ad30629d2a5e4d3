"""Explanations from a `shap.Explanation`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import OptionError
from ..explanation import Explanation
from ..graphs import Graph
from ..shap_values import join_halves
from .explanation_set import Explanations


def from_shap(explanation: Any, *, interactions: bool = False) -> Explanation | Explanations[Explanation]:
    """The explanation of one input, or the explanations of many, that shap computed.

    Parameters
    ----------
    explanation : a `shap.Explanation`. The sum of its values and its base value is the explained value of the input.
    interactions : whether the values are interaction values, `(d, d)` of one input or `(n, d, d)` of many, as
        ``TreeExplainer.shap_interaction_values`` returns them.

    Returns
    -------
    Explanation or Explanations : an explanation for values `(d,)`, and for `(d, outputs)` with data of one input; a set
        for `(n, d)`, `(n, d, outputs)`, and for texts, whose values are one array for each.

    Raises
    ------
    OptionError : if it is no explanation of shap, or has values of another shape.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> theirs = SimpleNamespace(values=np.array([[1.0, 2.0]]), base_values=np.zeros(1), data=np.array([[70.0, 2.0]]),
    ...                          feature_names=["age", "dose"])  # in place of shap.Explanation(...)
    >>> xs = from_shap(theirs)
    >>> xs.predictions, xs[0].top(1)
    (array([3.]), [('dose', 2.0)])
    """
    if not all(hasattr(explanation, name) for name in ("values", "base_values", "data", "feature_names")):
        raise OptionError(f"Expected an Explanation of shap, got {type(explanation).__name__}.")
    values = explanation.values
    if isinstance(values, list | tuple) or np.asarray(values).dtype == object:
        return Explanations([_read_one(explanation, row) for row in range(len(values))])
    numbers = np.asarray(values, np.float64)
    if not len(numbers) and 0 in numbers.shape[1:]:
        return Explanations()
    if _is_single(explanation, numbers, interactions):
        (e,) = _read_set(numbers[None], explanation, interactions, single=True)
        return e
    return _read_set(numbers, explanation, interactions)


def _is_single(explanation: Any, values: NDArray[np.float64], interactions: bool) -> bool:
    """Whether an array of values is about one input."""
    if interactions or values.ndim != 2:
        return values.ndim == (2 if interactions else 1)
    if explanation.data is not None:
        return np.ndim(explanation.data) == 1
    return np.ndim(explanation.base_values) == 1 and len(explanation.base_values) != len(values)


def _read_set(
    values: NDArray[np.float64], explanation: Any, interactions: bool, single: bool = False
) -> Explanations[Explanation]:
    pairs = None
    if interactions:
        if values.ndim not in (3, 4) or values.shape[1] != values.shape[2]:
            raise OptionError(f"Expected interaction values of shape (inputs, units, units), got shape {values.shape}.")
        last = np.moveaxis(values, 3, 0) if values.ndim == 4 else values
        scores, pairs = join_halves(last)
        values = np.moveaxis(scores, 0, 2) if values.ndim == 4 else scores
        pairs = np.moveaxis(pairs, 0, 3) if pairs.ndim == 4 else pairs
    elif values.ndim not in (2, 3):
        raise OptionError(
            f"Expected values of shape (inputs, units) or (inputs, units, outputs), got shape {values.shape}. For "
            "interaction values, give interactions=True."
        )
    count, outputs = len(values), values.shape[2:]
    base = np.asarray(0.0 if explanation.base_values is None else explanation.base_values, np.float64)
    base = base[None] if single and base.ndim else base
    if base.ndim == 2 and not outputs and base.shape[1] == 1:  # some explainers of shap return a column
        base = base[:, 0]
    try:
        base = np.broadcast_to(base, (count, *outputs))
    except ValueError:
        raise OptionError(
            f"Expected base values of shape {(count, *outputs)} for values of shape {values.shape}, got shape "
            f"{base.shape}. For interaction values, give interactions=True."
        ) from None
    data = explanation.data
    if data is not None and single:
        data = np.asarray(data)[None]
    if data is not None and np.shape(data) != values.shape[:2]:
        data = None
    return Explanations.from_arrays(
        values,
        base,
        base + values.sum(axis=1),
        names=_names(explanation.feature_names, values.shape[1]),
        data=data,
        interactions=pairs,
        targets=_output_names(explanation, outputs),
        method="shap",
    )


def _names(names: Any, d: int) -> list[str] | None:
    return [str(name) for name in names] if isinstance(names, Sequence | np.ndarray) and len(names) == d else None


def _output_names(explanation: Any, outputs: tuple[int, ...]) -> list[str] | None:
    names = getattr(explanation, "output_names", None)
    return _names(names, outputs[0]) if outputs else None


def _read_one(explanation: Any, row: int) -> Explanation:
    """The explanation of one text of several, whose units differ."""
    scores = np.asarray(explanation.values[row], np.float64)
    if scores.ndim not in (1, 2) or not scores.size:
        raise OptionError(f"Expected values of shape (units,) or (units, outputs) at {row}, got shape {scores.shape}.")
    bases = explanation.base_values
    base = np.asarray(bases[row] if np.ndim(bases) else bases, np.float64)
    base = np.broadcast_to(base.reshape(scores.shape[1:] if base.size != 1 else ()), scores.shape[1:])
    words = explanation.data[row] if explanation.data is not None else explanation.feature_names[row]
    graph = Graph.chain(len(scores), _names(words, len(scores)))
    full = base + scores.sum(axis=0)
    base_value, full_value = (np.array(x) if scores.ndim == 2 else float(x) for x in (base, full))
    return Explanation(scores, base_value, full_value, graph, 0, {"method": "shap", "name": "shap"})
