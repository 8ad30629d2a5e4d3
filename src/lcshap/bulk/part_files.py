"""Encode the explanations of a shard as a Parquet file, and read its rows; see `core.explanations.part_rows`.

Everything that depends on the run and not on the data, such as seconds, is in a separate file (see `folder`), so that
the parts of two runs can be compared byte for byte.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ..core.explanation import Explanation
from ..core.explanations.part_rows import decode_row, encode_table, explanation_cells, format_error, part_schema
from ..errors import BulkError
from ..extras import import_optional
from ..show.provenance_text import recorded_prediction
from .shards import Shard

__all__ = ["decode_row", "encode_part", "encode_table", "format_error", "part_schema", "read_rows"]


def encode_part(
    shard: Shard, outcomes: Sequence[Explanation | Exception], multi_output: bool, notes: dict[str, str]
) -> bytes:
    """Encode the explanations of a shard as a part.

    Parameters
    ----------
    outcomes : the explanation of each row, or its error.
    notes : notes about the whole part, such as the digest of its inputs.

    Returns
    -------
    The bytes of a Parquet file. Equal explanations give equal bytes.
    """
    numbered = enumerate(zip(shard.rows, outcomes, strict=True), shard.start)
    rows = [
        {"row": number, "id": row.id, "label": row.label, **_cells(e, multi_output)} for number, (row, e) in numbered
    ]
    return encode_table(
        import_optional("pyarrow", "bulk").Table.from_pylist(rows, schema=part_schema(multi_output)), notes
    )


def _cells(e: Explanation | Exception, multi_output: bool) -> dict[str, Any]:
    if isinstance(e, Exception):
        return {"error": format_error(e)}
    if (e.scores.ndim == 2) != multi_output:
        return {"error": f"Expected one number to explain, got {e.scores.shape[1]} outputs."}
    class_name, probability = next(
        iter(e.provenance.get("prediction") or recorded_prediction(e)), (None, None)
    )  # the most probable class
    return {**explanation_cells(e), "prediction": class_name, "probability": probability}


def read_rows(path: str, columns: Sequence[str] | None = None) -> Iterator[dict[str, Any]]:
    """The rows of a part, read in batches; raises `BulkError` if the file is damaged."""
    pa, pq = import_optional("pyarrow", "bulk"), import_optional("pyarrow.parquet", "bulk")
    try:
        with pq.ParquetFile(path, pre_buffer=False) as file:
            for batch in file.iter_batches(64, columns=columns, use_threads=False):
                yield from batch.to_pylist()
    except (pa.ArrowException, OSError) as error:
        raise BulkError(
            f"Expected a part as it was written, got {path!r}, which is damaged: {str(error).rstrip('.')}. Move it "
            "away, and run the same again to compute it."
        ) from error
