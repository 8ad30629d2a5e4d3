"""Tasks of Hugging Face transformers other than text classification."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import ModelError
from ..extras import import_optional
from ..maskers.base import Rows
from .base import Model
from .callable import check_answers
from .torch import evaluation_mode, select_tensor
from .transformers import TransformersModel, check_model_and_tokenizer


class ZeroShotModel(Model):
    """A model of natural language inference that predicts which of some labels fits a text.

    Parameters
    ----------
    model, tokenizer : those of ``pipeline("zero-shot-classification")``. The config has a label "entailment".
    labels : the candidates.
    template : the hypothesis, into which a label is inserted; the text is the premise.
    multi_label : whether labels do not exclude each other. Then each has a separate probability, that of entailment
        against contradiction. Otherwise they are a softmax over the entailment logits of the labels, as in the
        pipeline.

    Examples
    --------
    ``lc.Explainer(ZeroShotModel(pipe.model, pipe.tokenizer, ["sport", "politics"]), lc.maskers.Text())(text)``
    """

    fingerprint_attributes = ("pairs", "labels", "template", "multi_label")

    def __init__(
        self,
        model: Any,
        tokenizer: Any,
        labels: Sequence[str],
        template: str = "This example is {}.",
        multi_label: bool = False,
    ) -> None:
        self.classes = self.labels = [str(label) for label in labels]
        if isinstance(labels, str) or not self.labels:
            raise ModelError(f"Expected a list of candidate labels, got {labels!r}.")
        if template.format("a") == template.format("b"):
            raise ModelError(f"Expected a template with {{}} where the label goes, got {template!r}.")
        self.pairs = TransformersModel(model, tokenizer, "logits")
        names = [str(name).lower() for name in self.pairs.classes or ()]
        positions = [k for k, name in enumerate(names) if name.startswith("entail")]
        if not positions:
            raise ModelError(f"Expected a label named entailment in the config, got {', '.join(names) or 'none'}.")
        self.entailment, self.contradiction = positions[0], -1 if positions[0] == 0 else 0  # as in the pipeline
        self.template, self.multi_label = template, multi_label
        self.kind = "multilabel-logits" if multi_label or len(self.labels) == 1 else "logits"

    def predict(self, rows: Rows) -> NDArray[Any]:
        """A logit for each label, `(n, labels)`."""
        _check_texts(rows)
        pairs = [(row, self.template.format(label)) for row in rows for label in self.labels]
        answers = self.pairs.predict(pairs).astype(np.float64)
        contradiction = answers[:, self.contradiction] if self.kind == "multilabel-logits" else 0.0
        return np.asarray((answers[:, self.entailment] - contradiction).reshape(len(rows), -1))


class TextTask(Model):
    """The base class of the tasks below: rows are tokenized one by one, with the positions of tokens in the text."""

    def __init__(self, model: Any, tokenizer: Any) -> None:
        check_model_and_tokenizer(model, tokenizer)
        self.model, self.tokenizer = model, tokenizer

    def _run_model(self, texts: tuple[str, ...]) -> tuple[Any, Any]:
        """Return the outputs of the model for one text or pair of texts, and its encoding."""
        torch = import_optional("torch", "torch")
        encoding = self.tokenizer(*texts, return_tensors="pt", verbose=False)
        count, limit = encoding["input_ids"].shape[1], getattr(self.model.config, "max_position_embeddings", None)
        if isinstance(limit, int) and 0 < limit < count:
            raise ModelError(f"Expected rows of at most {limit} tokens, got one of {count}. Shorten the text.")
        device = next(self.model.parameters()).device
        with evaluation_mode(self.model), torch.no_grad():
            return self.model(**{name: tensor.to(device) for name, tensor in encoding.items()}), encoding

    def _token_span(self, encoding: Any, text: str, phrase: str, row: int, sequence: int = 0) -> tuple[int, int]:
        """Return the first and last token of a phrase, which must occur once in the text."""
        if not getattr(self.tokenizer, "is_fast", False):
            raise ModelError(
                "Expected a fast tokenizer, which reports the positions of its tokens, got a slow one. "
                "Load it with use_fast=True."
            )
        if text.count(phrase) != 1:
            raise ModelError(
                f"Expected {phrase!r} once in each row, got it {text.count(phrase)} times in {text[:60]!r}. Keep it in "
                f"every row: maskers.Text(pin={{{phrase!r}}}), or a function of unit, start and end for several words.",
                row=row,
            )
        start = text.index(phrase)
        ends = (start, start + len(phrase) - 1)
        first, last = (encoding.char_to_token(0, position, sequence_index=sequence) for position in ends)
        if first is None or last is None:
            raise ModelError(f"Expected a token for {phrase!r}, got none.", row=row)
        return first, last


class TokenModel(TextTask):
    """The label that a token classifier gives to one word, of kind "logits", with the classes of the config.

    Parameters
    ----------
    model, tokenizer : those of ``pipeline("token-classification")``.
    word : the word, which occurs once in the text and must be pinned. Its first token counts.

    Examples
    --------
    ``lc.Explainer(TokenModel(pipe.model, pipe.tokenizer, "Paris"), lc.maskers.Text(pin={"Paris"}))(text)``
    """

    fingerprint_attributes = ("model", "tokenizer", "word")

    def __init__(self, model: Any, tokenizer: Any, word: str) -> None:
        super().__init__(model, tokenizer)
        self.word, self.kind = word, "logits"
        labels = model.config.id2label
        self.classes = [str(labels[key]) for key in sorted(labels, key=int)]

    def predict(self, rows: Rows) -> NDArray[Any]:
        """The logits of the word's labels, `(n, labels)`."""
        logits = []
        for number, row in enumerate(_check_texts(rows)):
            answers, encoding = self._run_model((row,))
            position, _ = self._token_span(encoding, row, self.word, number)
            logits.append(select_tensor(answers)[0, position].double().cpu().numpy())
        return check_answers(logits, len(rows), type(self.model).__name__)


