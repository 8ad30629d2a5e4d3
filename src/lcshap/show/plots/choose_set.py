"""The default figure of many explanations, and figures of many explanations by name."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from ...core.explanation import Explanation
from ...core.explanations import Explanations
from ...core.views import TableView
from ...errors import ShowError
from .choose import KINDS

FIGURES_OF_SETS = (
    "summary_bars",
    "bars",
    "bar",
    "beeswarm",
    "violin",
    "scatter",
    "heatmap",
    "decision",
    "interaction_matrix",
    "compare",
)


def plot_set(xs: Explanations[Any], kind: str | None = None, ax: Any = None, **options: Any) -> Any:
    """Draw many explanations: the figure that suits their inputs, or one by name.

    Parameters
    ----------
    xs : explanations of many inputs. Inputs that failed are left out.
    kind : the name of a figure. By default "beeswarm" for tables, and "summary_bars" for other inputs.
    ax : matplotlib axes to draw on; by default those of a new figure.
    **options : options of the figure, see the function of its name in `lcshap.plots`.

    Returns
    -------
    Axes : the matplotlib axes. They have `show` and `savefig`, and notebooks display them.

    Raises
    ------
    ShowError : if there is no such figure, or it draws single explanations.

    Examples
    --------
    >>> import lcshap as lc
    >>> explainer = lc.Explainer(lambda texts: [1.0 * ("good" in t) for t in texts], lc.maskers.Text(), kind="output")
    >>> ax = explainer(["a good film", "a bad film"]).plot()  # the same as plot_set(...)
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['good (1)', 'a', 'bad (1)', 'film']
    """
    xs = xs.explained
    if kind is None:
        first = xs[0] if len(xs) else None
        kind = "beeswarm" if isinstance(first, Explanation) and isinstance(first.view, TableView) else "summary_bars"
    if kind not in FIGURES_OF_SETS:
        advice = f" For one input: xs[0].plot({kind!r})." if kind in KINDS else ""
        raise ShowError(f"Expected one of the figures {', '.join(FIGURES_OF_SETS)}, got {kind!r}.{advice}")
    function = getattr(import_module(f"lcshap.show.plots.{KINDS[kind]}"), kind)
    return function(xs, ax=ax, **options)
