"""Language models behind a server that speaks the protocol of OpenAI: vLLM, llama.cpp, and many services."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.redact import redacted
from ..errors import ModelError
from ..extras import need
from ..maskers.base import Rows
from .answers import Parts, part_names, part_spans
from .openai_protocol import (
    PROBE,
    Request,
    Style,
    answer_log_probs,
    asked,
    check_model,
    read_first_tokens,
    read_prompt_tokens,
    read_text,
    scored,
)
from .remote import RemoteModel
from .scalarisers import Scalariser, p_yes, scalarised
from .text_answers import check_samples, name_samples

_AGAIN = frozenset({408, 409, 425, 429})  # statuses that may be different the next time, beside those from 500 on


class OpenAICompatible(RemoteModel):
    """A language model on a server, asked for log-probabilities of an answer or, without them, for texts.

    Parameters
    ----------
    base_url : such as ``"http://localhost:8000/v1"``.
    model : its name there.
    answer : the answer that is explained. Its log-probability is the value where the server gives log-probabilities of
        prompts: `echo` of completions, or `prompt_logprobs` as vLLM has them. Which it has is found out by a first
        request; a server that leaves them out is refused, and a scalariser is needed.
    parts : "whole", "word", "sentence" or spans of the answer: as in `CausalLMModel`.
    scalariser : a function from the text that the server generates to a number, see `lcshap.adapters.scalarisers`.
    follow_up : a question about the answer, such as "Is this answer supported by the text? Say yes or no.". The value
        is P(yes) as the first token of the reply says it, or 1 and 0 where the server tells no log-probabilities.
    samples, temperature, max_tokens, seed : of generated texts. Each sample is an output of its own, see
        `Explanation.averaged`.
    api_key_env : the name of the environment variable that holds the key. The key itself is read when a request is sent
        and is kept nowhere: it is in no error, log, record, store or pickle.
    extra : more fields for the body of every request.
    options : how requests are sent: `in_flight`, `per_second`, `retries`, `timeout`, `backoff`, `price` and others of
        `RemoteModel`.

    Attributes
    ----------
    usage : how many tokens the server says it has read and written, so far.

    Notes
    -----
    Rows are texts, or lists of messages as `maskers.Prompt` makes them of a chat template without a tokenizer. Prompt
    and answer are tokenized together by the server, so that numbers may differ slightly from `CausalLMModel`, which
    tokenizes them apart.

    Examples
    --------
    ::

        model = OpenAICompatible("http://localhost:8000/v1", "my-model", " Paris.", api_key_env="MY_KEY", in_flight=4)
        with model:
            lc.Explainer(model, prompt, budget=64, store="answers.db")(x)
    """

    depends = ("base_url", "model", "answer", "split", "scalariser", "follow_up", "_sampling")
    named = ()

    def __init__(
        self,
        base_url: str,
        model: str,
        answer: str | None = None,
        *,
        parts: Parts = "whole",
        scalariser: Scalariser | None = None,
        follow_up: str | None = None,
        samples: int = 1,
        temperature: float = 0.0,
        max_tokens: int = 64,
        seed: int = 0,
        api_key_env: str | None = None,
        extra: dict[str, Any] | None = None,
        **options: Any,
    ) -> None:
        need("httpx", "llm")
        if not isinstance(base_url, str) or not base_url.startswith(("http://", "https://")):
            raise ModelError(
                "Expected a base_url that starts with http:// or https://, got something else. Give the address of the "
                "server, such as http://localhost:8000/v1."
            )
        if scalariser is None and not (isinstance(answer, str) and answer.strip()):
            raise ModelError("Expected an answer with text in it, or a scalariser, got neither. Give one of them.")
        if scalariser is not None and (follow_up is not None or not callable(scalariser)):
            raise ModelError(
                f"Expected a function as scalariser, without follow_up, got {scalariser!r:.60} and "
                f"follow_up={follow_up!r:.60}. Give a function of the generated text, or leave one of the two out."
            )
        if scalariser is None and check_samples(samples) > 1:
            raise ModelError(
                f"Expected a scalariser with several samples, got none and samples={samples!r}. Give a scalariser, or "
                "leave samples at 1: the log-probability of a given answer is not random."
            )
        if api_key_env is not None and not os.environ.get(api_key_env):
            raise ModelError(
                f"Expected a key in the environment variable {api_key_env}, got none. Set the variable first."
            )
        self.base_url, self.model, self.answer = base_url.rstrip("/"), model, answer
        self.scalariser, self.follow_up, self.api_key_env = scalariser, follow_up, api_key_env
        self.samples, self.split = check_samples(samples), parts if isinstance(parts, str) else list(map(tuple, parts))
        self._sampling = (samples, temperature, max_tokens, seed, extra or {})
        self.usage = {"prompt_tokens": 0, "completion_tokens": 0}
        self.spans = np.zeros((1, 2), np.int64)
        super().__init__(_Asking(self), "output", rows_per_request=1, fatal=(RefusedError,), **options)
        self.classes, self.target = name_samples(samples)
        if scalariser is None and follow_up is None:
            assert answer is not None
            self.spans = part_spans(answer, parts)
            self.classes = part_names(answer, self.spans)
            self.target = "all" if len(self.classes) > 1 else None
        if answer is not None and (self.samples == 1 or scalariser is None):
            self.answered = answer, self.spans if scalariser is None and not follow_up else np.array([[0, len(answer)]])
        self.record = {"answer": [answer or ""], "served": self.model}

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        self.fn = _Asking(self)


class RefusedError(ModelError):
    """What another try would not change: a wrong key, another model, a server without log-probabilities.

    `final` says that no other request would be answered either.
    """

    final = False


class BusyError(ModelError):
    """What the next try may change; `retry_after` is what the server says about when."""

    def __init__(self, message: str, retry_after: str | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class _Asking:
    """The async function behind the model. Its client lives in the loop of the model."""

    def __init__(self, owner: OpenAICompatible) -> None:
        self.owner = owner
        self.client: Any = None
        self.style: Style | None = None
        self.lock: asyncio.Lock | None = None
        self.sampled: dict[str, list[float]] = {}  # of rows that wait for their other samples

    def __getstate__(self) -> dict[str, Any]:
        return {"owner": self.owner, "client": None, "style": None, "lock": None, "sampled": {}}

    async def __call__(self, rows: Rows) -> NDArray[np.float64]:
        return np.array([await self._one(row) for row in rows])

    async def aclose(self) -> None:
        if self.client is not None:
            await self.client.aclose()

    async def _one(self, row: Any) -> Sequence[float] | NDArray[np.float64]:
        owner = self.owner
        if owner.follow_up is not None:
            return [await self._agrees(row)]
        if owner.scalariser is not None:
            return await self._scalars(row, owner.scalariser)
        assert owner.answer is not None
        style = await self._probed(row)
        tokens = read_prompt_tokens(await self._send(scored(owner.model, row, owner.answer, style)), style)
        if tokens is None:
            raise BusyError("Expected log-probabilities as in the first response, got none.")
        return answer_log_probs(tokens, owner.answer, owner.spans)

    async def _scalars(self, row: Any, scalariser: Scalariser) -> list[float]:
        """A number for each sample. If one of them fails, the next try goes on after those that were answered."""
        found = self.sampled.pop(repr(row), [])
        try:
            while len(found) < self.owner.samples:
                found.append(scalarised(scalariser, await self._text(row, len(found))))
        except BaseException:
            self.sampled[repr(row)] = found
            raise
        return found

    async def _text(self, row: Any, sample: int) -> str:
        _, temperature, max_tokens, seed, _ = self.owner._sampling
        more = {"temperature": temperature, "max_tokens": max_tokens, "seed": seed + sample}
        return read_text(await self._send(asked(self.owner.model, row, **more)))

    async def _agrees(self, row: Any) -> float:
        """P(yes) of the follow-up, after the prompt and the answer."""
        answer, question = self.owner.answer or "", self.owner.follow_up or ""
        if isinstance(row, str):
            request = asked(self.owner.model, f"{row}{answer}\n{question}\n", max_tokens=1, temperature=0, logprobs=5)
        else:
            said = [*row, {"role": "assistant", "content": answer}, {"role": "user", "content": question}]
            request = asked(self.owner.model, said, max_tokens=1, temperature=0, logprobs=True, top_logprobs=20)
        reply = await self._send(request)
        found = p_yes(read_first_tokens(reply))
        return float(read_text(reply).strip().lower().startswith("yes")) if found is None else found

    async def _probed(self, row: Any) -> Style:
        """Which log-probabilities of prompts the server has, found out once."""
        self.lock = self.lock or asyncio.Lock()
        async with self.lock:
            if self.style is None:
                self.style = await self._probe(row)
        if self.style == "none":
            raise RefusedError(
                "Expected a server that returns log-probabilities of prompts (echo or prompt_logprobs), got "
                "one that does not. Give a scalariser, such as lcshap.adapters.scalarisers.RougeL(answer)."
            )
        return self.style

    async def _probe(self, row: Any) -> Style:
        styles: tuple[Style, ...] = ("echo", "prompt_logprobs") if isinstance(row, str) else ("prompt_logprobs",)
        prompt = PROBE[0] if isinstance(row, str) else [{"role": "user", "content": PROBE[0]}]
        for style in styles:
            try:
                tokens = read_prompt_tokens(await self._send(scored(self.owner.model, prompt, PROBE[1], style)), style)
                if tokens:
                    answer_log_probs(tokens, PROBE[1], np.array([[0, len(PROBE[1])]]))
                    return style
            except RefusedError as error:  # most likely a field that the server does not take
                if error.final:
                    raise
            except BusyError:
                raise
            except ModelError:  # a response without what was asked for
                continue
        return "none"

    async def _send(self, request: Request) -> Any:
        """Post a request and read the response; secrets stay here."""
        httpx = need("httpx", "llm")
        if self.client is None:
            self.client = httpx.AsyncClient(timeout=self.owner.timeout, follow_redirects=False)
        key = os.environ.get(self.owner.api_key_env, "") if self.owner.api_key_env else ""
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        body = {**request.body, **self.owner._sampling[4]}
        try:
            response = await self.client.post(self.owner.base_url + request.path, json=body, headers=headers)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise BusyError(_clean(f"{type(error).__name__}: {error}", key)) from None
        if response.status_code != 200:
            said = _clean(response.text, key)[:200]
            message = f"the server answered with status {response.status_code}: {said}"
            if response.status_code in _AGAIN or response.status_code >= 500:
                raise BusyError(message, response.headers.get("retry-after"))
            refusal = RefusedError(message)
            refusal.final = response.status_code in (401, 403, 404)
            raise refusal
        try:
            answer = response.json()
        except ValueError:
            raise BusyError(
                "Expected JSON from the server, got a body that is incomplete or in another format."
            ) from None
        try:
            check_model(answer, self.owner.model)
        except ModelError as error:
            refusal = RefusedError(_clean(str(error), key))
            refusal.final = True
            raise refusal from None
        self._count(answer)
        return answer

    def _count(self, answer: Any) -> None:
        held = answer.get("usage") if isinstance(answer, dict) else None
        for name in self.owner.usage:
            number = held.get(name) if isinstance(held, dict) else None
            self.owner.usage[name] += number if isinstance(number, int) else 0


def _clean(text: str, key: str) -> str:
    """What a server says, without the key, which some repeat in their errors."""
    text = " ".join(text.replace(key, "***").split() if key else text.split())
    return redacted(text)
