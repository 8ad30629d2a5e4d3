"""An explanation in a notebook: a piece of HTML without scripts, readable on light and on dark pages."""

from __future__ import annotations

from ..core.explanation import Explanation
from .static_html.explanation_html import explanation_html
from .static_html.style import STYLE
from .styling import InlineStyling


def to_html(e: Explanation, top: int = 10) -> str:
    """What a notebook shows for an explanation: the input with its scores, bars of the largest ones, and the totals.

    Everything that comes from users or models is escaped, and nothing is a script.

    >>> import lcshap as lc
    >>> g = lc.Graph.chain(2, names=["<b>", "a"])
    >>> page = to_html(lc.Shapley().explain(lc.Game(lambda kept: kept @ [1.0, -1.0], 2), g))
    >>> "<b>" in page, "&lt;b&gt;" in page
    (False, True)
    """
    return wrap_html(explanation_html(e, InlineStyling(), top=top))


def wrap_html(content: str) -> str:
    """HTML without scripts, in an element that has its style."""
    return f'<div class="lcshap"><style>{STYLE}</style>{content}</div>'
