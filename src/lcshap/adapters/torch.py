"""PyTorch modules, on any device. PyTorch is imported when a model is used, not before."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import ModelError
from ..extras import import_optional
from ..maskers.base import Blend, Rows
from .base import Kind, Model
from .callable import check_answers, check_kind
from .gradients import check_gradient, values_to_differentiate
from .output_selection import Output, check_output, describe_model_output, select_output


class TorchModel(Model):
    """A `torch.nn.Module`. It predicts in evaluation mode; afterwards every submodule is back in its original mode.

    Parameters
    ----------
    module : called with the rows as one tensor (or with the result of `prepare`). It may return a tensor `(n,)` or `(n,
        k)`, a tuple whose first entry is the only tensor, an object or dictionary with `logits`, or any object in which
        `output` selects a tensor. If there are several tensors, `output` is needed. The module is never moved or cast.
    kind : what it returns: "logits", "probabilities", "multilabel" or "output", see `Model`. Prefer logits if there is
        a choice: in single precision, a probability near 1 is rounded to exactly 1.
    device : the device of the rows; by default that of the first parameter of the module.
    dtype : the type of floating-point rows; by default that of the first floating-point parameter. Integer rows (token
        ids) stay integers.
    prepare : converts rows (such as a list of strings) to a tensor, a tuple of positional arguments or a mapping of
        keyword arguments, such as a tokeniser returns. Its tensors are moved and cast in the same way.
    output : the part of the result that is explained: the name of an entry or attribute, the number of an entry, or a
        function from the result to a tensor.
    parts : for `ReceptiveShapley`: the entry of the result with the part of each node in the outputs, `(n * nodes, k)`
        or `(n, nodes, k)`; given in the same way as `output`.

    Examples
    --------
    A module with two inputs, words and their number, that returns a dictionary. Only the words are masked::

        class Scorer(torch.nn.Module):
            def forward(self, ids, lengths):
                ...
                return {"scores": scores, "hidden": hidden}

        def prepare(texts):  # the rows of the masker, here a list of strings
            ids = [vocabulary.encode(text) for text in texts]
            lengths = torch.tensor([len(row) for row in ids])
            return pad_sequence([torch.tensor(row) for row in ids], batch_first=True), lengths

        lc.Explainer(TorchModel(Scorer(), "logits", prepare=prepare, output="scores"), lc.maskers.Text())
    """

    fingerprint_attributes = ("module", "dtype", "prepare", "output", "_parts")

    def __init__(
        self,
        module: Any,
        kind: Kind,
        device: Any = None,
        dtype: Any = None,
        prepare: Callable[[Rows], Any] | None = None,
        output: Output = None,
        parts: Output = None,
    ) -> None:
        self.module = module
        self.kind = check_kind(kind, f"a PyTorch module ({type(module).__name__})")
        self.device = device
        self.dtype = dtype
        self.prepare = prepare
        self.output = check_output(output, "TorchModel")
        self._parts = check_output(parts, "TorchModel")

    def predict(self, rows: Rows) -> NDArray[Any]:
        """The outputs of the module, `(n, outputs)`: float64 if it computes in that, else float32."""
        arguments, keywords = self._inputs(rows)
        return self._answers(len(rows), *arguments, **keywords)

    @property
    def blends(self) -> bool:
        """Whether the module is on another device than the processor, to which masks are sent instead of rows."""
        return self.prepare is None and not self.on_processor

    @property
    def on_processor(self) -> bool:
        """Whether the module is not on another device, such as a GPU."""
        return bool(getattr(self._to_tensor(np.zeros(1)).device, "type", "cpu") == "cpu")

    def predict_blends(self, blends: Sequence[Blend]) -> NDArray[Any]:
        """The same as `predict`, with rows that are made on the device of the module."""
        torch = _torch()
        tensors = [
            torch.where(*(self._to_tensor(array) for array in (b.kept, b.x, b.reference))).reshape(-1, *b.x.shape)
            for b in blends
        ]
        rows = torch.cat(tensors)
        return self._answers(len(rows), rows)

    @property
    def has_parts(self) -> bool:
        """Whether `parts` was given."""
        return self._parts is not None

    def parts(self, rows: Rows) -> NDArray[Any]:
        """The part of each node in the outputs, if the module returns it."""
        if self._parts is None:
            raise NotImplementedError
        arguments, keywords = self._inputs(rows)
        return self._run(self._parts, *arguments, **keywords)

    def _answers(self, n: int, *arguments: Any, **keywords: Any) -> NDArray[Any]:
        return check_answers(self._run(self.output, *arguments, **keywords), n, type(self.module).__name__)

    def _run(self, output: Output, *arguments: Any, **keywords: Any) -> NDArray[Any]:
        torch = _torch()
        with evaluation_mode(self.module), torch.no_grad():
            answers = select_tensor(self.module(*arguments, **keywords), output)
        answers = answers.detach().cpu()
        return np.asarray((answers if answers.dtype == torch.float64 else answers.float()).numpy())

    def gradient(self, rows: Rows, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """The gradient of ``(weights * value).sum()`` with respect to the rows, in the shape of the rows.

        Here `value` is the log-softmax of logits, the log of probabilities, or the outputs. `weights` is `(n,
        classes)`; a model with one logit or probability column has two classes, as in `Value`.
        """
        torch = _torch()
        arguments, keywords = self._inputs(rows)
        if not arguments or not arguments[0].is_floating_point():
            raise ModelError(
                "Expected rows of floating-point numbers for a gradient, got others. Explain a module that "
                "takes the embeddings of the tokens, or choose a method that needs only values."
            )
        inputs = arguments[0].detach().requires_grad_(True)
        if inputs.shape != np.shape(rows):
            raise ModelError(
                f"Expected prepare to keep the shape {np.shape(rows)} of the rows for a gradient, got "
                f"{tuple(inputs.shape)}. Choose a method that needs only values."
            )
        without_cudnn = _without_cudnn() if inputs.is_cuda else nullcontext()
        with evaluation_mode(self.module), torch.enable_grad(), without_cudnn:
            answers = select_tensor(self.module(inputs, *arguments[1:], **keywords), self.output).double()
            values = values_to_differentiate(answers, self.kind, torch, torch.log_softmax)
            if values.shape != weights.shape:
                raise ModelError(
                    f"Expected values of the shape of the weights, {weights.shape}, got {tuple(values.shape)}."
                )
            if not values.requires_grad:
                raise ModelError(
                    f"Expected an answer with a gradient from {type(self.module).__name__}, got one that is "
                    "detached from its input. Choose a method that needs only values."
                )
            total = (values * torch.as_tensor(weights, device=values.device)).sum()
            (gradient,) = torch.autograd.grad(total, inputs, allow_unused=True)
        return check_gradient(
            np.zeros(np.shape(rows)) if gradient is None else gradient.detach().cpu().double().numpy()
        )

    def _inputs(self, rows: Rows) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Positional and keyword arguments for the module, on its device."""
        prepared = rows if self.prepare is None else self.prepare(rows)
        if self.prepare is not None and isinstance(prepared, Mapping):
            return (), {name: self._to_tensor(array) for name, array in prepared.items()}
        arrays = prepared if self.prepare is not None and isinstance(prepared, tuple) else (prepared,)
        return tuple(self._to_tensor(array) for array in arrays), {}

    def _to_tensor(self, array: Any) -> Any:
        torch = _torch()
        if not isinstance(array, torch.Tensor):
            numbers = np.asarray(array)
            if numbers.dtype.kind not in "fiub":
                raise ModelError(
                    f"Expected rows that can be a tensor, got {numbers.dtype}. Give TorchModel(..., "
                    "prepare=...), a function from rows to a tensor."
                )
            array = torch.from_numpy(np.array(numbers, order="C"))  # a copy, because modules may write into their input
        parameter = None if self.device is not None else next(self.module.parameters(), None)
        device = self.device if parameter is None else parameter.device
        if not array.is_floating_point():
            return array.to(device)
        dtype = getattr(torch, self.dtype) if isinstance(self.dtype, str) else self.dtype
        floats = (p.dtype for p in self.module.parameters() if p.is_floating_point())
        return array.to(device, dtype or next(floats, None))


