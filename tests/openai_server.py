"""A server with the protocol of OpenAI around a tiny language model, on the loopback, for tests."""

import gzip
import json
import threading
import time
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import torch
from tiny_lm import bpe, llama


class Served:
    """What the server does: `style` says which log-probabilities it has, `faults` what goes wrong, by request."""

    def __init__(self, style="echo", faults=(), model="tiny", key=None):
        self.style, self.faults, self.model, self.key = style, list(faults), model, key
        self.lm, self.tokenizer = llama().eval(), bpe()
        self.requests, self.bodies, self.lock = 0, [], threading.Lock()

    def log_probs(self, text):
        ids = self.tokenizer(text, add_special_tokens=False)["input_ids"]
        with torch.no_grad():
            logits = torch.log_softmax(self.lm(torch.tensor([ids])).logits[0].double(), -1)
        numbers = [None] + [float(logits[k, token]) for k, token in enumerate(ids[1:])]
        return [self.tokenizer.decode([token]) for token in ids], numbers, logits[-1]

    def reply(self, path, body):
        chat = path.endswith("/chat/completions")
        text = "".join(m["content"] for m in body["messages"]) if chat else body["prompt"]
        tokens, numbers, last = self.log_probs(text)
        top = [(self.tokenizer.decode([int(k)]), float(last[k])) for k in last.topk(5).indices]
        said = " yes" if "yes or no" in text else " said " + " ".join(text.split()[:4])
        choice = {"index": 0, "message": {"role": "assistant", "content": said}} if chat else {"index": 0, "text": said}
        if self.style == "echo" and body.get("echo"):
            choice["logprobs"] = {"tokens": tokens, "token_logprobs": numbers}
        if self.style == "prompt_logprobs" and "prompt_logprobs" in body:
            pairs = zip(tokens, numbers, strict=True)
            choice["prompt_logprobs"] = [n and {"1": {"decoded_token": t, "logprob": n}} for t, n in pairs]
        if self.style == "first" and chat and body.get("logprobs"):
            listed = [{"token": t, "logprob": n} for t, n in [("Yes", -0.5), (" no", -1.5), *top]]
            choice["logprobs"] = {"content": [{"token": "Yes", "logprob": -0.5, "top_logprobs": listed}]}
        usage = {"prompt_tokens": len(tokens), "completion_tokens": 1}
        return {"model": self.model, "choices": [choice], "usage": usage}


def _handler(served):
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *args):
            pass

        def answer(self, status, data, **headers):
            self.send_response(status)
            for name, value in {"Content-Length": str(len(data)), **headers}.items():
                self.send_header(name.replace("_", "-"), value)
            self.end_headers()
            self.wfile.write(data)

        def do_POST(self):
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            with served.lock:
                fault = served.faults[served.requests] if served.requests < len(served.faults) else None
                served.requests += 1
                served.bodies.append(body)
            sent = self.headers.get("Authorization", "")
            if served.key is not None and sent != f"Bearer {served.key}":
                return self.answer(401, f"wrong key {sent}".encode())
            if fault == "hang":
                time.sleep(2.5)
            if fault == 429:
                return self.answer(429, f"slow down, {sent}".encode(), Retry_After="0.01")
            if fault in (400, 500, 503):
                return self.answer(fault, f"trouble with {sent}".encode())
            data = json.dumps(served.reply(self.path, body)).encode()
            if fault == "cut":  # the connection ends in the middle of the answer
                self.close_connection = True
                self.send_response(200)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                return self.wfile.write(data[: len(data) // 2])
            if fault == "echo":  # parts of the key in a valid answer
                return self.answer(200, json.dumps({"model": f"another, for {sent[-12:]}", "choices": [{}]}).encode())
            if fault == "gzip":
                return self.answer(200, gzip.compress(data), Content_Encoding="gzip")
            if fault == "endless":  # an answer without an end
                self.close_connection = True
                self.send_response(200)
                self.end_headers()
                with suppress(OSError):  # until the client has gone
                    while True:
                        self.wfile.write(b" " * 100_000)
                return None
            if fault == "parts":
                return self.answer(400, f"wrong key {sent[7:14]}****{sent[-4:]}".encode())
            if fault == "truncated":
                data = data[: len(data) // 2]
            return self.answer(200, data)

    return Handler


@contextmanager
def serving(**options):
    """A server in a thread, with its address as `url`; it ends with the block."""
    served = Served(**options)
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(served))
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    served.url = f"http://127.0.0.1:{server.server_port}/v1"
    try:
        yield served
    finally:
        server.shutdown()
        server.server_close()
        thread.join(5)
