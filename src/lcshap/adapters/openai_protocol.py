"""What is sent to servers that speak the protocol of OpenAI, and what is read from their answers."""

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
    """Where something is sent, and what."""

    path: str
    body: dict[str, Any]


def completions(model: str, prompt: str, **more: Any) -> Request:
    """A text to go on with."""
    return Request("/completions", {"model": model, "prompt": prompt, **more})


def chat(model: str, messages: Sequence[Mapping[str, str]], **more: Any) -> Request:
    """A conversation to go on with."""
    return Request("/chat/completions", {"model": model, "messages": list(messages), **more})


def scored(model: str, row: Any, answer: str, style: Style) -> Request:
    """The request whose response has the log-probability of the answer after a prompt."""
    if not isinstance(row, str):
        messages = [*row, {"role": "assistant", "content": answer}]
        more = {"add_generation_prompt": False, "continue_final_message": True, "prompt_logprobs": 0}
        return chat(model, messages, max_tokens=1, temperature=0, **more)
    if style == "echo":
        return completions(model, row + answer, max_tokens=0, temperature=0, echo=True, logprobs=1)
    return completions(model, row + answer, max_tokens=1, temperature=0, prompt_logprobs=0)


def asked(model: str, row: Any, **more: Any) -> Request:
    """The request that answers a prompt: chat messages, or a text."""
    return completions(model, row, **more) if isinstance(row, str) else chat(model, row, **more)


def read_text(answer: Any) -> str:
    """The text of the first choice."""
    choice = _choice(answer)
    text = choice["text"] if "text" in choice else (choice.get("message") or {}).get("content")
    if not isinstance(text, str):
        raise ModelError("Expected a text in the response of the server, got none.")
    return text


def read_first_tokens(answer: Any) -> Tokens:
    """The most probable first tokens of the answer, where the server tells them; else none."""
    held = _choice(answer).get("logprobs") or {}
    if held.get("content"):
        return [(t["token"], float(t["logprob"])) for t in held["content"][0].get("top_logprobs") or ()]
    top = held.get("top_logprobs") or ()
    return [(token, float(number)) for token, number in (top[0] or {}).items()] if top else []


def read_prompt_tokens(answer: Any, style: Style) -> Tokens | None:
    """The tokens of the prompt with their log-probabilities; None where the server leaves them out."""
    choice = _choice(answer)
    if style == "echo":
        held = choice.get("logprobs") or {}
        tokens, numbers = held.get("tokens") or [], held.get("token_logprobs") or []
        if len(tokens) != len(numbers) or len(tokens) < 2:
            return None
        return [(t, np.nan if n is None else float(n)) for t, n in zip(tokens, numbers, strict=True)]
    listed = choice.get("prompt_logprobs") or answer.get("prompt_logprobs")
    if not listed:
        return None
    return [_chosen(entry) for entry in listed]


def _chosen(entry: Any) -> tuple[str, float]:
    """The token that stands in the prompt: with prompt_logprobs=0 it is the only one."""
    if not entry:
        return "", float("nan")
    held = next(iter(entry.values()))
    return str(held.get("decoded_token", "")), float(held["logprob"])


def answer_log_probs(tokens: Tokens, answer: str, columns: NDArray[np.int64]) -> NDArray[np.float64]:
    """The log-probability of parts of an answer, which ends the text that the tokens make.

    A token that begins before the answer and ends in it counts as part of it: the server has merged the two. What comes
    after the answer, such as a token that had to be generated, does not count.

    Parameters
    ----------
    columns : `(parts, 2)`, where parts start and end in the answer.

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
    where = np.maximum(starts + blanks - begin, 0)
    numbers = np.array([number for _, number in tokens])
    found = []
    for start, end in columns.tolist():
        whole = (start, end) == (0, len(answer))
        chosen = numbers[inside & (whole | ((where >= start) & (where < end)))]
        if not len(chosen) or np.isnan(chosen).any():
            raise ModelError(f"Expected log-probabilities of the answer {answer!r:.40}, got none for a part of it.")
        found.append(chosen.sum())
    return np.array(found)


def check_model(answer: Any, wanted: str) -> None:
    """Refuse the answer of another model. Servers may say a longer name: a version, a path, a file."""
    got = answer.get("model") if isinstance(answer, Mapping) else None
    if isinstance(got, str) and got and wanted not in got and got not in wanted:
        raise ModelError(
            f"Expected answers of the model {wanted!r:.60}, got one of {got!r:.60}. Check base_url and model."
        )


def _choice(answer: Any) -> Mapping[str, Any]:
    choices = answer.get("choices") if isinstance(answer, Mapping) else None
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], Mapping):
        raise ModelError("Expected a response with choices from the server, got something else.")
    return choices[0]
