"""The status of a run."""

from __future__ import annotations

import os
from dataclasses import dataclass

from .folder import RunFolder
from .progress_line import format_duration


@dataclass(frozen=True)
class Status:
    """The state of a run over a data set.

    Attributes
    ----------
    rows, total : the number of finished rows, and of all rows; None if it is not known before the end of the run.
    failed, error : the number of finished rows that have an error, and the first of these errors.
    shards : the number of finished shards.
    calls : the number of model calls.
    seconds : the seconds that the workers took by the clock, summed over all workers.
    bytes : the size of the parts.
    running : whether a process works on the run.
    complete : whether all rows are finished.
    processor : the seconds of the processor that the workers took; None if a part was written without them.

    Examples
    --------
    >>> Status(8, 8, 0, None, 1, 320, 1.6, 9000, running=False, complete=True).complete
    True
    """

    rows: int
    total: int | None
    failed: int
    error: str | None
    shards: int
    calls: int
    seconds: float
    bytes: int
    running: bool
    complete: bool
    processor: float | None = None

    def __str__(self) -> str:
        of_total = "" if self.total is None else f" of {self.total:,}"
        state = "complete" if self.complete else "running" if self.running else "interrupted: run it again to resume"
        lines = [f"{self.rows:,}{of_total} inputs in {self.shards:,} parts, {self.bytes / 1e6:,.1f} MB ({state})"]
        pace = f", {1000 * self.seconds / self.rows:,.0f} ms an input" if self.rows else ""
        processor_time = "" if self.processor is None else f" ({format_duration(self.processor)} of the processor)"
        lines.append(
            f"{self.calls:,} model calls in {format_duration(self.seconds)} of the workers{pace}{processor_time}"
        )
        lines.append(
            f"{self.failed:,} input{'s' * (self.failed != 1)} with an error"
            + (f", the first: {self.error}" if self.error else "")
        )
        return "\n".join(lines)


def status(out: str | os.PathLike[str], verify: bool = True) -> Status:
    """The status of the run in a folder.

    Parameters
    ----------
    out : the folder that was given to `explain_dataset`.
    verify : whether all parts are read and compared with their digests, about a gigabyte a second. Without it, the
        status is that of the notes about the parts.

    Returns
    -------
    A `Status`; print it for a text.

    Raises
    ------
    BulkError : if `out` is not the folder of a run, or a part or the notes about it are damaged.

    Examples
    --------
    ``print(lcshap.bulk.status("out"))``.
    """
    folder = RunFolder(out)
    read = folder.check if verify else folder.part_notes
    notes = [read(number) for number in folder.finished()] if folder.manifest else []
    processor_seconds = [part_notes.processor for part_notes in notes]
    return Status(
        rows=sum(part_notes.rows for part_notes in notes),
        total=folder.total,
        failed=sum(part_notes.failed for part_notes in notes),
        error=next((part_notes.error for part_notes in notes if part_notes.error), None),
        shards=len(notes),
        calls=sum(part_notes.calls for part_notes in notes),
        seconds=sum(part_notes.seconds for part_notes in notes),
        bytes=sum(folder.part_path(part_notes.number).stat().st_size for part_notes in notes),
        running=folder.running,
        complete=folder.complete,
        processor=None
        if any(seconds is None for seconds in processor_seconds)
        else sum(filter(None, processor_seconds)),
    )
