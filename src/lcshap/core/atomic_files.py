"""Atomic writing of files: a file is written completely or not at all."""

from __future__ import annotations

import errno
import os
import secrets
import stat
from collections.abc import Callable
from pathlib import Path

from ..errors import OptionError
from .printable import printable

_UNSUPPORTED_ERRNOS = {
    errno.EOPNOTSUPP,
    errno.EISDIR,
    errno.ENOENT,
    errno.EINVAL,
    errno.EPERM,
    errno.EXDEV,
    errno.EACCES,
}
_HEAD_BYTES = 2**16  # bytes at the beginning and at the end of a file that show its format


def write_file(path: str | Path, content: str | bytes) -> Path:
    r"""Write a file atomically: it has either its new content or its old one, even if the process is killed.

    The content is written to an unnamed file in the same folder (or to a temporary one, if the system has no unnamed
    files), flushed to the disk, and replaces the old file in one step. The mode of an old file is kept. A path that is
    not a regular file, such as a pipe, is written to directly.

    Parameters
    ----------
    content : bytes, or a text, which is written in UTF-8.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_file(f"{folder}/note.txt", "old").read_text()
    ...     try:
    ...         write_file(f"{folder}/note.txt", "half a character: \ud800")
    ...     except UnicodeEncodeError:
    ...         Path(f"{folder}/note.txt").read_text(), os.listdir(folder)
    'old'
    ('old', ['note.txt'])
    """
    path = Path(path)
    encoded = content.encode("utf-8") if isinstance(content, str) else content
    try:
        mode: int | None = os.stat(path).st_mode
    except FileNotFoundError:
        mode = None
    if mode is not None and not stat.S_ISREG(mode):
        path.write_bytes(encoded)
        return path
    target = Path(os.path.realpath(path))  # The target of a link is written, so that the link remains.
    temporary_path = target.with_name(f".lcshap-{secrets.token_hex(8)}.part")
    try:
        if not _write_unnamed(temporary_path, encoded, mode):
            _write_named(temporary_path, encoded, mode)
        os.replace(temporary_path, target)
    except BaseException:
        temporary_path.unlink(missing_ok=True)
        raise
    _sync_folder(target.parent)
    return path


def check_output_path(path: str | Path, ours: Callable[[bytes], bool] | None = None) -> Path:
    """Check that a path can be written to, without writing anything, and return it; raise `OptionError` otherwise.

    Parameters
    ----------
    ours : a function of the beginning and the end of an existing file that returns whether it may be overwritten.

    Examples
    --------
    >>> check_output_path("no/e.json")
    Traceback (most recent call last):
        ...
    lcshap.errors.OptionError: Expected a folder to write e.json to, got 'no', which does not exist. Create it first.
    """
    path = Path(path)
    folder = path.parent
    if not folder.is_dir():
        state, advice = (
            ("is not a folder", "Choose another one") if folder.exists() else ("does not exist", "Create it first")
        )
        raise OptionError(
            f"Expected a folder to write {printable(path.name)} to, got {str(folder)!r}, which {state}. {advice}."
        )
    try:
        mode: int | None = os.stat(path).st_mode
    except FileNotFoundError:
        mode = None
    except (OSError, ValueError) as error:  # The name is too long or contains a null character.
        raise OptionError(f"Expected the name of a file to write, got {str(path)!r}: {error}.") from None
    if mode is not None and stat.S_ISDIR(mode):
        raise OptionError(
            f"Expected the name of a file to write, got {str(path)!r}, which is a folder. Add a file name."
        )
    is_regular = mode is None or stat.S_ISREG(mode)
    written_paths = [*([folder] if is_regular else []), *([] if mode is None else [path])]
    if not all(os.access(written_path, os.W_OK) for written_path in written_paths):
        raise OptionError(
            f"Expected a file that can be written, got {str(path)!r}, which is write-protected. Choose another name."
        )
    if ours is not None and path.is_file() and path.stat().st_size and not ours(_read_ends(path)):
        raise OptionError(
            f"Expected a new file, or one that lcshap wrote, got {str(path)!r}, which holds something else. "
            "Choose another name, or overwrite it with --force."
        )
    return path


def _read_ends(path: Path) -> bytes:
    """The beginning and the end of a file."""
    with path.open("rb") as stream:
        head = stream.read(_HEAD_BYTES)
        stream.seek(max(len(head), path.stat().st_size - _HEAD_BYTES))
        return head + stream.read(_HEAD_BYTES)


def _write_unnamed(temporary_path: Path, encoded: bytes, mode: int | None) -> bool:
    """Write to a file that gets its name when it is complete, so that nothing remains if the process is killed.

    Returns False if the system has no such files.
    """
    flag = getattr(os, "O_TMPFILE", None)
    if flag is None:
        return False
    try:
        descriptor = os.open(temporary_path.parent, flag | os.O_WRONLY, 0o666)
    except OSError as error:
        if error.errno in _UNSUPPORTED_ERRNOS:
            return False
        raise
    try:
        _write_all(descriptor, encoded, mode)
        os.link(f"/proc/self/fd/{descriptor}", temporary_path, follow_symlinks=True)
    except OSError as error:
        if error.errno in _UNSUPPORTED_ERRNOS and error.errno != errno.EINVAL:
            return False
        raise
    finally:
        os.close(descriptor)
    return True


def _write_named(temporary_path: Path, encoded: bytes, mode: int | None) -> None:
    descriptor = os.open(temporary_path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
    try:
        _write_all(descriptor, encoded, mode)
    finally:
        os.close(descriptor)


def _write_all(descriptor: int, encoded: bytes, mode: int | None) -> None:
    """Write all bytes and flush them to the disk."""
    remaining = memoryview(encoded)
    while len(remaining):
        remaining = remaining[os.write(descriptor, remaining) :]
    if mode is not None and hasattr(os, "fchmod"):
        os.fchmod(descriptor, stat.S_IMODE(mode))
    os.fsync(descriptor)


def _sync_folder(folder: Path) -> None:
    """Flush the new name of a file to the disk, if the system can open folders."""
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except OSError:
        return
    try:
        os.fsync(descriptor)
    except OSError:
        pass  # Some file systems cannot flush folders.
    finally:
        os.close(descriptor)
