"""Results, one line of JSON each, appended as they come: a run that was stopped goes on where it ended."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

KEY = ("game", "digest", "contestant", "version", "budget", "seed")


class Results:
    """A folder of `.jsonl` files: one for the peers, one for each state of our code. Lines cut off are dropped."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.records: dict[tuple[Any, ...], dict[str, Any]] = {}
        for path in sorted(folder.glob("*.jsonl")):
            for line in path.read_text().splitlines():
                try:
                    record = json.loads(line)
                    self.records[tuple(record[name] for name in KEY)] = record
                except (ValueError, KeyError):
                    continue

    def __contains__(self, key: tuple[Any, ...]) -> bool:
        return key in self.records

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self.records.values())

    def add(self, record: dict[str, Any], file: str) -> None:
        """Keep one result. A line begins with a line break, so that it stands alone even after one cut off."""
        self.records[tuple(record[name] for name in KEY)] = record
        self.folder.mkdir(parents=True, exist_ok=True)
        with (self.folder / f"{file}.jsonl").open("a") as out:
            out.write("\n" + json.dumps(record))