# -- modes of modules, which several threads may use at the same time ---------------------------------------------

_MODE_LOCK, _CUDNN_LOCK = threading.Lock(), threading.Lock()
_SWITCHED_MODULES: dict[int, _SwitchedModule] = {}  # submodules that `evaluation_mode` has switched, by their id

if hasattr(os, "register_at_fork"):  # so that no child process inherits a lock that a thread of the parent holds
    for lock in (_MODE_LOCK, _CUDNN_LOCK):
        os.register_at_fork(before=lock.acquire, after_in_parent=lock.release, after_in_child=lock.release)


@dataclass
class _SwitchedModule:
    """A submodule, its original mode, and the number of threads that predict with it."""

    module: Any
    training: bool
    users: int = 0


@contextmanager
def evaluation_mode(module: Any) -> Iterator[None]:
    """Put a module into evaluation mode, and every submodule back into its original mode afterwards.

    Several threads may use one module, or modules that share submodules, at the same time. A submodule stays in
    evaluation mode as long as any thread predicts with it, and gets its original mode back after the last one.
    """
    with _MODE_LOCK:
        submodules = list(module.modules())
        if not any(submodule.training or id(submodule) in _SWITCHED_MODULES for submodule in submodules):
            submodules = []  # no submodule has to be switched
        for submodule in submodules:
            _SWITCHED_MODULES.setdefault(id(submodule), _SwitchedModule(submodule, submodule.training)).users += 1
    try:
        if submodules:
            with _MODE_LOCK, suppress(NotImplementedError):  # the mode of an exported graph cannot be changed
                module.eval()
        yield
    finally:
        with _MODE_LOCK:
            for submodule in submodules:
                switched = _SWITCHED_MODULES[id(submodule)]
                switched.users -= 1
                if not switched.users:
                    submodule.training = switched.training
                    del _SWITCHED_MODULES[id(submodule)]


