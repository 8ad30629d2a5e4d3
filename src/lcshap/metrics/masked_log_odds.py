"""The masking measure of the paper: the model's log-odds while the top units are masked, first to last."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..evaluation.masking_curves import PERCENTS, MaskingCurve, masking_curves
from ..explainer import Explainer
from .ranked_evaluation import pair_with_games

__all__ = ["MaskingCurve", "masking_curve"]


def masking_curve(
    explainer: Explainer, x: Any, explanation: Any, percents: Sequence[float] = PERCENTS, keep: bool = False
) -> Any:
    """Mask the units that an explanation ranks first, and evaluate the model.

    At p percent, ``round(p * d / 100)`` units are masked, at least one for p above 0. The value is the log-odds
    ``log(q + 1e-6) - log(1 - q + 1e-6)`` of the class that is explained, or the output of a model without classes.

    Parameters
    ----------
    explainer : the `Explainer` that made the explanation; its model, masker and target are used.
    x, explanation : the input and its explanation, or a list of inputs and the list of theirs: they share batches.
    keep : whether the top units are the only ones kept, instead of masked.

    Returns
    -------
    A `MaskingCurve`, or a list of them.

    Examples
    --------
    >>> import lcshap as lc
    >>> from lcshap.metrics import masking_curve
    >>> length = lambda texts: [float(len(t.split())) for t in texts]
    >>> explainer = lc.Explainer(length, lc.maskers.Text(), lc.Shapley(), kind="output")
    >>> curve = masking_curve(explainer, "one two three four", explainer("one two three four"), (0, 50, 100))
    >>> curve.values, curve.area(100)
    (array([4., 2., 0.]), -2.0)
    """
    curves = masking_curves(*pair_with_games(explainer, x, explanation), percents, keep)
    return curves if explainer.masker.is_many(x) else curves[0]
