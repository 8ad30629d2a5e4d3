"""Nobody gets in but the page itself; nothing that is sent runs, leaks or ends the server."""

import http.client
import json
import os
import re
import socket
import threading
import uuid

import psutil
import pytest
from playground_client import XSS, Client

import lcshap as lc
from lcshap.playground.security import AccessSecrets, allowed_hosts, is_loopback

PREDICT = {"input": {"text": "a good film"}}


def never_called():
    """A text that the session does not know yet, so that the model would be asked about it."""
    return {"input": {"text": f"a good film {uuid.uuid4()}"}}


def test_the_address_sets_a_cookie_and_loses_its_token(visitor):
    first = visitor.opened.history[0]
    assert first.status_code == 303
    assert first.headers["location"] == "/"
    cookie = first.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "samesite=strict" in cookie.lower()
    assert visitor.token not in cookie
    assert visitor.token not in visitor.opened.text


def test_every_answer_forbids_what_pages_may_not_do(visitor):
    policy = visitor.opened.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy
    for answer in (visitor.opened, visitor.http.get("/none"), visitor.post("/api/predict", PREDICT)):
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert answer.headers["cache-control"] == "no-store"
        assert "'none'" in answer.headers["content-security-policy"]
        assert "server" not in answer.headers


@pytest.mark.parametrize(
    "headers",
    [
        {"Cookie": ""},
        {"Cookie": "lcshap=1"},
        {"Cookie": 'lcshap-1="'},
        {"Host": "evil.example"},
        {"Host": "evil.example:80"},
        {"Host": "127.0.0.1"},
        {"Host": ""},
        {"Host": "localhost:1"},
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "https://127.0.0.1"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
    ids=lambda headers: "-".join(next(iter(headers.items()))),
)
def test_strangers_are_refused(visitor, headers):
    before = visitor.model.rows
    answer = visitor.post("/api/predict", never_called(), headers=headers)
    assert answer.status_code in (400, 401, 403)
    assert "set-cookie" not in answer.headers
    answer = visitor.http.get("/", headers=headers)
    assert answer.status_code in (400, 401, 403)
    assert "about" not in answer.text
    assert visitor.model.rows == before


def test_a_post_without_an_origin_is_refused(visitor):
    before = visitor.model.rows
    assert visitor.http.post("/api/predict", json=never_called()).status_code == 403
    assert visitor.model.rows == before


@pytest.mark.parametrize("token", ["", "x", "%00", "a" * 5000, "ü"])
def test_a_wrong_token_opens_nothing(visitor, token):
    answer = lc.extras.import_optional("httpx", "test").get(f"{visitor.origin}/?token={token}")
    assert answer.status_code == 401
    assert "set-cookie" not in answer.headers


@pytest.mark.parametrize(
    "path",
    [
        "/../../etc/passwd",
        "/..%2f..%2fetc%2fpasswd",
        "/%2e%2e/%2e%2e/etc/passwd",
        "//etc/passwd",
        "/api/results/..%2f..%2fetc%2fpasswd/html",
        "/api/results/../../../etc/passwd",
        "/static/../page.py",
        "/C:\\windows\\win.ini",
        "/api/predict%00",
        "/modules/playground.js",
    ],
)
def test_there_are_no_files_behind_the_page(visitor, path):
    connection = http.client.HTTPConnection(visitor.origin.removeprefix("http://"), timeout=10)
    cookie = "; ".join(f"{name}={value}" for name, value in visitor.http.cookies.items())
    connection.putrequest("GET", path, skip_host=True)
    connection.putheader("Host", visitor.origin.removeprefix("http://"))
    connection.putheader("Cookie", cookie)
    connection.endheaders()
    answer = connection.getresponse()
    content = answer.read()
    connection.close()
    assert answer.status in (400, 404, 405)
    assert b"root:" not in content
    assert b"Traceback" not in content


@pytest.mark.parametrize("text", XSS)
def test_texts_come_back_as_json_alone(visitor, text):
    for path, sent in (("/api/predict", {"input": {"text": text}}), ("/api/ask", {"input": {"text": f"good {text}"}})):
        answer = visitor.post(path, sent)
        assert answer.headers["content-type"] == "application/json"
        assert answer.status_code in (200, 400)
        json.loads(answer.text)
        assert "stolen" not in answer.headers.get("set-cookie", "")
    for line in ("method", "target", "reference"):
        answer = visitor.post("/api/predict", {"input": {"text": "a"}, "columns": [{line: text}]})
        assert answer.status_code == 400
        assert answer.headers["content-type"] == "application/json"


def test_examples_cannot_break_out_of_the_page(connect, explainer):
    client = connect(explainer, [f"good {text}" for text in XSS], title="</title><script>window.hit=1</script>")
    page = client.opened.text
    data = page.partition('id="about">')[2].partition("</script>")[0]
    assert len(json.loads(data)["input"]["examples"]) == len(XSS)
    assert len(re.findall("<script", page)) == 2  # the data and the script itself
    assert "</title><script>" not in page


def test_broken_requests_do_no_harm(visitor):
    host, port = visitor.origin.removeprefix("http://").split(":")
    junk = [b"\0" * 100, b"GET / HTTP/9.9\r\n\r\n", b"POST /api/predict HTTP/1.1\r\nContent-Length: -5\r\n\r\n"]
    junk += [b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 20_000, os.urandom(2000)]
    junk += [b"POST /api/predict HTTP/1.1\r\nHost: x\r\nContent-Length: 999999\r\n\r\n{"]
    for data in junk:
        with socket.create_connection((host, int(port)), timeout=5) as stream:
            try:
                stream.sendall(data)
                stream.shutdown(socket.SHUT_WR)
                stream.recv(1000)
            except OSError:
                continue
    assert visitor.post("/api/predict", PREDICT).status_code == 200


def test_a_thousand_requests_are_bounded(client, model):
    """From ten threads at once; all are answered, the memory stays flat, the server stays up."""
    process = psutil.Process()
    codes = []

    def work(worker, count):
        other = Client(client.playground)
        for k in range(count):
            codes.append(other.post("/api/predict", {"input": {"text": f"good {worker} {k}"}}).status_code)
        other.http.close()

    def burst(count):
        threads = [threading.Thread(target=work, args=(worker, count)) for worker in range(10)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    burst(10)
    before = process.memory_info().rss
    burst(90)
    assert len(codes) == 1000
    assert set(codes) <= {200, 429}
    assert codes.count(200) > 500
    assert process.memory_info().rss - before < 60_000_000
    assert threading.active_count() < 40
    assert client.post("/api/predict", PREDICT).status_code == 200


def test_other_machines_need_a_word(explainer):
    with pytest.raises(lc.errors.OptionError, match="--allow-others"):
        lc.serve(explainer, host="0.0.0.0", block=False)


def test_names_that_are_answered_to():
    assert "evil.example:80" not in allowed_hosts("127.0.0.1", 80)
    assert "localhost:8000" in allowed_hosts("127.0.0.1", 8000)
    assert f"{socket.gethostname().lower()}:8000" in allowed_hosts("0.0.0.0", 8000)
    assert is_loopback("::1")
    assert not is_loopback("example.com")


def test_keys_are_long_and_new():
    one, two = AccessSecrets(1), AccessSecrets(1)
    assert len({one.token, one.cookie, two.token, two.cookie}) == 4
    assert min(map(len, (one.token, one.cookie))) >= 32
    assert one.is_cookie(f"{one.name}={one.cookie}; other=1")
    assert not one.is_cookie(f"{one.name}={one.token}")
