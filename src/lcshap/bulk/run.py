"""Explaining a whole data set, so that the work can be killed at any time and resumed."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Protocol, Self

from ..core.limits import SHARD_ROWS
from ..errors import BulkError, OptionError
from ..extras import need
from . import manifest
from .cells import Columns
from .folder import Folder, Times
from .images import AS_IT_IS, ImageOptions
from .line import Line
from .local import LocalEngine, Lost, Task
from .shards import Shard, cut, cut_all
from .sources import Source, open_source
from .status import Status, status
from .work import Done, Factory, Work

_LOOKED_AT = 1000  # rows whose labels are compared with the classes of the model


class Engine(Protocol):
    """Runs workers somewhere. Which one it is has no influence on the results."""

    def describe(self) -> dict[str, Any]:
        """What a worker says about its explainer."""

    def run(self, tasks: Iterator[Task]) -> Iterator[Done | Lost]:
        """Explain shards, in any order. No more of them are taken from `tasks` than there are workers for."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *exception: object) -> None: ...


def make_engine(name: str, work: Work, **options: Any) -> Engine:
    """The engine of a name, "local" or "ray", with its options."""
    given = {key: value for key, value in options.items() if value is not None}
    if name == "local":
        if not set(given) <= {"workers"}:
            raise OptionError(f"Expected engine='ray' for {', '.join(sorted(set(given) - {'workers'}))}=, got 'local'.")
        return LocalEngine(work, **given)
    if name == "ray":
        from .ray_engine import RayEngine

        return RayEngine(work, **given)
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
    images: ImageOptions = AS_IT_IS,
    shard_rows: int = SHARD_ROWS,
    batch_size: int | None = None,
    threads: int = 1,
    workers: int | tuple[int, int] | None = None,
    address: str | None = None,
    num_cpus: float | None = None,
    num_gpus: float | None = None,
    retry_failed: bool = False,
    progress: bool | None = None,
) -> Status:
    """Explain all inputs of a data set. If it was killed, run it again to resume.

    The input is cut into shards of `shard_rows` rows, and each becomes one Parquet file in ``out/parts``. The results
    do not depend on the engine, on the number of workers or on interruptions: parts are equal byte for byte, on one
    kind of machine. An input that cannot be explained is a row with its error.

    Parameters
    ----------
    source : Parquet, Arrow, CSV or JSONL files, a folder of them or of images or texts, by a path or an address that
        pyarrow or fsspec knows; a table or dataset of pyarrow or pandas; or an iterable of inputs.
    factory : makes the `lcshap.Explainer` in each worker: a function at the top of a module, or its name as
        ``package.module:function``. A function or a remote model needs a `model_name` there.
    out : the folder for the results. It is made if it is not there.
    engine : "local" for processes of this machine, "ray" for a cluster. One may begin with one and go on with the
        other.
    column : of tables, the column that is explained; a list of them makes each input a dict. By default all but `id`
        and `label`.
    id : of tables, the column that names the rows.
    label : of tables, the column with the true classes. They are kept beside the predictions, and ``lcshap report``
        tells right from wrong. The model does not see them.
    label_names : the class that each value of that column stands for, such as ``{"0": "negative", "1": "positive"}``,
        where the values are not the names of the classes.
    images : how image files become arrays.
    shard_rows : rows that are computed, and lost by a kill, together.
    batch_size : rows of a model call, unless the explainer has a batch size. By default 64, and up to 512 where the
        inputs of a shard are short texts or rows of tables.
    threads : of the model, in each worker.
    workers : how many; with Ray also a pair, the least and the most. By default one for each core.
    address, num_cpus, num_gpus : for Ray: the cluster ("auto" for the one that runs here), and what each worker needs.
    retry_failed : compute finished shards again if a row of them has an error, as after a service was down for a while.
        Their parts are replaced, one by one as the new ones are finished.
    progress : show a line with the rate, the time left and the errors so far; by default on a terminal.

    Returns
    -------
    A `Status`: how many rows are done, and how many of them have an error.

    Raises
    ------
    BulkError : if the folder belongs to another run or cannot be written, a part is damaged, the model fails for a
        whole shard, or a shard's worker dies three times. Everything that was finished is kept.
    DataError, OptionError, StoreError : for a source, an option or a store that cannot be used.

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
    need("pyarrow", "bulk")
    _check_counts(shard_rows=shard_rows, batch_size=1 if batch_size is None else batch_size, threads=threads)
    work = Work(factory, batch_size, threads)
    options = {"workers": workers, "address": address, "num_cpus": num_cpus, "num_gpus": num_gpus}
    folder = Folder(out)
    with folder.at_work():
        rows = open_source(source, Columns(column, id, label, label_names), images)
        with make_engine(engine, work, **options) as running:
            described = running.describe()
            _check_labels(rows, described["classes"])
            folder.begin(manifest.make(rows.description, described, shard_rows, threads))
            _Run(folder, rows, running, described, shard_rows, progress, retry_failed).run()
    return status(out)


def _check_labels(source: Source, classes: list[str] | None) -> None:
    """Refuse labels that are not classes of the model before the work begins: all predictions would count as wrong."""
    if classes is None or not source.description.get("labels"):
        return
    found = {row.label for row in islice(source.rows(), _LOOKED_AT) if row.label is not None}
    if found and not found & set(classes):
        column, one = source.description["labels"][0], min(found)
        raise OptionError(
            f"Expected classes of the model ({', '.join(classes[:5])}) in the column {column!r}, got {one!r}. Say "
            f"which class each value stands for: label_names={{{one!r}: {classes[0]!r}}}, or --label-names "
            f"{one}={classes[0]}, and so on."
        )


def _check_counts(**counts: Any) -> None:
    for name, count in counts.items():
        if not isinstance(count, int) or isinstance(count, bool) or count < 1:
            raise OptionError(f"Expected {name} as a whole number of at least 1, got {count!r}.")


class _Run:
    """One go at the shards that are not finished."""

    def __init__(
        self,
        folder: Folder,
        source: Source,
        engine: Engine,
        described: dict[str, Any],
        size: int,
        show: bool | None,
        again: bool,
    ) -> None:
        self.folder, self.source, self.engine, self.described, self.size = folder, source, engine, described, size
        found = [folder.check(number) for number in folder.finished()]
        self.known: dict[int, Times] = {t.number: t for t in found if not (again and t.failed)}
        if len(self.known) < len(found):
            folder.reopen()
        done, failed = (sum(getattr(t, name) for t in self.known.values()) for name in ("rows", "failed"))
        self.line = Line(source.count, done, failed, show)
        self.under_way: dict[int, tuple[Shard, str]] = {}
        self.seen = 0  # rows of the data set that were read, finished or not

    def run(self) -> None:
        """Explain, and keep what comes back."""
        lost: list[Lost] = []
        try:
            for answer in self.engine.run(self._tasks()):
                shard, digest = self.under_way.pop(answer.number)
                if isinstance(answer, Lost):
                    lost.append(answer)
                    continue
                if answer.stopped:
                    raise BulkError(
                        f"The model failed for all rows of shard {shard.number} that it was asked about: "
                        f"{answer.stopped} Nothing of this shard was kept. Run the same again to resume."
                    )
                self.folder.write(shard, answer, digest)
                self.line.advance(len(shard.rows), answer.failed)
        finally:
            self.line.close()
        if lost:
            each = "; ".join(f"shard {number}: {why}" for number, why in lost[:3])
            raise BulkError(
                f"Expected every shard to be explained, got {len(lost)} whose workers died three times ({each}). All "
                "others are finished. Give fewer workers or smaller shards in another folder, or run the same again."
            )
        total = self.source.count
        self.folder.end(self.seen if total is None else total)

    def _tasks(self) -> Iterator[Task]:
        """The shards that are not finished, in their order; those that are finished are compared where they must be."""
        fixed = self.source.fixed
        shards = cut(self.source, self.size, self.known.__contains__) if fixed else self._compared()
        for shard in shards:
            digest = "" if fixed else shard.digest()
            self.under_way[shard.number] = shard, digest
            yield Task(shard, self.described, digest)

    def _compared(self) -> Iterator[Shard]:
        for shard in cut_all(self.source, self.size):
            self.seen += len(shard.rows)
            noted = self.known.get(shard.number)
            if noted is None:
                yield shard
            elif noted.inputs != shard.digest():
                raise BulkError(
                    f"Expected the data that the run in {str(self.folder.path)!r} was begun with, got others: the "
                    f"inputs {shard.start:,} to {shard.start + len(shard.rows) - 1:,} have changed. Nothing was "
                    "overwritten."
                )
