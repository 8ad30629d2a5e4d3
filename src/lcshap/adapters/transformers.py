"""Text classifiers of Hugging Face transformers, with their tokenizers. The package itself is never imported here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import ModelError
from ..maskers.base import Rows
from .base import Kind, Model
from .callable import check_kind
from .torch import TorchModel

_MAX_BATCH_TOKENS = 1024  # on a CPU; larger batches do not fit into its caches, and a row takes longer
_NO_LIMIT = 1_000_000  # transformers writes 1e30 for tokenizers without a limit

Encoding = Mapping[str, Sequence[int]]


class TransformersModel(Model):
    """A sequence-classification model and its tokenizer.

    Parameters
    ----------
    model : such as ``AutoModelForSequenceClassification.from_pretrained(...)``, or any PyTorch module with a `config`
        that takes the encodings of the tokenizer and returns an object with `logits`. It is never moved or changed.
    tokenizer : its tokenizer, fast or slow.
    kind : the kind of the outputs, see `Model`. By default it is taken from the config: "output" for a regression and
        for a single label (give "logits" if a sigmoid makes it a probability), "multilabel-logits" if its
        `problem_type` is "multi_label_classification", and "logits" otherwise.
    max_length : the largest number of tokens, including special ones; by default the smaller limit of the tokenizer and
        the config. A longer row raises an error and is never cut: `maskers.Subwords` can cut texts, with a warning.
    device : the device of the rows; by default that of the first parameter of the model.

    Notes
    -----
    Rows are strings, pairs of strings (tuples), or the encodings that `maskers.Subwords` makes. A batch is tokenized at
    once and padded to its longest row. Answers do not depend on the other rows of the batch: if a tokenizer pads on the
    left, or makes no attention mask, batches have rows of equal length, and a model whose config has no `pad_token_id`,
    such as GPT-2, gets rows one by one (set ``model.config.pad_token_id`` to make this faster). A row without any
    token, such as "" if no special tokens are added, is replaced by the token for the beginning, or for the end if
    there is no such token.

    Examples
    --------
    ::

        model = AutoModelForSequenceClassification.from_pretrained(name)
        tokenizer = AutoTokenizer.from_pretrained(name)
        explain = lc.Explainer(TransformersModel(model, tokenizer), lc.maskers.Subwords(tokenizer))
        explain("It is not heartwarming or entertaining. It just sucks.")
    """

    fingerprint_attributes = ("model", "tokenizer")

    def __init__(
        self, model: Any, tokenizer: Any, kind: Kind | None = None, max_length: int | None = None, device: Any = None
    ) -> None:
        check_model_and_tokenizer(model, tokenizer)
        self.model, self.tokenizer = model, tokenizer
        self.kind = check_kind(
            _kind_from_config(model.config) if kind is None else kind, f"the config of {type(model).__name__}"
        )
        labels = getattr(model.config, "id2label", None)
        self.classes = [labels[key] for key in sorted(labels, key=int)] if labels else None
        if max_length is not None and not (isinstance(max_length, int) and max_length >= 1):
            raise ModelError(f"Expected max_length as an integer of at least 1, or None, got {max_length!r}.")
        self.max_length = find_max_length(model, tokenizer) if max_length is None else max_length
        self._torch = TorchModel(model, self.kind, device, prepare=self._inputs)
        config, default = text_config(model), _first_token(tokenizer.pad_token_id, tokenizer.eos_token_id)
        self._padding: int | None = getattr(config, "pad_token_id", default)
        self._position_before_first = _position_before_first(model)

    @classmethod
    def from_pipeline(cls, pipe: Any, kind: Kind | None = None, max_length: int | None = None) -> TransformersModel:
        """From `pipe`, a ``transformers.pipeline("text-classification")``: its model and tokenizer without the softmax.

        `kind` and `max_length` are as for `TransformersModel`.
        """
        if getattr(pipe, "task", None) != "text-classification":
            task = getattr(pipe, "task", type(pipe).__name__)
            raise ModelError(f'Expected a pipeline for "text-classification", got {task!r}.')
        return cls(pipe.model, pipe.tokenizer, kind, max_length)

    def predict(self, rows: Rows) -> NDArray[Any]:
        """The logits of all labels, `(n, labels)`, in the order of the labels."""
        encodings = self._encode(rows)
        lengths = np.array([len(encoding["input_ids"]) for encoding in encodings])
        if self.max_length is not None and lengths.max() > self.max_length:
            row, limit = int(lengths.argmax()), self.max_length
            raise ModelError(
                f"Expected at most {limit} tokens, which the model accepts, got {lengths[row]} in row {row}. "
                "Shorten the text, or leave out its end with Subwords(tokenizer, truncate=True, "
                f"max_length={limit}) or less.",
                row=row,
            )
        batches = self._batches(lengths, "attention_mask" in encodings[0])
        answers = np.concatenate([self._predict_batch(encodings, batch) for batch in batches])
        return np.asarray(answers[np.argsort(np.concatenate(batches))])

    def _predict_batch(self, encodings: list[Encoding], batch: NDArray[np.intp]) -> NDArray[Any]:
        try:
            return self._torch.predict([encodings[i] for i in batch])
        except ModelError as error:
            error.row = None if error.row is None else int(batch[error.row])
            raise

    def _encode(self, rows: Rows) -> list[Encoding]:
        encodings = list(rows) if all(isinstance(row, Mapping) for row in rows) else self._tokenize(rows)
        return [encoding if len(encoding["input_ids"]) else self._start_encoding(encoding) for encoding in encodings]

    def _tokenize(self, rows: Rows) -> list[Encoding]:
        for row in rows:
            is_pair = isinstance(row, tuple) and len(row) == 2
            if not all(isinstance(text, str) for text in (row if is_pair else [row])):
                raise ModelError(f"Expected a str, a pair of them or an encoding of Subwords as a row, got {row!r}.")
        encodings = self.tokenizer(list(rows), verbose=False)
        return [dict(zip(encodings, fields, strict=True)) for fields in zip(*encodings.values(), strict=True)]

    def _start_encoding(self, empty: Encoding) -> Encoding:
        """Return the encoding that replaces a row without tokens."""
        start = {"input_ids": start_token(self.tokenizer), "attention_mask": 1}
        return {name: [start.get(name, 0)] for name in empty}

    def _batches(self, lengths: NDArray[np.integer], attends: bool) -> list[NDArray[np.intp]]:
        """Group rows so that their answers do not depend on the batch that they are in."""
        rows = np.arange(len(lengths))
        if self._padding is None:
            return list(rows[:, None])
        if not attends or self.tokenizer.padding_side == "left":
            return [np.flatnonzero(lengths == length) for length in np.unique(lengths)]
        return _group_by_length(lengths) if self._torch.on_processor else [rows]

    def _inputs(self, encodings: Sequence[Encoding]) -> dict[str, NDArray[np.int64]]:
        """Padded arrays for the model."""
        fills = {"input_ids": self._padding or 0, "token_type_ids": getattr(self.tokenizer, "pad_token_type_id", 0)}
        inputs = {name: pad([e[name] for e in encodings], fills.get(name, 0)) for name in encodings[0]}
        if self._position_before_first is not None and any(0 in e["attention_mask"] for e in encodings):
            # Models such as RoBERTa would otherwise skip the tokens that Subwords replaced by padding when they number
            # tokens.

            inputs["position_ids"] = self._position_before_first + pad(
                [range(1, 1 + len(e["input_ids"])) for e in encodings], 0
            )
        return inputs


def _group_by_length(lengths: NDArray[np.integer]) -> list[NDArray[np.intp]]:
    """Group rows of similar length into batches whose tokens, with the padding, fit into the caches of a CPU.

    >>> [batch.tolist() for batch in _group_by_length(np.array([500, 10, 510, 12]))]
    [[1, 3], [0, 2]]
    """
    order, boundaries, start = np.argsort(lengths, kind="stable"), [], 0
    for position, length in enumerate(lengths[order].tolist()):
        if position > start and (position - start + 1) * length > _MAX_BATCH_TOKENS:
            boundaries.append(start := position)
    return np.split(order, boundaries)


# -- shared with language models ----------------------------------------------------------------------------------


def check_model_and_tokenizer(model: Any, tokenizer: Any) -> None:
    """Raise `ModelError` unless these are a model of transformers and its tokenizer."""
    if not (hasattr(model, "modules") and hasattr(model, "config")):
        raise ModelError(
            f"Expected a model of transformers, got {type(model).__name__}. Load one with from_pretrained, such as "
            f"AutoModelForSequenceClassification.from_pretrained(...)."
        )
    if not (callable(tokenizer) and hasattr(tokenizer, "pad_token_id")):
        raise ModelError(
            f"Expected a tokenizer of transformers, got {type(tokenizer).__name__}. Load one with "
            f"AutoTokenizer.from_pretrained(...)."
        )


def text_config(model: Any) -> Any:
    """Return the config of the text model; this is the whole config unless the model also takes images."""
    config = model.config
    return config.get_text_config() if hasattr(config, "get_text_config") else config


def find_max_length(model: Any, tokenizer: Any) -> int | None:
    """Return how many tokens a model takes: the smaller limit of its tokenizer and its config; None without a limit."""
    positions, before = getattr(text_config(model), "max_position_embeddings", None) or 0, _position_before_first(model)
    limits = [getattr(tokenizer, "model_max_length", 0), positions if before is None else positions - before - 1]
    return min((int(limit) for limit in limits if 0 < limit < _NO_LIMIT), default=None)


def start_token(tokenizer: Any) -> int:
    """The token that replaces a text without tokens."""
    token = _first_token(tokenizer.bos_token_id, tokenizer.eos_token_id)
    if token is None:
        raise ModelError(
            "Expected a tokenizer with a bos or an eos token for a row without tokens, got neither. Set "
            "tokenizer.bos_token, or pin some of the text."
        )
    return token


def pad(rows: Sequence[Sequence[int]], fill: int) -> NDArray[np.int64]:
    """Rows of different lengths as one array, padded on the right.

    >>> pad([[1, 2], [3]], fill=0).tolist()
    [[1, 2], [3, 0]]
    """
    lengths = np.array([len(row) for row in rows])
    table = np.full((len(rows), lengths.max()), fill, np.int64)
    table[np.arange(lengths.max()) < lengths[:, None]] = np.concatenate(rows)
    return table


def _kind_from_config(config: Any) -> Kind | None:
    """Return the kind of the logits; None if the config has no number of labels."""
    labels = getattr(config, "num_labels", None)
    if labels is None:
        return None
    problem = getattr(config, "problem_type", None)
    if problem == "multi_label_classification":
        return "multilabel-logits"
    return "output" if labels == 1 or problem == "regression" else "logits"


def _position_before_first(model: Any) -> int | None:
    """Return the position before the first token in models like RoBERTa, which count from the padding; else None."""
    for name, module in model.named_modules():
        if name.rpartition(".")[2] == "position_embeddings" and getattr(module, "padding_idx", None) is not None:
            return int(module.padding_idx)
    return None


def _first_token(*tokens: int | None) -> int | None:
    return next((token for token in tokens if token is not None), None)
