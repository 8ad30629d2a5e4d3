"""Access to a playground: only for users who have its address, from a page that the playground itself has sent."""

from __future__ import annotations

import hmac
import ipaddress
import secrets
import socket
from collections.abc import Iterable
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qs

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_SECURITY_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
NO_SCRIPTS = "default-src 'none'; frame-ancestors 'none'; sandbox"  # Every response except the page has this policy.


class AccessSecrets:
    """The secrets of one playground: the token in its address, and the cookie that a browser gets for it.

    Cookies are sent to all ports of a host, so that the cookie is a secret of its own: whoever gets to see it does not
    know the token, and the port is part of its name.
    """

    def __init__(self, port: int) -> None:
        self.token, self.cookie = secrets.token_urlsafe(24), secrets.token_urlsafe(24)
        self.name = f"lcshap-{port}"

    def is_token(self, candidate: str) -> bool:
        """Whether this is the token, compared in constant time."""
        return hmac.compare_digest(candidate.encode(), self.token.encode())

    def is_cookie(self, header: str) -> bool:
        """Whether a Cookie header holds the cookie."""
        try:
            cookie = SimpleCookie(header).get(self.name)
        except CookieError:
            return False
        return cookie is not None and hmac.compare_digest(cookie.value.encode(), self.cookie.encode())


class AuthMiddleware:
    """Middleware that passes requests on to an application, or refuses them.

    A request is refused if its Host is not one of this server (a name that an attacker lets point here: DNS rebinding),
    if it comes from a page of another origin (cross-site requests), or if it has neither the token nor the cookie. The
    address with the token sets the cookie and leads to the same address without it, so that the token does not stay in
    the browser's history. Every answer has headers that forbid framing, sniffing and caching.

    Parameters
    ----------
    app : the application behind it.
    keys : token and cookie.
    hosts : the values of Host that are allowed, such as "127.0.0.1:8000".
    """

    def __init__(self, app: ASGIApp, keys: AccessSecrets, hosts: Iterable[str]) -> None:
        self.app, self.keys, self.hosts = app, keys, frozenset(hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":  # Websockets are refused.
            return

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _SECURITY_HEADERS.items():
                    headers[name] = value
                headers.setdefault("Content-Security-Policy", NO_SCRIPTS)
            await send(message)

        answer = self._respond(scope)
        await (self.app if answer is None else answer)(scope, receive, with_headers)

    def _respond(self, scope: Scope) -> Any:
        """The response of the middleware; None if the request is passed on."""
        headers = Headers(scope=scope)
        has_token = scope["path"] == "/" and scope["method"] == "GET" and self._has_token(scope["query_string"])
        refusal = self._refusal_reason(scope["method"], headers, has_token)
        if refusal is not None:
            return PlainTextResponse(refusal, 403)
        if has_token:
            return self._first_answer(_comes_from_here(headers))
        if not self.keys.is_cookie(headers.get("cookie", "")):
            return PlainTextResponse("Open the address that `lcshap serve` printed: it has a token in it.", 401)
        return None

    def _has_token(self, query: bytes) -> bool:
        tokens = parse_qs(query.decode("latin-1")).get("token")
        return tokens is not None and self.keys.is_token(tokens[0])

    def _first_answer(self, same_site: bool) -> Response:
        """Set the cookie, and lead to the page.

        Browsers do not send the cookie if a redirection began elsewhere, such as in the file that `--open` opens. A
        page that loads the other one begins here.
        """
        answer: Response = RedirectResponse("/", 303)
        if not same_site:
            page = '<!doctype html><meta http-equiv="refresh" content="0; url=/"><a href="/">Open the playground</a>'
            answer = HTMLResponse(
                page, headers={"Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'"}
            )
        answer.set_cookie(self.keys.name, self.keys.cookie, httponly=True, samesite="strict", path="/")
        return answer

    def _refusal_reason(self, method: str, headers: Headers, has_token: bool) -> str | None:
        host = headers.get("host", "").lower()
        if host not in self.hosts:
            return "This server does not answer to that name."
        origin = headers.get("origin")
        if origin is not None and origin.lower() != f"http://{host}":
            return "Requests from other pages are refused."
        if method not in ("GET", "HEAD") and origin is None:
            return "Expected a request from the page of the playground."
        if not has_token and not _comes_from_here(headers):
            return "Requests from other pages are refused."
        return None


def _comes_from_here(headers: Headers) -> bool:
    """Whether a browser says that no other site led to a request."""
    return headers.get("sec-fetch-site", "none") in ("none", "same-origin")


def allowed_hosts(host: str, port: int) -> list[str]:
    """The values of Host that a server accepts: loopback names, and its own addresses where it listens to others.

    >>> allowed_hosts("127.0.0.1", 80)
    ['127.0.0.1:80', 'localhost:80', '[::1]:80', '127.0.0.1', 'localhost', '[::1]']
    """
    names = ["127.0.0.1", "localhost", "[::1]"]
    if not is_loopback(host):
        names += [host, socket.gethostname(), socket.getfqdn(), *_own_addresses()]
    unique = list(dict.fromkeys(name.lower() for name in names))
    return [f"{name}:{port}" for name in unique] + (unique if port == 80 else [])


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach a host.

    >>> is_loopback("127.0.0.1"), is_loopback("localhost"), is_loopback("0.0.0.0")
    (True, True, False)
    """
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _own_addresses() -> list[str]:
    try:
        addresses = {str(info[4][0]) for info in socket.getaddrinfo(socket.gethostname(), None)}
    except OSError:
        addresses = set()
    return sorted(f"[{address}]" if ":" in address else address for address in addresses)
