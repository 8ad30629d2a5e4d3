"""Read the rows of files as streams of dictionaries. For a row that cannot be read, the stream has the reason."""

from __future__ import annotations

import csv
import io
import itertools
import json
from collections.abc import Callable, Iterator
from typing import Any

from ..errors import DataError
from ..extras import import_optional
from .filesystems import ReadableFile
from .read_limits import BoundedLines, LongLineError, ReadLimits

Record = dict[str, Any] | str  # the cells by column, or the reason why they cannot be read
_BATCH_ROWS = 64  # of a Parquet or Arrow file, decoded together


def parquet_records(place: ReadableFile, columns: list[str] | None, start: int = 0) -> Iterator[Record]:
    """The rows of a Parquet file from row `start` on. Row groups that end before it are not read."""
    with _open_parquet(place) as file:
        groups, first = list(range(file.num_row_groups)), 0
        while groups and first + file.metadata.row_group(groups[0]).num_rows <= start:
            first += file.metadata.row_group(groups.pop(0)).num_rows
        for group in groups:
            size = _group_size(file.metadata.row_group(group), columns)
            place.limits.check_size(size, f"a row group of {place.path!r}")
        skip = start - first
        for batch in file.iter_batches(_BATCH_ROWS, row_groups=groups, columns=columns, use_threads=False):
            if skip < len(batch):
                yield from _within_limits(batch.slice(skip).to_pylist(), place)
            skip = max(0, skip - len(batch))


def _group_size(group: Any, columns: list[str] | None) -> int:
    """The bytes of the columns of a row group after decompression."""
    chunks = [group.column(number) for number in range(group.num_columns)]
    is_read = [columns is None or chunk.path_in_schema.split(".")[0] in columns for chunk in chunks]
    return sum(chunk.total_uncompressed_size for chunk, read in zip(chunks, is_read, strict=True) if read)


def _within_limits(rows: list[dict[str, Any]], place: ReadableFile) -> Iterator[Record]:
    """The rows, with the reason in place of those that are too large."""
    for row in rows:
        yield place.limits.check_row(row) or row


def _open_parquet(place: ReadableFile) -> Any:
    pq, pa = import_optional("pyarrow.parquet", "bulk"), import_optional("pyarrow", "bulk")
    try:
        return pq.ParquetFile(place.open_input_file(), pre_buffer=False)
    except pa.ArrowException as error:
        raise DataError(f"Expected a Parquet file, got {place.path!r}: {error}.") from error


def parquet_columns(place: ReadableFile) -> list[str]:
    """The columns of a Parquet file."""
    with _open_parquet(place) as file:
        return list(file.schema_arrow.names)


def count_parquet(place: ReadableFile) -> int:
    """The number of rows of a Parquet file according to its metadata."""
    with _open_parquet(place) as file:
        return int(file.metadata.num_rows)


def arrow_records(place: ReadableFile, columns: list[str] | None, start: int = 0) -> Iterator[Record]:
    """The rows of an Arrow file in the file format (including Feather) or in the stream format."""
    with _open_arrow(place) as reader:
        is_file_format = hasattr(reader, "num_record_batches")
        batches = map(reader.get_batch, range(reader.num_record_batches)) if is_file_format else iter(reader)
        for batch in batches:
            for first in range(0, len(batch), _BATCH_ROWS):
                chunk = batch.slice(first, _BATCH_ROWS)
                if start < len(chunk):
                    chunk = chunk.slice(start)
                    yield from _within_limits((chunk if columns is None else chunk.select(columns)).to_pylist(), place)
                    start = 0
                else:
                    start -= len(chunk)


def _open_arrow(place: ReadableFile) -> Any:
    pa, ipc = import_optional("pyarrow", "bulk"), import_optional("pyarrow.ipc", "bulk")
    try:
        return ipc.open_file(place.open_input_file())
    except pa.ArrowInvalid:
        pass
    try:
        return ipc.open_stream(place.open_input_file())
    except pa.ArrowException as error:
        raise DataError(f"Expected an Arrow file, got {place.path!r}: {error}.") from error


def arrow_columns(place: ReadableFile) -> list[str]:
    """The columns of an Arrow file."""
    with _open_arrow(place) as reader:
        return list(reader.schema.names)


def csv_records(place: ReadableFile, columns: list[str] | None, start: int = 0) -> Iterator[Record]:
    """The rows of a CSV file (of a .tsv file, with tabs) whose first line has the names of the columns.

    Cells are texts. All lines before `start` are read too, because a row may span several lines.
    """
    with _open_text(place) as stream:
        source, lines = _csv_lines(stream, place)
        names: list[str] = next(lines, [])
        yield from _rows_from(_csv_rows(source, lines, names, columns), start)


