"""Explanations in the form that shap's plots take."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import OptionError
from ..extras import import_optional
from .views import values_per_unit


def make_shap_explanation(
    scores: Any,
    base_values: Any,
    data: Any,
    names: Any,
    *,
    stderr: NDArray[np.float64] | None = None,
    output_names: Sequence[str] | None = None,
) -> Any:
    """A `shap.Explanation` of one input or of many."""
    shap = import_optional("shap", "shap")
    return shap.Explanation(
        values=scores,
        base_values=base_values,
        data=data,
        feature_names=list(names),
        output_names=None if output_names is None else list(output_names),
        error_std=stderr,
    )


def explanation_to_shap(e: Any, interactions: bool) -> Any:
    """The `shap.Explanation` of an explanation; see `Explanation.to_shap`."""
    data = None if e.view is None else values_per_unit(e.view, e.graph.d)
    if data is not None and data.dtype == np.float64 and np.isnan(data).all():
        data = None  # the view has no value for each unit
    if not interactions:
        return make_shap_explanation(np.array(e.scores), e.base_value, data, e.names, stderr=e.stderr)
    if e.interactions is None:
        raise OptionError(
            "Expected an explanation with interactions, got one without. Make it with a method that estimates "
            "interactions, such as Explainer(..., interactions='all')."
        )
    if isinstance(e.interactions, tuple):
        pairs = [split_interactions(e.scores[:, k], matrix.toarray()) for k, matrix in enumerate(e.interactions)]
        return make_shap_explanation(np.stack(pairs, axis=2), e.base_value, data, e.names)
    return make_shap_explanation(split_interactions(e.scores, e.interactions.toarray()), e.base_value, data, e.names)


def split_interactions(scores: NDArray[np.float64], interactions: NDArray[np.float64]) -> NDArray[np.float64]:
    """Interactions in the convention of shap, whose rows sum to the scores.

    The interaction of two units is divided equally between the entries (i, j) and (j, i). The diagonal has the main
    effects: the score of a unit without its halves of the interactions.

    Parameters
    ----------
    scores : `(..., d)`.
    interactions : `(..., d, d)`, symmetric, with zeros on the diagonal.

    Examples
    --------
    >>> split_interactions(np.array([1.5, 0.5]), np.array([[0.0, 1.0], [1.0, 0.0]]))
    array([[1. , 0.5],
           [0.5, 0. ]])
    """
    halves = interactions / 2
    diagonal = np.arange(scores.shape[-1])
    halves[..., diagonal, diagonal] = 0.0
    halves[..., diagonal, diagonal] = scores - halves.sum(axis=-1)
    return halves


def join_halves(values: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The scores and the interactions of values in the convention of shap: the opposite of `split_interactions`.

    >>> scores, interactions = join_halves(np.array([[1.0, 0.5], [0.5, 0.0]]))
    >>> scores.tolist(), interactions.tolist()
    ([1.5, 0.5], [[0.0, 1.0], [1.0, 0.0]])
    """
    interactions = values + np.swapaxes(values, -1, -2)
    diagonal = np.arange(values.shape[-1])
    interactions[..., diagonal, diagonal] = 0.0
    return values.sum(axis=-1), interactions
