"""Explanations for people: words, terminal, notebook, figures, web page.

It is imported when an explanation is first shown (``e.show()``, ``e.plot()``, ``e.to_html(...)``). Matplotlib and
rich are imported when something is drawn with them.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..core.explanation import Explanation
from ..core.explanations import Explanations
from ..core.presenter import Presenter
from .html_report import report
from .notebook import to_html
from .plots.choose import plot
from .plots.choose_set import plot_set
from .terminal import print_explanation, rich_console


class _Presenter:
    """Present an explanation with the functions of this package, see `lcshap.core.presenter.Presenter`."""

    def show(self, e: Explanation, top: int) -> None:
        print_explanation(e, top=top)

    def html(self, e: Explanation) -> str:
        return to_html(e)

    def rich(self, e: Explanation, console: Any, options: Any) -> Iterator[Any]:
        return rich_console(e, console, options)

    def plot(self, e: Explanation | Explanations[Any], kind: str | None, ax: Any, **options: Any) -> Any:
        if isinstance(e, Explanations):
            return plot_set(e, kind, ax, **options)
        return plot(e, kind, ax, **options)

    def report(self, e: Explanation | Explanations[Any], path: str | Path, **options: Any) -> Path:
        return report(e, path, **options)


PRESENTER: Presenter = _Presenter()
