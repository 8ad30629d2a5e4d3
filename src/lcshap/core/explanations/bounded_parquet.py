"""Read Parquet files whose content needs no more memory than a limit, however well they are compressed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ...errors import FileFormatError
from ...extras import import_optional
from ..printable import printable

# Bytes of a value of each physical type, and of its levels, which say whether it is null and where a list ends.
_WIDTHS = {"BOOLEAN": 1, "INT32": 4, "INT64": 8, "FLOAT": 4, "DOUBLE": 8, "BYTE_ARRAY": 4}
_LEVELS_WIDTH = 4


def read_bounded(encoded: bytes, names: Sequence[str], max_bytes: int, source: str) -> Any:
    """Some columns of a Parquet file, as a table of pyarrow.

    The metadata of the file say how many numbers there are, and how many bytes of texts. Texts that are stored once
    for many rows are counted before they are repeated. Nothing is decompressed before this is checked.

    Raises
    ------
    FileFormatError : if the content takes more than `max_bytes` of memory.
    """
    pa, pq = import_optional("pyarrow", "bulk"), import_optional("pyarrow.parquet", "bulk")
    with pq.ParquetFile(pa.BufferReader(encoded)) as file:
        schema = file.schema_arrow
        chunks = [chunk for chunk in _chunks(file.metadata) if chunk.path_in_schema.split(".")[0] in set(names)]
    size = file.metadata.num_rows * len(names) + sum(_decoded_size(chunk, source) for chunk in chunks)
    _check_size(size, max_bytes, source)
    texts = sorted({chunk.path_in_schema for chunk in chunks if chunk.physical_type == "BYTE_ARRAY"})
    with pq.ParquetFile(pa.BufferReader(encoded), read_dictionary=texts) as file:
        table = file.read(columns=list(names))
    size += sum(_repeated_size(piece) for name in names for piece in table.column(name).chunks)
    _check_size(size, max_bytes, source)
    return table.cast(pa.schema([schema.field(name) for name in names], schema.metadata))


def _chunks(metadata: Any) -> Iterator[Any]:
    for group in range(metadata.num_row_groups):
        for column in range(metadata.num_columns):
            yield metadata.row_group(group).column(column)


def _decoded_size(chunk: Any, source: str) -> int:
    """The bytes of the values of a column in a group of rows; texts that occur several times are counted once."""
    if chunk.physical_type not in _WIDTHS:
        raise FileFormatError(
            f"Expected explanations saved by lcshap, got {printable(source)}, a Parquet file with the type "
            f"{chunk.physical_type}."
        )
    numbers = chunk.num_values * (_WIDTHS[chunk.physical_type] + _LEVELS_WIDTH)
    return int(numbers + max(chunk.total_uncompressed_size, 0))


def _repeated_size(array: Any) -> int:
    """The bytes of texts in an array whose texts are stored once, if they are repeated."""
    pa = import_optional("pyarrow", "bulk")
    compute = import_optional("pyarrow.compute", "bulk")
    while pa.types.is_list(array.type):
        array = array.flatten()
    if not pa.types.is_dictionary(array.type):
        return 0
    lengths = compute.binary_length(array.dictionary).cast(pa.int64())
    return int(compute.sum(lengths.take(array.indices)).as_py() or 0)


def _check_size(size: int, max_bytes: int, source: str) -> None:
    if size > max_bytes:
        raise FileFormatError(
            f"Expected a file whose content takes at most {max_bytes:,} bytes of memory, got {printable(source)}, "
            f"whose content takes {size:,}. If it is an explanation, load it with load(path, max_bytes=...)."
        )
