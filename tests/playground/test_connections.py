"""Slow and idle connections end in time, and keep nobody out who has the cookie."""

import socket
import time
from urllib.parse import urlsplit

import pytest
from playground_client import Client

from lcshap.playground import connections

QUESTION = {"input": {"text": "a good film"}}


@pytest.fixture
def limits(monkeypatch):
    """Short time limits and few places."""
    monkeypatch.setattr(connections, "HEADER_SECONDS", 0.5)
    monkeypatch.setattr(connections, "BODY_SECONDS", 0.7)
    monkeypatch.setattr(connections, "REFUSED_BODY_SECONDS", 0.3)
    monkeypatch.setattr(connections, "MAX_UNKNOWN_PER_ADDRESS", 4)


def connect_to(playground, sent=b""):
    address = urlsplit(playground.url)
    stream = socket.create_connection((address.hostname, address.port), timeout=10)
    stream.sendall(sent.replace(b"HOST", address.netloc.encode()))
    return stream


def read_to_the_end(stream):
    """What the server sends until it closes the connection."""
    received = b""
    try:
        while part := stream.recv(1000):
            received += part
    except ConnectionResetError:
        pass
    finally:
        stream.close()
    return received


def is_open(stream):
    """Whether the server has not closed a connection from which nothing was read."""
    stream.settimeout(0.2)
    try:
        return stream.recv(1) != b""
    except TimeoutError:
        return True
    except ConnectionResetError:
        return False


def send_slowly(stream):
    for _ in range(400):
        stream.sendall(b"y")
        time.sleep(0.05)


@pytest.mark.parametrize("sent", [b"", b"GET / HTTP/1.1\r\nHost: HOST\r\n"], ids=["nothing", "half a header"])
def test_a_header_that_does_not_come_ends_the_connection(start, explainer, limits, sent):
    assert read_to_the_end(connect_to(start(explainer), sent)) == b""


def test_bytes_that_come_slowly_do_not_prolong_the_time(start, explainer, limits):
    with (
        connect_to(start(explainer), b"GET / HTTP/1.1\r\nX: ") as stream,
        pytest.raises(OSError, match=r"pipe|reset|aborted"),
    ):
        send_slowly(stream)


def test_the_body_of_a_refused_request_is_not_waited_for(start, explainer, limits):
    sent = b"POST /api/predict HTTP/1.1\r\nHost: HOST\r\nOrigin: http://HOST\r\nContent-Length: 100000\r\n\r\n{"
    assert read_to_the_end(connect_to(start(explainer), sent)).startswith(b"HTTP/1.1 401")


def test_a_body_with_the_cookie_has_to_come_in_time(connect, explainer, limits):
    client = connect(explainer)
    cookie = "; ".join(f"{name}={value}" for name, value in client.http.cookies.items()).encode()
    sent = b"POST /api/predict HTTP/1.1\r\nHost: HOST\r\nOrigin: http://HOST\r\nContent-Length: 99\r\nCookie: "
    assert read_to_the_end(connect_to(client.playground, sent + cookie + b"\r\n\r\n{")) == b""
    assert client.post("/api/predict", QUESTION).status_code == 200


def test_a_long_answer_has_no_time_limit(connect, explainer, model, limits):
    model.pause = 0.05
    events = connect(explainer).explain(
        {"input": {"text": "a good film " * 9}, "columns": [{"method": "feature-ablation"}]}
    )
    assert events[-1][0] == "done"


def test_a_new_connection_closes_the_oldest_of_its_address(start, explainer, limits, monkeypatch):
    monkeypatch.setattr(connections, "HEADER_SECONDS", 60.0)
    playground = start(explainer)
    streams = []
    for _ in range(6):
        streams.append(connect_to(playground))
        time.sleep(0.05)
    assert [is_open(stream) for stream in streams] == [False, False, True, True, True, True]
    client = Client(playground)  # takes a place, and keeps it: it has the cookie
    for _ in range(6):
        streams.append(connect_to(playground))
    assert client.post("/api/predict", QUESTION).status_code == 200
    client.http.close()
    for stream in streams:
        stream.close()


def test_the_address_with_the_most_connections_loses_one():
    class Connection:
        def __init__(self):
            self.transport, self.open = self, True

        def abort(self):
            self.open = False

    unknown = connections.UnknownConnections()
    crowd = [[Connection() for _ in range(100)] for _ in range(3)]
    user = Connection()
    for address, members in enumerate(crowd):
        for connection in members:
            unknown.add(connection, f"10.0.0.{address}")
    unknown.add(user, "10.0.0.9")
    assert user.open
    assert len(unknown) == connections.MAX_UNKNOWN
    still_open = [sum(connection.open for connection in members) for members in crowd]
    assert sum(still_open) == connections.MAX_UNKNOWN - 1
    assert max(still_open) - min(still_open) <= 16
    unknown.remove(user)
    unknown.remove(user)
    assert len(unknown) == connections.MAX_UNKNOWN - 1
