"""Estimate the cost of a run (calls, time, price and disk space) from a sample that is explained and timed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np

from ..core.default_limits import PREVIEW_INPUTS
from ..errors import BulkError, OptionError
from .columns import Columns, InputRow
from .image_options import DEFAULT_IMAGE_OPTIONS, ImageOptions
from .local_engine import LocalEngine
from .progress_line import format_duration
from .read_limits import DEFAULT_READ_LIMITS, ReadLimits
from .shard_tasks import ShardTask
from .shards import Shard
from .sources import InputSource, open_source
from .worker import Factory, FinishedShard, WorkerOptions

_WARM_UP_INPUTS = 2  # explained before the timing starts, because the first calls often load something


@dataclass(frozen=True)
class Preview:
    """The estimated cost of a run.

    Attributes
    ----------
    total : the number of inputs of the data set; None if it is not known before they are read.
    sample, failed : the number of inputs that were explained for the estimate, and of those that could not be.
    calls, rows : the mean number of model calls for an input, and of model rows that are sent for them.
    error : the standard error of `calls`.
    seconds : the seconds that one worker takes for an input.
    bytes : the size of a part, for each input.
    workers : the number of workers.
    price : the price of a model row, if the user gives one.
    cost : the cost of all rows as the model itself states it; empty if it does not know.

    Examples
    --------
    >>> Preview(10_000, 20, 0, 120.0, 100.0, 1.5, 0.36, 800.0, workers=2).hours
    0.5
    """

    total: int | None
    sample: int
    failed: int
    calls: float
    rows: float
    error: float
    seconds: float
    bytes: float
    workers: int
    price: float | None = None
    cost: str = ""

    @property
    def hours(self) -> float | None:
        """The hours that all workers together take for all inputs."""
        return None if self.total is None else self.total * self.seconds / self.workers / 3600

    def __str__(self) -> str:
        lines = [
            f"{'an unknown number of' if self.total is None else f'{self.total:,}'} inputs; {self.sample} were tried"
        ]
        calls_per_input = f"{self.calls:,.0f} ± {self.error:,.0f} model calls an input"
        lines.append(f"calls   {calls_per_input}{self._in_all(self.calls, '{:,.0f} in all')}")
        if round(self.rows) != round(self.calls):
            lines.append(f"rows    {self.rows:,.0f} model rows an input{self._in_all(self.rows, '{:,.0f} in all')}")
        lines.append(f"time    {format_duration(self.seconds)} an input on one worker" + self._total_time())
        lines.append(
            f"disk    {self.bytes / 1e3:,.1f} kB an input{self._in_all(self.bytes / 1e6, '{:,.0f} MB in all')}"
        )
        if self.price is not None:
            price = self.rows * self.price
            in_all = self._in_all(price, "{:,.2f} in all")
            lines.append(f"money   {price:,.4g} an input{in_all} (price {self.price:g} a row)")
        if self.cost:
            lines.append(f"cost    {self.cost}")
        lines.append(f"errors  {self.failed} of {self.sample}")
        return "\n".join(lines)

    def _in_all(self, per_input: float, template: str) -> str:
        return "" if self.total is None else ", " + template.format(per_input * self.total)

    def _total_time(self) -> str:
        if self.hours is None:
            return ""
        return f": {format_duration(3600 * self.hours)} in all by {self.workers} worker{'s' * (self.workers > 1)}"


def preview(
    source: Any,
    factory: Factory,
    *,
    column: str | Sequence[str] | None = None,
    id: str | None = None,
    label: str | None = None,
    images: ImageOptions = DEFAULT_IMAGE_OPTIONS,
    limits: ReadLimits = DEFAULT_READ_LIMITS,
    batch_size: int | None = None,
    threads: int = 1,
    workers: int | None = None,
    sample: int = PREVIEW_INPUTS,
    price: float | None = None,
) -> Preview:
    """Explain a sample of a data set to estimate the cost of explaining all of it. Nothing is written.

    The sample is spread evenly over the data set. The model is really called for it, in one worker.

    Parameters
    ----------
    source, factory, column, id, label, images, batch_size, threads, workers : as for `explain_dataset`.
    sample : the number of inputs in the sample.
    price : the price of a row that is sent to the model.

    Returns
    -------
    A `Preview`; print it for a text.

    Raises
    ------
    OptionError : for an iterator, which can be read only once.
    BulkError : if no input of the sample can be explained.

    Examples
    --------
    ``print(lcshap.bulk.preview("reviews.parquet", "my_module:make_explainer", column="text", price=1e-5))``.
    """
    dataset = open_source(source, Columns(column, id, label), images, limits)
    if isinstance(source, Iterator):
        raise OptionError("Expected a source that can be read twice, got an iterator. Give a list or a file.")
    sample_rows = tuple(_evenly_spaced_rows(dataset, sample))
    with LocalEngine(WorkerOptions(factory, batch_size, threads), workers) as engine:
        worker_count, engine.workers = engine.workers, 1
        expected = engine.describe()
        shards = [Shard(0, 0, sample_rows[:_WARM_UP_INPUTS]), Shard(1, 0, sample_rows)]
        done = list(engine.run(iter([ShardTask(shard, expected, "") for shard in shards])))[-1]
        if not isinstance(done, FinishedShard) or done.stopped or done.failed == len(sample_rows):
            raise BulkError(
                f"None of {len(sample_rows)} inputs that were tried can be explained: {_failure_reason(done)}"
            )
        call_counts = [calls for calls in done.calls if calls is not None]
        rows_per_input = sum(filter(None, done.sent_rows)) / len(sample_rows)
        total = dataset.count
        return Preview(
            total=total,
            sample=len(sample_rows),
            failed=done.failed,
            calls=float(np.mean(call_counts)),
            rows=rows_per_input,
            error=float(np.std(call_counts, ddof=1) / np.sqrt(len(call_counts))) if len(call_counts) > 1 else 0.0,
            seconds=done.seconds / len(sample_rows),
            bytes=len(done.part_bytes) / len(sample_rows),
            workers=worker_count,
            price=price,
            cost="" if total is None else engine.ask("cost", round(rows_per_input * total)),
        )


def _failure_reason(done: Any) -> str:
    return str(getattr(done, "reason", None) or done.stopped or done.error)


def _evenly_spaced_rows(source: InputSource, sample: int) -> Iterator[InputRow]:
    """Rows spread evenly over a source; its first rows if their number is not known."""
    if sample < 1:
        raise OptionError(f"Expected a sample of at least 1 input, got {sample!r}.")
    total = source.count
    if total is None or total <= sample:
        return islice(source.rows(), sample)
    positions = set(np.linspace(0, total - 1, sample).round().astype(int).tolist())
    return (row for number, row in enumerate(source.rows()) if number in positions)
