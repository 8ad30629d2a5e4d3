"""A finished run as files: a report, an explanation in JSON, a Python program."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from ..core.explanation import Explanation
from ..core.serialize import save_explanation
from ..errors import OptionError
from ..show.html_report import report
from .snippet import snippet


class DownloadFile(NamedTuple):
    """A file to download: its name, its type and its content."""

    name: str
    media: str
    content: bytes


def save_as(
    kind: str, x: Any, explanations: Mapping[str, Explanation], label: str | None = None, source: str | None = None
) -> DownloadFile:
    """A run as a file.

    Parameters
    ----------
    kind : "html": all columns as one page that needs no server; "json": one column, for `lcshap.load`; "python": a
        program that repeats one column.
    x : the input.
    explanations : of all columns, by label.
    label : which column; by default the first.
    source : lines of Python that make the model.

    Raises
    ------
    OptionError : if there is no such kind of file or no such column.
    """
    if label is not None and label not in explanations:
        raise OptionError(f"Expected one of {', '.join(explanations)}, got {label!r:.60}.")
    e = explanations[label] if label is not None else next(iter(explanations.values()))
    if kind == "html":
        content = _write_to_bytes(lambda path: report(dict(explanations), path), "explanation.html")
        return DownloadFile("explanation.html", "text/html; charset=utf-8", content)
    if kind == "json":
        return DownloadFile(
            "explanation.json",
            "application/json",
            _write_to_bytes(lambda path: save_explanation(e, path), "explanation.json"),
        )
    if kind == "python":
        return DownloadFile(
            "explanation.py", "text/x-python; charset=utf-8", snippet(e, x, source).encode("utf-8", "replace")
        )
    raise OptionError(f"Expected html, json or python, got {kind!r:.60}.")


def _write_to_bytes(write: Callable[[Path], Path], name: str) -> bytes:
    with tempfile.TemporaryDirectory(prefix="lcshap-") as folder:
        return write(Path(folder) / name).read_bytes()
