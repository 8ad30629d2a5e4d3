"""Files that are compared with their digest whenever they are read, so that a change during a run is noticed."""

from __future__ import annotations

import io
from collections import OrderedDict
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

from ..errors import DataError
from .filesystems import FileLocation, decompress
from .read_limits import ReadLimits

_BLOCK_BYTES = 1 << 20  # how much of a file is read and compared at a time
_KEPT_BLOCKS = 4  # of a file that is being read, in memory


@dataclass(frozen=True)
class DigestedFile:
    """A file with the digests of its content and of each block of it.

    Attributes
    ----------
    location : where the file is.
    size : its number of bytes.
    digest : the digest of the whole content.
    blocks : the digest of each block.
    """

    location: FileLocation
    size: int
    digest: str
    blocks: tuple[bytes, ...] = field(repr=False)

    @classmethod
    def read_from(cls, location: FileLocation) -> DigestedFile:
        """Read a file once to compute its digests."""
        hasher, blocks, size = blake2b(digest_size=16), list[bytes](), 0
        with location.open_input_file() as file:
            while block := file.read(_BLOCK_BYTES):
                hasher.update(block)
                blocks.append(_block_digest(block))
                size += len(block)
        return cls(location, size, hasher.hexdigest(), tuple(blocks))

    @property
    def path(self) -> str:
        """The path within its file system."""
        return self.location.path

    @property
    def limits(self) -> ReadLimits:
        """The limits for its content."""
        return self.location.limits

    def open_input_file(self) -> Any:
        """The content for reading at any position.

        Reading raises `DataError` if the content is another one than before.
        """
        return io.BufferedReader(_DigestedReader(self), _BLOCK_BYTES)

    def open(self) -> Any:
        """The content as a stream; a compressed file (.gz, .bz2, .zst) is decompressed."""
        return decompress(self.open_input_file(), self.path, self.limits)

    def verify(self) -> None:
        """Read the whole file, and raise `DataError` if it has changed."""
        try:
            has_changed = self.location.digest() != self.digest
        except OSError as error:
            raise change_error(self.path, str(error)) from error
        if has_changed:
            raise change_error(self.path, "other content")


class _DigestedReader(io.RawIOBase):
    """Reads a file in blocks, each of which is compared with its digest."""

    def __init__(self, file: DigestedFile) -> None:
        self.digested = file
        self.position = 0
        self.kept: OrderedDict[int, bytes] = OrderedDict()
        try:
            self.stream = file.location.open_input_file()
        except OSError as error:
            raise change_error(file.path, str(error)) from error

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self.position

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        start = {io.SEEK_SET: 0, io.SEEK_CUR: self.position, io.SEEK_END: self.digested.size}[whence]
        self.position = max(0, start + offset)
        return self.position

    def readinto(self, buffer: Any) -> int:
        count = min(len(buffer), self.digested.size - self.position)
        filled = 0
        while filled < count:
            number, offset = divmod(self.position, _BLOCK_BYTES)
            chunk = self._block(number)[offset : offset + count - filled]
            buffer[filled : filled + len(chunk)] = chunk
            filled += len(chunk)
            self.position += len(chunk)
        return max(filled, 0)

    def close(self) -> None:
        if not self.closed:
            self.stream.close()
        super().close()

    def _block(self, number: int) -> bytes:
        if number in self.kept:
            self.kept.move_to_end(number)
            return self.kept[number]
        size = min(_BLOCK_BYTES, self.digested.size - number * _BLOCK_BYTES)
        try:
            self.stream.seek(number * _BLOCK_BYTES)
            block = bytes(self.stream.read(size))
        except OSError as error:
            raise change_error(self.digested.path, str(error)) from error
        if _block_digest(block) != self.digested.blocks[number]:
            raise change_error(self.digested.path, "other content")
        self.kept[number] = block
        if len(self.kept) > _KEPT_BLOCKS:
            self.kept.popitem(last=False)
        return block


def _block_digest(block: bytes) -> bytes:
    return blake2b(block, digest_size=16).digest()


def change_error(path: str, found: str) -> DataError:
    """The error for a file that has changed while it was being read."""
    return DataError(
        f"Expected {path!r} as it was when the run began, got {found}. The file was changed or removed in the "
        "meantime. Restore it and run the same again, or explain the new content into another folder."
    )
