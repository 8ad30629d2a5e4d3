"""Check the files that a command writes, before the model is called."""

from __future__ import annotations

from pathlib import Path

from ..core.atomic_files import check_output_path
from ..core.serialize import is_explanation
from ..show.html_report.report_page import check_report_path, is_report
from ..show.plots.base import check_figure_path, is_figure


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
        check_report_path(html)
    if plot is not None:
        check_figure_path(plot)
    for path, is_ours in ((save, is_explanation), (html, is_report), (plot, is_figure)):
        if path is not None:
            check_output_path(path, None if force else is_ours)
