"""Explanations for people: words, terminal, notebook, figures, web page.

It is imported when an explanation is first shown (``e.show()``, ``e.plot()``, ``e.to_html(...)``). Matplotlib and
rich are imported when something is drawn with them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ..core.explanation import Explanation
from ..core.explanations import Explanations
from ..core.presenter import Presenter
from .html_report import report
from .notebook import to_html, wrap_html
from .plots.choose import plot
from .plots.choose_set import plot_set
from .set_terminal import print_comparison, print_set
from .static_html.set_html import comparison_html, set_html, table_html
from .styling import InlineStyling
from .terminal import print_explanation, rich_console


class _Presenter:
    """Present an explanation with the functions of this package, see `lcshap.core.presenter.Presenter`."""

    def show(self, e: Explanation, top: int) -> None:
        print_explanation(e, top=top)

    def html(self, e: Explanation) -> str:
        return to_html(e)

    def set_html(self, xs: Explanations[Any]) -> str:
        return wrap_html(set_html(xs, InlineStyling()))

    def show_set(self, xs: Explanations[Any], top: int) -> None:
        print_set(xs, top)

    def comparison_html(self, xs: Explanations[Any]) -> str:
        return wrap_html(comparison_html(xs, InlineStyling()))

    def show_comparison(self, xs: Explanations[Any], top: int) -> None:
        print_comparison(xs, top)

    def table_html(
        self, title: str, header: Sequence[str], rows: Sequence[Sequence[str]], notes: Sequence[str] = ()
    ) -> str:
        return wrap_html(table_html(title, header, rows, notes))

    def rich(self, e: Explanation, console: Any, options: Any) -> Iterator[Any]:
        return rich_console(e, console, options)

    def plot(self, e: Explanation | Explanations[Any], kind: str | None, ax: Any, **options: Any) -> Any:
        if isinstance(e, Explanations):
            return plot_set(e, kind, ax, **options)
        return plot(e, kind, ax, **options)

    def report(self, e: Explanation | Explanations[Any], path: str | Path, **options: Any) -> Path:
        return report(e, path, **options)


PRESENTER: Presenter = _Presenter()
