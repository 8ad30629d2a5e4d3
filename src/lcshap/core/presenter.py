"""A hook for the package that shows explanations, `lcshap.show`, so that `core` does not import it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol

from ..errors import ShowError


class Presenter(Protocol):
    """Shows an explanation `e` in several ways."""

    def show(self, e: Any, top: int) -> None:
        """Print to standard output."""

    def html(self, e: Any) -> str:
        """What a notebook shows."""

    def set_html(self, xs: Any) -> str:
        """What a notebook shows of many explanations."""

    def show_set(self, xs: Any, top: int) -> None:
        """Print a summary of many explanations to standard output."""

    def comparison_html(self, xs: Any) -> str:
        """What a notebook shows of explanations of one input by several methods."""

    def show_comparison(self, xs: Any, top: int) -> None:
        """Print explanations of one input by several methods to standard output."""

    def table_html(
        self, title: str, header: Sequence[str], rows: Sequence[Sequence[str]], notes: Sequence[str] = ()
    ) -> str:
        """A table of texts for a notebook."""

    def rich(self, e: Any, console: Any, options: Any) -> Iterator[Any]:
        """What rich prints."""

    def plot(self, e: Any, kind: str | None, ax: Any, **options: Any) -> Any:
        """A figure of matplotlib."""

    def report(self, e: Any, path: str | Path, **options: Any) -> Path:
        """A web page."""


_installed: list[Callable[[], Presenter]] = []  # The list has at most one presenter.


def install_presenter(find: Callable[[], Presenter] | None) -> None:
    """Let the presenter that `find()` returns show explanations; None removes it.

    `find` is called when an explanation is shown, so that it can import what it needs at that time.
    """
    _installed[:] = [] if find is None else [find]


def get_presenter() -> Presenter:
    """The installed presenter.

    >>> import lcshap
    >>> type(get_presenter()).__module__
    'lcshap.show'
    """
    if not _installed:
        raise ShowError(
            "Expected a presenter to show explanations with, got none. Import lcshap, or install a presenter first."
        )
    return _installed[0]()
