"""The web application of a playground: a page, and the requests that the page sends."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from ..core.redact import described, redacted
from ..errors import LcshapError, Unfinished
from .packing import pack_blocks
from .page import make_page
from .requests import read_column, read_columns, read_json, read_replaced, read_units
from .runs import BusyError, Run
from .saving import save_as
from .session import Session

_GLANCE = 0.2  # seconds between two looks at whether the page is still there
_BEAT = 1.0  # seconds after which a run that has nothing to say says that it is alive
Work = Callable[[Run], Any]


class TooLargeError(LcshapError):
    """A request with more bytes than are allowed."""


def make_app(session: Session, title: str) -> Starlette:
    """The application for a session; `Doorkeeper` must stand in front of it."""
    page, policy = make_page(title, session.about())
    api = _Api(session)

    async def show(request: Request) -> Response:
        return HTMLResponse(page, headers={"Content-Security-Policy": policy})

    return Starlette(
        routes=[
            Route("/", show),
            Route("/api/predict", _answered(api.predict), methods=["POST"]),
            Route("/api/ask", _answered(api.ask), methods=["POST"]),
            Route("/api/explain", _answered(api.explain), methods=["POST"]),
            Route("/api/locality", _answered(api.locality), methods=["POST"]),
            Route("/api/results/{name}/{kind}", _answered(api.save)),
        ]
    )


def _answered(handle: Callable[[Request], Awaitable[Response]]) -> Callable[[Request], Awaitable[Response]]:
    """The same, with errors as JSON: nothing that goes wrong ends the server, and no traceback leaves it."""

    async def answer(request: Request) -> Response:
        try:
            return await handle(request)
        except Exception as error:
            return JSONResponse({"error": explained(error)}, _status(error))

    return answer


def explained(error: BaseException) -> str:
    """What an error says to the user, without secrets."""
    own = isinstance(error, LcshapError | Unfinished)
    return redacted(str(error)) if own else f"The model ended with {described(error)}"


def _status(error: Exception) -> int:
    return 413 if isinstance(error, TooLargeError) else 429 if isinstance(error, BusyError) else 400


class _Api:
    """What the routes do."""

    def __init__(self, session: Session) -> None:
        self.session, self.asks, self.runs = session, 0, 0

    async def predict(self, request: Request) -> Response:
        sent = await self._sent(request)
        session = self.session

        def work(run: Run) -> dict[str, Any]:
            columns = read_columns(sent.get("columns", [{}]))
            return session.predict(run, session.reader.read(sent.get("input")), columns)

        return await self._asked(request, work)

    async def ask(self, request: Request) -> Response:
        sent = await self._sent(request)
        session = self.session

        def work(run: Run) -> dict[str, Any]:
            removed, replaced = read_units(sent.get("removed", [])), read_replaced(sent.get("replaced", {}))
            x = session.reader.read(sent.get("input"))
            return session.ask(run, x, read_column(sent.get("column")), removed, replaced)

        return await self._asked(request, work)

    async def locality(self, request: Request) -> Response:
        sent = await self._sent(request)
        session = self.session

        def work(run: Run) -> dict[str, Any]:
            x = session.reader.read(sent.get("input"))
            return session.locality(run, x, read_column(sent.get("column")))

        return await self._asked(request, work)

    async def explain(self, request: Request) -> Response:
        """A stream of events: estimates as they come, and in the end the name under which the result is kept."""
        sent = await self._sent(request)
        session, events = self.session, _Events()
        columns = read_columns(sent.get("columns"))
        if self.runs >= session.limits.runs:
            raise BusyError(
                f"Expected at most {session.limits.runs} explanations at once, got one more. Wait, or cancel one."
            )

        def work(run: Run) -> dict[str, Any]:
            x = session.reader.read(sent.get("input"))

            def emit(found: dict[str, Any]) -> None:
                blocks = pack_blocks(found.pop("explanations"))
                events.put("estimate", {**found, "blocks": blocks})

            result = session.explain(run, x, columns, emit)
            return {"result": session.keep(result), "rows": run.rows, "seconds": run.seconds}

        run = Run()
        self.runs += 1
        try:
            session.crew.start(run, lambda: events.end(work, run))
        except BaseException:
            self.runs -= 1
            raise

        def over() -> None:
            self.runs -= 1
            session.crew.cancel(run)

        return StreamingResponse(_stream(request, events, over), media_type="text/event-stream")

    async def save(self, request: Request) -> Response:
        """A file to download."""
        result = self.session.kept(request.path_params["name"])
        if result is None:
            return PlainTextResponse("This result is no longer kept. Run it again.", 404)
        label = request.query_params.get("column")
        kind = request.path_params["kind"]
        saved = await asyncio.to_thread(save_as, kind, result.x, result.explanations, label, self.session.source)
        headers = {"Content-Disposition": f'attachment; filename="{saved.name}"'}
        return Response(saved.content, media_type=saved.media, headers=headers)

    async def _sent(self, request: Request) -> dict[str, Any]:
        """The JSON object in a request, which is not read further than the limit."""
        most, parts, size = self.session.limits.body, list[bytes](), 0
        async for part in request.stream():
            size += len(part)
            if size > most:
                raise TooLargeError(f"Expected a request of at most {most:,} bytes, got more. Give a smaller input.")
            parts.append(part)
        return read_json(b"".join(parts))

    async def _asked(self, request: Request, work: Work) -> Response:
        """The answer of some work, which is cancelled when the page does not wait for it any more."""
        limit, events, run = self.session.limits.asks, _Events(), Run()
        if self.asks >= limit:
            raise BusyError(f"Expected at most {limit} questions at once, got one more. Wait for the answers.")
        self.asks += 1
        try:
            self.session.crew.start(run, lambda: events.end(work, run))
            while True:
                event = await events.get(_GLANCE)
                if event is not None:
                    name, text = event
                    return Response(text, 200 if name == "done" else 400, media_type="application/json")
                if await request.is_disconnected():
                    return Response(status_code=499)
        finally:
            self.asks -= 1
            self.session.crew.cancel(run)


class _Events:
    """What a thread has to say to the event loop."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._queue: asyncio.Queue[tuple[str, str]] = asyncio.Queue()

    def put(self, name: str, content: dict[str, Any]) -> None:
        """From a thread: an event. It is forgotten where the loop has ended."""
        text = json.dumps(content, allow_nan=False)  # here, so that what JSON does not have is an error of the run
        try:
            self._loop.call_soon_threadsafe(self._queue.put_nowait, (name, text))
        except RuntimeError:
            return

    def end(self, work: Work, run: Run) -> None:
        """From a thread: do the work; its result, or its error, is the last event."""
        try:
            self.put("done", work(run))
        except BaseException as error:
            if run.cancelled.is_set():
                self.put("cancelled", {"rows": run.rows})
                raise
            self.put("failed", {"error": explained(error)})

    async def get(self, seconds: float) -> tuple[str, str] | None:
        """The next event; None where there is none for so long."""
        try:
            return await asyncio.wait_for(self._queue.get(), seconds)
        except TimeoutError:
            return None


async def _stream(request: Request, events: _Events, over: Callable[[], None]) -> AsyncIterator[str]:
    """Events as text, until the last one or until the page is gone."""
    quiet = 0.0
    try:
        while not await request.is_disconnected():
            event = await events.get(_GLANCE)
            quiet = quiet + _GLANCE if event is None else 0.0
            if quiet >= _BEAT:
                quiet = 0.0
                event = ("waiting", "{}")
            if event is None:
                continue
            name, text = event
            yield f"event: {name}\ndata: {text}\n\n"
            if name in ("done", "failed", "cancelled"):
                return
    finally:
        over()
