"""Files that are written whole or not at all."""

from __future__ import annotations

import errno
import os
import secrets
import stat
from collections.abc import Callable
from pathlib import Path

from ..errors import OptionError
from .printable import printable

_UNSUPPORTED = {errno.EOPNOTSUPP, errno.EISDIR, errno.ENOENT, errno.EINVAL, errno.EPERM, errno.EXDEV, errno.EACCES}
_HEAD = 2**16  # bytes of a file that tell what it is


def write_file(path: str | Path, content: str | bytes) -> Path:
    r"""Write a file so that it is there whole, or as it was before: whatever fails, whenever the process is killed.

    The content goes to a file without a name (or, where the system has none, of another name) in the same folder, is
    put on the disk, and takes the place of the old file in one step. The mode of an old file is kept. What is no
    regular file, such as a pipe, is written to as it is.

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
    data = content.encode("utf-8") if isinstance(content, str) else content
    try:
        mode: int | None = os.stat(path).st_mode
    except FileNotFoundError:
        mode = None
    if mode is not None and not stat.S_ISREG(mode):
        path.write_bytes(data)
        return path
    target = Path(os.path.realpath(path))  # a link stays a link
    part = target.with_name(f".lcshap-{secrets.token_hex(8)}.part")
    try:
        if not _write_unnamed(part, data, mode):
            _write_named(part, data, mode)
        os.replace(part, target)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    _sync_folder(target.parent)
    return path


def check_target(path: str | Path, ours: Callable[[bytes], bool] | None = None) -> Path:
    """A path that can be written to; else an `OptionError`. Nothing is written.

    Parameters
    ----------
    ours : whether a file that is there already may be overwritten, by its content: the beginning and the end of it.

    Examples
    --------
    >>> check_target("no/e.json")
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
    except (OSError, ValueError) as error:  # a name that is too long, or one with a null character
        raise OptionError(f"Expected the name of a file to write, got {str(path)!r}: {error}.") from None
    if mode is not None and stat.S_ISDIR(mode):
        raise OptionError(
            f"Expected the name of a file to write, got {str(path)!r}, which is a folder. Add a file name."
        )
    usual = mode is None or stat.S_ISREG(mode)
    wanted = [*([folder] if usual else []), *([] if mode is None else [path])]
    if not all(os.access(place, os.W_OK) for place in wanted):
        raise OptionError(
            f"Expected a file that can be written, got {str(path)!r}, which is write-protected. Choose another name."
        )
    if ours is not None and path.is_file() and path.stat().st_size and not ours(_ends(path)):
        raise OptionError(
            f"Expected a new file, or one that lcshap wrote, got {str(path)!r}, which holds something else. "
            "Choose another name, or overwrite it with --force."
        )
    return path


def _ends(path: Path) -> bytes:
    """The beginning and the end of a file."""
    with path.open("rb") as stream:
        head = stream.read(_HEAD)
        stream.seek(max(len(head), path.stat().st_size - _HEAD))
        return head + stream.read(_HEAD)


def _write_unnamed(part: Path, data: bytes, mode: int | None) -> bool:
    """Write to a file that has no name until it is finished, so that nothing is left of it if the process is killed.

    False where the system has no such files.
    """
    kind = getattr(os, "O_TMPFILE", None)
    if kind is None:
        return False
    try:
        descriptor = os.open(part.parent, kind | os.O_WRONLY, 0o666)
    except OSError as error:
        if error.errno in _UNSUPPORTED:
            return False
        raise
    try:
        _fill(descriptor, data, mode)
        os.link(f"/proc/self/fd/{descriptor}", part, follow_symlinks=True)
    except OSError as error:
        if error.errno in _UNSUPPORTED and error.errno != errno.EINVAL:
            return False
        raise
    finally:
        os.close(descriptor)
    return True


def _write_named(part: Path, data: bytes, mode: int | None) -> None:
    descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
    try:
        _fill(descriptor, data, mode)
    finally:
        os.close(descriptor)


def _fill(descriptor: int, data: bytes, mode: int | None) -> None:
    """All bytes, on the disk."""
    rest = memoryview(data)
    while len(rest):
        rest = rest[os.write(descriptor, rest) :]
    if mode is not None and hasattr(os, "fchmod"):
        os.fchmod(descriptor, stat.S_IMODE(mode))
    os.fsync(descriptor)


def _sync_folder(folder: Path) -> None:
    """Put the new name on the disk too, where the system has folders that can be opened."""
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except OSError:
        return
    try:
        os.fsync(descriptor)
    except OSError:
        pass  # some file systems have no such thing
    finally:
        os.close(descriptor)
