"""The explanations of one input by several methods."""

from __future__ import annotations

from typing import Any

from ..explanation import Explanation
from ..presenter import get_presenter
from .explanation_set import Explanations


class Comparison(Explanations[Explanation]):
    """The explanations of one input by several methods, as `Explainer.compare` returns them: a sequence.

    It is shown as a table with a row for each unit and a column for each method.

    Parameters
    ----------
    explanations : the explanation of each method.

    Examples
    --------
    >>> import lcshap as lc
    >>> explainer = lc.Explainer(lambda texts: [len(t) for t in texts], lc.maskers.Text(), kind="output")
    >>> comparison = explainer.compare("to be or not", ["shapley", lc.LShapley(1)])
    >>> len(comparison), comparison.scores.shape, comparison[1].calls
    (2, (2, 4), 13)
    """

    __slots__ = ()

    def show(self, top: int = 10) -> None:
        """Print the scores of all methods side by side. Tables have the `top` units."""
        get_presenter().show_comparison(self, top)

    def _repr_html_(self) -> str:
        """The HTML that a notebook shows."""
        return get_presenter().comparison_html(self)

    def plot(self, kind: str | None = None, ax: Any = None, **options: Any) -> Any:
        """Draw a figure with matplotlib, by default the scores of all methods side by side; see `lc.plots.compare`."""
        return get_presenter().plot(self, kind or "compare", ax, **options)
