"""Files as the user names them; - is standard input."""

from __future__ import annotations

import sys
from pathlib import Path

from ..errors import MaskerError
from .declare import UsageError


def named(path: Path) -> str:
    """A file as an error names it."""
    return "standard input" if str(path) == "-" else str(path)


def read(path: Path) -> bytes:
    """The content of a file; of -, standard input."""
    try:
        if str(path) == "-":
            return sys.stdin.buffer.read()
        return path.read_bytes()
    except FileNotFoundError:
        raise UsageError(f"Expected a file, got {str(path)!r}, which does not exist.") from None
    except OSError as error:
        raise UsageError(f"Expected a file that can be read, got {str(path)!r}: {error.strerror}.") from None


def read_text(path: Path, instead: str = "Save the file in UTF-8.") -> str:
    """The text of a file in UTF-8; where it is no such text, the error says what to do `instead`."""
    try:
        return read(path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise MaskerError(
            f"Expected a text in UTF-8, got {named(path)} ({error.reason} at byte {error.start}). {instead}"
        ) from None
