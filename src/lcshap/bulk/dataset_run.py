"""Explain a whole data set in a run that can be killed at any time and resumed."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Protocol, Self

from ..core.default_limits import SHARD_ROWS
from ..errors import BulkError, OptionError
from ..extras import import_optional
from . import manifest
from .columns import Columns
from .folder import PartNotes, RunFolder
from .image_options import DEFAULT_IMAGE_OPTIONS, ImageOptions
from .local_engine import LocalEngine
from .progress_line import ProgressLine
from .read_limits import DEFAULT_READ_LIMITS, ReadLimits
from .shard_tasks import LostShard, ShardTask
from .shards import Shard, cut_all_shards, cut_shards
from .sources import InputSource, open_source
from .status import Status, status
from .survivors import explain_survivors
from .worker import Factory, FinishedShard, WorkerOptions

_MAX_LOST_SHARDS = 3  # If so many shards are lost before one is finished, their rows are tried first.
_LABEL_SAMPLE_ROWS = 1000  # compared with the classes of the model


class ShardEngine(Protocol):
    """Runs the workers. The choice of the engine has no influence on the results."""

    def describe(self) -> dict[str, Any]:
        """The description of the explainer by a worker."""

    def run(self, tasks: Iterator[ShardTask]) -> Iterator[FinishedShard | LostShard]:
        """Explain shards, in any order. A shard is taken from `tasks` only when a worker is free for it."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *exception: object) -> None: ...


def make_engine(name: str, worker_options: WorkerOptions, **options: Any) -> ShardEngine:
    """Make the engine that is called `name`, "local" or "ray", with its options."""
    options = {key: option for key, option in options.items() if option is not None}
    if name == "local":
        if ray_options := sorted(set(options) - {"workers", "shard_timeout"}):
            raise OptionError(f"Expected engine='ray' for {', '.join(ray_options)}=, got 'local'.")
        return LocalEngine(worker_options, **options)
    if name == "ray":
        from .ray_engine import RayEngine

        return RayEngine(worker_options, **options)
    raise OptionError(f"Expected an engine, 'local' or 'ray', got {name!r}.")


