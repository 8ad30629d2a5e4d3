"""Language models on a server with the protocol of OpenAI: vLLM, llama.cpp, and many services."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

import numpy as np
from numpy.typing import NDArray

from ..core.redact import mask_key, redact
from ..errors import ModelError
from ..extras import import_optional
from ..maskers.base import Rows
from .answer_parts import Parts, part_names, part_spans
from .openai_protocol import (
    PROBE,
    Request,
    Style,
    answer_log_probs,
    check_model,
    generation_request,
    read_answer_text,
    read_first_tokens,
    read_prompt_tokens,
    scoring_request,
)
from .remote import RemoteModel, check_integer
from .scalarisers import Scalariser, apply_scalariser, p_yes
from .text_answers import check_samples, name_samples

_SHOWN_BYTES = 10_000  # of an answer with an error status that are read
_RETRY_STATUSES = frozenset({408, 409, 425, 429})  # in addition to all statuses from 500 on


class OpenAICompatible(RemoteModel):
    """A language model on a server, which returns log-probabilities of an answer or, without them, texts.

    Parameters
    ----------
    base_url : the address, such as ``"http://localhost:8000/v1"``, without a password or a query, which logs would
        show.
    model : the name of the model on the server.
    answer : the answer that is explained. Its log-probability is the value if the server returns log-probabilities of
        prompts: `echo` of completions, or `prompt_logprobs` of vLLM. A first request tests which one it has; if it has
        neither, an error is raised, and a scalariser is needed.
    parts : "whole", "word", "sentence" or spans of the answer: as in `CausalLMModel`.
    scalariser : a function from the text that the server generates to a number, see `lcshap.adapters.scalarisers`.
    follow_up : a question about the answer, such as "Is this answer supported by the text? Say yes or no.". The value
        is P(yes) of the first token of the reply, or 1 and 0 if the server returns no log-probabilities.
    samples, temperature, max_tokens, seed : settings of generated texts. Each sample is a separate output, see
        `Explanation.average_outputs`.
    api_key_env : the name of the environment variable with the key. The key itself is read when a request is sent and
        is not stored: it is in no error, log, record, store or pickle.
    extra : further fields for the body of every request.
    max_answer_bytes : larger answers of the server are not read, and are errors.
    options : how requests are sent: `in_flight`, `per_second`, `retries`, `timeout`, `backoff`, `price` and others of
        `RemoteModel`.

    Attributes
    ----------
    usage : the numbers of tokens that the server has read and written so far, as it reports them.

    Notes
    -----
    Rows are texts, or lists of messages as `maskers.Prompt` makes them from a chat template without a tokenizer. Prompt
    and answer are tokenized together by the server, so that numbers may differ slightly from `CausalLMModel`, which
    tokenizes them separately.

    Examples
    --------
    ::

        model = OpenAICompatible("http://localhost:8000/v1", "my-model", " Paris.", api_key_env="MY_KEY", in_flight=4)
        with model:
            lc.Explainer(model, prompt, budget=64, store="answers.db")(x)
    """

    fingerprint_attributes = ("base_url", "model", "answer", "split", "scalariser", "follow_up", "_sampling")
    function_attributes = ()

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
        max_answer_bytes: int = 50_000_000,
        **options: Any,
    ) -> None:
        import_optional("httpx", "llm")
        _check_address(base_url)
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
        self.max_answer_bytes = check_integer("max_answer_bytes", max_answer_bytes, 1)
        self._sampling = (samples, temperature, max_tokens, seed, extra or {})
        self.usage = {"prompt_tokens": 0, "completion_tokens": 0}
        self.spans = np.zeros((1, 2), np.int64)
        super().__init__(_ServerFunction(self), "output", rows_per_request=1, fatal=(RefusedError,), **options)
        self.classes, self.target = name_samples(samples)
        if scalariser is None and follow_up is None:
            assert answer is not None
            self.spans = part_spans(answer, parts)
            self.classes = part_names(answer, self.spans)
            self.target = "all" if len(self.classes) > 1 else None
        if answer is not None and (self.samples == 1 or scalariser is None):
            self.answer_and_spans = (
                answer,
                self.spans if scalariser is None and not follow_up else np.array([[0, len(answer)]]),
            )
        self.record = {"answer": [answer or ""], "served": self.model}

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        self.fn = _ServerFunction(self)


class RefusedError(ModelError):
    """An error that another try would not change: a wrong key, another model, a server without log-probabilities.

    `final` means that no other request would succeed either.
    """

    def __init__(self, message: str, final: bool = False) -> None:
        super().__init__(message)
        self.final = final


class RetryableError(ModelError):
    """An error that may not occur at the next try; `retry_after` is the time that the server asks to wait."""

    def __init__(self, message: str, retry_after: str | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class _ServerFunction:
    """The async function that sends requests to the server. Its client belongs to the event loop of the model."""

    def __init__(self, owner: OpenAICompatible) -> None:
        self.owner = owner
        self.client: Any = None
        self.style: Style | None = None
        self.lock: asyncio.Lock | None = None
        self.sampled: dict[str, list[float]] = {}  # the samples of rows for which further samples are pending

    def __getstate__(self) -> dict[str, Any]:
        return {"owner": self.owner, "client": None, "style": None, "lock": None, "sampled": {}}

    async def __call__(self, rows: Rows) -> NDArray[np.float64]:
        try:
            return np.array([await self._answer_row(row) for row in rows])
        except ModelError as error:  # it may quote the server, which may repeat the key
            error.args = (mask_key(str(error), self._key),)
            raise

    @property
    def _key(self) -> str:
        return os.environ.get(self.owner.api_key_env, "") if self.owner.api_key_env else ""

    async def aclose(self) -> None:
        if self.client is not None:
            await self.client.aclose()

    async def _answer_row(self, row: Any) -> Sequence[float] | NDArray[np.float64]:
        owner = self.owner
        if owner.follow_up is not None:
            return [await self._ask_follow_up(row)]
        if owner.scalariser is not None:
            return await self._sample_numbers(row, owner.scalariser)
        assert owner.answer is not None
        style = await self._find_style(row)
        tokens = read_prompt_tokens(await self._send(scoring_request(owner.model, row, owner.answer, style)), style)
        if tokens is None:
            raise RetryableError("Expected log-probabilities as in the first response, got none.")
        return answer_log_probs(tokens, owner.answer, owner.spans)

    async def _sample_numbers(self, row: Any, scalariser: Scalariser) -> list[float]:
        """Return a number for each sample. After a failure, the next try continues with the missing samples."""
        numbers = self.sampled.pop(repr(row), [])
        try:
            while len(numbers) < self.owner.samples:
                numbers.append(apply_scalariser(scalariser, await self._generate_text(row, len(numbers))))
        except BaseException:
            self.sampled[repr(row)] = numbers
            raise
        return numbers

    async def _generate_text(self, row: Any, sample: int) -> str:
        _, temperature, max_tokens, seed, _ = self.owner._sampling
        fields = {"temperature": temperature, "max_tokens": max_tokens, "seed": seed + sample}
        return read_answer_text(await self._send(generation_request(self.owner.model, row, **fields)))

    async def _ask_follow_up(self, row: Any) -> float:
        """P(yes) of the follow-up, after the prompt and the answer."""
        answer, question = self.owner.answer or "", self.owner.follow_up or ""
        if isinstance(row, str):
            request = generation_request(
                self.owner.model, f"{row}{answer}\n{question}\n", max_tokens=1, temperature=0, logprobs=5
            )
        else:
            messages = [*row, {"role": "assistant", "content": answer}, {"role": "user", "content": question}]
            request = generation_request(
                self.owner.model, messages, max_tokens=1, temperature=0, logprobs=True, top_logprobs=20
            )
        reply = await self._send(request)
        probability = p_yes(read_first_tokens(reply))
        return float(read_answer_text(reply).strip().lower().startswith("yes")) if probability is None else probability

    async def _find_style(self, row: Any) -> Style:
        """Return how the server returns log-probabilities of prompts. This is tested with one request, once."""
        self.lock = self.lock or asyncio.Lock()
        async with self.lock:
            if self.style is None:
                self.style = await self._probe_server(row)
        if self.style == "none":
            raise RefusedError(
                "Expected a server that returns log-probabilities of prompts (echo or prompt_logprobs), got "
                "one that does not. Give a scalariser, such as lcshap.adapters.scalarisers.RougeL(answer)."
            )
        return self.style

    async def _probe_server(self, row: Any) -> Style:
        styles: tuple[Style, ...] = ("echo", "prompt_logprobs") if isinstance(row, str) else ("prompt_logprobs",)
        prompt = PROBE[0] if isinstance(row, str) else [{"role": "user", "content": PROBE[0]}]
        for style in styles:
            try:
                tokens = read_prompt_tokens(
                    await self._send(scoring_request(self.owner.model, prompt, PROBE[1], style)), style
                )
                if tokens:
                    answer_log_probs(tokens, PROBE[1], np.array([[0, len(PROBE[1])]]))
                    return style
            except RefusedError as error:  # most likely the server does not accept a field of the request
                if error.final:
                    raise
            except RetryableError:
                raise
            except ModelError:  # a response without log-probabilities
                continue
        return "none"

    async def _send(self, request: Request) -> Any:
        """Post a request and read the response. Errors do not contain secrets."""
        httpx = import_optional("httpx", "llm")
        if self.client is None:
            self.client = httpx.AsyncClient(timeout=self.owner.timeout, follow_redirects=False)
        key = self._key
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        headers["Accept-Encoding"] = "identity"  # what is small when it arrives may be large when it is decompressed
        options = {"json": {**request.body, **self.owner._sampling[4]}, "headers": headers}
        try:
            async with self.client.stream("POST", self.owner.base_url + request.path, **options) as response:
                content = await self._read_content(response)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise RetryableError(_clean_text(f"{type(error).__name__}: {error}", key)) from None
        if response.status_code != 200:
            body_text = _clean_text(content.decode("utf-8", "replace"), key)[:200]
            message = f"the server answered with status {response.status_code}: {body_text}"
            if response.status_code in _RETRY_STATUSES or response.status_code >= 500:
                raise RetryableError(message, response.headers.get("retry-after"))
            raise RefusedError(message, final=response.status_code in (401, 403, 404))
        try:
            answer = json.loads(content)
        except (ValueError, RecursionError):
            raise RetryableError(
                "Expected JSON from the server, got a body that is incomplete or in another format."
            ) from None
        try:
            check_model(answer, self.owner.model)
        except ModelError as error:
            raise RefusedError(_clean_text(str(error), key), final=True) from None
        self._count_tokens(answer)
        return answer

    async def _read_content(self, response: Any) -> bytes:
        """The body of a response, or the beginning of one with an error status."""
        if response.headers.get("content-encoding", "identity") != "identity":
            raise RefusedError("Expected an answer that is not compressed, got a compressed one.", final=True)
        accepted, content = response.status_code == 200, bytearray()
        async for chunk in response.aiter_raw():
            content += chunk
            if not accepted and len(content) > _SHOWN_BYTES:
                break
            if len(content) > self.owner.max_answer_bytes:
                raise RefusedError(
                    f"Expected an answer of at most {self.owner.max_answer_bytes:,} bytes from the server, got more. "
                    "If such answers are right, raise max_answer_bytes.",
                    final=True,
                )
        return bytes(content)

    def _count_tokens(self, answer: Any) -> None:
        usage = answer.get("usage") if isinstance(answer, dict) else None
        for name in self.owner.usage:
            number = usage.get(name) if isinstance(usage, dict) else None
            self.owner.usage[name] += number if isinstance(number, int) else 0


def _check_address(base_url: Any) -> None:
    """Refuse what is no address of a server, or has secrets in it, without repeating it."""
    if not isinstance(base_url, str) or not base_url.startswith(("http://", "https://")):
        raise ModelError(
            "Expected a base_url that starts with http:// or https://, got something else. Give the address of the "
            "server, such as http://localhost:8000/v1."
        )
    part = (
        "a user or a password" if "@" in urlsplit(base_url).netloc else "a query" if set("?#") & set(base_url) else ""
    )
    if part:
        raise ModelError(
            f"Expected a base_url such as http://localhost:8000/v1, got one with {part}, which logs would show. Put "
            "the key into an environment variable, and give its name as api_key_env."
        )


def _clean_text(text: str, key: str) -> str:
    """Remove the key, parts of it, and other secrets from a text: some servers repeat the key in their errors."""
    return redact(mask_key(" ".join(text[:_SHOWN_BYTES].split()), key))
