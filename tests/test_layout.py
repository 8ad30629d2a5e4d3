"""Tests mirror the source file by file, so that one finds what holds of a file."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
ROOMS = sorted(path.name for path in (ROOT / "src/lcshap").iterdir() if (path / "__init__.py").is_file())


@pytest.mark.parametrize("room", ROOMS)
def test_every_file_has_a_file_of_tests(room):
    files = [path for path in (ROOT / "src/lcshap" / room).rglob("*.py") if path.stem != "__init__"]
    assert files
    for path in files:
        mirror = ROOT / "tests" / path.relative_to(ROOT / "src/lcshap").with_name(f"test_{path.stem}.py")
        assert mirror.is_file(), f"write {mirror.relative_to(ROOT)}"
        source = mirror.read_text(encoding="utf-8")
        assert re.search(r"def test_", source), f"{mirror.name} tests nothing"
        assert re.search(r"\bassert|raises\(|check_\w+\(|fails\(", source), f"{mirror.name} asserts nothing"


def test_the_command_does_not_depend_on_the_class_of_a_method():
    """Costs and texts come from the methods: a new one needs no change in `cli/`."""
    for path in (ROOT / "src/lcshap/cli").glob("*.py"):
        for line in path.read_text(encoding="utf-8").splitlines():
            assert not re.search(r"is(instance|subclass)\(.*(Method|Path|Shapley|SHAP|LIME)\b", line), line