def explain_dataset(
    source: Any,
    factory: Factory,
    out: str | os.PathLike[str],
    engine: str = "local",
    *,
    column: str | Sequence[str] | None = None,
    id: str | None = None,
    label: str | None = None,
    label_names: Mapping[str, str] | None = None,
    images: ImageOptions = DEFAULT_IMAGE_OPTIONS,
    limits: ReadLimits = DEFAULT_READ_LIMITS,
    shard_rows: int = SHARD_ROWS,
    batch_size: int | None = None,
    threads: int = 1,
    workers: int | tuple[int, int] | None = None,
    address: str | None = None,
    num_cpus: float | None = None,
    num_gpus: float | None = None,
    shard_timeout: float | None = None,
    retry_failed: bool = False,
    progress: bool | None = None,
) -> Status:
    """Explain all inputs of a data set. If it was killed, run it again to resume.

    The input is cut into shards of `shard_rows` rows, and each becomes one Parquet file in ``out/parts``. The results
    do not depend on the engine, on the number of workers or on interruptions: parts are equal byte for byte, on one
    kind of machine. If an input fails, its error is stored and the run continues.

    Parameters
    ----------
    source : Parquet, Arrow, CSV or JSONL files, a folder of them or of images or texts, by a path or an address that
        pyarrow or fsspec can open; a table or dataset of pyarrow or pandas; or an iterable of inputs.
    factory : makes the `lcshap.Explainer` in each worker: a function at the top of a module, or its name as
        ``package.module:function``. There, a function or a remote model needs a name,
        see `lcshap.Execution`.
    out : the folder for the results. It is created if it does not exist.
    engine : "local" for processes of this machine, "ray" for a cluster. A run may be resumed with the other engine.
    column : of tables, the column that is explained; with a list of columns, each input is a dict. The default is all
        columns except `id` and `label`.
    id : of tables, the column that names the rows.
    label : of tables, the column with the true classes. They are kept beside the predictions, and ``lcshap report``
        compares them. The model does not see them. If the explainer explains a `lcshap.values.Loss`, they are its y.
    label_names : the class that each value of that column stands for, such as ``{"0": "negative", "1": "positive"}``,
        where the values are not the names of the classes.
    images : how image files become arrays.
    limits : how large lines, rows and files may be, see `ReadLimits`.
    shard_rows : the number of rows of a shard. If the run is killed, unfinished shards are computed again.
    batch_size : the number of rows of a model call, unless the explainer has a batch size. The default is 64, and up to
        512 if the inputs of a shard are short texts or rows of tables.
    threads : the number of threads of the model in each worker.
    workers : the number of workers; with Ray also a pair (minimum, maximum). The default is one for each core.
    address, num_cpus, num_gpus : for Ray, the address of the cluster ("auto" for the one of this machine), and the
        CPUs and GPUs that each worker needs.
    shard_timeout : the seconds that a worker has for a shard. A worker that takes longer is replaced, and the shard is
        tried again, three times in all. The default is ten times the slowest shard so far, and at least ten minutes;
        until a shard has been finished, there is none. A worker that was stopped for a minute is replaced, too.
    retry_failed : compute finished shards again if one of their rows has an error, such as after an outage of a
        service. Each part is replaced when the new one is finished.
    progress : show a line with the rate, the remaining time and the errors; by default on a terminal.

    Returns
    -------
    A `Status`: the number of finished rows, and how many of them have an error.

    Raises
    ------
    BulkError : if the folder belongs to another run or cannot be written, a part is damaged, the model fails for a
        whole shard, or the workers of a shard die whatever rows they explain. All finished parts are kept.
    DataError : for a source that cannot be read, or a file of it that was changed during the run.
    OptionError, StoreError : for an option or a store that cannot be used.

    Examples
    --------
    >>> import tempfile, lcshap as lc
    >>> factory = "lcshap.paper.networks.demo:review_explainer"
    >>> texts = ["It just sucks.", "A great film!", ""]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     done = lc.bulk.explain_dataset(texts, factory, f"{folder}/o", workers=1)
    ...     first = next(iter(lc.bulk.load(f"{folder}/o")))
    >>> done.rows, done.failed, first.names
    (3, 1, ('It', 'just', 'sucks'))
    """
    import_optional("pyarrow", "bulk")
    _check_counts(shard_rows=shard_rows, batch_size=1 if batch_size is None else batch_size, threads=threads)
    work = WorkerOptions(factory, batch_size, threads)
    options = {
        "workers": workers,
        "address": address,
        "num_cpus": num_cpus,
        "num_gpus": num_gpus,
        "shard_timeout": shard_timeout,
    }
    folder = RunFolder(out)
    with folder.locked():
        dataset = open_source(source, Columns(column, id, label, label_names), images, limits)
        with make_engine(engine, work, **options) as started_engine:
            explainer_description = started_engine.describe()
            _check_labels(dataset, explainer_description)
            folder.begin(manifest.make_manifest(dataset.description, explainer_description, shard_rows, threads))
            _DatasetRun(
                folder, dataset, started_engine, explainer_description, shard_rows, progress, retry_failed
            ).run()
    return status(out, verify=False)  # The parts of earlier runs were verified when this one began.


def _check_labels(source: InputSource, explainer_description: dict[str, Any]) -> None:
    """Refuse a loss without labels, and labels that are not classes of the model: all predictions would be wrong."""
    classes: list[str] | None = explainer_description["classes"]
    if "average" in explainer_description and not source.description.get("labels"):
        raise OptionError(
            f"Expected the column of the true classes or numbers as label= (--label) for the loss "
            f"{explainer_description['value']!r}, got none."
        )
    if classes is None or not source.description.get("labels"):
        return
    labels = {row.label for row in islice(source.rows(), _LABEL_SAMPLE_ROWS) if row.label is not None}
    if labels and not labels & set(classes):
        column, label = source.description["labels"][0], min(labels)
        raise OptionError(
            f"Expected classes of the model ({', '.join(classes[:5])}) in the column {column!r}, got {label!r}. Say "
            f"which class each value means: label_names={{{label!r}: {classes[0]!r}}}, or --label-names "
            f"{label}={classes[0]}, and so on."
        )


def _check_counts(**counts: Any) -> None:
    for name, count in counts.items():
        if not isinstance(count, int) or isinstance(count, bool) or count < 1:
            raise OptionError(f"Expected {name} as a whole number of at least 1, got {count!r}.")


def _raise_unfinished(shards: list[LostShard]) -> None:
    """Raise `BulkError` if shards could not be finished."""
    if shards:
        reasons = "; ".join(f"shard {number}: {reason}" for number, reason in shards[:3])
        raise BulkError(
            f"Expected every shard to be explained, got {len(shards)} whose workers were lost three times, whatever "
            f"rows they explained ({reasons}). Finished parts are kept. Give fewer workers or more memory, try the "
            "model by itself, and run the same again."
        )


