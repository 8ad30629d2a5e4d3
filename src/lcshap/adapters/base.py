"""The base class of adapters: a model with one method, `predict`, that declares the kind of its outputs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from ..core.structures import Structure
from ..maskers.base import Blend, Rows
from .fingerprint import OpaqueFunction, fingerprint

Kind = Literal["probabilities", "logits", "output", "multilabel", "multilabel-logits", "margin"]


class Model(ABC):
    """The interface of models for the explainer.

    Attributes
    ----------
    kind : the kind of the outputs of `predict`. "probabilities": of classes, each row sums to one. "logits": a softmax
        gives the probabilities (a sigmoid if there is one column). "multilabel": a probability for each of several
        labels that do not exclude each other; "multilabel-logits": a sigmoid of each gives these probabilities.
        "margin": decision values of classes, of which the largest is predicted (one column: class 1 if it is positive).
        "output": numbers that are not classes, such as a regression.
    classes : the names of the classes or labels in the order of the columns, if the model has names.
    batch_size : the number of rows in a call, if the model declares it. With None the fastest size is measured.
    fingerprint_attributes : the names of the attributes that answers depend on, for `fingerprint`. By default these are
        all attributes; the declaration of a base class is not inherited.
    function_attributes : the names of attributes that are functions, for which the user has to give a name.
    target : the default target of explanations; for None see `lcshap.values.Value`.
    record : further information for the record of an explanation, such as the answer of a language model.
    answer_and_spans : for a language model, the text of its answer and the `(start, end)` of each output in it.

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
    answer_and_spans: tuple[str, NDArray[np.int64]] | None = None
    fingerprint_attributes: ClassVar[tuple[str, ...]]
    function_attributes: ClassVar[tuple[str, ...]] = ()

    @abstractmethod
    def predict(self, rows: Rows) -> NDArray[Any]:
        """The answers to some rows, `(n, outputs)`, in the precision of the model."""

    @property
    def content(self) -> dict[str, Any]:
        """Everything that answers depend on, for `fingerprint`."""
        names = vars(type(self)).get("fingerprint_attributes", vars(self))
        attributes = {name: getattr(self, name, None) for name in names}
        return {
            name: OpaqueFunction(attribute) if name in self.function_attributes else attribute
            for name, attribute in attributes.items()
        }

    def fingerprint(self, name: str | None = None) -> bytes:
        """16 bytes that distinguish this model from others in every process: a digest of its content.

        Weights enter by their numbers, classes of installed packages by name and version, and others by their code.
        Code that is called from there is not read.

        Parameters
        ----------
        name : replaces functions of the user and other objects whose content cannot be read; `OptionError` without it.
        """
        return fingerprint(self, name)

    @property
    def blends(self) -> bool:
        """Whether the model creates rows on its own device. Then `predict_blends` is called if possible."""
        return False

    def predict_blends(self, blends: Sequence[Blend]) -> NDArray[Any]:
        """The answers to the rows of some blends, one after the other."""
        raise NotImplementedError

    def cost(self, calls: int) -> str | None:
        """The cost of the answers to `calls` rows in words, for previews; None if it is not known."""
        return None

    @property
    def counts_tokens(self) -> bool:
        """Whether the model counts the tokens that it reads, with `describe_tokens`."""
        return False

    def describe_tokens(self, rows: Rows) -> str:
        """The number of tokens that the model reads for these rows, in words, for previews."""
        raise NotImplementedError

    def gradient(self, rows: Rows, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """The gradient of ``(weights * log P).sum()`` with respect to the input rows.

        Depending on `kind`, log P is replaced by the log-odds of labels, or by the outputs of models without
        probabilities. Only some models have a gradient; see the PyTorch adapter.
        """
        raise NotImplementedError

    def structure(self, name: str) -> Structure:
        """The content of the model from which exact scores can be computed, by the name of its kind.

        Its outputs, plus a constant, are those of `predict`.

        Parameters
        ----------
        name : "trees", "weights" or "terms", see the scikit-learn adapter.

        Raises
        ------
        NotImplementedError : if the model has no such structure.
        MethodError : if it cannot be read.
        """
        raise NotImplementedError

    def used_columns(self) -> NDArray[np.intp] | None:
        """The numbers of the columns of a table that the answers depend on; None if this is not known."""
        return None

    @property
    def readable_outputs(self) -> Literal["margin", "probabilities"] | None:
        """Which outputs of a classifier of columns these are, if exact scores can be computed from its structure.

        "margin" for log-odds or logits that are sums over trees, weights or terms; "probabilities" for those of a
        forest; None for all others.
        """
        return None

    @property
    def has_parts(self) -> bool:
        """Whether the model has `parts`."""
        return False

    def parts(self, rows: Rows) -> NDArray[Any]:
        """The part of each unit, such as a node, in the outputs, `(n, units, outputs)` or `(n * units, outputs)`.

        The parts of a row sum to the output of `predict` minus a constant. All rows belong to one input, so that they
        have the same units. Only models that pool by a sum or a mean have parts: see `CallableModel` and `TorchModel`.
        """
        raise NotImplementedError
