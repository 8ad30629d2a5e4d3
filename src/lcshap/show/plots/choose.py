"""The default figure of an explanation, and all figures by name."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from ...core.explanation import Explanation
from ...errors import ShowError
from .. import words
from ..kinds import DRAWINGS, drawing_of
from ..sentences import lead_sentence
from .base import add_sentence_above, shown_outputs
from .empty_axes import draws_one

KINDS = {
    **{name: f"{drawing.figures[0]}_plot" for drawing in DRAWINGS.values() for name in drawing.figures},
    "network": "network",
    "bars": "bars",
    "bar": "bars",
    "heatmap": "heatmap",
    "waterfall": "waterfall",
    "curves": "curves",
    "neighbourhood": "neighbourhood_plot",
    "compare": "compare_plot",
    "summary_bars": "summary_plots",
    "beeswarm": "beeswarm",
    "violin": "violin",
    "scatter": "scatter",
    "decision": "decision",
    "interaction_matrix": "interaction_matrix",
}  # the name of a figure to its module
_FIGURES_OF_LISTS = ("compare", "summary_bars", "beeswarm", "violin")
_FIGURES_WITHOUT_SENTENCE = (
    "neighbourhood",
    "curves",
    "scatter",
    "decision",
    "interaction_matrix",
    *_FIGURES_OF_LISTS,
)  # not about a single explanation


@draws_one
def plot(e: Explanation, kind: str | None = None, ax: Any = None, *, sentence: bool = True, **options: Any) -> Any:
    """Draw an explanation: the figure that suits its input, or one by name.

    Parameters
    ----------
    e : an explanation.
    kind : the name of a figure, such as "bars". By default, the input with its units highlighted if there is a
        picture of it, otherwise "bars"; for several outputs "heatmap", unless ``output=`` or ``target=`` chooses one.
        Where all classes of a table are explained by default, the predicted class is drawn, or all with
        ``target="all"``.
    ax : matplotlib axes to draw on; by default those of a new figure.
    sentence : whether a new figure starts with a sentence about the prediction and the units with the largest scores.
    **options : options of the figure, see the function of its name in `lcshap.plots`. "neighbourhood" needs `unit`.

    Returns
    -------
    Axes : the matplotlib axes. They have `show` and `savefig`, and notebooks display them.

    Raises
    ------
    ShowError : if there is no such figure, or it does not suit the explanation.

    Examples
    --------
    >>> import lcshap as lc
    >>> e = lc.explain(lambda texts: [1.0 * ("good" in text) for text in texts], "a good film", kind="output")
    >>> ax = lc.plots.plot(e, "waterfall", top=2)  # the same as e.plot("waterfall", top=2)
    >>> ax.get_xlabel()
    'output 0 · 8 calls'
    """
    chosen = options.get("output"), options.get("target")
    if kind is None and e.scores.ndim == 2 and chosen == (None, None) and not words.explains_all_classes(e):
        kind = "heatmap"
    if kind is None:
        kind = drawing_of(e.view).figure_of(e.view)
    if kind not in KINDS:
        raise ShowError(f"Expected one of the figures {', '.join(KINDS)}, got {kind!r}.")
    function = getattr(import_module(f"lcshap.show.plots.{KINDS[kind]}"), kind)
    argument: Any = [e] if kind in _FIGURES_OF_LISTS else e
    if kind == "neighbourhood":
        argument = e.graph
    elif kind == "curves":
        if e.curve is None:
            raise ShowError(
                "Expected an explanation with a masking curve, got one without. Make it with Explainer(..., "
                "curve=True)."
            )
        argument = {words.method_names([e])[0]: e.curve}
    drawn = function(argument, ax=ax, **options)
    if sentence and ax is None and kind not in _FIGURES_WITHOUT_SENTENCE:
        outputs = shown_outputs(e, options.get("output"), options.get("target"))
        explained = outputs[0] if len(outputs) == 1 and kind != "heatmap" else e
        if text := lead_sentence(explained, "“{}”".format):  # outputs that are not classes have no sentence
            add_sentence_above(drawn, text, options.get("dark", False))
    return drawn
