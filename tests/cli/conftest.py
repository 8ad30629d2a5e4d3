"""A place to run commands in."""

import sys

import pytest


@pytest.fixture
def workdir(tmp_path, monkeypatch):
    """An empty current directory, from which modules can be imported once."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", ["", *sys.path])
    imported = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - imported:
        if str(getattr(sys.modules[name], "__file__", "")).startswith(str(tmp_path)):
            del sys.modules[name]
