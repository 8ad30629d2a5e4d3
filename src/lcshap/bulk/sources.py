"""Sources of inputs: files, folders, tables and iterables, which are read as streams of rows."""

from __future__ import annotations

import glob
import os
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sized
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from ..core.digest import digest
from ..core.printable import escape_surrogates
from ..errors import DataError, LcshapError, MaskerError, OptionError
from ..extras import import_optional
from ..maskers.input_lists import is_pandas
from .columns import ALL_COLUMNS, Columns, InputRow
from .digested_files import DigestedFile, change_error
from .filesystems import COMPRESSION_SUFFIXES, FileLocation, content_digest, list_files
from .image_options import DEFAULT_IMAGE_OPTIONS, ImageOptions, image_from_bytes
from .read_limits import DEFAULT_READ_LIMITS, ReadLimits
from .readers import KIND_BY_SUFFIX, TABLE_FORMATS


class InputSource(ABC):
    """A stream of inputs.

    Attributes
    ----------
    description : identifies the data, as values that JSON can represent. For files it has a digest of the content.
    fixed : whether the description has such a digest. Otherwise the rows of each shard are compared on resuming.
    """

    description: dict[str, Any]
    fixed: bool = True

    @property
    @abstractmethod
    def count(self) -> int | None:
        """The number of rows; None if it is not known before they are read."""

    @abstractmethod
    def rows(self, start: int = 0) -> Iterator[InputRow]:
        """The rows from number `start` on."""

    def verify(self) -> None:  # noqa: B027  most sources have nothing to verify
        """Raise `DataError` if files of the source have changed since it was opened."""


@dataclass(frozen=True)
class FileInput:
    """A file that a worker reads when it explains it, so that the content does not pass through the main process.

    Its digest was computed when the run began.
    """

    place: FileLocation
    kind: str
    digest: str
    options: ImageOptions = DEFAULT_IMAGE_OPTIONS

    def load(self) -> Any:
        """The text or the image in the file.

        Raises
        ------
        DataError : if the file has changed or does not exist any more.
        MaskerError : if it is not a text or an image, or too large.
        """
        size = self.place.system.get_file_info(self.place.path).size or 0
        if size > self.place.limits.max_file_bytes:
            raise MaskerError(
                f"Expected at most {self.place.limits.max_file_bytes:,} bytes in {self.place.path!r}, got {size:,}. "
                "Raise max_file_bytes."
            )
        try:
            content = self.place.read()
        except FileNotFoundError as error:
            raise change_error(self.place.path, "no file") from error
        if content_digest(content) != self.digest:
            raise change_error(self.place.path, "other content")
        if self.kind == "image":
            return image_from_bytes(content, self.place.path, self.options)
        try:
            return content.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise MaskerError(
                f"Expected a text in UTF-8, got {self.place.path} ({error.reason} at byte {error.start})."
            ) from None


class TableFilesSource(InputSource):
    """The rows of Parquet, Arrow, CSV or JSONL files, one file after the other."""

    def __init__(self, kind: str, locations: list[FileLocation], columns: Columns) -> None:
        self.format, self.files = TABLE_FORMATS[kind], [DigestedFile.read_from(place) for place in locations]
        self.columns = columns.for_table(self.format.columns(self.files[0]), self.files[0].path, texts=kind == "csv")
        self.counts = [self.format.count(file) for file in self.files]
        self.description = {
            "kind": kind,
            **self.columns.description,
            "rows": sum(self.counts),
            "files": [[PurePosixPath(file.path).name, file.digest] for file in self.files],
        }

    @property
    def count(self) -> int:
        """How many rows there are."""
        return sum(self.counts)

    def rows(self, start: int = 0) -> Iterator[InputRow]:
        """The rows from number `start` on."""
        number = 0
        for file, count in zip(self.files, self.counts, strict=True):
            if number + count > start:
                first = max(0, start - number)
                records = self.format.records(file, self.columns.names, first)
                for row_number, record in enumerate(records, number + first):
                    yield self.columns.row(record, row_number)
            number += count

    def verify(self) -> None:
        """Raise `DataError` if a file has changed since it was opened."""
        for file in self.files:
            file.verify()


class FolderSource(InputSource):
    """A folder of images or texts: each file is an input, and its path relative to the folder is its id."""

    def __init__(self, kind: str, top: FileLocation, files: list[FileLocation], options: ImageOptions) -> None:
        self.kind, self.top, self.files, self.options = kind, top, files, options
        self.digests = [file.digest() for file in files]
        digests = [
            [self._relative_path(file), file_digest] for file, file_digest in zip(files, self.digests, strict=True)
        ]
        self.description = {"kind": kind, "rows": len(files), "files": digest(digests).hex()}
        if kind == "image":
            self.description["options"] = vars(options)

    def _relative_path(self, file: FileLocation) -> str:
        relative_path = file.path[len(self.top.path) :].lstrip("/")
        return relative_path or PurePosixPath(file.path).name

    @property
    def count(self) -> int:
        """How many files there are."""
        return len(self.files)

    def rows(self, start: int = 0) -> Iterator[InputRow]:
        """The files from number `start` on. Workers read their content."""
        for file, file_digest in zip(self.files[start:], self.digests[start:], strict=True):
            x = FileInput(file, self.kind, file_digest, self.options)
            yield InputRow(escape_surrogates(self._relative_path(file)), x)

    def verify(self) -> None:
        """Raise `DataError` if a file has changed since the folder was opened."""
        _verify_files(self.files, self.digests)


