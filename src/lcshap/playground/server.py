"""Starting and ending a playground."""

from __future__ import annotations

import socket
import sys
import threading
from collections.abc import Sequence
from types import TracebackType
from typing import Any, Self

from ..errors import OptionError
from ..explainer import Explainer
from ..extras import import_optional
from .playground_limits import Limits
from .redirect_file import RedirectFile

_SHUTDOWN_SECONDS = 5.0  # The time that the server has to stop.


def serve(
    explainer: Explainer,
    examples: Sequence[Any] = (),
    *,
    port: int = 0,
    host: str = "127.0.0.1",
    allow_others: bool = False,
    open_browser: bool = False,
    block: bool = True,
    limits: Limits | None = None,
    title: str = "lcshap playground",
    source: str | None = None,
) -> Playground:
    """Serve a page on which one can try out what a model does, and see which units made it say so.

    The page is for the user of this machine alone: the server listens to 127.0.0.1, the address that is printed has a
    token in it, and requests from other pages are refused. Everything that the page asks goes through one memory, so
    that the model is never asked about the same row twice.

    Parameters
    ----------
    explainer : the model, the masker, and the method that is used unless the page says another one.
    examples : inputs that the page offers. Of images, the first one also says which size, channels and range the model
        takes.
    port : where to listen; 0 takes a free one.
    host : the address to listen to. Anything but this machine's own needs `allow_others`.
    allow_others : let other machines reach the page. Whoever has the address with its token can then ask the model.
    open_browser : open the page in the browser, by a private file that leads to it: the command line of a browser,
        which all users of the machine can read, has no token.
    block : wait until Ctrl-C; otherwise return at once, with the server in a thread.
    limits : what the page may ask for, see `lcshap.playground.Limits`.
    title : of the page.
    source : lines of Python that make `model`, for the programs that the page saves.

    Returns
    -------
    The `Playground`, which has ended where `block` is true.

    Raises
    ------
    MissingExtraError : without ``pip install "lcshap[serve]"``.
    OptionError : if `host` can be reached from other machines and `allow_others` is not set.

    Examples
    --------
    >>> import lcshap as lc
    >>> explainer = lc.Explainer(lambda texts: [len(t) for t in texts], lc.maskers.Text(), kind="output")
    >>> with lc.serve(explainer, ["so good"], block=False) as playground:
    ...     playground.url.startswith("http://127.0.0.1:")
    True
    """
    import_optional("starlette", "serve")
    import_optional("uvicorn", "serve")
    if not isinstance(explainer, Explainer):
        raise OptionError(f"Expected an Explainer, got {type(explainer).__name__}. Write lc.serve(lc.Explainer(...)).")
    playground = Playground(explainer, list(examples), host, port, allow_others, limits, title, source)
    print(f"Playground: {playground.url}", file=sys.stderr, flush=True)
    if open_browser:
        playground.open()
    if block:
        playground.wait()
    return playground


class Playground:
    """A server that runs in a thread, with its address. It ends with `close`, or at the end of ``with``.

    Attributes
    ----------
    url : the address of the page, with its token.
    session : what the server does with the model.
    """

    def __init__(
        self,
        explainer: Explainer,
        examples: list[Any],
        host: str,
        port: int,
        allow_others: bool,
        limits: Limits | None,
        title: str,
        source: str | None,
    ) -> None:
        import uvicorn

        from .connections import MAX_TRUSTED, MAX_UNKNOWN, guarded_protocol
        from .security import AccessSecrets, AuthMiddleware, allowed_hosts, is_loopback
        from .session import Session
        from .web_app import make_app

        if not is_loopback(host) and not allow_others:
            raise OptionError(
                f"Expected 127.0.0.1 as the host, got {host!r}, which other machines can reach. If that is what you "
                "want, say allow_others=True (--allow-others): whoever has the address can then ask the model."
            )
        self.session = Session(explainer, examples, limits, source)
        self._redirect: RedirectFile | None = None
        self._socket = _bind_socket(host, port)
        port = self._socket.getsockname()[1]
        keys = AccessSecrets(port)
        url_host = f"[{host}]" if ":" in host else "127.0.0.1" if host == "0.0.0.0" else host
        self.url = f"http://{url_host}:{port}/?token={keys.token}"
        app = AuthMiddleware(make_app(self.session, title), keys, allowed_hosts(host, port))
        config = uvicorn.Config(
            app,
            log_level="critical",
            access_log=False,
            server_header=False,
            proxy_headers=False,
            lifespan="off",
            ws="none",
            http=guarded_protocol(keys),
            loop="asyncio",
            limit_concurrency=MAX_TRUSTED + MAX_UNKNOWN,
            timeout_graceful_shutdown=1,
        )
        self._server, self._ended = uvicorn.Server(config), threading.Event()
        self._thread = threading.Thread(target=self._run, name="lcshap server", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            self._server.run(sockets=[self._socket])
        finally:
            self._ended.set()

    def open(self) -> None:
        """Open the page in the browser of the user."""
        if self._redirect is None:
            self._redirect = RedirectFile(self.url)
        self._redirect.open()

    def wait(self) -> None:
        """Wait until Ctrl-C, then end."""
        try:
            # `join` is not used: in Python 3.11, after Ctrl-C it treats the thread as ended.
            while not self._ended.wait(0.2):
                pass
        except KeyboardInterrupt:
            print("\nThe playground has ended.", file=sys.stderr)
        finally:
            self.close()

    def close(self) -> None:
        """Cancel what is running and end the server."""
        self.session.close()
        self._server.should_exit = True
        self._thread.join(_SHUTDOWN_SECONDS)
        self._socket.close()
        if self._redirect is not None:
            self._redirect.delete()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _bind_socket(host: str, port: int) -> socket.socket:
    """A socket that listens to an address, so that the port is known before the server starts."""
    listener = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
    except (OSError, OverflowError) as error:
        listener.close()
        raise OptionError(f"Expected an address to listen to, got {host}:{port} ({error}). Use another port.") from None
    listener.listen()
    return listener
