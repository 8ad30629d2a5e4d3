"""The file `run.json`: how an experiment was started, and how long it has taken."""

from __future__ import annotations

import json
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ...core.atomic_files import write_file
from ...core.explanation import package_versions
from ...errors import OptionError


class RunRecord:
    """How a run was started, and how long it has taken so far, over all starts.

    Parameters
    ----------
    path : the path of `run.json`. If it exists, its settings must be the same; the run is then continued.
    command : what starts the run.
    settings : the settings that its results depend on.
    """

    def __init__(self, path: Path, command: str, settings: dict[str, Any]) -> None:
        self.path, self.settings = path, settings
        previous = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
        for key, setting in json.loads(json.dumps(settings)).items():
            if previous and previous.get(key) != setting:
                raise OptionError(
                    f"Expected a run with {key} {previous.get(key)!r}, as in {path.parent}, got {setting!r}. "
                    "Choose another folder with --out."
                )
        self.seconds: float = previous.get("seconds", 0.0)
        self.content = {
            "command": command,
            **settings,
            "versions": package_versions(),
            "started": previous.get("started") or datetime.now(UTC).isoformat(timespec="seconds"),
        }
        self.begin = time.monotonic()

    @property
    def folder(self) -> Path:
        """The folder of this file and of all others."""
        return self.path.parent

    def write(self, finished: bool, **more: Any) -> None:
        """Write the file with the time so far."""
        seconds = self.seconds + time.monotonic() - self.begin
        content = {**self.content, **more, "seconds": round(seconds, 1), "finished": finished}
        write_file(self.path, json.dumps(content, indent=1, ensure_ascii=False) + "\n")
