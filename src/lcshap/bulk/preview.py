"""What a run over a data set would take: calls, hours, money and room, from a sample that is explained and timed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np

from ..core.limits import PREVIEW_INPUTS
from ..errors import BulkError, OptionError
from .cells import Columns, Row
from .images import AS_IT_IS, ImageOptions
from .line import spell
from .local import LocalEngine, Task
from .shards import Shard
from .sources import Source, open_source
from .work import Done, Factory, Work

_WARM = 2  # inputs that are explained before the clock starts: the first calls often load something


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
        """For all inputs by all workers."""
        return None if self.total is None else self.total * self.seconds / self.workers / 3600

    def __str__(self) -> str:
        lines = [
            f"{'an unknown number of' if self.total is None else f'{self.total:,}'} inputs; {self.sample} were tried"
        ]
        each = f"{self.calls:,.0f} ± {self.error:,.0f} model calls an input"
        lines.append(f"calls   {each}{self._all(self.calls, '{:,.0f} in all')}")
        if round(self.rows) != round(self.calls):
            lines.append(f"rows    {self.rows:,.0f} model rows an input{self._all(self.rows, '{:,.0f} in all')}")
        lines.append(f"time    {spell(self.seconds)} an input on one worker" + self._times())
        lines.append(f"disk    {self.bytes / 1e3:,.1f} kB an input{self._all(self.bytes / 1e6, '{:,.0f} MB in all')}")
        if self.price is not None:
            money = self.rows * self.price
            lines.append(
                f"money   {money:,.4g} an input{self._all(money, '{:,.2f} in all')} (price {self.price:g} a row)"
            )
        if self.cost:
            lines.append(f"cost    {self.cost}")
        lines.append(f"errors  {self.failed} of {self.sample}")
        return "\n".join(lines)

    def _all(self, each: float, text: str) -> str:
        return "" if self.total is None else ", " + text.format(each * self.total)

    def _times(self) -> str:
        if self.hours is None:
            return ""
        return f": {spell(3600 * self.hours)} in all by {self.workers} worker{'s' * (self.workers > 1)}"


def preview(
    source: Any,
    factory: Factory,
    *,
    column: str | Sequence[str] | None = None,
    id: str | None = None,
    label: str | None = None,
    images: ImageOptions = AS_IT_IS,
    batch_size: int | None = None,
    threads: int = 1,
    workers: int | None = None,
    sample: int = PREVIEW_INPUTS,
    price: float | None = None,
) -> Preview:
    """Explain a sample of a data set to find out what all of it would take. Nothing is written.

    The sample is spread evenly over the data set. The model is really called for it, in one worker.

    Parameters
    ----------
    source, factory, column, id, label, images, batch_size, threads, workers : as for `explain_dataset`.
    sample : how many inputs are tried.
    price : of a row that is sent to the model, for the money.

    Returns
    -------
    A `Preview`; print it for a text.

    Raises
    ------
    OptionError : for an iterator, which can be read only once.
    BulkError : if none of the sample can be explained.

    Examples
    --------
    ``print(lcshap.bulk.preview("reviews.parquet", "my_module:make_explainer", column="text", price=1e-5))``.
    """
    rows = open_source(source, Columns(column, id, label), images)
    if isinstance(source, Iterator):
        raise OptionError("Expected a source that can be read twice, got an iterator. Give a list or a file.")
    picked = tuple(_spread(rows, sample))
    with LocalEngine(Work(factory, batch_size, threads), workers) as engine:
        count, engine.workers = engine.workers, 1
        expected = engine.describe()
        shards = [Shard(0, 0, picked[:_WARM]), Shard(1, 0, picked)]
        done = list(engine.run(iter([Task(shard, expected, "") for shard in shards])))[-1]
        if not isinstance(done, Done) or done.stopped or done.failed == len(picked):
            raise BulkError(f"None of {len(picked)} inputs that were tried can be explained: {_why(done)}")
        good = [calls for calls in done.calls if calls is not None]
        sent = sum(filter(None, done.sent)) / len(picked)
        total = rows.count
        return Preview(
            total=total,
            sample=len(picked),
            failed=done.failed,
            calls=float(np.mean(good)),
            rows=sent,
            error=float(np.std(good, ddof=1) / np.sqrt(len(good))) if len(good) > 1 else 0.0,
            seconds=done.seconds / len(picked),
            bytes=len(done.part) / len(picked),
            workers=count,
            price=price,
            cost="" if total is None else engine.ask("cost", round(sent * total)),
        )


def _why(done: Any) -> str:
    return str(getattr(done, "why", None) or done.stopped or done.error)


def _spread(source: Source, sample: int) -> Iterator[Row]:
    """Rows from all over a source; its first ones where nobody knows how many there are."""
    if sample < 1:
        raise OptionError(f"Expected a sample of at least 1 input, got {sample!r}.")
    total = source.count
    if total is None or total <= sample:
        return islice(source.rows(), sample)
    wanted = set(np.linspace(0, total - 1, sample).round().astype(int).tolist())
    return (row for number, row in enumerate(source.rows()) if number in wanted)