class _DatasetRun:
    """Explains the unfinished shards of a run."""

    def __init__(
        self,
        folder: RunFolder,
        source: InputSource,
        engine: ShardEngine,
        explainer_description: dict[str, Any],
        shard_rows: int,
        progress: bool | None,
        retry_failed: bool,
    ) -> None:
        self.folder, self.source, self.engine = folder, source, engine
        self.explainer_description, self.shard_rows = explainer_description, shard_rows
        notes = [folder.check(number) for number in folder.finished()]
        kept = [part_notes for part_notes in notes if not (retry_failed and part_notes.failed)]
        if len(kept) < len(notes):
            folder.reopen()
        self.finished_parts: dict[int, PartNotes] = {part_notes.number: part_notes for part_notes in kept}
        done_rows, failed_rows = (
            sum(part_notes.rows for part_notes in kept),
            sum(part_notes.failed for part_notes in kept),
        )
        self.progress_line = ProgressLine(source.count, done_rows, failed_rows, progress)
        self.pending: dict[int, ShardTask] = {}
        self.lost: list[tuple[ShardTask, LostShard]] = []  # shards whose workers were lost, since the last pause
        self.kept_any = self.all_sent = False
        self.rows_read = 0  # including rows of finished shards

    def run(self) -> None:
        """Explain the unfinished shards, and write each part when it is finished."""
        tasks, unfinished = self._tasks(), list[LostShard]()
        try:
            while not self.all_sent:
                for outcome in self.engine.run(self._until_pause(tasks)):
                    task = self.pending.pop(outcome.number)
                    if isinstance(outcome, FinishedShard):
                        self._keep(task, outcome)
                    else:
                        self.lost.append((task, outcome))
                outcomes = [self._explain_survivors(task, lost) for task, lost in self.lost]
                unfinished += [outcome for outcome in outcomes if outcome is not None]
                self.lost.clear()
                if unfinished and not self.kept_any:
                    break
        finally:
            self.progress_line.close()
        _raise_unfinished(unfinished)
        if not self.folder.complete:
            self.source.verify()
        total = self.source.count
        self.folder.end(self.rows_read if total is None else total)

    def _until_pause(self, tasks: Iterator[ShardTask]) -> Iterator[ShardTask]:
        """The next tasks. If all shards so far were lost, there is a pause to try their rows."""
        while self.kept_any or len(self.lost) < _MAX_LOST_SHARDS:
            task = next(tasks, None)
            if task is None:
                self.all_sent = True
                return
            yield task

    def _keep(self, task: ShardTask, done: FinishedShard) -> None:
        """Write the part of a shard."""
        if done.stopped:
            raise BulkError(
                f"The model failed for all rows of shard {task.shard.number} that were sent to it: "
                f"{done.stopped} Nothing of this shard was kept. Run the same again to resume."
            )
        self.folder.write(task.shard, done, task.digest)
        self.kept_any = True
        self.progress_line.advance(len(task.shard.rows), done.failed)

    def _explain_survivors(self, task: ShardTask, lost: LostShard) -> LostShard | None:
        """Explain a shard without the rows that end its worker; return why if that is not possible."""
        outcome, deadly = explain_survivors(self.engine, task, lost)
        if isinstance(outcome, LostShard):
            return outcome
        self._keep(task, outcome)
        for place in deadly:
            row, id = task.shard.start + place, task.shard.rows[place].id
            warnings.warn(
                f"Row {row:,} ({id!r}) has an error instead of an explanation, because every worker that explained it "
                f"was lost: {lost.reason}.",
                UserWarning,
                stacklevel=2,
            )
        return None

    def _tasks(self) -> Iterator[ShardTask]:
        """The unfinished shards, in order. If the source has no digest, the inputs of finished shards are compared."""
        fixed = self.source.fixed
        is_finished = self.finished_parts.__contains__
        shards = cut_shards(self.source, self.shard_rows, is_finished) if fixed else self._compare_finished()
        for shard in shards:
            digest = "" if fixed else shard.digest()
            task = ShardTask(shard, self.explainer_description, digest)
            self.pending[shard.number] = task
            yield task

    def _compare_finished(self) -> Iterator[Shard]:
        for shard in cut_all_shards(self.source, self.shard_rows):
            self.rows_read += len(shard.rows)
            notes = self.finished_parts.get(shard.number)
            if notes is None:
                yield shard
            elif notes.inputs != shard.digest():
                raise BulkError(
                    f"Expected the data that the run in {str(self.folder.path)!r} was begun with, got others: the "
                    f"inputs {shard.start:,} to {shard.start + len(shard.rows) - 1:,} have changed. Nothing was "
                    "overwritten."
                )
