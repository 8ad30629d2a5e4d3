"""Where inputs come from: files, folders, tables and iterables, all of them streams of rows."""

from __future__ import annotations

import glob
import os
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sized
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from ..core.digest import digest
from ..errors import DataError, LcshapError, MaskerError, OptionError
from ..extras import need
from ..maskers.many import is_pandas
from .cells import ALL, Columns, Row, shown
from .filesystems import Place, list_files
from .images import AS_IT_IS, ImageOptions, read_image
from .readers import COMPRESSED, ENDINGS, FORMATS


class Source(ABC):
    """A stream of inputs.

    Attributes
    ----------
    description : what tells these data from others, as JSON can hold it. For files it has a digest of the content.
    fixed : whether the description does so. Otherwise the rows of each shard are compared on resuming.
    """

    description: dict[str, Any]
    fixed: bool = True

    @property
    @abstractmethod
    def count(self) -> int | None:
        """How many rows there are; None where only reading them tells."""

    @abstractmethod
    def rows(self, start: int = 0) -> Iterator[Row]:
        """The rows from number `start` on."""


@dataclass(frozen=True)
class FileItem:
    """A file that a worker reads when it explains it: the content never passes through the main process."""

    place: Place
    kind: str
    options: ImageOptions = AS_IT_IS

    def load(self) -> Any:
        """The text or the image in the file."""
        data = self.place.read()
        if self.kind == "image":
            return read_image(data, self.place.path, self.options)
        try:
            return data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise MaskerError(
                f"Expected a text in UTF-8, got {self.place.path} ({error.reason} at byte {error.start})."
            ) from None


class Tables(Source):
    """The rows of Parquet, Arrow, CSV or JSONL files, one file after the other."""

    def __init__(self, kind: str, files: list[Place], columns: Columns) -> None:
        self.format, self.files = FORMATS[kind], files
        self.columns = columns.among(self.format.columns(files[0]), files[0].path, texts=kind == "csv")
        self.counts = [self.format.count(file) for file in files]
        self.description = {
            "kind": kind,
            **self.columns.description,
            "rows": sum(self.counts),
            "files": [[PurePosixPath(file.path).name, file.digest()] for file in files],
        }

    @property
    def count(self) -> int:
        """How many rows there are."""
        return sum(self.counts)

    def rows(self, start: int = 0) -> Iterator[Row]:
        """The rows from number `start` on."""
        number = 0
        for file, count in zip(self.files, self.counts, strict=True):
            if number + count > start:
                first = max(0, start - number)
                records = self.format.records(file, self.columns.names, first)
                for place, record in enumerate(records, number + first):
                    yield self.columns.row(record, place)
            number += count


class Files(Source):
    """A folder of images or texts: each file is an input, and its path below the folder is its id."""

    def __init__(self, kind: str, top: Place, files: list[Place], options: ImageOptions) -> None:
        self.kind, self.top, self.files, self.options = kind, top, files, options
        each = [[self._name(file), file.digest()] for file in files]
        self.description = {"kind": kind, "rows": len(files), "files": digest(each).hex()}
        if kind == "image":
            self.description["options"] = vars(options)

    def _name(self, file: Place) -> str:
        below = file.path[len(self.top.path) :].lstrip("/")
        return below or PurePosixPath(file.path).name

    @property
    def count(self) -> int:
        """How many files there are."""
        return len(self.files)

    def rows(self, start: int = 0) -> Iterator[Row]:
        """The files from number `start` on; workers read them."""
        for file in self.files[start:]:
            yield Row(shown(self._name(file)), FileItem(file, self.kind, self.options))


class Items(Source):
    """Anything that can be iterated over. To resume, it must yield the same inputs again."""

    fixed = False

    def __init__(self, items: Iterable[Any]) -> None:
        self.items = items
        self.description = {"kind": "iterable", "rows": self.count}

    @property
    def count(self) -> int | None:
        """How many there are, where the iterable says it."""
        return len(self.items) if isinstance(self.items, Sized) else None

    def rows(self, start: int = 0) -> Iterator[Row]:
        """The items from number `start` on."""
        for number, x in enumerate(self.items):
            if number >= start:
                yield x if isinstance(x, Row) else Row(str(number), x)


