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

from ..core.redact import describe_error, redact
from ..errors import LcshapError, OptionError, Unfinished
from .packing import pack_blocks
from .playground_page import make_page
from .requests import describe_type, parse_column, parse_columns, parse_replacements, parse_request_json, parse_units
from .run_queue import PlaygroundBusyError, Run
from .saving import save_as
from .session import Session

_POLL_SECONDS = 0.2  # The time between two checks whether the page has disconnected.
_KEEPALIVE_SECONDS = 1.0  # a run without an event for this long sends one that says it is still running
Work = Callable[[Run], Any]


class TooLargeError(LcshapError):
    """A request with more bytes than are allowed."""


def make_app(session: Session, title: str) -> Starlette:
    """The application for a session; requests must pass `Doorkeeper` first."""
    page, policy = make_page(title, session.page_settings())
    api = _Api(session)

    async def show(request: Request) -> Response:
        return HTMLResponse(page, headers={"Content-Security-Policy": policy})

    return Starlette(
        routes=[
            Route("/", show),
            Route("/api/predict", _with_json_errors(api.predict), methods=["POST"]),
            Route("/api/ask", _with_json_errors(api.ask), methods=["POST"]),
            Route("/api/explain", _with_json_errors(api.explain), methods=["POST"]),
            Route("/api/locality", _with_json_errors(api.locality), methods=["POST"]),
            Route("/api/results/{name}/{kind}", _with_json_errors(api.save)),
        ]
    )


def _with_json_errors(handle: Callable[[Request], Awaitable[Response]]) -> Callable[[Request], Awaitable[Response]]:
    """Return errors of a handler as JSON, so that no error ends the server and no traceback is sent."""

    async def answer(request: Request) -> Response:
        try:
            return await handle(request)
        except Exception as error:
            return JSONResponse({"error": error_message(error)}, _http_status(error))

    return answer


def error_message(error: BaseException) -> str:
    """The message of an error for the user, without secrets."""
    is_known_error = isinstance(error, LcshapError | Unfinished)
    return redact(str(error)) if is_known_error else f"The model ended with {describe_error(error)}"


def _http_status(error: Exception) -> int:
    return 413 if isinstance(error, TooLargeError) else 429 if isinstance(error, PlaygroundBusyError) else 400


