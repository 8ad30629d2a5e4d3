"""How an explanation is shown: a slot for `lcshap.show`, so that nothing here needs to know of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Protocol

from ..errors import ShowError


class Presenter(Protocol):
    """What shows explanations, `e` being one."""

    def show(self, e: Any, top: int) -> None:
        """Print to standard output."""

    def html(self, e: Any) -> str:
        """What a notebook shows."""

    def rich(self, e: Any, console: Any, options: Any) -> Iterator[Any]:
        """What rich prints."""

    def plot(self, e: Any, kind: str | None, ax: Any, **options: Any) -> Any:
        """A figure of matplotlib."""

    def report(self, e: Any, path: str | Path, **options: Any) -> Path:
        """A web page."""


_installed: list[Callable[[], Presenter]] = []  # one at the most


def install(find: Callable[[], Presenter] | None) -> None:
    """From now on explanations are shown by the presenter that `find()` returns; None: by none.

    `find` is called when something is shown, and may import what it needs then.
    """
    _installed[:] = [] if find is None else [find]


def presenter() -> Presenter:
    """What shows explanations.

    >>> import lcshap
    >>> type(presenter()).__module__
    'lcshap.show'
    """
    if not _installed:
        raise ShowError(
            "Expected a presenter to show explanations with, got none. Import lcshap, or install a presenter first."
        )
    return _installed[0]()
