"""What an adapter is: a model behind one method, `predict`, that says what its numbers are."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from ..core.trees import Trees
from ..maskers.base import Blend, Rows
from .fingerprint import Opaque, fingerprint

Kind = Literal["probabilities", "logits", "output", "multilabel", "multilabel-logits", "margin"]


class Model(ABC):
    """A model as the explainer sees it.

    Attributes
    ----------
    kind : what `predict` returns. "probabilities": of classes, each row sums to one. "logits": to be put through a
        softmax (one column: through a sigmoid). "multilabel": a probability for each of several labels that do not
        exclude each other; "multilabel-logits": each of them to be put through a sigmoid of its own. "margin": decision
        values of classes, of which the largest wins (one column: class 1 where it is positive). "output": numbers that
        are no classes, such as a regression.
    classes : the names of the classes or labels in the order of the columns, where the model knows them.
    batch_size : how many rows the model wants at once, where it knows; None: what turns out fastest.
    depends : the names of the attributes that answers depend on, for `fingerprint`. A class that does not say it itself
        depends on all of its attributes.
    named : those among them that are functions, for which the user has to give a name.
    target : which outputs are explained where the user does not say it; None: see `lcshap.values.Value`.
    record : what else the record of an explanation says about the model, such as the answer of a language model.
    answered : of a language model, the text of its answer and the `(start, end)` in it that each output is about.

    Examples
    --------
    >>> import lcshap as lc
    >>> model = lc.adapters.CallableModel(lambda rows: rows.sum(axis=1), kind="output")
    >>> isinstance(model, lc.adapters.Model), model.kind
    (True, 'output')
    """

    kind: Kind
    classes: Sequence[str] | None = None
    batch_size: int | None = None
    target: Any = None
    record: Mapping[str, Any] = MappingProxyType({})
    answered: tuple[str, NDArray[np.int64]] | None = None
    depends: ClassVar[tuple[str, ...]]
    named: ClassVar[tuple[str, ...]] = ()

    @abstractmethod
    def predict(self, rows: Rows) -> NDArray[Any]:
        """The answers to some rows, `(n, outputs)`, in whatever precision the model has."""

    @property
    def content(self) -> dict[str, Any]:
        """Everything that answers depend on, for `fingerprint`."""
        names = vars(type(self)).get("depends", vars(self))
        held = {name: getattr(self, name, None) for name in names}
        return {name: Opaque(part) if name in self.named else part for name, part in held.items()}

    def fingerprint(self, name: str | None = None) -> bytes:
        """16 bytes that tell this model from others, in every process: a digest of what it holds.

        Weights count by their numbers, classes of installed packages by name and version, others by their code. What
        else that code calls is not looked at.

        Parameters
        ----------
        name : stands for functions of the user and all else whose content cannot be read; `OptionError` without it.
        """
        return fingerprint(self, name)

    @property
    def blends(self) -> bool:
        """Whether the model makes rows on its own device: then `predict_blends` is asked where that is possible."""
        return False

    def predict_blends(self, blends: Sequence[Blend]) -> NDArray[Any]:
        """The answers to the rows of some blends, one after the other."""
        raise NotImplementedError

    def cost(self, calls: int) -> str | None:
        """What the answers to `calls` rows cost, in words, where the model knows; for previews."""
        return None

    @property
    def reads(self) -> bool:
        """Whether the model counts the tokens that it reads, with `reading`."""
        return False

    def reading(self, rows: Rows) -> str:
        """How much the model reads for these very rows, in words; for previews."""
        raise NotImplementedError

    def gradient(self, rows: Rows, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """The gradient of ``(weights * log P).sum()`` with respect to the input rows.

        Instead of log P it is the log-odds of labels, and the outputs of models without probabilities, by `kind`. Only
        models that know their gradient have it; see the PyTorch adapter.
        """
        raise NotImplementedError

    def trees(self) -> Trees:
        """The trees whose sum, but for a constant, is what `predict` returns.

        Only tree ensembles have them; see the scikit-learn adapter. `MethodError` where they cannot be read.
        """
        raise NotImplementedError

    @property
    def has_parts(self) -> bool:
        """Whether the model knows its parts."""
        return False

    def parts(self, rows: Rows) -> NDArray[Any]:
        """What each unit, such as a node, adds to the outputs, `(n, units, outputs)` or `(n * units, outputs)`.

        The parts of a row sum to what `predict` returns for it, but for a constant. All rows are of one input, so that
        they have the same units. Only models that pool by a sum or a mean have parts: see `CallableModel` and
        `TorchModel`.
        """
        raise NotImplementedError
