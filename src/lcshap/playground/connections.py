"""Connections of a playground: time limits, and a limit on connections whose requests have no cookie yet.

A client that has shown the cookie of the playground is trusted. All other connections, including those that have not
sent a complete header, share places of their own. If these are taken, a new connection closes an old one, so that
clients that send nothing, or send slowly, cannot keep others out: a browser shows its cookie within milliseconds.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from functools import partial
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from .security import AccessSecrets

MAX_TRUSTED = 64  # connections that have shown the cookie; further requests get status 503
MAX_UNKNOWN = 256  # connections that have not
MAX_UNKNOWN_PER_ADDRESS = 128
HEADER_SECONDS = 10.0  # in which a connection has to send the complete header of a request
BODY_SECONDS = 60.0  # in which a request with the cookie has to be complete
REFUSED_BODY_SECONDS = 2.0  # in which the rest of a request without the cookie is read, so that its answer arrives


class UnknownConnections:
    """The connections of one playground that have not shown its cookie, the oldest first."""

    def __init__(self) -> None:
        self._addresses: dict[GuardedProtocol, str] = {}

    def __len__(self) -> int:
        return len(self._addresses)

    def add(self, connection: GuardedProtocol, address: str) -> None:
        """Add a new connection, and close an old one if there are too many."""
        self._addresses[connection] = address
        counts = Counter(self._addresses.values())
        if counts[address] > MAX_UNKNOWN_PER_ADDRESS:
            self._close_oldest(address)
        elif len(self._addresses) > MAX_UNKNOWN:
            self._close_oldest(counts.most_common(1)[0][0])

    def remove(self, connection: GuardedProtocol) -> None:
        """Remove a connection that has ended or has shown the cookie."""
        self._addresses.pop(connection, None)

    def _close_oldest(self, address: str) -> None:
        oldest = next(connection for connection, other in self._addresses.items() if other == address)
        self.remove(oldest)
        oldest.transport.abort()


class GuardedProtocol(H11Protocol):
    """A connection of a playground.

    Parameters
    ----------
    keys : the cookie of the playground.
    unknown : its connections that have not shown the cookie.
    *args, **options : of uvicorn's protocol.
    """

    def __init__(self, keys: AccessSecrets, unknown: UnknownConnections, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._keys, self._unknown, self._trusted = keys, unknown, False
        self._timer: asyncio.TimerHandle | None = None
        self._phase: tuple[Any, Any] | None = None  # what is waited for, and the last request

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take a place, and begin to wait for a header."""
        super().connection_made(transport)
        self._unknown.add(self, self.client[0] if self.client else "")
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        """Give the place back."""
        self._unknown.remove(self)
        self._cancel_timer()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read what was sent."""
        super().data_received(data)
        self._watch()

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        super().on_response_complete()
        self._watch()

    def _watch(self) -> None:
        """Set the time limit of what is waited for, once for each header and each body."""
        if not self._trusted and self.headers is not None:
            cookie = b"; ".join(value for name, value in self.headers if name == b"cookie")
            if self._keys.is_cookie(cookie.decode("latin-1")):
                self._trusted = True
                self._unknown.remove(self)
        state = self.conn.their_state
        if self._phase is not None and self._phase[0] is state and self._phase[1] is self.cycle:
            return
        self._phase = (state, self.cycle)
        self._cancel_timer()
        if state is h11.IDLE:
            self._set_timer(HEADER_SECONDS)
        elif state is h11.SEND_BODY:
            self._set_timer(BODY_SECONDS if self._trusted else REFUSED_BODY_SECONDS)

    def _set_timer(self, seconds: float) -> None:
        self._timer = self.loop.call_later(seconds, self.transport.abort)

    def _cancel_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


def guarded_protocol(keys: AccessSecrets) -> Any:
    """What makes the protocol of each connection of one playground, as uvicorn calls it."""
    return partial(GuardedProtocol, keys, UnknownConnections())
