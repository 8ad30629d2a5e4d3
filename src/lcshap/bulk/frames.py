"""Explanations of the rows of a DataFrame as another DataFrame, for Spark, Dask and other tools that map frames."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from typing import Any

from ..errors import BulkError
from ..extras import import_optional
from .columns import Columns
from .part_files import part_schema
from .shards import Shard
from .sources import open_source
from .worker import Factory, Worker, WorkerOptions

_WORKERS: dict[WorkerOptions, Worker] = {}  # Workers are kept in this process, so that a model is loaded only once.
_SPARK_TYPES = {"int64": "bigint", "string": "string", "double": "double"}


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
    `lcshap.bulk.part_files`. `spark_schema` has their types for Spark.

    Raises
    ------
    BulkError : if the model fails for all rows.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"text": ["It just sucks.", "A great film!"]})
    >>> explained = explain_batch(frame, "lcshap.paper.networks.demo:review_explainer", column="text")
    >>> explained["prediction"].tolist()
    ['negative', 'positive']
    """
    columns, work = Columns(column, id, label, label_names), WorkerOptions(factory, batch_size, threads)
    worker = _WORKERS.get(work) or _WORKERS.setdefault(work, Worker(work))
    done = worker.explain(Shard(0, 0, tuple(open_source(frame, columns).rows())), worker.describe(), "")
    if done.stopped:
        raise BulkError(f"The model failed for all rows that were sent to it: {done.stopped}")
    return import_optional("pyarrow.parquet", "bulk").read_table(io.BytesIO(done.part_bytes)).to_pandas()


def spark_schema(multi_output: bool = False) -> str:
    """The columns that `explain_batch` returns, as a schema for Spark.

    Parameters
    ----------
    multi_output : whether the explainer explains several outputs.

    Returns
    -------
    str : the names and types of the columns, in the syntax of Spark.

    Examples
    --------
    >>> spark_schema()[:60]
    'row bigint, id string, names array<string>, scores array<dou'
    """
    return ", ".join(f"{field.name} {_spark_type(field.type)}" for field in part_schema(multi_output))


def _spark_type(dtype: Any) -> str:
    return f"array<{_spark_type(dtype.value_type)}>" if hasattr(dtype, "value_type") else _SPARK_TYPES[str(dtype)]
