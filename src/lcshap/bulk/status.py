"""How far a run is."""

from __future__ import annotations

import os
from dataclasses import dataclass

from .folder import Folder
from .line import spell


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
    processor : the seconds of the processor that the workers took; None where a part was written without them.

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
        of = "" if self.total is None else f" of {self.total:,}"
        state = "complete" if self.complete else "running" if self.running else "interrupted: run it again to resume"
        lines = [f"{self.rows:,}{of} inputs in {self.shards:,} parts, {self.bytes / 1e6:,.1f} MB ({state})"]
        pace = f", {1000 * self.seconds / self.rows:,.0f} ms an input" if self.rows else ""
        busy = "" if self.processor is None else f" ({spell(self.processor)} of the processor)"
        lines.append(f"{self.calls:,} model calls in {spell(self.seconds)} of the workers{pace}{busy}")
        lines.append(
            f"{self.failed:,} input{'s' * (self.failed != 1)} with an error"
            + (f", the first: {self.error}" if self.error else "")
        )
        return "\n".join(lines)


def status(out: str | os.PathLike[str]) -> Status:
    """How far the run in a folder is. The parts themselves are not read.

    Parameters
    ----------
    out : the folder that was given to `explain_dataset`.

    Returns
    -------
    A `Status`; print it for a text.

    Raises
    ------
    BulkError : if it is no such folder, or the notes about a part are damaged.

    Examples
    --------
    ``print(lcshap.bulk.status("out"))``.
    """
    folder = Folder(out)
    noted = [folder.noted(number) for number in folder.finished()] if folder.manifest else []
    busy = [times.processor for times in noted]
    return Status(
        rows=sum(times.rows for times in noted),
        total=folder.total,
        failed=sum(times.failed for times in noted),
        error=next((times.error for times in noted if times.error), None),
        shards=len(noted),
        calls=sum(times.calls for times in noted),
        seconds=sum(times.seconds for times in noted),
        bytes=sum(folder.part(times.number).stat().st_size for times in noted),
        running=folder.running,
        complete=folder.complete,
        processor=None if any(t is None for t in busy) else sum(filter(None, busy)),
    )
