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
from ..extras import need
from ..maskers.base import Blend, Rows
from .base import Kind, Model
from .callable import check_answers, check_kind
from .gradients import check_gradient, differentiated
from .picking import Output, check_output, described, pick


class TorchModel(Model):
    """A `torch.nn.Module`, in evaluation mode for as long as it is asked; afterwards every submodule is as it was.

    Parameters
    ----------
    module : called with the rows as one tensor (or with what `prepare` makes of them). It may return a tensor `(n,)`
        or `(n, k)`, a tuple whose first entry is the only tensor, an object or dictionary with `logits`, or anything
        that `output` finds a tensor in. If there are several, `output` has to say which. The module is never
        moved or cast.
    kind : what it returns: "logits", "probabilities", "multilabel" or "output", see `Model`. Prefer logits where there
        is a choice: probabilities in single precision round a sure answer to exactly 1.
    device : where the rows go; by default where the first parameter of the module is.
    dtype : of floating-point rows; by default that of the first floating-point parameter. Integer rows (token ids)
        stay integers.
    prepare : turns rows (a list of strings, say) into a tensor, a tuple of positional arguments or a mapping of
        keyword arguments, such as a tokeniser returns. Its tensors are moved and cast in the same way.
    output : which part of what the module returns: the name of an entry or attribute, the number of an entry, or a
        function from what it returns to a tensor.
    parts : for `ReceptiveShapley`: where in what the module returns there is what each node adds to the outputs, `(n *
        nodes, k)` or `(n, nodes, k)`; in the same way as `output`.

    Examples
    --------
    A module with two inputs that returns a dictionary: words and how many there are, and only the words are masked::

        class Scorer(torch.nn.Module):
            def forward(self, ids, lengths):
                ...
                return {"scores": scores, "hidden": hidden}

        def prepare(texts):  # what the masker makes, here a list of strings
            ids = [vocabulary.encode(text) for text in texts]
            lengths = torch.tensor([len(row) for row in ids])
            return pad_sequence([torch.tensor(row) for row in ids], batch_first=True), lengths

        lc.Explainer(TorchModel(Scorer(), "logits", prepare=prepare, output="scores"), lc.maskers.Text())
    """

    depends = ("module", "dtype", "prepare", "output", "_parts")

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
        """What the module returns, `(n, outputs)`: float64 if it computes in that, else float32."""
        arguments, keywords = self._inputs(rows)
        return self._answers(len(rows), *arguments, **keywords)

    @property
    def blends(self) -> bool:
        """On another device than the processor: masks travel there instead of rows."""
        return self.prepare is None and not self.on_processor

    @property
    def on_processor(self) -> bool:
        """Whether the module is not on another device, such as a GPU."""
        return bool(getattr(self._place(np.zeros(1)).device, "type", "cpu") == "cpu")

    def predict_blends(self, blends: Sequence[Blend]) -> NDArray[Any]:
        """As `predict`, with rows that are made where the module is."""
        torch = _torch()
        parts = [
            torch.where(*(self._place(part) for part in (b.kept, b.x, b.reference))).reshape(-1, *b.x.shape)
            for b in blends
        ]
        rows = torch.cat(parts)
        return self._answers(len(rows), rows)

    @property
    def has_parts(self) -> bool:
        """Whether it was said where they are."""
        return self._parts is not None

    def parts(self, rows: Rows) -> NDArray[Any]:
        """What each node adds to the outputs, if the module returns that."""
        if self._parts is None:
            raise NotImplementedError
        arguments, keywords = self._inputs(rows)
        return self._run(self._parts, *arguments, **keywords)

    def _answers(self, n: int, *arguments: Any, **keywords: Any) -> NDArray[Any]:
        return check_answers(self._run(self.output, *arguments, **keywords), n, type(self.module).__name__)

    def _run(self, output: Output, *arguments: Any, **keywords: Any) -> NDArray[Any]:
        torch = _torch()
        with evaluation(self.module), torch.no_grad():
            answers = tensor_in(self.module(*arguments, **keywords), output)
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
        start = arguments[0].detach().requires_grad_(True)
        if start.shape != np.shape(rows):
            raise ModelError(
                f"Expected prepare to keep the shape {np.shape(rows)} of the rows for a gradient, got "
                f"{tuple(start.shape)}. Choose a method that needs only values."
            )
        without_cudnn = _without_cudnn() if start.is_cuda else nullcontext()
        with evaluation(self.module), torch.enable_grad(), without_cudnn:
            answers = tensor_in(self.module(start, *arguments[1:], **keywords), self.output).double()
            values = differentiated(answers, self.kind, torch, torch.log_softmax)
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
            (found,) = torch.autograd.grad(total, start, allow_unused=True)
        return check_gradient(np.zeros(np.shape(rows)) if found is None else found.detach().cpu().double().numpy())

    def _inputs(self, rows: Rows) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Positional and keyword arguments for the module, on its device."""
        made = rows if self.prepare is None else self.prepare(rows)
        if self.prepare is not None and isinstance(made, Mapping):
            return (), {name: self._place(part) for name, part in made.items()}
        parts = made if self.prepare is not None and isinstance(made, tuple) else (made,)
        return tuple(self._place(part) for part in parts), {}

    def _place(self, part: Any) -> Any:
        torch = _torch()
        if not isinstance(part, torch.Tensor):
            array = np.asarray(part)
            if array.dtype.kind not in "fiub":
                raise ModelError(
                    f"Expected rows that can be a tensor, got {array.dtype}. Give TorchModel(..., "
                    "prepare=...), a function from rows to a tensor."
                )
            part = torch.from_numpy(np.array(array, order="C"))  # a copy: modules may write into their input
        first = None if self.device is not None else next(self.module.parameters(), None)
        device = self.device if first is None else first.device
        if not part.is_floating_point():
            return part.to(device)
        dtype = getattr(torch, self.dtype) if isinstance(self.dtype, str) else self.dtype
        floats = (p.dtype for p in self.module.parameters() if p.is_floating_point())
        return part.to(device, dtype or next(floats, None))


# -- modes, which modules that are asked in several threads share -------------------------------------------------

_SWITCHING, _DIFFERENTIATING = threading.Lock(), threading.Lock()
_ASKED: dict[int, _Asked] = {}  # parts of modules that are in evaluation mode because of us, by their id

if hasattr(os, "register_at_fork"):  # no child inherits a lock that a thread of the parent holds
    for lock in (_SWITCHING, _DIFFERENTIATING):
        os.register_at_fork(before=lock.acquire, after_in_parent=lock.release, after_in_child=lock.release)


@dataclass
class _Asked:
    """A part of a module, the mode it was in, and how many predict with it at this moment."""

    part: Any
    training: bool
    users: int = 0


@contextmanager
def evaluation(module: Any) -> Iterator[None]:
    """Dropout off and normalisation fixed, and then every submodule in the mode it was in, whatever happened.

    Threads may ask one module, or several that share parts, at the same time: a part is in evaluation mode as long as
    anybody predicts with it, and gets its own mode back when the last one leaves.
    """
    with _SWITCHING:
        parts = list(module.modules())
        if not any(part.training or id(part) in _ASKED for part in parts):
            parts = []  # nothing to switch, nothing to switch back
        for part in parts:
            _ASKED.setdefault(id(part), _Asked(part, part.training)).users += 1
    try:
        if parts:
            with _SWITCHING, suppress(NotImplementedError):  # an exported graph: its mode is built in
                module.eval()
        yield
    finally:
        with _SWITCHING:
            for part in parts:
                asked = _ASKED[id(part)]
                asked.users -= 1
                if not asked.users:
                    part.training = asked.training
                    del _ASKED[id(part)]


@contextmanager
def _without_cudnn() -> Iterator[None]:
    """One gradient at a time without cuDNN, which differentiates recurrent layers in training mode only."""
    with _DIFFERENTIATING, _torch().backends.cudnn.flags(enabled=False):  # a switch of the whole process
        yield


def tensor_in(answers: Any, output: Output = None) -> Any:
    """The tensor among what a module returned."""
    several = [n for n, part in enumerate(answers) if _is_tensor(part)] if isinstance(answers, tuple | list) else []
    if output is None and len(several) > 1:
        raise ModelError(
            f"Expected one tensor from the module, got {described(answers)} with {len(several)} tensors. Choose the "
            f"one to explain with TorchModel(module, kind, output={several[0]}), or another number."
        )
    found = pick(answers, output)
    if _is_tensor(found):
        return found
    if output is not None:
        raise ModelError(f"Expected output to select a tensor, got {described(found)} in {described(answers)}.")
    raise ModelError(
        f"Expected a tensor, a tuple or .logits from the module, got {described(answers)}. Choose the part to "
        'explain with TorchModel(module, kind, output="name"), a number, or a function of what it returns.'
    )


def _is_tensor(thing: Any) -> bool:
    return isinstance(thing, _torch().Tensor)


def _torch() -> Any:
    return need("torch", "torch")
