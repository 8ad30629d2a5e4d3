"""Write the table of docs/reliability.md from docs/reliability.json, which ``python -m tests.fuzz`` keeps.

python docs/make_reliability.py
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parent
START, END = "<!-- made by docs/make_reliability.py -->", "<!-- end -->"


def table(found: dict[str, dict[str, Any]]) -> str:
    """One row for each harness: its numbers, and how many failures there were."""
    rows = ["| harness | what was counted | failures | seconds |", "|---|---|---|---|"]
    for name, numbers in found.items():
        shown = [f"{key} {_short(value)}" for key, value in numbers.items() if key not in ("failures", "seconds")]
        count = len(numbers.get("failures", []))
        rows.append(f"| `{name}` | {', '.join(shown)} | {count} | {numbers['seconds']:,} |")
    failed = [
        f"- `{name}`: {_one(failure)}" for name, numbers in found.items() for failure in numbers.get("failures", [])
    ]
    return "\n".join([*rows, "", "These cases failed:" if failed else "No case failed.", "", *failed])


def _one(failure: Any) -> str:
    """A failure in one line; of a list, the parts that are short enough to read."""
    parts = [str(part) for part in failure] if isinstance(failure, list | tuple) else [str(failure)]
    return ", ".join(part for part in parts if len(part) < 200)


def _short(value: Any) -> str:
    if isinstance(value, dict):
        return "(" + ", ".join(f"{key} {_short(part)}" for key, part in value.items()) + ")"
    return f"{value:,}" if isinstance(value, int | float) else str(value)


def page(text: str) -> str:
    """The document with its table made anew."""
    before, rest = text.split(START)
    after = rest.split(END)[1]
    made = table(json.loads((DOCS / "reliability.json").read_text()))
    return f"{before}{START}\n\n{made}\n\n{END}{after}"


if __name__ == "__main__":
    document = DOCS / "reliability.md"
    document.write_text(page(document.read_text()))
