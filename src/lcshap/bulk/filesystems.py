"""Files on this machine, or at an address that pyarrow or fsspec can open."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from hashlib import blake2b
from typing import Any, NamedTuple, Protocol

from ..errors import DataError
from ..extras import import_optional
from .read_limits import DEFAULT_READ_LIMITS, BoundedStream, ReadLimits

_CODECS = {".gz": "gzip", ".bz2": "bz2", ".zst": "zstd"}
COMPRESSION_SUFFIXES = tuple(_CODECS)
_CHUNK_BYTES = 1 << 20  # how much of a file is read at a time


def content_digest(content: bytes) -> str:
    """The digest of the content of a file, see `FileLocation.digest`."""
    return blake2b(content, digest_size=16).hexdigest()


class ReadableFile(Protocol):
    """A file that the readers of tables can read."""

    @property
    def path(self) -> str:
        """The path within its file system."""

    @property
    def limits(self) -> ReadLimits:
        """The limits for its content."""

    def open(self) -> Any:
        """The content as a stream; a compressed file (.gz, .bz2, .zst) is decompressed."""

    def open_input_file(self) -> Any:
        """The content for reading at any position, without decompression."""


class FileLocation(NamedTuple):
    """A file or a folder: a file system of pyarrow, and the path within it."""

    system: Any
    path: str
    limits: ReadLimits = DEFAULT_READ_LIMITS

    def open(self) -> Any:
        """The content as a stream; a compressed file (.gz, .bz2, .zst) is decompressed."""
        return decompress(self.open_input_file(), self.path, self.limits)

    def open_input_file(self) -> Any:
        """The content for reading at any position, without decompression."""
        return self.system.open_input_file(self.path)

    def read(self) -> bytes:
        """All bytes of the file, without decompression."""
        with self.system.open_input_stream(self.path, compression=None) as stream:
            return bytes(stream.read())

    def digest(self) -> str:
        """The digest of the content."""
        hasher = blake2b(digest_size=16)
        with self.system.open_input_stream(self.path, compression=None) as stream:
            while chunk := stream.read(_CHUNK_BYTES):
                hasher.update(chunk)
        return hasher.hexdigest()


def decompress(stream: Any, path: str, limits: ReadLimits) -> Any:
    """The content of a file after decompression, if its name ends as that of a compressed file."""
    codec = _CODECS.get(os.path.splitext(path.lower())[1])
    if codec is None:
        return stream
    content = import_optional("pyarrow", "bulk").CompressedInputStream(stream, codec)
    return io.BufferedReader(BoundedStream(content, path, limits), _CHUNK_BYTES)


def find_location(address: str) -> FileLocation:
    """The location that a path or an address names.

    Addresses such as ``s3://bucket/data.parquet`` go to pyarrow, and to fsspec if pyarrow does not support the scheme.

    Raises
    ------
    DataError : for an address that neither of them can open.

    Examples
    --------
    >>> find_location("reviews.csv").path.endswith("/reviews.csv")
    True
    """
    fs = import_optional("pyarrow.fs", "bulk")
    invalid = import_optional("pyarrow", "bulk").ArrowInvalid
    if "://" not in address:
        return FileLocation(fs.LocalFileSystem(), os.path.abspath(address))
    try:
        return FileLocation(*fs.FileSystem.from_uri(address))
    except invalid:
        pass
    try:
        system, path = import_optional("fsspec.core", "fsspec").url_to_fs(address)
    except (ValueError, ImportError) as error:
        raise DataError(f"Expected an address that pyarrow or fsspec can open, got {address!r}: {error}.") from error
    return FileLocation(fs.PyFileSystem(fs.FSSpecHandler(system)), path)


def list_files(address: str) -> tuple[FileLocation, list[FileLocation]]:
    """The folder or file that an address names, and the files in it, sorted by path, without hidden files.

    Raises
    ------
    DataError : if there is no such file or folder.
    """
    fs = import_optional("pyarrow.fs", "bulk")
    top = find_location(address)
    info = top.system.get_file_info(top.path)
    if info.type == fs.FileType.File:
        return top, [top]
    if info.type != fs.FileType.Directory:
        raise DataError(f"Expected a file or a folder to read, got {address!r}, which does not exist.")
    return top, sorted(_visible_files(top), key=lambda place: place.path)


def _visible_files(folder: FileLocation) -> Iterator[FileLocation]:
    fs = import_optional("pyarrow.fs", "bulk")
    for info in folder.system.get_file_info(fs.FileSelector(folder.path, recursive=True)):
        relative_path = info.path[len(folder.path) :]
        hidden = any(component.startswith((".", "_")) for component in relative_path.split("/"))
        if info.type == fs.FileType.File and not hidden:
            yield FileLocation(folder.system, info.path)