class FillMaskModel(TextTask):
    """log P of some words instead of the mask. Its kind is "output", with a column for each candidate.

    Parameters
    ----------
    model, tokenizer : those of ``pipeline("fill-mask")``. The mask token occurs once in the text and must be pinned.
    candidates : words that are one token each.

    Examples
    --------
    ``lc.Explainer(FillMaskModel(pipe.model, pipe.tokenizer, ["good", "bad"]), lc.maskers.Text(pin={"[MASK]"}),
    target=("good", "bad"))("The film was [MASK] .")``
    """

    fingerprint_attributes = ("model", "tokenizer", "classes")

    def __init__(self, model: Any, tokenizer: Any, candidates: Sequence[str]) -> None:
        super().__init__(model, tokenizer)
        if tokenizer.mask_token is None:
            raise ModelError(
                "Expected a tokenizer with a mask token, got one without. Choose a model that fills masks."
            )
        self.kind, self.classes = "output", [candidates] if isinstance(candidates, str) else list(candidates)
        self.tokens = [self._token_id(word) for word in self.classes]

    def predict(self, rows: Rows) -> NDArray[Any]:
        """The log-probabilities of the candidates among all tokens, `(n, candidates)`."""
        torch = import_optional("torch", "torch")
        log_probs = []
        for number, row in enumerate(_check_texts(rows)):
            answers, encoding = self._run_model((row,))
            positions = (encoding["input_ids"][0] == self.tokenizer.mask_token_id).nonzero()
            if len(positions) != 1:
                mask = self.tokenizer.mask_token
                raise ModelError(
                    f"Expected {mask} once in each row, got it {len(positions)} times in {row[:60]!r}. Keep it in "
                    f"every row: maskers.Text(pin={{{mask!r}}}).",
                    row=number,
                )
            token_log_probs = torch.log_softmax(select_tensor(answers)[0, int(positions[0])].double(), -1)
            log_probs.append(token_log_probs[self.tokens].cpu().numpy())
        return check_answers(log_probs, len(rows), type(self.model).__name__)

    def _token_id(self, word: str) -> int:
        ids = self.tokenizer(word, add_special_tokens=False, verbose=False)["input_ids"]
        if len(ids) != 1 or ids[0] == self.tokenizer.unk_token_id:
            raise ModelError(
                f"Expected candidates that are one known token each, got {word!r}, which is {len(ids)} tokens."
            )
        return int(ids[0])


class AnswerModel(TextTask):
    """log P of the span of an answer, log P(start) + log P(end) over the tokens of the context. Its kind is "output".

    Parameters
    ----------
    model, tokenizer : those of ``pipeline("question-answering")``.
    answer : a part of the context, which occurs in it once.
    question, context : give one of them; rows are the other. If rows are contexts, the answer must be pinned.

    Examples
    --------
    ``lc.Explainer(AnswerModel(pipe.model, pipe.tokenizer, "Paris", context=text), lc.maskers.Text())(question)``
    """

    fingerprint_attributes = ("model", "tokenizer", "answer", "question", "context")

    def __init__(
        self, model: Any, tokenizer: Any, answer: str, question: str | None = None, context: str | None = None
    ) -> None:
        super().__init__(model, tokenizer)
        if (question is None) == (context is None):
            raise ModelError(
                "Expected a question or a context, got neither or both. Give the one that stays fixed; the "
                "rows are the other."
            )
        self.answer, self.question, self.context = answer, question, context
        self.kind, self.classes = "output", [answer]

    def predict(self, rows: Rows) -> NDArray[Any]:
        """The log-probability of the span, `(n, 1)`."""
        torch = import_optional("torch", "torch")
        log_probs = []
        for number, row in enumerate(_check_texts(rows)):
            question, context = (row, self.context) if self.context is not None else (self.question, row)
            answers, encoding = self._run_model((str(question), str(context)))
            span = self._token_span(encoding, str(context), self.answer, number, sequence=1)
            outside = torch.tensor([sequence != 1 for sequence in encoding.sequence_ids(0)])
            log_prob = 0.0
            for logits, position in zip((answers.start_logits, answers.end_logits), span, strict=True):
                logits = logits[0].double().cpu().masked_fill(outside, -torch.inf)
                log_prob += float(torch.log_softmax(logits, -1)[position])
            log_probs.append(log_prob)
        return check_answers(log_probs, len(rows), type(self.model).__name__)


ADAPTER_FOR_TASK = {
    "zero-shot-classification": "ZeroShotModel(pipe.model, pipe.tokenizer, labels=[...])",
    "token-classification": 'TokenModel(pipe.model, pipe.tokenizer, "the word") with maskers.Text(pin={"the word"})',
    "fill-mask": "FillMaskModel(pipe.model, pipe.tokenizer, [candidates]) with maskers.Text(pin={mask token})",
    "question-answering": "AnswerModel(pipe.model, pipe.tokenizer, answer, context=...), where rows are questions",
    "text-generation": "CausalLMModel(pipe.model, pipe.tokenizer, continuation)",
    "image-classification": 'TorchModel(pipe.model, "logits", prepare=lambda images: '
    'dict(pipe.image_processor(list(images), return_tensors="pt")))',
}


def _check_texts(rows: Rows) -> list[str]:
    for number, row in enumerate(rows):
        if not isinstance(row, str):
            raise ModelError(f"Expected rows of str, got {type(row).__name__}. Choose maskers.Text().", row=number)
    return list(rows)
