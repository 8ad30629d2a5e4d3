"""The page about reliability shows what the harnesses found, failures included."""

import json
import runpy
from pathlib import Path

import pytest
from fuzz.__main__ import COUNTS

ROOT = Path(__file__).parents[2]
FOUND = json.loads((ROOT / "docs/reliability.json").read_text())
COUNTED = {
    "files": "files",
    "payloads": "payloads",
    "plans": "cases",
    "interrupts": "interrupted",
    "kills": "kills",
    "bits": "flips",
    "runs": "kills",
    "edits": "edits",
}


def test_the_page_is_made_from_the_record():
    made = runpy.run_path(str(ROOT / "docs/make_reliability.py"), run_name="made")
    text = (ROOT / "docs/reliability.md").read_text()
    assert made["page"](text) == text, "run python docs/make_reliability.py"


@pytest.mark.parametrize("name", COUNTS)
def test_everything_was_tried_often_enough(name):
    assert FOUND[name].get(COUNTED.get(name), COUNTS[name]) >= COUNTS[name]


def test_no_wrong_score_nothing_lost_nothing_leaked():
    for name in ("faults", "interrupts", "kills", "payloads", "pickling", "remote", "threads", "bits", "runs", "edits"):
        assert FOUND[name]["failures"] == [], name
    assert FOUND["files"]["foreign"] == 0