def _csv_lines(stream: Any, place: ReadableFile) -> tuple[BoundedLines, Any]:
    """The lines of a CSV file, and a reader of its rows."""
    limits = place.limits
    csv.field_size_limit(max(csv.field_size_limit(), limits.max_line_characters))  # Python's default is shorter.
    source = BoundedLines(stream, limits.max_line_characters)
    return source, csv.reader(source, delimiter=_delimiter(place), strict=True)


def _csv_rows(source: BoundedLines, lines: Any, names: list[str], columns: list[str] | None) -> Iterator[Record]:
    selected_columns = names if columns is None else columns
    while True:
        source.row_characters = 0
        try:
            cells = next(lines)
        except StopIteration:
            return
        except LongLineError as error:
            yield str(error)
            continue
        except csv.Error as error:
            yield f"Expected a row of a CSV file before line {lines.line_num}, got one that cannot be read: {error}."
            continue
        if not cells:  # This is a blank line.
            continue
        if len(cells) != len(names):
            yield f"Expected {len(names)} cells in the row that ends in line {lines.line_num}, got {len(cells)}."
            continue
        row = dict(zip(names, cells, strict=True))
        yield {name: row[name] for name in selected_columns if name in row}


def csv_columns(place: ReadableFile) -> list[str]:
    """The columns of a CSV file: its first line."""
    with _open_text(place) as stream:
        try:
            names: list[str] = next(_csv_lines(stream, place)[1], [])
        except LongLineError as error:
            raise DataError(
                f"Expected the names of the columns in the first line of {place.path!r}. {error}"
            ) from error
    if len(names) > place.limits.max_cells:
        raise DataError(
            f"Expected at most {place.limits.max_cells:,} columns, got {len(names):,} in {place.path!r}. Raise "
            "max_cells."
        )
    return names


def _delimiter(place: ReadableFile) -> str:
    return "\t" if ".tsv" in place.path.lower() else ","


def json_records(place: ReadableFile, columns: list[str] | None, start: int = 0) -> Iterator[Record]:
    """The rows of a file with a JSON object in each line that is not blank."""
    with _open_text(place) as stream:
        yield from _rows_from(_json_rows(stream, columns, place.limits), start)


def _json_rows(stream: Any, columns: list[str] | None, limits: ReadLimits) -> Iterator[Record]:
    lines = BoundedLines(stream, limits.max_line_characters)
    for number in itertools.count(1):
        lines.row_characters = 0
        try:
            line = next(lines)
        except StopIteration:
            return
        except LongLineError as error:
            yield f"In line {number}: {error}"
            continue
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            yield f"Expected a JSON object in line {number}, got one that cannot be read: {error}."
            continue
        if not isinstance(row, dict):
            yield f"Expected a JSON object in line {number}, got {type(row).__name__}."
            continue
        row = row if columns is None else {name: row[name] for name in columns if name in row}
        yield limits.check_row(row) or row


def json_columns(place: ReadableFile) -> list[str]:
    """The names in the first line that is an object."""
    return next((list(row) for row in json_records(place, None) if isinstance(row, dict)), [])


def _rows_from(rows: Iterator[Record], start: int) -> Iterator[Record]:
    for number, row in enumerate(rows):
        if number >= start:
            yield row


def _open_text(place: ReadableFile) -> Any:
    """Open a file as text. Bytes that are not UTF-8 become surrogates, and the rows that have them are refused."""
    return io.TextIOWrapper(place.open(), encoding="utf-8-sig", errors="surrogateescape", newline="")


class TableFormat:
    """A file format of tables: how to read its rows, list its columns, and count its rows."""

    def __init__(
        self,
        records: Callable[[ReadableFile, list[str] | None, int], Iterator[Record]],
        columns: Callable[[ReadableFile], list[str]],
        count: Callable[[ReadableFile], int] | None = None,
    ) -> None:
        self.records, self.columns = records, columns
        self.count = count or (lambda place: sum(1 for _ in records(place, None, 0)))


TABLE_FORMATS = {
    "parquet": TableFormat(parquet_records, parquet_columns, count_parquet),
    "arrow": TableFormat(arrow_records, arrow_columns),
    "csv": TableFormat(csv_records, csv_columns),
    "jsonl": TableFormat(json_records, json_columns),
}
KIND_BY_SUFFIX = {
    **dict.fromkeys((".parquet", ".pq"), "parquet"),
    **dict.fromkeys((".arrow", ".feather", ".ipc"), "arrow"),
    **dict.fromkeys((".csv", ".tsv"), "csv"),
    **dict.fromkeys((".jsonl", ".ndjson"), "jsonl"),
    **dict.fromkeys((".txt", ".text", ".md"), "text"),
    **dict.fromkeys((".png", ".jpg", ".jpeg", ".gif", ".bmp", ".webp", ".tif", ".tiff"), "image"),
}
