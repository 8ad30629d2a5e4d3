"""The bar: when it is shown and what it says."""

import sys

import pytest

from lcshap.evaluation import progress
from lcshap.evaluation.progress import Progress


@pytest.fixture(autouse=True)
def without_delay(monkeypatch):
    monkeypatch.setattr(progress, "_SHOW_AFTER_SECONDS", -1.0)


def test_the_line_shows_the_progress(capsys):
    bar = Progress(200, "model calls", True)
    bar.advance(50)
    printed = capsys.readouterr().err
    assert "50/200 model calls" in printed
    assert printed.count("█") == 6
    bar.close()
    assert capsys.readouterr().err == "\r\033[K"


def test_no_progress_without_a_terminal_or_on_request(capsys, monkeypatch):
    Progress(10, "calls").advance(5)  # no terminal
    Progress(10, "calls", False).advance(5)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("LCSHAP_PROGRESS", "0")
    Progress(10, "calls").advance(5)
    assert capsys.readouterr().err == ""
    monkeypatch.delenv("LCSHAP_PROGRESS")
    Progress(10, "calls").advance(5)
    assert "5/10 calls" in capsys.readouterr().err


def test_closing_before_a_line_was_drawn(capsys):
    Progress(10, "calls", True).close()
    assert capsys.readouterr().err == ""
