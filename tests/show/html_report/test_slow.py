"""A large page is used while the browser still reads the rest of it."""

import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from lcshap.show.html_report import report


@pytest.fixture
def slow_address(explain, tmp_path):
    """Serve a page whose second half comes when it is told to; yields the address and what tells it."""
    texts = ["a good plot", "a bad film", "great fun"]
    source = report(explain(texts), tmp_path / "page.html").read_bytes()
    cut, go_on = source.index(b'<script type="application/json" id="sample-1"'), threading.Event()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(source[:cut] + b" " * 70_000)  # browsers read the first part once it is long enough
            self.wfile.flush()
            go_on.wait(timeout=30)
            self.wfile.write(source[cut:])

        def log_message(self, *arguments):
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/page.html", go_on
    go_on.set()
    server.shutdown()
    server.server_close()
    thread.join(timeout=10)


def test_the_first_sample_is_shown_before_the_others_are_here(chromium, slow_address):
    address, go_on = slow_address
    page = chromium.new_page()
    errors = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(address, wait_until="commit")
    page.locator("#picture span").first.wait_for()
    assert page.locator("#name").inner_text() == "a good plot"
    page.locator("[data-sample='2']").click()
    page.locator("#picture [data-unit='0']").click()  # pinned: others that have it are looked for among those here
    assert page.locator("#name").inner_text() == "a good plot"
    go_on.set()
    page.locator("#name", has_text="great fun").wait_for()
    assert page.locator("#picture").inner_text() == "great fun"
    assert errors == []
    page.close()


def test_a_link_to_a_later_sample_waits_for_it(chromium, slow_address):
    address, go_on = slow_address
    page = chromium.new_page()
    page.goto(f"{address}#sample=1", wait_until="commit")
    page.wait_for_timeout(300)
    assert page.locator("#name").text_content() == ""
    go_on.set()
    page.locator("#name", has_text="a bad film").wait_for()
    page.close()
