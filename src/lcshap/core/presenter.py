"""How an explanation is shown: a slot that `lcshap.show` fills, so that nothing here needs to know of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from ..errors import ShowError

if TYPE_CHECKING:
    from .explanation import Explanation


class Presenter(Protocol):
    """What shows explanations."""

    def show(self, e: Explanation, top: int) -> None:
        """Print to standard output."""

    def html(self, e: Explanation) -> str:
        """What a notebook shows."""

    def rich(self, e: Explanation, console: Any, options: Any) -> Iterator[Any]:
        """What rich prints."""

    def plot(self, e: Explanation, kind: str | None, ax: Any, **options: Any) -> Any:
        """A figure of matplotlib."""

    def report(self, e: Explanation, path: str | Path, **options: Any) -> Path:
        """A web page."""


_installed: list[Presenter] = []  # one at the most


def install(presenter: Presenter | None) -> None:
    """From now on explanations are shown by this presenter; None: by none."""
    _installed[:] = [] if presenter is None else [presenter]


def presenter() -> Presenter:
    """What shows explanations.

    >>> import lcshap
    >>> type(presenter()).__module__
    'lcshap.show'
    """
    if not _installed:
        raise ShowError("Expected something that shows explanations, got nothing. Import lcshap.show first.")
    return _installed[0]
