"""Files wherever they are: a path of this machine, or an address that pyarrow or fsspec knows."""

from __future__ import annotations

import os
from collections.abc import Iterator
from hashlib import blake2b
from typing import Any, NamedTuple

from ..errors import DataError
from ..extras import need

_PIECE = 1 << 20  # bytes that are read at once


class Place(NamedTuple):
    """A file or a folder: the file system of pyarrow that has it, and its path there."""

    system: Any
    path: str

    def open(self) -> Any:
        """The bytes as a stream; those of a compressed file (.gz, .bz2, .zst) as they were before."""
        return self.system.open_input_stream(self.path, compression="detect")

    def read(self) -> bytes:
        """All bytes of the file, as they are."""
        with self.system.open_input_stream(self.path, compression=None) as stream:
            return bytes(stream.read())

    def digest(self) -> str:
        """The digest of the content."""
        hashed = blake2b(digest_size=16)
        with self.system.open_input_stream(self.path, compression=None) as stream:
            while piece := stream.read(_PIECE):
                hashed.update(piece)
        return hashed.hexdigest()


def find(address: str) -> Place:
    """The place that a path or an address names.

    Addresses such as ``s3://bucket/data.parquet`` go to pyarrow, and to fsspec if pyarrow does not know the scheme.

    Raises
    ------
    DataError : for an address that neither of them knows.

    Examples
    --------
    >>> find("reviews.csv").path.endswith("/reviews.csv")
    True
    """
    fs = need("pyarrow.fs", "bulk")
    invalid = need("pyarrow", "bulk").ArrowInvalid
    if "://" not in address:
        return Place(fs.LocalFileSystem(), os.path.abspath(address))
    try:
        return Place(*fs.FileSystem.from_uri(address))
    except invalid:
        pass
    try:
        system, path = need("fsspec.core", "fsspec").url_to_fs(address)
    except (ValueError, ImportError) as error:
        raise DataError(f"Expected an address that pyarrow or fsspec can open, got {address!r}: {error}.") from error
    return Place(fs.PyFileSystem(fs.FSSpecHandler(system)), path)


def list_files(address: str) -> tuple[Place, list[Place]]:
    """The folder or file that an address names, and the files in it, sorted by their paths; hidden ones are left out.

    Raises
    ------
    DataError : if nothing is there.
    """
    fs = need("pyarrow.fs", "bulk")
    top = find(address)
    info = top.system.get_file_info(top.path)
    if info.type == fs.FileType.File:
        return top, [top]
    if info.type != fs.FileType.Directory:
        raise DataError(f"Expected a file or a folder to read, got {address!r}, which does not exist.")
    return top, sorted(_files(top), key=lambda place: place.path)


def _files(top: Place) -> Iterator[Place]:
    fs = need("pyarrow.fs", "bulk")
    for found in top.system.get_file_info(fs.FileSelector(top.path, recursive=True)):
        below = found.path[len(top.path) :]
        hidden = any(part.startswith((".", "_")) for part in below.split("/"))
        if found.type == fs.FileType.File and not hidden:
            yield Place(top.system, found.path)
