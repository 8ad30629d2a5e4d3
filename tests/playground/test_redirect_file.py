"""The page is opened by a private file, and the token is on no command line."""

import stat
import webbrowser
from pathlib import Path
from urllib.request import url2pathname

import pytest

import lcshap as lc
from lcshap.playground.redirect_file import RedirectFile


@pytest.fixture
def opened(monkeypatch):
    addresses = []
    monkeypatch.setattr(webbrowser, "open", addresses.append)
    return addresses


def test_only_the_user_can_read_the_file():
    file = RedirectFile('http://127.0.0.1:1/?token=a"b')
    assert stat.S_IMODE(file.path.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.path.parent.stat().st_mode) == 0o700
    assert "url=http://127.0.0.1:1/?token=a&quot;b" in file.path.read_text()
    file.delete()
    assert not file.path.parent.exists()


def test_the_browser_gets_no_token_and_the_file_is_deleted(explainer, opened):
    with lc.serve(explainer, block=False, open_browser=True) as playground:
        playground.open()
        (address,) = set(opened)
        token = playground.url.partition("token=")[2]
        assert address.startswith("file://")
        assert token not in address
        path = Path(url2pathname(address.removeprefix("file://")))
        assert playground.url in path.read_text()
    assert not path.exists()


def test_a_browser_that_opens_the_file_gets_the_page(chromium, start, explainer):
    playground = start(explainer)
    file = RedirectFile(playground.url)
    context = chromium.new_context()
    page = context.new_page()
    page.goto(file.path.as_uri())
    page.locator("#run").wait_for(timeout=20_000)
    assert page.url == f"{playground.url.partition('?')[0]}"
    assert page.evaluate("history.length") <= 2  # the address with the token is not in the history
    context.close()
    file.delete()
