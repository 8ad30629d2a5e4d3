"""The bar: when it is shown and what it says."""

import sys

import pytest

from lcshap.evaluation import progress
from lcshap.evaluation.progress import Progress


@pytest.fixture(autouse=True)
def impatient(monkeypatch):
    monkeypatch.setattr(progress, "_SHOW_AFTER_SECONDS", -1.0)


def test_it_says_how_far_it_is(capsys):
    bar = Progress(200, "model calls", True)
    bar.advance(50)
    printed = capsys.readouterr().err
    assert "50/200 model calls" in printed
    assert printed.count("█") == 6
    bar.close()
    assert capsys.readouterr().err == "\r\033[K"


def test_quiet_where_nobody_looks_or_wants_it(capsys, monkeypatch):
    Progress(10, "calls").advance(5)  # no terminal
    Progress(10, "calls", False).advance(5)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("LCSHAP_PROGRESS", "0")
    Progress(10, "calls").advance(5)
    assert capsys.readouterr().err == ""
    monkeypatch.delenv("LCSHAP_PROGRESS")
    Progress(10, "calls").advance(5)
    assert "5/10 calls" in capsys.readouterr().err


def test_nothing_to_wipe(capsys):
    Progress(10, "calls", True).close()
    assert capsys.readouterr().err == ""