class IterableSource(InputSource):
    """An iterable of inputs. To resume a run, it must yield the same inputs again."""

    fixed = False

    def __init__(self, items: Iterable[Any]) -> None:
        self.items = items
        self.description = {"kind": "iterable", "rows": self.count}

    @property
    def count(self) -> int | None:
        """The length of the iterable; None if it has none."""
        return len(self.items) if isinstance(self.items, Sized) else None

    def rows(self, start: int = 0) -> Iterator[InputRow]:
        """The items from number `start` on."""
        for number, x in enumerate(self.items):
            if number >= start:
                yield x if isinstance(x, InputRow) else InputRow(str(number), x)


class ArrowSource(InputSource):
    """A table in memory, or a dataset of pyarrow."""

    fixed = False

    def __init__(self, table: Any, columns: Columns) -> None:
        self.table = table
        self.columns = columns.for_table(list(table.schema.names), "the table")
        self.description = {"kind": "table", **self.columns.description, "rows": self.count}
        # A dataset of pyarrow reads its files while the run goes on; a table has none.
        self.files = [FileLocation(table.filesystem, path) for path in getattr(table, "files", [])]
        self.digests = [file.digest() for file in self.files]

    @property
    def count(self) -> int:
        """How many rows there are."""
        return int(self.table.count_rows() if hasattr(self.table, "count_rows") else self.table.num_rows)

    def rows(self, start: int = 0) -> Iterator[InputRow]:
        """The rows from number `start` on."""
        number = 0
        for batch in self.table.to_batches():
            if number + len(batch) > start:
                first = max(0, start - number)
                for row_number, record in enumerate(batch.slice(first).to_pylist(), number + first):
                    yield self.columns.row(record, row_number)
            number += len(batch)

    def verify(self) -> None:
        """Raise `DataError` if a file of the dataset has changed since it was opened."""
        _verify_files(self.files, self.digests)


def _verify_files(files: list[FileLocation], digests: list[str]) -> None:
    for file, file_digest in zip(files, digests, strict=True):
        try:
            has_changed = file.digest() != file_digest
        except OSError as error:
            raise change_error(file.path, str(error)) from error
        if has_changed:
            raise change_error(file.path, "other content")


def open_source(
    source: Any,
    columns: Columns = ALL_COLUMNS,
    images: ImageOptions = DEFAULT_IMAGE_OPTIONS,
    limits: ReadLimits = DEFAULT_READ_LIMITS,
) -> InputSource:
    """Open a file, a folder, a table or an iterable as a source.

    Parameters
    ----------
    source : the path, the address or a list of paths of Parquet, Arrow, CSV or JSONL files, a pattern such as
        ``"data/*.parquet"``, a folder of such files, or of images, or of texts; a table of pyarrow or pandas, a
        dataset of pyarrow; or an iterable of inputs.
    columns : the roles of the columns of tables.
    images : how image files become arrays.
    limits : how large lines, rows and files may be.

    Returns
    -------
    A `InputSource`.

    Raises
    ------
    DataError : if there is nothing to read, or there are files of several kinds.
    OptionError : for a column that does not exist.

    Examples
    --------
    >>> [row.x for row in open_source(["so good", "so bad"]).rows()]
    ['so good', 'so bad']
    """
    if isinstance(source, InputSource):
        return source
    if is_pandas(source):
        source = import_optional("pyarrow", "bulk").Table.from_pandas(source, preserve_index=False)
    if hasattr(source, "to_batches"):
        return ArrowSource(source, columns)
    if isinstance(source, str | os.PathLike):
        return _open_files([os.fspath(source)], columns, images, limits)
    listed = isinstance(source, list | tuple) and source and all(map(_is_table_path, source))
    if listed:
        return _open_files([os.fspath(path) for path in source], columns, images, limits)
    if not isinstance(source, Iterable):
        raise OptionError(f"Expected a path, a table or an iterable of inputs, got {type(source).__name__}.")
    if columns.table_options:
        raise OptionError(f"Expected a table for {columns.table_options}, got an iterable, whose items are the inputs.")
    return IterableSource(source)


def _is_table_path(element: Any) -> bool:
    """Whether an element of a list is the path of a table and not a text to explain."""
    return isinstance(element, os.PathLike) or (
        isinstance(element, str) and _kind(element) in TABLE_FORMATS and "\n" not in element
    )


def _kind(path: str) -> str | None:
    name = path.lower()
    for ending in COMPRESSION_SUFFIXES:
        name = name.removesuffix(ending)
    return KIND_BY_SUFFIX.get(os.path.splitext(name)[1])


def _open_files(addresses: list[str], columns: Columns, images: ImageOptions, limits: ReadLimits) -> InputSource:
    if len(addresses) == 1 and "://" not in addresses[0] and any(map(addresses[0].__contains__, "*?[")):
        addresses = sorted(glob.glob(addresses[0])) or addresses
    listings = [list_files(address) for address in addresses]
    files = [file._replace(limits=limits) for _, listed_files in listings for file in listed_files]
    kinds = {_kind(file.path) for file in files} - {None}
    readable = [file for file in files if _kind(file.path) is not None]
    if len(kinds) != 1:
        kinds_text = f"files of several kinds ({', '.join(sorted(map(str, kinds)))})" if kinds else "none"
        raise DataError(
            f"Expected Parquet, Arrow, CSV or JSONL files, or a folder of images or of texts, got {kinds_text} in "
            f"{addresses[0]!r}. Give the files of one kind, as a pattern such as 'data/*.csv'."
        )
    kind = str(kinds.pop())
    try:
        if kind in TABLE_FORMATS:
            return TableFilesSource(kind, readable, columns)
        if columns.table_options:
            raise OptionError(f"Expected a table for {columns.table_options}, got a folder of {kind} files.")
        return FolderSource(kind, listings[0][0], readable, images)
    except OSError as error:
        if isinstance(error, LcshapError):
            raise
        raise DataError(f"Expected files that can be read, got {addresses[0]!r}: {error}.") from error
