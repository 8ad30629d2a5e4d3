"""Read the files that the user names; - is standard input."""

from __future__ import annotations

import sys
from pathlib import Path

from ..errors import MaskerError
from .option_groups import UsageError


def display_name(path: Path) -> str:
    """The name of a file in error messages."""
    return "standard input" if str(path) == "-" else str(path)


def read_input_file(path: Path) -> bytes:
    """The content of a file, or of standard input if the path is -."""
    try:
        if str(path) == "-":
            return sys.stdin.buffer.read()
        return path.read_bytes()
    except FileNotFoundError:
        raise UsageError(f"Expected a file, got {str(path)!r}, which does not exist.") from None
    except OSError as error:
        raise UsageError(f"Expected a file that can be read, got {str(path)!r}: {error.strerror}.") from None


def read_input_text(path: Path, instead: str = "Save the file in UTF-8.") -> str:
    """The text of a file in UTF-8. If the file is not such a text, the error message ends with `instead`."""
    try:
        return read_input_file(path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise MaskerError(
            f"Expected a text in UTF-8, got {display_name(path)} ({error.reason} at byte {error.start}). {instead}"
        ) from None
