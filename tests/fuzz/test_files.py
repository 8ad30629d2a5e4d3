"""Some mutated files and hostile strings in every run of the tests; thousands by hand."""

import pytest

import lcshap as lc
from fuzz import files, payloads


def test_mutants_are_refused_or_whole():
    found = files.run(120, seed=7)
    assert found["failures"] == []
    assert found["loaded"] + found["refused"] == 120
    assert min(found["loaded"], found["refused"]) > 0


def test_failures_are_counted(monkeypatch):
    monkeypatch.setattr(
        files, "samples", lambda: {"one": lc.Shapley().explain(lc.Game(lambda k: k[:, 0], 1), lc.Graph.chain(1))}
    )
    monkeypatch.setattr(files, "use", lambda e, folder, draw: None)
    monkeypatch.setattr(lc, "load", lambda path: {}["foreign"])
    assert files.run(3)["foreign"] == 3


def test_strings_do_nothing():
    assert len(set(payloads.PAYLOADS)) >= 60
    found = payloads.run(16, seed=3, quick=True)
    assert found["failures"] == []
    assert found["checks"] >= 16 * 20


@pytest.mark.parametrize("text", ["\x1b[2J", "\u202e", "\ud800", "\x9b", "\x00"])
def test_what_passes_is_found(text):
    with pytest.raises(AssertionError, match="passes"):
        payloads.check_quiet(f"a{text}")
    with pytest.raises(AssertionError):
        payloads.check_notebook("<p onclick=x>")
