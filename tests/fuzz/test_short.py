"""Every harness, briefly: nothing may fail. The long runs are made by hand, see docs/reliability.md."""

from importlib import import_module

import pytest

ADAPTERS = ("callable", "remote", "sklearn", "onnx")
SHORT = {
    "bits": {"count": 60},
    "connections": {"count": 200, "questions": 5},
    "edits": {"count": 2},
    "faults": {"count": 1, "most": 6},
    "interrupts": {"count": 10},
    "kills": {"count": 12},
    "payloads": {"count": 3, "quick": True},
    "pickling": {"count": 1, "names": ADAPTERS, "spawn": False},
    "plans": {"count": 6},
    "remote": {"count": 8},
    "runs": {"count": 2},
    "threads": {"count": 2, "names": ADAPTERS},
}


@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded, use of fork:DeprecationWarning")
@pytest.mark.parametrize("name", SHORT)
def test_nothing_fails(name):
    found = import_module(f"fuzz.{name}").run(**SHORT[name])
    assert found["failures"] == []
    assert max(number for number in found.values() if isinstance(number, int)) > 0
