"""The folder of a run: a manifest, the finished parts, and for each part a file with times and notes.

::

    DIR/manifest.json                the data, the model and the settings of the run
    DIR/parts/part-000000.parquet    the explanations of the first shard, which are the same in every run
    DIR/times/part-000000.parquet    the seconds and model rows of these explanations, and the digest of the part
    DIR/complete.json                the number of rows; written when all of them are finished

Each of these files has a digest of itself, and the notes have the digest of their part. Whatever is read is compared
with its digest before it is used. Links in the folder are refused, because writing would overwrite their targets.
"""

from __future__ import annotations

import json
import os
import re
import stat
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from ..core.atomic_files import write_file
from ..core.explanations.part_rows import SEAL_KEY
from ..core.file_seal import check_seal
from ..errors import BulkError, FileFormatError
from ..extras import import_optional
from . import manifest as manifests
from .lock import is_locked, locked
from .part_files import encode_sealed, part_digest, read_rows, verify_part
from .sealed_json import encode_sealed_json, read_sealed_json
from .shards import Shard
from .worker import FinishedShard

_FILE_NAMES = ("manifest.json", "complete.json", ".lock")
_PART_NAME = re.compile(r"part-(\d{6,})\.parquet")


@dataclass(frozen=True)
class PartNotes:
    """The notes about a finished part, which can be read without reading the part."""

    number: int
    rows: int
    failed: int
    error: str | None
    seconds: float
    calls: int
    inputs: str
    digest: str | None = None  # None if an older version wrote the part without a digest.
    processor: float | None = None  # None if an older version wrote the part and did not record it.


class RunFolder:
    """The folder of a run. Each file in it is written completely or not at all."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self.parts, self.times = self.path / "parts", self.path / "times"
        for path in (self.parts, self.times, *(self.path / name for name in _FILE_NAMES)):
            refuse_link(path)

    # -- reading --------------------------------------------------------------------------------------------------

    @cached_property
    def manifest(self) -> dict[str, Any]:
        """The manifest of the run."""
        return manifests.read_manifest(self.path / "manifest.json")

    @property
    def has_manifest(self) -> bool:
        """Whether there is a manifest."""
        return (self.path / "manifest.json").exists()

    @property
    def running(self) -> bool:
        """Whether a process is working on the run."""
        return is_locked(self.path / ".lock")

    @property
    def total(self) -> int | None:
        """The number of rows of the data set; None if it is not known before the end of the run."""
        complete = self.path / "complete.json"
        if complete.exists():
            return self._read_complete(complete)
        return self.manifest["data"].get("rows")  # type: ignore[no-any-return]

    def _read_complete(self, path: Path) -> int:
        try:
            return int(read_sealed_json(path)["rows"])
        except (FileFormatError, KeyError, TypeError, ValueError) as error:
            raise BulkError(
                f"Expected the number of rows in {str(path)!r}, which is damaged: {error} Delete it, and run the same "
                "again."
            ) from error

    @property
    def complete(self) -> bool:
        """Whether all rows are finished."""
        return (self.path / "complete.json").exists()

    def finished(self) -> list[int]:
        """The numbers of the finished shards, in their order."""
        names = os.listdir(self.parts) if self.parts.is_dir() else []
        return sorted(int(match[1]) for name in names if (match := _PART_NAME.fullmatch(name)))

    def part_path(self, number: int) -> Path:
        """The path of the part of a shard."""
        return self.parts / f"part-{number:06}.parquet"

    def part_notes(self, number: int) -> PartNotes:
        """The notes about a finished part.

        Raises
        ------
        BulkError : if the notes are missing or damaged.
        """
        pq, pa = import_optional("pyarrow.parquet", "bulk"), import_optional("pyarrow", "bulk")
        path = self.times / self.part_path(number).name
        refuse_link(path)
        try:
            content = path.read_bytes()
            is_sealed = check_seal(content, str(path))
            metadata = pq.read_schema(pa.BufferReader(content)).metadata
            if SEAL_KEY.encode() in metadata and not is_sealed:
                raise ValueError("no digest")
            return PartNotes(number=number, **json.loads(metadata[b"notes"]))
        except (OSError, pa.ArrowException, KeyError, TypeError, ValueError) as error:
            raise BulkError(
                f"Expected what was noted about {self.part_path(number).name} in {str(path)!r}, got {error}. Move that "
                "part away to compute it again. Nothing was changed."
            ) from error

    def check(self, number: int) -> PartNotes:
        """Compare a finished part with the digest in its notes, and raise `BulkError` if it has changed."""
        notes, path = self.part_notes(number), self.part_path(number)
        refuse_link(path)
        if notes.digest is None:
            self._warn_unverified()
        else:
            with raise_disk_errors(self.path), path.open("rb") as stream:
                verify_part(stream, str(path), notes.digest)
        return notes

    def rows(self, number: int, columns: Sequence[str] | None = None) -> Iterator[dict[str, Any]]:
        """The rows of a part, which is compared with its digest before; see `read_rows`."""
        notes = self.part_notes(number)
        refuse_link(self.part_path(number))
        if notes.digest is None:
            self._warn_unverified()
        return read_rows(str(self.part_path(number)), columns, notes.digest)

    def _warn_unverified(self) -> None:
        warnings.warn(
            f"Parts of {str(self.path)!r} were written by an earlier version without digests. They were not verified.",
            UserWarning,
            stacklevel=4,
        )

    # -- writing --------------------------------------------------------------------------------------------------

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Create the folder if it does not exist, and lock it against other processes.

        Raises
        ------
        BulkError : if the folder cannot be written, another process holds the lock, or the folder has other content.
        """
        with raise_disk_errors(self.path):
            self.path.mkdir(parents=True, exist_ok=True)
            others = [name for name in os.listdir(self.path) if name != ".lock"]
            if others and not self.has_manifest:
                raise BulkError(
                    f"Expected a new or an empty folder, or that of an earlier run, got {str(self.path)!r}, which "
                    f"holds {sorted(others)[0]!r}. Choose another one. Nothing was changed."
                )
            with locked(self.path / ".lock"):
                yield

    def begin(self, manifest: dict[str, Any]) -> None:
        """Write the manifest, or compare it with the manifest that the folder has already."""
        if self.has_manifest:
            manifests.check_same_run(self.manifest, manifest, self.path)
        with raise_disk_errors(self.path):
            for folder in (self.parts, self.times):
                folder.mkdir(exist_ok=True)
            if not self.has_manifest:
                manifests.write_manifest(manifest, self.path / "manifest.json")

    def write(self, shard: Shard, done: FinishedShard, digest: str) -> None:
        """Write a part. Its notes are written first, so that there is no part without notes."""
        notes = {
            "rows": len(shard.rows),
            "failed": done.failed,
            "error": done.error,
            "seconds": round(done.seconds, 6),
            "processor": round(done.processor, 6),
            "calls": sum(filter(None, done.calls)),
            "digest": part_digest(done.part_bytes),
            "inputs": digest,
        }
        with raise_disk_errors(self.path):
            self.part_path(shard.number).unlink(missing_ok=True)  # This part has errors and is computed again.
            times_path = self.times / self.part_path(shard.number).name
            refuse_link(times_path)
            write_file(times_path, _encode_times(shard, done, notes))
            write_file(self.part_path(shard.number), done.part_bytes)

    def reopen(self) -> None:
        """Record that not all rows are finished any more."""
        with raise_disk_errors(self.path):
            (self.path / "complete.json").unlink(missing_ok=True)

    def end(self, rows: int) -> None:
        """Record that all rows are finished."""
        if not self.complete:
            with raise_disk_errors(self.path):
                write_file(self.path / "complete.json", encode_sealed_json({"rows": rows}))


