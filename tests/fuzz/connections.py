"""Slow connections to a playground, without its cookie: its user gets every answer, on new connections."""

from __future__ import annotations

import asyncio
import json
import random
import subprocess
import sys
import time
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

KINDS = ("silent", "header", "body", "wrong cookie")
_DRIP_SECONDS = 0.5  # between two bytes of a slow connection
_ANSWER_SECONDS = 20.0  # in which an answer has to arrive


def run(count: int = 500, seed: int = 0, questions: int = 60) -> dict[str, Any]:
    """Keep so many slow connections open, of each kind in turn, while the user asks `questions`.

    Connections that the server closes are opened again within a second.
    """
    import lcshap as lc

    explainer = lc.Explainer(lambda texts: [float(len(t)) for t in texts], lc.maskers.Text(), kind="output")
    report: dict[str, Any] = {"connections": count, "answers": 0, "most open": 0, "slowest answer": 0.0, "failures": []}
    with lc.serve(explainer, ["so good"], block=False) as playground:
        address = urlsplit(playground.url)
        command = [sys.executable, __file__, str(address.hostname), str(address.port), str(count), str(seed)]
        attackers = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        try:
            assert attackers.stdout is not None
            attackers.stdout.readline()  # when all of them have been connected once
            for number in range(questions):
                begin = time.monotonic()
                try:
                    _ask(playground.url, f"so good {number}")
                    report["answers"] += 1
                except Exception as error:
                    report["failures"].append(f"question {number}: {type(error).__name__}: {error}")
                report["slowest answer"] = max(report["slowest answer"], round(time.monotonic() - begin, 2))
                report["most open"] = max(report["most open"], len(playground._server.server_state.connections))
        finally:
            report |= json.loads(attackers.communicate("\n", timeout=60)[0])
    return report


def _ask(url: str, text: str) -> None:
    """Open the page and ask for a prediction, each on a connection of its own."""
    import httpx

    origin = url.partition("/?")[0]
    opened = httpx.get(url, timeout=_ANSWER_SECONDS)
    cookie = opened.headers["set-cookie"].partition(";")[0]
    answer = httpx.post(
        f"{origin}/api/predict",
        json={"input": {"text": text}},
        headers={"Origin": origin, "Cookie": cookie},
        timeout=_ANSWER_SECONDS,
    )
    answer.raise_for_status()


# -- the other process ------------------------------------------------------------------------------------------------


class Attackers:
    """Slow connections to one server."""

    def __init__(self, host: str, port: int, seed: int) -> None:
        self.host, self.port, self.random = host, port, random.Random(seed)
        self.opened = self.closed = self.waiting = 0

    async def attack(self, kind: str) -> None:
        """Open connections of one kind, one after the other."""
        first = True
        while True:
            with suppress(OSError):  # the server may refuse or close a connection at any time
                reader, writer = await asyncio.open_connection(self.host, self.port)
                self.opened += 1
                self.waiting -= first
                first = False
                try:
                    await asyncio.gather(self._send(kind, writer), self._wait_for_end(reader))
                except OSError:
                    self.closed += 1
                finally:
                    writer.close()
            await asyncio.sleep(self.random.random())

    async def _wait_for_end(self, reader: asyncio.StreamReader) -> None:
        while await reader.read(1000):
            pass
        raise ConnectionResetError

    async def _send(self, kind: str, writer: asyncio.StreamWriter) -> None:
        host = f"{self.host}:{self.port}"
        cookie = f"Cookie: lcshap-{self.port}=wrong\r\n" if kind == "wrong cookie" else ""
        header = f"POST /api/predict HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\n{cookie}"
        if kind in ("body", "wrong cookie"):
            writer.write(f"{header}Content-Length: 1000000\r\n\r\n".encode())
        elif kind == "header":
            writer.write(header.encode())
        while kind != "silent":
            await asyncio.sleep(_DRIP_SECONDS)
            writer.write(b"X")
            await writer.drain()


async def _attack(host: str, port: int, count: int, seed: int) -> None:
    """Attack until a line is sent to this process."""
    attackers = Attackers(host, port, seed)
    attackers.waiting = count
    tasks = [asyncio.create_task(attackers.attack(KINDS[number % len(KINDS)])) for number in range(count)]
    while attackers.waiting:
        await asyncio.sleep(0.05)
    print("all are connected", flush=True)
    await asyncio.to_thread(sys.stdin.readline)
    pending = set(tasks)
    while pending:  # A connection that ends at the moment of its cancellation goes on, so it is cancelled again.
        for task in pending:
            task.cancel()
        _, pending = await asyncio.wait(pending, timeout=1)
    print(json.dumps({"opened": attackers.opened, "closed by the server": attackers.closed}))


if __name__ == "__main__":
    asyncio.run(_attack(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])))