class Batches(Source):
    """A table in memory, or a dataset of pyarrow."""

    fixed = False

    def __init__(self, table: Any, columns: Columns) -> None:
        self.table = table
        self.columns = columns.among(list(table.schema.names), "the table")
        self.description = {"kind": "table", **self.columns.description, "rows": self.count}

    @property
    def count(self) -> int:
        """How many rows there are."""
        return int(self.table.count_rows() if hasattr(self.table, "count_rows") else self.table.num_rows)

    def rows(self, start: int = 0) -> Iterator[Row]:
        """The rows from number `start` on."""
        number = 0
        for batch in self.table.to_batches():
            if number + len(batch) > start:
                first = max(0, start - number)
                for place, record in enumerate(batch.slice(first).to_pylist(), number + first):
                    yield self.columns.row(record, place)
            number += len(batch)


def open_source(source: Any, columns: Columns = ALL, images: ImageOptions = AS_IT_IS) -> Source:
    """The source that a user means.

    Parameters
    ----------
    source : the path, the address or a list of paths of Parquet, Arrow, CSV or JSONL files, a pattern such as
        ``"data/*.parquet"``, a folder of such files, or of images, or of texts; a table of pyarrow or pandas, a
        dataset of pyarrow; or an iterable of inputs.
    columns : of tables, what each column is for.
    images : how image files become arrays.

    Returns
    -------
    A `Source`.

    Raises
    ------
    DataError : if there is nothing to read, or files of several kinds.
    OptionError : for a column that is not there.

    Examples
    --------
    >>> [row.x for row in open_source(["so good", "so bad"]).rows()]
    ['so good', 'so bad']
    """
    if isinstance(source, Source):
        return source
    if is_pandas(source):
        source = need("pyarrow", "bulk").Table.from_pandas(source, preserve_index=False)
    if hasattr(source, "to_batches"):
        return Batches(source, columns)
    if isinstance(source, str | os.PathLike):
        return _open_files([os.fspath(source)], columns, images)
    listed = isinstance(source, list | tuple) and source and all(map(_is_table_path, source))
    if listed:
        return _open_files([os.fspath(path) for path in source], columns, images)
    if not isinstance(source, Iterable):
        raise OptionError(f"Expected a path, a table or an iterable of inputs, got {type(source).__name__}.")
    if columns.given:
        raise OptionError(f"Expected a table for {columns.given}, got an iterable, whose items are the inputs.")
    return Items(source)


def _is_table_path(item: Any) -> bool:
    """Whether an item of a list is a file and not a text to explain."""
    return isinstance(item, os.PathLike) or (isinstance(item, str) and _kind(item) in FORMATS and "\n" not in item)


def _kind(path: str) -> str | None:
    name = path.lower()
    for ending in COMPRESSED:
        name = name.removesuffix(ending)
    return ENDINGS.get(os.path.splitext(name)[1])


def _open_files(addresses: list[str], columns: Columns, images: ImageOptions) -> Source:
    if len(addresses) == 1 and "://" not in addresses[0] and any(map(addresses[0].__contains__, "*?[")):
        addresses = sorted(glob.glob(addresses[0])) or addresses
    tops = [list_files(address) for address in addresses]
    files = [file for _, found in tops for file in found]
    kinds = {_kind(file.path) for file in files} - {None}
    readable = [file for file in files if _kind(file.path) is not None]
    if len(kinds) != 1:
        got = f"files of several kinds ({', '.join(sorted(map(str, kinds)))})" if kinds else "none"
        raise DataError(
            f"Expected Parquet, Arrow, CSV or JSONL files, or a folder of images or of texts, got {got} in "
            f"{addresses[0]!r}. Give the files of one kind, as a pattern such as 'data/*.csv'."
        )
    kind = str(kinds.pop())
    try:
        if kind in FORMATS:
            return Tables(kind, readable, columns)
        if columns.given:
            raise OptionError(f"Expected a table for {columns.given}, got a folder of {kind} files.")
        return Files(kind, tops[0][0], readable, images)
    except OSError as error:
        if isinstance(error, LcshapError):
            raise
        raise DataError(f"Expected files that can be read, got {addresses[0]!r}: {error}.") from error