def _encode_times(shard: Shard, done: FinishedShard, notes: dict[str, Any]) -> bytes:
    """A table with one row per row of the part. Rows share batches, so their seconds are estimated from their calls."""
    pa = import_optional("pyarrow", "bulk")
    total_calls = sum(filter(None, done.calls)) or 1
    columns = {
        "row": pa.array(range(shard.start, shard.start + len(shard.rows)), pa.int64()),
        "id": pa.array([row.id for row in shard.rows], pa.string()),
        "seconds": pa.array([done.seconds * (calls or 0) / total_calls for calls in done.calls], pa.float64()),
        "sent": pa.array(done.sent_rows, pa.int64()),
    }
    return encode_sealed(pa.table(columns), {"notes": json.dumps(notes)})


def refuse_link(path: Path) -> None:
    """Raise `BulkError` if a path of the folder is a link or anything else that is no regular file or folder."""
    try:
        mode = os.lstat(path).st_mode
    except FileNotFoundError:
        return
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        kind = "a symbolic link" if stat.S_ISLNK(mode) else "a special file"
        raise BulkError(
            f"Expected a regular file or folder, got {str(path)!r}, which is {kind}. Remove it: lcshap writes to no "
            "other place than the folder of the run. Nothing was changed."
        )


@contextmanager
def raise_disk_errors(path: Path) -> Iterator[None]:
    """Raise errors of the disk as a `BulkError` that says what to do."""
    try:
        yield
    except OSError as error:
        if error.errno is None:
            raise
        raise BulkError(
            f"Expected a folder that can be written, got {str(path)!r}: {os.strerror(error.errno)}. Finished parts are "
            "whole. Free some space or choose another folder, and run the same command again to resume."
        ) from error
