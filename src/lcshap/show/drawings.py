"""Which view is drawn how: one table, for the terminal, notebooks, figures and the page."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..core.explanation import Explanation
from ..core.views import BytesView, ImageView, MoleculeView, PromptView, SeriesView, TableView, TextView, View
from .notebook_pictures import bytes_html, image_html, series_html, text_html
from .terminal_pictures import Ink, byte_lines, image_lines, series_lines, text_lines


@dataclass(frozen=True)
class Drawing:
    """How one kind of view is drawn. Functions take an explanation and its view, of the class that the table says.

    Attributes
    ----------
    terminal : lines of letters, for a width and the ink; None: the bars of the units say all there is.
    notebook : a piece of HTML; None: as before.
    plot : the name of the figure in `lcshap.show.plots`.
    page : the kind of picture on the page: ``pack_<page>`` of `lcshap.show.html_report.pictures` writes what the
        script of the page draws.
    """

    terminal: Callable[[Explanation, Any, int, Ink], list[str]] | None = None
    notebook: Callable[[Explanation, Any], str] | None = None
    plot: str = "bars"
    page: str = "bars"


DRAWINGS: dict[type[View], Drawing] = {
    TextView: Drawing(text_lines, text_html, "text", "text"),
    PromptView: Drawing(text_lines, text_html, "text", "text"),
    BytesView: Drawing(byte_lines, bytes_html, "hexdump", "bytes"),
    ImageView: Drawing(image_lines, image_html, "image", "image"),
    SeriesView: Drawing(series_lines, series_html, "series", "series"),
    TableView: Drawing(page="table"),
    MoleculeView: Drawing(plot="molecule", page="molecule"),
}


def drawing_of(view: View | None) -> Drawing:
    """How a view is drawn; by the names of its units alone where the table does not have it.

    >>> drawing_of(None).plot
    'bars'
    """
    return DRAWINGS.get(type(view), Drawing()) if view is not None else Drawing()
