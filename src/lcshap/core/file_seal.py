"""A digest of a file within the file itself, by which every change of its bytes is noticed."""

from __future__ import annotations

import hashlib
import re

from ..errors import FileFormatError, OptionError
from .printable import printable

_MARK = b"lcshap-seal-sha256:"
_SEAL = re.compile(re.escape(_MARK) + rb"([0-9a-f]{64})")
_PARQUET_MAGIC = b"PAR1"
OPEN_SEAL = (_MARK + b"0" * 64).decode()  # what a file contains before it is sealed


def is_sealed_parquet(ends: bytes) -> bool:
    """Whether a Parquet file that lcshap wrote has this beginning and end.

    >>> is_sealed_parquet(b"PAR1..." + OPEN_SEAL.encode() + b"...PAR1"), is_sealed_parquet(b"PAR1...PAR1")
    (True, False)
    """
    return ends.startswith(_PARQUET_MAGIC) and _SEAL.search(ends) is not None


def seal(content: bytes) -> bytes:
    """Put the digest of a file into its open seal.

    The seal is in the first line of JSON, and at the end of Parquet, after the data. So a text of the user that looks
    like a seal is not taken for it.

    >>> sealed = seal(f"text {OPEN_SEAL} more text".encode())
    >>> check_seal(sealed, "a file"), check_seal(b"text", "a file")
    (True, False)
    """
    position = _find_mark(content) + len(_MARK)
    if position < len(_MARK):
        raise OptionError(f"Expected content with the text {OPEN_SEAL!r}, got none.")
    digest = hashlib.sha256(content).hexdigest().encode()
    return content[:position] + digest + content[position + len(digest) :]


def check_seal(content: bytes, source: str) -> bool:
    """Whether a file has a seal.

    Raises
    ------
    FileFormatError : if the file was changed after it was sealed.
    """
    match = _SEAL.match(content, max(_find_mark(content), 0))
    if match is None:
        return False
    hasher = hashlib.sha256(memoryview(content)[: match.start(1)])
    hasher.update(b"0" * 64)
    hasher.update(memoryview(content)[match.end(1) :])
    if hasher.hexdigest().encode() != match[1]:
        raise FileFormatError(
            f"Expected {printable(source)} as it was saved, got other content: its digest is wrong. The file is "
            "damaged or was edited. Write it again."
        )
    return True


def _find_mark(content: bytes) -> int:
    """Where the seal begins; -1 if there is none."""
    return content.rfind(_MARK) if content.startswith(_PARQUET_MAGIC) else content.find(_MARK)
