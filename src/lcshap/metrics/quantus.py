"""An explanation function for the metrics of Quantus, a toolkit for evaluating explanations.

>>> import numpy as np, lcshap as lc
>>> explain_func(  # as a metric does it
...     model=lambda rows: rows @ np.array([[1.0, 0.0], [2.0, 5.0]]),
...     inputs=np.array([[3.0, 1.0], [1.0, 1.0]]),
...     targets=np.array([0, 1]),
...     masker=lc.maskers.Tabular([0.0, 0.0]),
...     method=lc.Shapley(),
...     kind="output",
... )
array([[3., 2.],
       [0., 5.]])
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..adapters.base import Kind, Model
from ..adapters.find import find_model
from ..adapters.torch import TorchModel
from ..core.method import Method
from ..errors import MaskerError, MetricError, ModelError
from ..explainer import Explainer
from ..maskers.base import Masker
from ..maskers.image import Image


def explain_func(
    model: Any,
    inputs: Any,
    targets: Any,
    *,
    masker: Masker | None = None,
    method: Method | str = "auto",
    kind: Kind | None = None,
    patch: int | tuple[int, int] | None = None,
    device: Any = None,
    **options: Any,
) -> NDArray[np.float64]:
    """Explain each input for its own target, for the metrics of Quantus.

    Parameters
    ----------
    model, inputs, targets : what Quantus passes: a model, an array `(n, ...)`, and n classes (or outputs).
    masker : a masker whose units consist of numbers of the input, such as `Tabular` for inputs `(n, features)`. By
        default `Image` for inputs of four axes.
    method : a method or its name. `quantus.evaluate` passes its name of the explanations here, so that it must be the
        name of a method, such as "c-shapley".
    kind : the kind of the outputs, see `Model`. By default logits, as in Quantus. If they look like probabilities, the
        kind must be given.
    patch : the parameter of the default masker, see `Image`.
    device : ignored; rows are sent to the device of the model.
    options : options of `Explainer`. The value is "log_prob" by default; metrics use the logits, which are
        ``value="output"``, or with ``softmax=True`` the probabilities, ``value="prob"``.

    Returns
    -------
    NDArray : the scores, in the shape of the inputs.

    Raises
    ------
    MetricError : if the targets are not one class number for each input, or `patch` is given beside a masker.
    ModelError : if the outputs of the model look like probabilities, and `kind` is not given.
    MaskerError : if no masker is given for inputs that are not images, or its units do not consist of numbers.

    Notes
    -----
    A score is shared equally by the numbers of its unit (all colours of all pixels of a patch). So the attributions
    have the same sum as the scores, which some metrics need. Metrics that rank or remove numbers do not prefer a unit
    because it is large. Numbers that belong to no unit get 0.

    Examples
    --------
    >>> import numpy as np, lcshap as lc
    >>> x = np.array([[1.0, 2.0, 4.0]])
    >>> lc.metrics.quantus.explain_func(
    ...     lambda rows: rows, x, [2], masker=lc.maskers.Tabular([0.0, 0.0, 0.0]), kind="output", value="output"
    ... )
    array([[0., 0., 4.]])

    With Quantus: ``quantus.MaxSensitivity()(model=net, x_batch=x, y_batch=y, explain_func=explain_func,
    explain_func_kwargs={"method": lc.RegressionCShapley(4), "patch": 4})``.
    """
    inputs, targets = np.asarray(inputs), np.asarray(targets)
    if targets.shape != inputs.shape[:1] or targets.dtype.kind not in "iu":
        raise MetricError(
            f"Expected targets as one class number for each of the {len(inputs)} inputs, got {targets.dtype} "
            f"of shape {targets.shape}."
        )
    if kind is None and not isinstance(model, Model):
        kind = "logits"
        _check_logits(find_model(model, kind).predict(inputs))
    if masker is None:
        masker = _image_masker(find_model(model, kind), inputs, patch)
    elif patch is not None:
        raise MetricError(
            "Expected patch or masker, got both. The patch belongs to the default masker. Give masker=Image(patch=...)."
        )
    owners = [_owners(masker, x) for x in inputs]
    attributions = np.empty(inputs.shape)
    for target in np.unique(targets).tolist():
        explainer = Explainer(model, masker, method, target=target, kind=kind, **options)
        members = np.flatnonzero(targets == target)
        for i, e in zip(members, explainer(list(inputs[members])), strict=True):
            attributions[i] = _spread(e.scores, owners[i])
    return attributions


def _check_logits(answers: NDArray[Any]) -> None:
    """Raise if logits are non-negative and sum to one in every row."""
    if answers.shape[1] > 1 and (answers >= 0).all() and np.allclose(answers.sum(axis=1), 1, atol=1e-3):
        raise ModelError(
            "Expected the kind of a model that seems to return probabilities, got none. Write "
            'kind="probabilities", or kind="logits" if it returns logits.'
        )


def _image_masker(model: Model, inputs: NDArray[Any], patch: int | tuple[int, int] | None) -> Masker:
    if inputs.ndim != 4:
        raise MaskerError(
            f"Expected a masker for inputs of shape {inputs.shape}, got none. Give one, such as "
            "masker=Tabular(background)."
        )
    return Image(patch=patch, channels="first" if isinstance(model, TorchModel) else None)


def _owners(masker: Masker, x: NDArray[Any]) -> NDArray[np.intp]:
    """The unit of each number of an input."""
    owners = masker.mask(x).owners
    if owners is None:
        raise MaskerError(
            "Expected a masker that maps units to the numbers of an input, got "
            f"{type(masker).__name__}. Give another masker."
        )
    return owners


def _spread(scores: NDArray[np.float64], owners: NDArray[np.intp]) -> NDArray[np.float64]:
    """Share each score among the numbers of its unit."""
    counts = np.bincount(owners[owners >= 0], minlength=len(scores))
    return np.where(owners >= 0, (scores / counts)[owners], 0.0)
