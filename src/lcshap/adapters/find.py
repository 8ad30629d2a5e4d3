"""Find the adapter for a raw model. No framework is imported for this: the framework of a model is loaded already."""

from __future__ import annotations

import os
import sys
from typing import Any

from ..errors import ModelError
from .base import Kind, Model
from .callable import CallableModel, check_kind
from .declared_kinds import advice_for
from .keras import KerasModel
from .onnx import OnnxModel
from .remote import RemoteModel, is_async
from .sklearn import SklearnModel
from .text_tasks import ADAPTER_FOR_TASK
from .torch import TorchModel
from .transformers import TransformersModel

_METHODS = ("predict_proba", "decision_function", "predict")


def find_model(model: Any, kind: Kind | None = None, fallback: Kind | None = None) -> Model:
    """Put a model behind the interface of `Model`.

    Parameters
    ----------
    model : a `Model` (used unchanged), a PyTorch module, a Keras model, an onnxruntime session or the path of an
        ``.onnx`` file, a transformers pipeline or a pair ``(model, tokenizer)``, an object with the methods of
        scikit-learn, or any function from rows to numbers, async ones included.
    kind : the kind of its outputs, see `Model`. It is needed unless the model declares it, as those of scikit-learn and
        transformers do.
    fallback : the kind of a model that does not declare it, if the user need not give it.

    Returns
    -------
    Model : the adapter, with `predict`, `kind` and, if they are known, `classes`.

    Raises
    ------
    ModelError : if the object is not a model, or if `kind` is needed and missing.

    Examples
    --------
    >>> from lcshap.adapters.find import find_model
    >>> find_model(lambda texts: [0.0 for text in texts], kind="output").predict(["a"]).tolist()
    [[0.0]]
    >>> find_model(len)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    lcshap.errors.ModelError: Expected the option kind, since a function (builtin_function_or_method) does not ...
    """
    kind = None if kind is None else check_kind(kind, "a model")
    if isinstance(model, Model):
        if kind not in (None, model.kind):
            raise ModelError(
                f"Expected kind={model.kind!r}, as {type(model).__name__} was made with, got kind={kind!r}. "
                "Leave kind out."
            )
        return model
    name = type(model).__name__
    if isinstance(model, type):
        raise ModelError(
            f"Expected a model, got the class {model.__name__}. Create an instance: {model.__name__}(...)."
        )
    if _is_a(model, "transformers.pipelines.base", "Pipeline"):
        if (replacement := ADAPTER_FOR_TASK.get(getattr(model, "task", ""))) is not None:
            raise ModelError(
                f"Expected a pipeline for text classification, got one for {model.task}. Choose what to "
                f"explain with adapters.{replacement}."
            )
        return TransformersModel.from_pipeline(model, kind)
    if isinstance(model, tuple) and len(model) == 2 and hasattr(model[1], "pad_token_id"):
        return TransformersModel(*model, kind=kind)
    if _is_a(model, "keras", "Model"):  # tested before PyTorch, because with that backend a Keras model is a module too
        return KerasModel(model, check_kind(kind or fallback, f"a Keras model ({name})"))
    if _is_a(model, "torch", "nn", "Module"):
        return TorchModel(model, check_kind(kind or fallback, f"a PyTorch module ({name})"))
    if _is_a(model, "onnxruntime", "InferenceSession"):
        return OnnxModel(model, check_kind(kind or fallback, "an ONNX session"))
    if isinstance(model, str | os.PathLike):
        path = os.fspath(model)
        if not str(path).endswith(".onnx"):
            raise ModelError(
                f"Expected the path of an .onnx file, got {path!r}. Load other models yourself and pass the object."
            )
        return OnnxModel(model, check_kind(kind or fallback, "an ONNX file"))
    if any(hasattr(model, method) for method in _METHODS):
        return SklearnModel(model, kind, fallback=fallback)
    if is_async(model):
        return RemoteModel(model, check_kind(kind or fallback, f"an async function ({name})"))
    if callable(model):
        return CallableModel(model, check_kind(kind or fallback, f"a function ({name})"))
    raise ModelError(
        f"Expected a model, got {name}. Pass a function from rows to numbers, a PyTorch module, a Keras model, an ONNX "
        f"session or file, or an object with one of the methods {', '.join(_METHODS)}. {advice_for(model)}".rstrip()
    )


def _is_a(model: Any, module: str, *path: str) -> bool:
    """Whether a model is an instance of a class in a module, without importing that module."""
    cls = sys.modules.get(module)
    for name in path:
        cls = getattr(cls, name, None)
    return isinstance(cls, type) and isinstance(model, cls)
