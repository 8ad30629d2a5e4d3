"""A digest of a file within the file itself, by which every change of its bytes is noticed."""

from __future__ import annotations

import hashlib
import re

from ...errors import FileFormatError, OptionError
from ..printable import printable

_MARK = b"lcshap-seal-sha256:"
_SEAL = re.compile(re.escape(_MARK) + rb"([0-9a-f]{64})")
OPEN_SEAL = (_MARK + b"0" * 64).decode()  # what a file contains before it is sealed


def seal(content: bytes) -> bytes:
    """Put the digest of a file into its open seal.

    >>> sealed = seal(f"text {OPEN_SEAL} more text".encode())
    >>> check_seal(sealed, "a file"), check_seal(b"text", "a file")
    (True, False)
    """
    if content.count(_MARK) != 1:
        raise OptionError(f"Expected explanations that do not contain the text {_MARK.decode()!r}, got such a text.")
    position = content.index(_MARK) + len(_MARK)
    digest = hashlib.sha256(content).hexdigest().encode()
    return content[:position] + digest + content[position + len(digest) :]


def check_seal(content: bytes, source: str) -> bool:
    """Whether a file has a seal.

    Raises
    ------
    FileFormatError : if the file was changed after it was sealed.
    """
    match = _SEAL.search(content)
    if match is None:
        return False
    hasher = hashlib.sha256(memoryview(content)[: match.start(1)])
    hasher.update(b"0" * 64)
    hasher.update(memoryview(content)[match.end(1) :])
    if hasher.hexdigest().encode() != match[1]:
        raise FileFormatError(
            f"Expected {printable(source)} as it was saved, got other content: its digest is wrong. The file is "
            "damaged. Save the explanations again."
        )
    return True
