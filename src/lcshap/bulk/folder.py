"""The folder of a run: a manifest, the finished parts, and beside each part what it took.

::

    DIR/manifest.json                what the run is
    DIR/parts/part-000000.parquet    the explanations of the first shard: the same in every run
    DIR/times/part-000000.parquet    the seconds and rows that they took, and the digest of the part
    DIR/complete.json                how many rows there are, once all of them are done
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from typing import Any

from ..core.files import write_file
from ..errors import BulkError
from ..extras import need
from . import manifest as manifests
from .lock import is_locked, locked
from .parts import table_bytes
from .shards import Shard
from .work import Done

_NAME = re.compile(r"part-(\d{6,})\.parquet")


@dataclass(frozen=True)
class Times:
    """What is known about a finished part without reading it."""

    number: int
    rows: int
    failed: int
    error: str | None
    seconds: float
    calls: int
    digest: str
    inputs: str
    processor: float | None = None  # None: the part is of an older version, which did not note it


class Folder:
    """The folder of a run. Everything in it is written whole or not at all."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self.parts, self.times = self.path / "parts", self.path / "times"

    # -- reading --------------------------------------------------------------------------------------------------

    @cached_property
    def manifest(self) -> dict[str, Any]:
        """What the run is."""
        return manifests.read(self.path / "manifest.json")

    @property
    def begun(self) -> bool:
        """Whether there is a manifest."""
        return (self.path / "manifest.json").exists()

    @property
    def running(self) -> bool:
        """Whether a process is at work here."""
        return is_locked(self.path / ".lock")

    @property
    def total(self) -> int | None:
        """How many rows the data set has; None where only the end of the run tells."""
        complete = self.path / "complete.json"
        if complete.exists():
            return int(json.loads(complete.read_text())["rows"])
        return self.manifest["data"].get("rows")  # type: ignore[no-any-return]

    @property
    def complete(self) -> bool:
        """Whether all rows are done."""
        return (self.path / "complete.json").exists()

    def finished(self) -> list[int]:
        """The numbers of the finished shards, in their order."""
        names = os.listdir(self.parts) if self.parts.is_dir() else []
        return sorted(int(found[1]) for name in names if (found := _NAME.fullmatch(name)))

    def part(self, number: int) -> Path:
        """The part of a shard."""
        return self.parts / f"part-{number:06}.parquet"

    def noted(self, number: int) -> Times:
        """What is known about a finished part.

        Raises
        ------
        BulkError : if its notes are missing or damaged.
        """
        pq, pa = need("pyarrow.parquet", "bulk"), need("pyarrow", "bulk")
        path = self.times / self.part(number).name
        try:
            found = pq.read_schema(path).metadata
            return Times(number=number, **json.loads(found[b"notes"]))
        except (OSError, pa.ArrowException, KeyError, TypeError, ValueError) as error:
            raise BulkError(
                f"Expected what was noted about {self.part(number).name} in {str(path)!r}, got {error}. Move that part "
                "away to compute it again. Nothing was changed."
            ) from error

    def check(self, number: int) -> Times:
        """Read a finished part, and raise `BulkError` if it is not as it was written."""
        noted = self.noted(number)
        if _digest(self.part(number).read_bytes()) != noted.digest:
            raise BulkError(
                f"Expected a part as it was written, got {str(self.part(number))!r}, which is truncated or has "
                "changed. Move it away to compute it again. Nothing was changed."
            )
        return noted

    # -- writing --------------------------------------------------------------------------------------------------

    @contextmanager
    def at_work(self) -> Iterator[None]:
        """Make the folder if it is not there, and keep other processes out.

        Raises
        ------
        BulkError : if it cannot be written to, another process is at work, or it holds something else.
        """
        with translated(self.path):
            self.path.mkdir(parents=True, exist_ok=True)
            others = [name for name in os.listdir(self.path) if name != ".lock"]
            if others and not self.begun:
                raise BulkError(
                    f"Expected a new or an empty folder, or that of an earlier run, got {str(self.path)!r}, which "
                    f"holds {sorted(others)[0]!r}. Choose another one. Nothing was changed."
                )
            with locked(self.path / ".lock"):
                yield

    def begin(self, wanted: dict[str, Any]) -> None:
        """Write the manifest down, or compare it with the one that is there."""
        if self.begun:
            manifests.check_same(self.manifest, wanted, self.path)
        with translated(self.path):
            for folder in (self.parts, self.times):
                folder.mkdir(exist_ok=True)
            if not self.begun:
                manifests.write(wanted, self.path / "manifest.json")

    def write(self, shard: Shard, done: Done, digest: str) -> None:
        """Keep a part: what it took first, so that a part is never without it."""
        notes = {
            "rows": len(shard.rows),
            "failed": done.failed,
            "error": done.error,
            "seconds": round(done.seconds, 6),
            "processor": round(done.processor, 6),
            "calls": sum(filter(None, done.calls)),
            "digest": _digest(done.part),
            "inputs": digest,
        }
        with translated(self.path):
            self.part(shard.number).unlink(missing_ok=True)  # one with errors that is made again
            write_file(self.times / self.part(shard.number).name, _times(shard, done, notes))
            write_file(self.part(shard.number), done.part)

    def reopen(self) -> None:
        """Note that not all rows are done any more."""
        with translated(self.path):
            (self.path / "complete.json").unlink(missing_ok=True)

    def end(self, rows: int) -> None:
        """Note that all rows are done."""
        if not self.complete:
            with translated(self.path):
                write_file(self.path / "complete.json", json.dumps({"rows": rows}) + "\n")


def _times(shard: Shard, done: Done, notes: dict[str, Any]) -> bytes:
    """A row for each row of the part. Rows share batches, so that each has its share of the seconds, by its calls."""
    pa = need("pyarrow", "bulk")
    total = sum(filter(None, done.calls)) or 1
    columns = {
        "row": pa.array(range(shard.start, shard.start + len(shard.rows)), pa.int64()),
        "id": pa.array([row.id for row in shard.rows], pa.string()),
        "seconds": pa.array([done.seconds * (calls or 0) / total for calls in done.calls], pa.float64()),
        "sent": pa.array(done.sent, pa.int64()),
    }
    return table_bytes(pa.table(columns), {"notes": json.dumps(notes)})


def _digest(data: bytes) -> str:
    return blake2b(data, digest_size=16).hexdigest()


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """Errors of the disk, as one that says what to do."""
    try:
        yield
    except OSError as error:
        if error.errno is None:
            raise
        raise BulkError(
            f"Expected a folder that can be written, got {str(path)!r}: {os.strerror(error.errno)}. Finished parts are "
            "whole. Make room or choose another folder, and run the same again to resume."
        ) from error
