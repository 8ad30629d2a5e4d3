"""`run.json`: how an experiment was started and how long it has taken."""

from __future__ import annotations

import json
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ...core.explanation import versions
from ...core.files import write_file
from ...errors import OptionError


class Record:
    """How a run was started, and how long it has taken so far, all starts together.

    Parameters
    ----------
    path : of `run.json`. If it is there, its settings must be the same: then the run is gone on with.
    command : what starts the run.
    settings : what its results depend on.
    """

    def __init__(self, path: Path, command: str, settings: dict[str, Any]) -> None:
        self.path, self.settings = path, settings
        before = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
        for key, value in json.loads(json.dumps(settings)).items():
            if before and before.get(key) != value:
                raise OptionError(
                    f"Expected a run with {key} {before.get(key)!r}, as in {path.parent}, got {value!r}. "
                    "Choose another folder with --out."
                )
        self.seconds: float = before.get("seconds", 0.0)
        self.content = {
            "command": command,
            **settings,
            "versions": versions(),
            "started": before.get("started") or datetime.now(UTC).isoformat(timespec="seconds"),
        }
        self.begin = time.monotonic()

    @property
    def folder(self) -> Path:
        """Where the file is, and all others."""
        return self.path.parent

    def write(self, finished: bool, **more: Any) -> None:
        """Write the file as it stands."""
        spent = self.seconds + time.monotonic() - self.begin
        content = {**self.content, **more, "seconds": round(spent, 1), "finished": finished}
        write_file(self.path, json.dumps(content, indent=1, ensure_ascii=False) + "\n")
