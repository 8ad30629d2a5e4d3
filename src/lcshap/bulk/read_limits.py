"""Limits for the content of data files, so that a small file cannot fill the memory or run for hours."""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any

from ..core.default_limits import MAX_CELLS, MAX_FILE_BYTES, MAX_LINE_CHARACTERS
from ..errors import DataError, OptionError

_DISCARDED_CHARACTERS = 1 << 16  # of a line that is too long, read at a time


@dataclass(frozen=True)
class ReadLimits:
    """Limits for data files.

    A row above a limit has an error instead of an explanation, and the run continues. A file above a limit is refused.

    Parameters
    ----------
    max_line_characters : of a line of a CSV or JSONL file, of a row of a CSV file that has several lines, and of a cell
        of any table.
    max_cells : of a row.
    max_file_bytes : of a compressed file after decompression, of a text file, and of the chosen columns of a row group
        of a Parquet file.

    Examples
    --------
    >>> ReadLimits(max_cells=1000).max_cells
    1000
    """

    max_line_characters: int = MAX_LINE_CHARACTERS
    max_cells: int = MAX_CELLS
    max_file_bytes: int = MAX_FILE_BYTES

    def __post_init__(self) -> None:
        for name in (f.name for f in fields(self)):
            limit = getattr(self, name)
            if not isinstance(limit, int) or isinstance(limit, bool) or limit < 1:
                raise OptionError(f"Expected {name} as a whole number of at least 1, got {limit!r}.")

    def check_row(self, row: dict[str, Any]) -> str | None:
        """Why a row is refused; None if it is within the limits.

        >>> ReadLimits(max_line_characters=5).check_row({"text": "so good"})
        "Expected at most 5 characters in the column 'text', got 7. Raise max_line_characters."
        """
        if len(row) > self.max_cells:
            return f"Expected at most {self.max_cells:,} cells in a row, got {len(row):,}. Raise max_cells."
        for name, cell in row.items():
            if isinstance(cell, str | bytes) and len(cell) > self.max_line_characters:
                return (
                    f"Expected at most {self.max_line_characters:,} characters in the column {name!r}, got "
                    f"{len(cell):,}. Raise max_line_characters."
                )
        return None

    def check_size(self, size: int, what: str) -> None:
        """Raise `DataError` if a file or a part of it has too many bytes; `size` is their number, and `what` a name."""
        if size > self.max_file_bytes:
            raise DataError(
                f"Expected at most {self.max_file_bytes:,} bytes in {what}, got {size:,}. Raise max_file_bytes, or "
                "split the file."
            )


DEFAULT_READ_LIMITS = ReadLimits()


class LongLineError(Exception):
    """A line that is too long; the message says how long it may be."""


class BoundedLines:
    """The lines of a text stream, of which no more is in memory than the limit allows.

    Attributes
    ----------
    row_characters : the characters of the lines of a row, which whoever reads rows sets to 0 at the start of each.

    Examples
    --------
    >>> lines = BoundedLines(io.StringIO("a long line\\nab\\n", newline=""), 5)
    >>> try:
    ...     next(lines)
    ... except LongLineError as error:
    ...     print(error)
    Expected at most 5 characters in a line or row, got more. Raise max_line_characters.
    >>> lines.row_characters = 0
    >>> next(lines)
    'ab\\n'
    """

    def __init__(self, stream: Any, limit: int) -> None:
        self.stream, self.limit = stream, limit
        self.row_characters = 0

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line: str = self.stream.readline(self.limit + 2)
        if not line:
            raise StopIteration
        self.row_characters += len(line.rstrip("\r\n")) + (self.row_characters > 0)  # and the line break before it
        if self.row_characters <= self.limit:
            return line
        while line and not line.endswith(("\n", "\r")):
            line = self.stream.readline(_DISCARDED_CHARACTERS)
        raise LongLineError(
            f"Expected at most {self.limit:,} characters in a line or row, got more. Raise max_line_characters."
        )


class BoundedStream(io.RawIOBase):
    """A stream of decompressed bytes that raises `DataError` if there are too many."""

    def __init__(self, stream: Any, path: str, limits: ReadLimits) -> None:
        self.stream, self.path, self.limits = stream, path, limits
        self.count = 0

    def readable(self) -> bool:
        """Whether it can be read."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read bytes into a buffer, and return how many."""
        chunk = self.stream.read(len(buffer))
        self.count += len(chunk)
        if self.count > self.limits.max_file_bytes:
            raise DataError(
                f"Expected at most {self.limits.max_file_bytes:,} bytes in {self.path!r} after decompression, got "
                "more. Raise max_file_bytes, or split the file."
            )
        buffer[: len(chunk)] = chunk
        return len(chunk)

    def close(self) -> None:
        """Close the stream."""
        if not self.closed:
            self.stream.close()
        super().close()
