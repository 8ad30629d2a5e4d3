"""The files that a command is asked to write, looked at before the model is asked anything."""

from __future__ import annotations

from pathlib import Path

from ..core.files import check_target
from ..core.record import is_explanation
from ..show.html_report.page import check_page, is_page
from ..show.plots.base import check_figure, is_figure


def check_targets(
    save: Path | None = None, html: Path | None = None, plot: Path | None = None, force: bool = False
) -> None:
    """Raise for a file that cannot be written, and unless `force`, for one that lcshap did not write.

    >>> check_targets(html=Path("page.txt"))
    Traceback (most recent call last):
        ...
    lcshap.errors.ShowError: Expected a file name that ends in .html for a report, got 'page.txt'.
    """
    if html is not None:
        check_page(html)
    if plot is not None:
        check_figure(plot)
    for path, ours in ((save, is_explanation), (html, is_page), (plot, is_figure)):
        if path is not None:
            check_target(path, None if force else ours)
