"""Encode the explanations of a shard as a Parquet file, and read its rows; see `core.explanations.part_rows`.

Everything that depends on the run and not on the data, such as seconds, is in a separate file (see `folder`), so that
the parts of two runs can be compared byte for byte.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import blake2b
from typing import Any, BinaryIO

from ..core.explanation import Explanation
from ..core.explanations.part_rows import (
    SEAL_KEY,
    decode_row,
    encode_table,
    explanation_cells,
    format_error,
    part_schema,
)
from ..core.file_seal import OPEN_SEAL, seal
from ..errors import BulkError
from ..extras import import_optional
from ..show.provenance_text import recorded_prediction
from .shards import Shard

__all__ = [
    "decode_row",
    "encode_part",
    "encode_sealed",
    "format_error",
    "part_digest",
    "part_schema",
    "read_rows",
    "verify_part",
]

_CHUNK_BYTES = 1 << 20  # how much of a part is read at a time for its digest


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
    The bytes of a Parquet file with a seal, see `core.file_seal`. Equal explanations give equal bytes.
    """
    numbered = enumerate(zip(shard.rows, outcomes, strict=True), shard.start)
    rows = [
        {"row": number, "id": row.id, "label": row.label, **_cells(e, multi_output)} for number, (row, e) in numbered
    ]
    return encode_sealed(
        import_optional("pyarrow", "bulk").Table.from_pylist(rows, schema=part_schema(multi_output)), notes
    )


def encode_sealed(table: Any, notes: dict[str, str]) -> bytes:
    """Encode a table as a Parquet file with notes, and with a seal, by which every changed bit is noticed."""
    return seal(encode_table(table, {**notes, SEAL_KEY: OPEN_SEAL}))


def part_digest(content: bytes) -> str:
    """The digest of a part, which its notes have."""
    return blake2b(content, digest_size=16).hexdigest()


def _cells(e: Explanation | Exception, multi_output: bool) -> dict[str, Any]:
    if isinstance(e, Exception):
        return {"error": format_error(e)}
    if (e.scores.ndim == 2) != multi_output:
        return {"error": f"Expected one number to explain, got {e.scores.shape[1]} outputs."}
    class_name, probability = next(
        iter(e.provenance.get("prediction") or recorded_prediction(e)), (None, None)
    )  # the most probable class
    return {**explanation_cells(e), "prediction": class_name, "probability": probability}


def read_rows(path: str, columns: Sequence[str] | None = None, digest: str | None = None) -> Iterator[dict[str, Any]]:
    """The rows of a part, a few in memory at a time.

    Parameters
    ----------
    columns : the columns that are read; by default all.
    digest : the digest in the notes of the part, see `part_digest`. The whole file is compared with it before the first
        row is read. None for a part of an earlier version, which is not verified.

    Raises
    ------
    BulkError : if the file is damaged.
    """
    pa, pq = import_optional("pyarrow", "bulk"), import_optional("pyarrow.parquet", "bulk")
    try:
        with open(path, "rb") as stream:
            if digest is not None:
                verify_part(stream, path, digest)
                stream.seek(0)
            with pq.ParquetFile(stream, pre_buffer=False) as file:
                for batch in file.iter_batches(64, columns=columns, use_threads=False):
                    yield from batch.to_pylist()
    except (pa.ArrowException, OSError) as error:
        raise BulkError(
            f"Expected a part as it was written, got {path!r}, which is damaged: {str(error).rstrip('.')}. Move it "
            "away, and run the same again to compute it."
        ) from error


def verify_part(stream: BinaryIO, path: str, digest: str) -> None:
    """Read a part, and raise `BulkError` if it has another digest than its notes say."""
    hasher = blake2b(digest_size=16)
    while chunk := stream.read(_CHUNK_BYTES):
        hasher.update(chunk)
    if hasher.hexdigest() != digest:
        raise BulkError(
            f"Expected a part as it was written, got {path!r}, which is truncated or has changed. Move it away, and "
            "run the same again to compute it. Nothing was changed."
        )
