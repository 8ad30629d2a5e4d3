"""Rows of files as streams of dictionaries. A row that cannot be read is there with the reason."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator
from typing import Any

from ..errors import DataError
from ..extras import need
from .filesystems import Place

Record = dict[str, Any] | str  # the cells by the names of their columns; a text says why there are none
_AT_ONCE = 64  # rows of a Parquet or Arrow file that are decoded together
_LARGEST = 2**31 - 1  # letters of a cell of a CSV file


def parquet_records(place: Place, columns: list[str] | None, start: int = 0) -> Iterator[Record]:
    """The rows of a Parquet file from row `start` on. Row groups that end before it are not read."""
    with _parquet(place) as file:
        groups, first = list(range(file.num_row_groups)), 0
        while groups and first + file.metadata.row_group(groups[0]).num_rows <= start:
            first += file.metadata.row_group(groups.pop(0)).num_rows
        skip = start - first
        for batch in file.iter_batches(_AT_ONCE, row_groups=groups, columns=columns, use_threads=False):
            if skip < len(batch):
                yield from batch.slice(skip).to_pylist()
            skip = max(0, skip - len(batch))


def _parquet(place: Place) -> Any:
    pq, pa = need("pyarrow.parquet", "bulk"), need("pyarrow", "bulk")
    try:
        return pq.ParquetFile(place.system.open_input_file(place.path), pre_buffer=False)
    except pa.ArrowException as error:
        raise DataError(f"Expected a Parquet file, got {place.path!r}: {error}.") from error


def parquet_columns(place: Place) -> list[str]:
    """The columns of a Parquet file."""
    with _parquet(place) as file:
        return list(file.schema_arrow.names)


def count_parquet(place: Place) -> int:
    """How many rows a Parquet file has, by its own account."""
    with _parquet(place) as file:
        return int(file.metadata.num_rows)


def arrow_records(place: Place, columns: list[str] | None, start: int = 0) -> Iterator[Record]:
    """The rows of an Arrow file, of the format for files (Feather too) or for streams."""
    with _arrow(place) as reader:
        random = hasattr(reader, "num_record_batches")
        batches = map(reader.get_batch, range(reader.num_record_batches)) if random else iter(reader)
        for batch in batches:
            for first in range(0, len(batch), _AT_ONCE):
                part = batch.slice(first, _AT_ONCE)
                if start < len(part):
                    part = part.slice(start)
                    yield from (part if columns is None else part.select(columns)).to_pylist()
                    start = 0
                else:
                    start -= len(part)


def _arrow(place: Place) -> Any:
    pa, ipc = need("pyarrow", "bulk"), need("pyarrow.ipc", "bulk")
    try:
        return ipc.open_file(place.system.open_input_file(place.path))
    except pa.ArrowInvalid:
        pass
    try:
        return ipc.open_stream(place.system.open_input_stream(place.path))
    except pa.ArrowException as error:
        raise DataError(f"Expected an Arrow file, got {place.path!r}: {error}.") from error


def arrow_columns(place: Place) -> list[str]:
    """The columns of an Arrow file."""
    with _arrow(place) as reader:
        return list(reader.schema.names)


def csv_records(place: Place, columns: list[str] | None, start: int = 0) -> Iterator[Record]:
    """The rows of a CSV file (of a .tsv file, with tabs) whose first line has the names of the columns.

    Cells are texts. All lines before `start` are read too: only that tells where a row begins.
    """
    csv.field_size_limit(max(csv.field_size_limit(), _LARGEST))  # texts are longer than Python expects
    with _text(place) as stream:
        lines = csv.reader(stream, delimiter=_delimiter(place), strict=True)
        names = next(lines, [])
        yield from _skipped(_csv_rows(lines, names, columns), start)


def _csv_rows(lines: Any, names: list[str], columns: list[str] | None) -> Iterator[Record]:
    wanted = names if columns is None else columns
    while True:
        try:
            cells = next(lines)
        except StopIteration:
            return
        except csv.Error as error:
            yield f"Expected a row of a CSV file before line {lines.line_num}, got one that cannot be read: {error}."
            continue
        if not cells:  # a blank line
            continue
        if len(cells) != len(names):
            yield f"Expected {len(names)} cells in the row that ends in line {lines.line_num}, got {len(cells)}."
            continue
        row = dict(zip(names, cells, strict=True))
        yield {name: row[name] for name in wanted if name in row}


def csv_columns(place: Place) -> list[str]:
    """The columns of a CSV file: its first line."""
    with _text(place) as stream:
        return next(csv.reader(stream, delimiter=_delimiter(place)), [])


def _delimiter(place: Place) -> str:
    return "\t" if ".tsv" in place.path.lower() else ","


def json_records(place: Place, columns: list[str] | None, start: int = 0) -> Iterator[Record]:
    """The rows of a file with a JSON object in each line that is not blank."""
    with _text(place) as stream:
        yield from _skipped(_json_rows(stream, columns), start)


def _json_rows(stream: Any, columns: list[str] | None) -> Iterator[Record]:
    for number, line in enumerate(stream, 1):
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
        yield row if columns is None else {name: row[name] for name in columns if name in row}


def json_columns(place: Place) -> list[str]:
    """The names in the first line that is an object."""
    return next((list(row) for row in json_records(place, None) if isinstance(row, dict)), [])


def _skipped(rows: Iterator[Record], start: int) -> Iterator[Record]:
    for number, row in enumerate(rows):
        if number >= start:
            yield row


def _text(place: Place) -> Any:
    """A file as text. Bytes that are not UTF-8 become halves of characters, which are refused row by row."""
    return io.TextIOWrapper(place.open(), encoding="utf-8-sig", errors="surrogateescape", newline="")


class Format:
    """A kind of table: how its rows are read, its columns found, and its rows counted."""

    def __init__(
        self,
        records: Callable[[Place, list[str] | None, int], Iterator[Record]],
        columns: Callable[[Place], list[str]],
        count: Callable[[Place], int] | None = None,
    ) -> None:
        self.records, self.columns = records, columns
        self.count = count or (lambda place: sum(1 for _ in records(place, None, 0)))


FORMATS = {
    "parquet": Format(parquet_records, parquet_columns, count_parquet),
    "arrow": Format(arrow_records, arrow_columns),
    "csv": Format(csv_records, csv_columns),
    "jsonl": Format(json_records, json_columns),
}
ENDINGS = {
    **dict.fromkeys((".parquet", ".pq"), "parquet"),
    **dict.fromkeys((".arrow", ".feather", ".ipc"), "arrow"),
    **dict.fromkeys((".csv", ".tsv"), "csv"),
    **dict.fromkeys((".jsonl", ".ndjson"), "jsonl"),
    **dict.fromkeys((".txt", ".text", ".md"), "text"),
    **dict.fromkeys((".png", ".jpg", ".jpeg", ".gif", ".bmp", ".webp", ".tif", ".tiff"), "image"),
}
COMPRESSED = (".gz", ".bz2", ".zst")