class _Api:
    """What the routes do."""

    def __init__(self, session: Session) -> None:
        self.session, self.running_predictions, self.running_explanations = session, 0, 0

    async def predict(self, request: Request) -> Response:
        body = await self._read_body(request)
        session = self.session

        def work(run: Run) -> dict[str, Any]:
            columns = parse_columns(body.get("columns", [{}]))
            return session.predict(run, session.reader.read(body.get("input")), columns)

        return await self._answer_when_done(request, work)

    async def ask(self, request: Request) -> Response:
        body = await self._read_body(request)
        session = self.session

        def work(run: Run) -> dict[str, Any]:
            removed, replaced = parse_units(body.get("removed", [])), parse_replacements(body.get("replaced", {}))
            x = session.reader.read(body.get("input"))
            return session.ask(run, x, parse_column(body.get("column")), removed, replaced)

        return await self._answer_when_done(request, work)

    async def locality(self, request: Request) -> Response:
        body = await self._read_body(request)
        session = self.session

        def work(run: Run) -> dict[str, Any]:
            x = session.reader.read(body.get("input"))
            output = body.get("output", 0)
            if not isinstance(output, int):
                raise OptionError(f"Expected the number of an output, got {describe_type(output)}.")
            return session.locality(run, x, parse_column(body.get("column")), output)

        return await self._answer_when_done(request, work)

    async def explain(self, request: Request) -> Response:
        """A stream of events: estimates as they come, and in the end the name under which the result is kept."""
        body = await self._read_body(request)
        session, events = self.session, _Events()
        columns = parse_columns(body.get("columns"))
        if self.running_explanations >= session.limits.concurrent_runs:
            raise PlaygroundBusyError(
                f"Expected at most {session.limits.concurrent_runs} explanations at once, got one more. Wait, or "
                "cancel one."
            )

        def work(run: Run) -> dict[str, Any]:
            x = session.reader.read(body.get("input"))

            def emit(estimate: dict[str, Any]) -> None:
                blocks = pack_blocks(estimate.pop("explanations"))
                events.put("estimate", {**estimate, "blocks": blocks})

            result = session.explain(run, x, columns, emit)
            return {"result": session.keep_run(result), "rows": run.rows, "seconds": run.seconds}

        run = Run()
        self.running_explanations += 1
        try:
            session.thread_pool.start(run, lambda: events.end(work, run))
        except BaseException:
            self.running_explanations -= 1
            raise

        def finish() -> None:
            self.running_explanations -= 1
            session.thread_pool.cancel(run)

        return StreamingResponse(_stream_events(request, events, finish), media_type="text/event-stream")

    async def save(self, request: Request) -> Response:
        """A file to download."""
        result = self.session.get_run(request.path_params["name"])
        if result is None:
            return PlainTextResponse("This result is no longer kept. Run it again.", 404)
        label = request.query_params.get("column")
        kind = request.path_params["kind"]
        saved = await asyncio.to_thread(save_as, kind, result.x, result.explanations, label, self.session.source)
        headers = {"Content-Disposition": f'attachment; filename="{saved.name}"'}
        return Response(saved.content, media_type=saved.media, headers=headers)

    async def _read_body(self, request: Request) -> dict[str, Any]:
        """The JSON object in a request, which is not read further than the limit."""
        max_bytes, chunks, n_bytes = self.session.limits.body, list[bytes](), 0
        async for chunk in request.stream():
            n_bytes += len(chunk)
            if n_bytes > max_bytes:
                raise TooLargeError(
                    f"Expected a request of at most {max_bytes:,} bytes, got more. Give a smaller input."
                )
            chunks.append(chunk)
        return parse_request_json(b"".join(chunks))

    async def _answer_when_done(self, request: Request, work: Work) -> Response:
        """The answer of some work, which is cancelled when the page does not wait for it any more."""
        limit, events, run = self.session.limits.concurrent_predictions, _Events(), Run()
        if self.running_predictions >= limit:
            raise PlaygroundBusyError(
                f"Expected at most {limit} questions at once, got one more. Wait for the answers."
            )
        self.running_predictions += 1
        try:
            self.session.thread_pool.start(run, lambda: events.end(work, run))
            while True:
                event = await events.get(_POLL_SECONDS)
                if event is not None:
                    name, text = event
                    return Response(text, 200 if name == "done" else 400, media_type="application/json")
                if await request.is_disconnected():
                    return Response(status_code=499)
        finally:
            self.running_predictions -= 1
            self.session.thread_pool.cancel(run)


class _Events:
    """Events that a thread sends to the event loop."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._queue: asyncio.Queue[tuple[str, str]] = asyncio.Queue()

    def put(self, name: str, content: dict[str, Any]) -> None:
        """Send an event from a thread. It is dropped if the loop has ended."""
        # The content is encoded here, so that a value without JSON form is an error of the run.
        text = json.dumps(content, allow_nan=False)
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
            self.put("failed", {"error": error_message(error)})

    async def get(self, seconds: float) -> tuple[str, str] | None:
        """The next event; None where there is none for so long."""
        try:
            return await asyncio.wait_for(self._queue.get(), seconds)
        except TimeoutError:
            return None


async def _stream_events(request: Request, events: _Events, finish: Callable[[], None]) -> AsyncIterator[str]:
    """Events as text, until the last one or until the page is gone."""
    idle_seconds = 0.0
    try:
        while not await request.is_disconnected():
            event = await events.get(_POLL_SECONDS)
            idle_seconds = idle_seconds + _POLL_SECONDS if event is None else 0.0
            if idle_seconds >= _KEEPALIVE_SECONDS:
                idle_seconds = 0.0
                event = ("waiting", "{}")
            if event is None:
                continue
            name, text = event
            yield f"event: {name}\ndata: {text}\n\n"
            if name in ("done", "failed", "cancelled"):
                return
    finally:
        finish()
