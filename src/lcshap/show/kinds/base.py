"""What is drawn of one kind of input."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ...core.explanation import Explanation
from ..ink import Ink
from ..pack import ContentPool
from ..styling import Styling


def no_lines(e: Explanation, view: Any, width: int, ink: Ink) -> list[str]:
    """No picture in the terminal: the bars of the units say all there is."""
    return []


def no_html(e: Explanation, view: Any, styling: Styling) -> str:
    """No picture without scripts: the bars of the units say all there is."""
    return ""


def pack_bars(view: Any, pool: ContentPool) -> dict[str, Any]:
    """No picture but the names of the units."""
    return {"kind": "bars"}


@dataclass(frozen=True)
class Drawing:
    """How one kind of view is drawn. All functions take a view of the class that `lcshap.show.kinds` says.

    Attributes
    ----------
    lines : the picture in a terminal, for an explanation with one output, its view, a width and the ink.
    html : the picture as HTML without scripts, for notebooks and for pages where scripts do not run.
    pack : what the script of a page needs to draw the view. Its "kind" names the function in `modules/pictures.js`.
    figures : the names of the figures in `lcshap.show.plots` that draw the view, all in the module of the first. The
        first is drawn unless another one is asked for. Empty: "bars" is drawn.
    has_figure : whether the first figure can be drawn of a view; otherwise "bars" is drawn. None: it always can.
    style : the rules of the style sheet that the elements of `html` need beyond those that all kinds share.

    Examples
    --------
    >>> Drawing().figure_of(None), Drawing().pack(None, ContentPool())
    ('bars', {'kind': 'bars'})
    """

    lines: Callable[[Explanation, Any, int, Ink], list[str]] = no_lines
    html: Callable[[Explanation, Any, Styling], str] = no_html
    pack: Callable[[Any, ContentPool], dict[str, Any]] = pack_bars
    figures: tuple[str, ...] = ()
    has_figure: Callable[[Any], bool] | None = None
    style: str = ""

    def figure_of(self, view: Any) -> str:
        """The name of the figure that is drawn of a view where no other is asked for."""
        drawn = self.figures and (self.has_figure is None or self.has_figure(view))
        return self.figures[0] if drawn else "bars"
