"""Spark on this machine reads the parts of a run, and explains reviews by itself with `explain_batch`.

Both results are compared with those of the run, number by number, and the script fails if they differ.
``python benchmarks/bulk_spark.py``
needs Java and pyspark, which are too large for the tests
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from pyspark.sql import SparkSession

from lcshap.bulk import explain_batch, explain_dataset, spark_schema

FACTORY = "lcshap.paper.networks.demo:review_explainer"
REVIEWS = pd.DataFrame({"key": list("abcd"), "text": ["It just sucks.", "A great film!", "", "Not funny, but moving."]})


def explain_frames(frames: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
    """What Spark calls in its workers."""
    for frame in frames:
        yield explain_batch(frame, FACTORY, column="text", id="key")


def main() -> None:
    """Read, explain and compare."""
    with tempfile.TemporaryDirectory() as folder:
        explain_dataset(REVIEWS, FACTORY, Path(folder) / "run", column="text", id="key", workers=1, shard_rows=2)
        parts = str(Path(folder) / "run" / "parts")
        expected = pd.read_parquet(parts)
        local = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
        spark = local.config("spark.driver.bindAddress", "127.0.0.1").getOrCreate()
        spark.sparkContext.setLogLevel("ERROR")
        read = spark.read.parquet(parts).orderBy("row")
        read.select("id", "names", "prediction", "calls", "error").show(truncate=48)
        # Frames of two rows, as the shards above: rows of one frame share batches, which may change the last bits.
        spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", 2)
        mapped = spark.createDataFrame(REVIEWS).coalesce(1).mapInPandas(explain_frames, schema=spark_schema())
        for name, rows in (("read", read.collect()), ("mapInPandas", mapped.collect())):
            assert [row["id"] for row in rows] == list("abcd")
            for row, scores in zip(rows, expected["scores"], strict=True):
                assert (row["scores"] is None) == (scores is None)
                assert scores is None or np.array_equal(row["scores"], scores)
            print(f"{name}: all scores of {len(rows)} rows are those of the run (Spark {spark.version})")
        spark.stop()


if __name__ == "__main__":
    main()
