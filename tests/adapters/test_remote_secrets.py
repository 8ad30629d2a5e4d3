"""Keys of web services reach no message, log, note, record or store, whichever client the user has."""

import asyncio
import gc
import json
import logging
import threading
import traceback
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import aiohttp
import httpx
import pytest

import lcshap as lc
from lcshap.adapters.remote import RemoteModel

KEYS = {
    "header": "Hd7Secret",
    "bearer": "Be7Secret",
    "query": "Qu7Secret",
    "cookie": "Co7Secret",
    "body": "sk-Bo7Secret",
}
HEADERS = {"X-Mine": KEYS["header"], "Authorization": f"Bearer {KEYS['bearer']}"}
TEXT = "not a bad film"


class Handler(BaseHTTPRequestHandler):
    """The status is the first part of the path; what comes back repeats what was sent, as some servers do."""

    def do_GET(self):
        status = int(self.path.split("/")[1])
        body = json.dumps({"error": f"wrong key {KEYS['body']}", "sent": dict(self.headers)}).encode()
        self.send_response(status)
        for name, value in {"Content-Length": len(body), "Set-Cookie": f"sid={KEYS['cookie']}"}.items():
            self.send_header(name, str(value))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass


@pytest.fixture(scope="module")
def address():
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()
        thread.join()


async def by_aiohttp(url):
    async with aiohttp.ClientSession() as session, session.get(url, headers=HEADERS, raise_for_status=True) as response:
        return await response.json()


async def by_httpx(url):
    async with httpx.AsyncClient() as client:
        return (await client.get(url, headers=HEADERS)).raise_for_status().json()


async def by_hand(url):
    """As users write it: all that is known, in one exception."""
    async with httpx.AsyncClient() as client:
        answer = await client.get(url, headers=HEADERS)
        raise RuntimeError(f"{answer.text} from {url} with headers={HEADERS}")


CLIENTS = [by_aiohttp, by_httpx, by_hand]


@contextmanager
def watched(caplog):
    """All that is logged, at every level, must be clean."""
    caplog.set_level(logging.DEBUG, "lcshap")
    caplog.set_level(logging.DEBUG, "asyncio")
    yield
    records = [record for record in caplog.records if record.name in ("lcshap", "asyncio")]
    assert records
    assert not any(record.exc_info for record in records)
    assert_no_secrets(caplog.handler.format(record) for record in records)


def assert_no_secrets(texts):
    for text in texts:
        for key in KEYS.values():
            assert key not in text


def error_texts(error):
    """What the errors of lcshap in a chain say: messages, notes, attributes. The last one is the user's own."""
    while type(error).__module__.startswith("lcshap"):
        yield from (str(error), repr(error), repr(vars(error)), *getattr(error, "__notes__", ()))
        yield from traceback.format_exception_only(error)
        error = error.__cause__


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize("status", [401, 500])
def test_a_refusal(client, status, address, caplog):
    url = f"{address}/{status}/v1?key={KEYS['query']}"

    async def ask(texts):
        return await client(url)

    with watched(caplog), RemoteModel(ask, "output", retries=1, backoff=0) as model:
        explainer = lc.Explainer(model, lc.maskers.Text(), lc.LShapley(1))
        with pytest.raises(lc.errors.ModelError) as info:
            explainer(TEXT)
        (kept,) = explainer.many([TEXT], errors="keep")
    assert "had no answer in 2 tries" in str(info.value)
    assert str(status) in str(info.value) or client is by_hand
    messages = [*error_texts(info.value), *error_texts(kept), repr(explainer), repr(vars(info.value.store))]
    assert len(messages) > 10
    assert_no_secrets(messages)


@pytest.mark.parametrize("client", CLIENTS[:2])
def test_a_server_that_is_not_there(client, caplog):
    async def ask(texts):
        return await client(f"http://127.0.0.1:1/v1?key={KEYS['query']}")

    failing = pytest.raises(lc.errors.ModelError, match=r"Connect\w*Error")
    with watched(caplog), RemoteModel(ask, "output", retries=1, backoff=0) as model, failing as info:
        lc.explain(model, TEXT)
    assert_no_secrets(error_texts(info.value))


@pytest.mark.parametrize("client", CLIENTS[:2])
def test_a_model_that_is_no_remote_one(client, address):
    """The engine's own message, about a function that happens to use a web service."""

    def model(texts):
        return asyncio.run(client(f"{address}/403/v1?key={KEYS['query']}"))

    with pytest.raises(lc.errors.ModelError, match="403") as info:
        lc.explain(model, TEXT, kind="output")
    assert "?***" in str(info.value)
    assert_no_secrets(error_texts(info.value))


def test_tasks_that_are_not_awaited(address, caplog):
    """A task of the user's own fails in the loop: asyncio would print its traceback."""

    async def ask(texts):
        asyncio.get_running_loop().create_task(by_httpx(f"{address}/401/v1?key={KEYS['query']}"))
        await asyncio.sleep(0.2)
        gc.collect()
        return [len(text) for text in texts]

    with watched(caplog), RemoteModel(ask, "output") as model:
        model.predict([TEXT])
        gc.collect()
    assert any("never retrieved: HTTPStatusError" in message for message in caplog.messages)


def test_explanations_contain_no_key(address):
    async def ask(texts):
        await by_httpx(f"{address}/200/v1?key={KEYS['query']}")
        return [len(text) for text in texts]

    store = lc.MemoryStore()
    with RemoteModel(ask, "output") as model:
        explainer = lc.Explainer(model, lc.maskers.Text(), lc.FeatureAblation(), store=store)
        e = explainer(TEXT)
    assert_no_secrets([repr(e), str(e.provenance), repr(vars(store)), repr(explainer), model.cost(5)])
