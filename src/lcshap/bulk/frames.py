"""Explanations of the rows of a pandas DataFrame as a DataFrame: for Spark, Dask, and everything that maps frames."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from typing import Any

from ..errors import BulkError
from ..extras import need
from .cells import Columns
from .parts import schema
from .shards import Shard
from .sources import open_source
from .work import Factory, Work, Worker

_WORKERS: dict[Work, Worker] = {}  # of this process: a model is loaded once
_TYPES = {"int64": "bigint", "string": "string", "double": "double"}


def explain_batch(
    frame: Any,
    factory: Factory,
    *,
    column: str | Sequence[str] | None = None,
    id: str | None = None,
    label: str | None = None,
    label_names: Mapping[str, str] | None = None,
    batch_size: int | None = None,
    threads: int = 1,
) -> Any:
    """Explain the rows of a DataFrame, which share batches. The explainer is made once in each process.

    Parameters
    ----------
    frame : a pandas DataFrame.
    factory, column, id, label, label_names, batch_size, threads : as for `explain_dataset`.

    Returns
    -------
    A DataFrame with a row for each row of `frame`, and the columns of a part of `explain_dataset`, see
    `lcshap.bulk.parts`. `spark_schema` has their types for Spark.

    Raises
    ------
    BulkError : if the model fails for all rows.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"text": ["It just sucks.", "A great film!"]})
    >>> found = explain_batch(frame, "lcshap.paper.networks.demo:review_explainer", column="text")
    >>> found["prediction"].tolist()
    ['negative', 'positive']
    """
    columns, work = Columns(column, id, label, label_names), Work(factory, batch_size, threads)
    worker = _WORKERS.get(work) or _WORKERS.setdefault(work, Worker(work))
    done = worker.explain(Shard(0, 0, tuple(open_source(frame, columns).rows())), worker.describe(), "")
    if done.stopped:
        raise BulkError(f"The model failed for all rows that it was asked about: {done.stopped}")
    return need("pyarrow.parquet", "bulk").read_table(io.BytesIO(done.part)).to_pandas()


def spark_schema(several: bool = False) -> str:
    """The columns that `explain_batch` returns, in the words of Spark.

    Parameters
    ----------
    several : whether the explainer explains several outputs.

    Returns
    -------
    str : the names and types of the columns, as Spark reads them.

    Examples
    --------
    >>> spark_schema()[:60]
    'row bigint, id string, names array<string>, scores array<dou'
    """
    return ", ".join(f"{field.name} {_spark(field.type)}" for field in schema(several))


def _spark(kind: Any) -> str:
    return f"array<{_spark(kind.value_type)}>" if hasattr(kind, "value_type") else _TYPES[str(kind)]
