"""Servers that misbehave in many ways, with a key in every request: no wrong score, no hang, and no key in any text.

``count`` is how many behaviours are tried, one after the other and then again with other rows. The server is a real
one, the client is httpx. A behaviour spoils every third request (then the scores must be those of the model itself,
unless no answer could be like that) or all of them (then there must be one `ModelError` in time).
"""

from __future__ import annotations

import itertools
import json
import logging
import socket
import threading
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import httpx
import numpy as np

import lcshap as lc

KEY = "sk-S3cretS3cret"
_SECONDS = 20.0
STATUSES = (301, 400, 401, 403, 404, 408, 418, 429, 500, 502, 503, 504)
WAITS = ("0", "-5", "soon", "100000000", "Wed, 21 Oct 2015 07:28:00 GMT", "Fri, 31 Dec 2999 23:59:59 GMT", "nan")
BODIES = ("", "null", '["high"]', "[NaN]", "[1.0, 2.0, 3.0]", "[[[1.0]]]", '{"error": "' + KEY + '"}', "<html>" * 2000)
HOPELESS = ("null", '["high"]', "[[[1.0]]]", BODIES[6])  # no numbers at all: not tried again
BREAKS = ("close", "half", "slow")
BEHAVIOURS = [("status", s) for s in STATUSES] + [("wait", w) for w in WAITS] + [("body", b) for b in BODIES]
BEHAVIOURS += [("break", b) for b in BREAKS]


class Handler(BaseHTTPRequestHandler):
    """Answers texts with their lengths; the server's behaviour spoils some requests."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        texts = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        number, (what, how), every = next(self.server.numbers), self.server.behaviour, self.server.every  # type: ignore[attr-defined]
        if number % every:
            return self._reply(200, json.dumps([float(len(text)) for text in texts]))
        if what == "body":
            return self._reply(200, how)
        if how == "slow":
            time.sleep(1.0)
        if what == "break":
            if how == "half":
                self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n[1.")
            self.connection.shutdown(socket.SHUT_RDWR)
            self.close_connection = True
            return None
        headers = {"Retry-After": how} if what == "wait" else {"Location": f"/elsewhere?key={KEY}"}
        return self._reply(how if what == "status" else 429, f"wrong key {KEY}", headers)

    def _reply(self, status: int, text: str, headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in {"Content-Length": str(len(text.encode())), **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *args: Any) -> None:
        """Say nothing."""


class Client:
    """A client as users write it."""

    def __init__(self, address: str) -> None:
        self.address, self.client = address, None

    async def __call__(self, texts: list[str]) -> Any:
        self.client = self.client or httpx.AsyncClient(headers={"Authorization": f"Bearer {KEY}"})
        answer = await self.client.post(f"{self.address}/v1?key={KEY}", json=texts)
        try:
            return answer.raise_for_status().json()
        except httpx.HTTPStatusError as error:
            error.retry_after = answer.headers.get("Retry-After")
            raise

    async def aclose(self) -> None:
        if self.client is not None:
            await self.client.aclose()


def run(count: int = len(BEHAVIOURS), seed: int = 0) -> dict[str, Any]:
    """Try so many behaviours, each twice."""
    rng = np.random.default_rng(seed)
    found: dict[str, Any] = {"behaviours": count, "explained": 0, "refused": 0, "requests": 0, "failures": []}
    for number in range(count):
        behaviour = BEHAVIOURS[number % len(BEHAVIOURS)]
        text = " ".join(rng.choice(["to", "be", "or", "not", "that", "is", "the", "question"], size=4))
        for every in (3, 1):
            start = time.monotonic()
            said = _try(found, behaviour, every, text)
            if time.monotonic() - start > _SECONDS:
                said.append("took too long")
            found["failures"] += [f"{behaviour}, every {every}: {problem}" for problem in said]
    return found


def _try(found: dict[str, Any], behaviour: tuple[str, Any], every: int, text: str) -> list[str]:
    """What went wrong with one behaviour."""
    wrong: list[str] = []
    method = lc.Shapley()
    expected = lc.explain(lambda texts: [float(len(t)) for t in texts], text, method=method, kind="output").scores
    options = {
        "retries": 20 if every > 1 else 2,
        "backoff": 0.001,
        "timeout": 0.5,
        "longest_wait": 0.01,
        "in_flight": 4,
    }
    with _serving(behaviour, every) as address, _listening() as lines:
        client = Client(address)
        with lc.adapters.RemoteModel(client, "output", **options) as model:
            explainer = lc.Explainer(model, lc.maskers.Text(), method, progress=False)
            try:
                if not np.array_equal(explainer(text).scores, expected):
                    wrong.append("other scores")
                if every == 1 or behaviour[1] in HOPELESS:
                    wrong.append("explained without answers")
                found["explained"] += 1
            except lc.errors.ModelError as error:
                found["refused"] += 1
                lines += [str(error), repr(error), repr(vars(error)), *getattr(error, "__notes__", ())]
                if every > 1 and behaviour[1] not in HOPELESS:
                    wrong.append(f"not explained: {error}")
            lines += [repr(explainer), repr(model)]
            found["requests"] += model.requests
    return wrong + [f"the key is in {line!r}" for line in lines if KEY in line or KEY[3:] in line]


@contextmanager
def _serving(behaviour: tuple[str, Any], every: int) -> Any:
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.behaviour, server.every, server.numbers = behaviour, every, itertools.count(1)  # type: ignore[attr-defined]
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
            thread.join()


@contextmanager
def _listening() -> Any:
    """The lines that lcshap logs, at every level."""
    lines: list[str] = []
    handler, log = logging.Handler(), logging.getLogger("lcshap")
    handler.emit = lambda record: lines.append(logging.Formatter().format(record))  # type: ignore[method-assign]
    before = log.level, log.propagate
    log.addHandler(handler)
    log.setLevel(logging.DEBUG)
    log.propagate = False
    try:
        yield lines
    finally:
        log.removeHandler(handler)
        log.level, log.propagate = before
