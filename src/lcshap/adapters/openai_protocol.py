"""Requests to servers with the protocol of OpenAI, and readers of their responses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..errors import ModelError

Style = Literal["echo", "prompt_logprobs", "none"]
Tokens = list[tuple[str, float]]  # each with its log-probability
PROBE = ("The sky is", " blue")


@dataclass(frozen=True)
class Request:
    """The path and the body of a request."""

    path: str
    body: dict[str, Any]


def completions_request(model: str, prompt: str, **fields: Any) -> Request:
    """A request to continue a text."""
    return Request("/completions", {"model": model, "prompt": prompt, **fields})


def chat_request(model: str, messages: Sequence[Mapping[str, str]], **fields: Any) -> Request:
    """A request to continue a conversation."""
    return Request("/chat/completions", {"model": model, "messages": list(messages), **fields})


def scoring_request(model: str, row: Any, answer: str, style: Style) -> Request:
    """The request whose response has the log-probability of the answer after a prompt."""
    if not isinstance(row, str):
        messages = [*row, {"role": "assistant", "content": answer}]
        fields = {"add_generation_prompt": False, "continue_final_message": True, "prompt_logprobs": 0}
        return chat_request(model, messages, max_tokens=1, temperature=0, **fields)
    if style == "echo":
        return completions_request(model, row + answer, max_tokens=0, temperature=0, echo=True, logprobs=1)
    return completions_request(model, row + answer, max_tokens=1, temperature=0, prompt_logprobs=0)


def generation_request(model: str, row: Any, **fields: Any) -> Request:
    """The request that answers a prompt: chat messages, or a text."""
    return completions_request(model, row, **fields) if isinstance(row, str) else chat_request(model, row, **fields)


def read_answer_text(answer: Any) -> str:
    """The text of the first choice."""
    choice = _first_choice(answer)
    text = choice["text"] if "text" in choice else (choice.get("message") or {}).get("content")
    if not isinstance(text, str):
        raise ModelError("Expected a text in the response of the server, got none.")
    return text


def read_first_tokens(answer: Any) -> Tokens:
    """Return the most probable first tokens of the answer; an empty list if the server does not return them."""
    logprobs = _first_choice(answer).get("logprobs") or {}
    if logprobs.get("content"):
        return [(t["token"], float(t["logprob"])) for t in logprobs["content"][0].get("top_logprobs") or ()]
    top = logprobs.get("top_logprobs") or ()
    return [(token, float(logprob)) for token, logprob in (top[0] or {}).items()] if top else []


def read_prompt_tokens(answer: Any, style: Style) -> Tokens | None:
    """The tokens of the prompt with their log-probabilities; None if the server does not return them."""
    choice = _first_choice(answer)
    if style == "echo":
        logprobs = choice.get("logprobs") or {}
        tokens, token_logprobs = logprobs.get("tokens") or [], logprobs.get("token_logprobs") or []
        if len(tokens) != len(token_logprobs) or len(tokens) < 2:
            return None
        return [(t, np.nan if n is None else float(n)) for t, n in zip(tokens, token_logprobs, strict=True)]
    entries = choice.get("prompt_logprobs") or answer.get("prompt_logprobs")
    if not entries:
        return None
    return [_read_prompt_token(entry) for entry in entries]


def _read_prompt_token(entry: Any) -> tuple[str, float]:
    """Return the token of the prompt and its log-probability: with prompt_logprobs=0 it is the only token."""
    if not entry:
        return "", float("nan")
    candidate = next(iter(entry.values()))
    return str(candidate.get("decoded_token", "")), float(candidate["logprob"])


def answer_log_probs(tokens: Tokens, answer: str, spans: NDArray[np.int64]) -> NDArray[np.float64]:
    """The log-probability of parts of an answer, which is the end of the text of the tokens.

    A token that begins before the answer and ends in it counts as part of it, because the server has merged the two.
    Tokens after the answer, such as one that had to be generated, do not count.

    Parameters
    ----------
    spans : `(parts, 2)`, the start and end of the parts in the answer.

    >>> answer_log_probs([("It", float("nan")), (" is", -1.0), (" so", -2.0)], " is so", np.array([[0, 6], [3, 6]]))
    array([-3., -2.])
    """
    text = "".join(token for token, _ in tokens)
    begin = text.rfind(answer)
    if begin < 0:
        raise ModelError(f"Expected the answer in the tokens that the server returns, got {text[-40:]!r} at their end.")
    ends = np.cumsum([len(token) for token, _ in tokens])
    starts = np.concatenate([[0], ends[:-1]])
    blanks = np.array([len(token) - len(token.lstrip()) if token.strip() else 0 for token, _ in tokens])
    inside = (ends > begin) & (starts < begin + len(answer))
    positions = np.maximum(starts + blanks - begin, 0)
    log_probs = np.array([log_prob for _, log_prob in tokens])
    sums = []
    for start, end in spans.tolist():
        whole = (start, end) == (0, len(answer))
        chosen = log_probs[inside & (whole | ((positions >= start) & (positions < end)))]
        if not len(chosen) or np.isnan(chosen).any():
            raise ModelError(f"Expected log-probabilities of the answer {answer!r:.40}, got none for a part of it.")
        sums.append(chosen.sum())
    return np.array(sums)


def check_model(answer: Any, name: str) -> None:
    """Raise `ModelError` for the answer of another model. Servers may return a longer name, such as a path."""
    answered_by = answer.get("model") if isinstance(answer, Mapping) else None
    if isinstance(answered_by, str) and answered_by and name not in answered_by and answered_by not in name:
        raise ModelError(
            f"Expected answers of the model {name!r:.60}, got one of {answered_by!r:.60}. Check base_url and model."
        )


def _first_choice(answer: Any) -> Mapping[str, Any]:
    choices = answer.get("choices") if isinstance(answer, Mapping) else None
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], Mapping):
        raise ModelError("Expected a response with choices from the server, got something else.")
    return choices[0]