@contextmanager
def _without_cudnn() -> Iterator[None]:
    """Switch cuDNN off for one gradient at a time, because it differentiates recurrent layers only in training mode."""
    with _CUDNN_LOCK, _torch().backends.cudnn.flags(enabled=False):  # this setting is global
        yield


def select_tensor(answers: Any, output: Output = None) -> Any:
    """Return the tensor among the outputs of a module, or raise `ModelError`."""
    tensor_indices = (
        [n for n, entry in enumerate(answers) if _is_tensor(entry)] if isinstance(answers, tuple | list) else []
    )
    if output is None and len(tensor_indices) > 1:
        raise ModelError(
            f"Expected one tensor from the module, got {describe_model_output(answers)} with {len(tensor_indices)} "
            f"tensors. Choose the one to explain with TorchModel(module, kind, output={tensor_indices[0]}), or another "
            "number."
        )
    tensor = select_output(answers, output)
    if _is_tensor(tensor):
        return tensor
    if output is not None:
        raise ModelError(
            f"Expected output to select a tensor, got {describe_model_output(tensor)} in "
            f"{describe_model_output(answers)}."
        )
    raise ModelError(
        f"Expected a tensor, a tuple or .logits from the module, got {describe_model_output(answers)}. Choose the "
        'part to explain with TorchModel(module, kind, output="name"), a number, or a function of what it returns.'
    )


def _is_tensor(candidate: Any) -> bool:
    return isinstance(candidate, _torch().Tensor)


def _torch() -> Any:
    return import_optional("torch", "torch")
