"""Which figure an explanation gets if nobody says it, and all figures by name."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from ...core.explanation import Explanation
from ...core.views import MoleculeView
from ...errors import ShowError
from .. import words
from ..drawings import drawing_of
from ..molecules import read_molecule
from ..sentences import lead
from .base import one_output, write_above

KINDS = {
    "text": "text",
    "image": "image",
    "masked_image": "image",
    "series": "series",
    "hexdump": "hexdump",
    "molecule": "molecule",
    "network": "network",
    "bars": "bars",
    "heatmap": "heatmap",
    "waterfall": "bars",
    "curves": "curves",
    "neighbourhood": "figure1",
    "compare": "compare",
    "summary_bars": "many",
    "beeswarm": "many",
}  # the name of a figure to its module
_OF_MANY = ("compare", "summary_bars", "beeswarm")
_WITHOUT = ("neighbourhood", "curves", "heatmap", *_OF_MANY)  # figures that are not about the scores of one output


def plot(e: Explanation, kind: str | None = None, ax: Any = None, *, sentence: bool = True, **options: Any) -> Any:
    """Draw an explanation: the picture that suits its input, or one by name.

    Parameters
    ----------
    kind : by default the input with its units highlighted where there is a picture of it, else "bars"; of several
        outputs "heatmap", unless ``output=`` says which.
    ax : matplotlib axes to draw on; by default those of a new figure.
    sentence : above a new figure, what the model says and which units speak most for it and against it.
    **options : of the figure, see the function of its name in `lcshap.show.plots`; "neighbourhood" needs `unit`.

    Examples
    --------
    ``e.plot()``, ``e.plot("waterfall", top=5)``, ``e.plot(dark=True).figure.savefig("words.png")``.
    """
    if kind is None and e.scores.ndim == 2 and options.get("output") is None:
        kind = "heatmap"
    if kind is None:
        kind = drawing_of(e.view).plot
        if isinstance(e.view, MoleculeView) and read_molecule(e.view) is None:
            kind = "bars"
    if kind not in KINDS:
        raise ShowError(f"there is no figure {kind!r}: choose one of {', '.join(KINDS)}")
    function = getattr(import_module(f"lcshap.show.plots.{KINDS[kind]}"), kind)
    given: Any = [e] if kind in _OF_MANY else e
    if kind == "neighbourhood":
        given = e.graph
    elif kind == "curves":
        if e.curve is None:
            raise ShowError("this explanation has no masking curve: make it with Explainer(..., curve=True)")
        given = {words.method_names([e])[0]: e.curve}
    drawn = function(given, ax=ax, **options)
    if sentence and ax is None and kind not in _WITHOUT:
        write_above(drawn, lead(one_output(e, options.get("output")), "“{}”".format), options.get("dark", False))
    return drawn
