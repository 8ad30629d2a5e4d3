"""The guides for extending lcshap: each has one complete example, and it runs."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
GUIDES = sorted((ROOT / "docs/extending").glob("*.md"))


def test_there_are_four():
    assert [guide.stem for guide in GUIDES] == ["adapter", "masker", "method", "value_and_plot"]


@pytest.mark.parametrize("guide", GUIDES, ids=lambda guide: guide.stem)
def test_the_example_checks_itself(guide):
    """One complete example, which test_pages.py runs."""
    (example,) = re.findall(r"```python\n(.*?)```", guide.read_text(encoding="utf-8"), re.DOTALL)
    assert example.count("\nassert ") >= 2


@pytest.mark.parametrize("guide", GUIDES, ids=lambda guide: guide.stem)
def test_what_it_names_is_there(guide):
    """Files, and names in them, of the part about lcshap itself."""
    text = guide.read_text(encoding="utf-8")
    assert "## In lcshap itself" in text
    places = re.findall(r"`((?:src|docs|tests|estimators|maskers|adapters|asking|show)/[\w/.]+)`", text)
    assert places
    for place in places:
        assert any((folder / place).exists() for folder in (ROOT, ROOT / "src/lcshap")), place
    assert f"docs/extending/{guide.name}" in (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
