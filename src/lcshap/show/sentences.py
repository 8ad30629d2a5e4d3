"""An explanation in a sentence: the prediction and the largest scores; and what a large residual means."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..core.explanation import Explanation
from ..core.printable import printable
from ..core.rounding import round_to_zero
from . import words
from .probability_of_value import format_percent, probability_of, value_name
from .provenance_text import read_prediction

_LARGE_RESIDUAL_SHARE = 0.25  # a residual above this share of the gain has a sentence of its own
_UNCERTAIN_SCORES = "The 95 % interval of every score includes zero. Use more calls."
_SATURATED = (
    "No unit changes it, because its probability is rounded to {} with all units and without them. Try the logits of "
    'the model (kind="logits" and value="log_odds"), or another reference for absent units.'
)
_SATURATION = 1e-9  # a probability that is as close to 0 or 1 as this does not show what units change
_MAX_NAME_LENGTH = 40  # longer names of units are cut


def lead_sentence(e: Explanation, mark: Callable[[str], str] = "*{}*".format) -> str:
    """The prediction, and the units that count most for and against it; of several classes, the most probable one.

    It is empty for several outputs that are not classes.

    A unit whose interval contains 0 is not named, because the sign of its score is uncertain.

    Parameters
    ----------
    mark : how the names of classes and units are emphasised.

    Examples
    --------
    >>> import lcshap as lc
    >>> g = lc.Graph.chain(3, names=["it", "just", "sucks"])
    >>> provenance = {"value": "log_prob", "targets": ["negative"]}
    >>> lead_sentence(lc.Explanation(np.array([0.0, 0.0, 0.51]), -0.52, -0.01, g, 8, provenance))
    'The model predicts *negative* (99.0 %). *sucks* counts most for it (+0.51), in log probability.'
    """
    return "".join(mark(piece) if k % 2 else piece for k, piece in enumerate(lead_pieces(e)))


def prediction_sentence(e: Explanation, mark: Callable[[str], str] = "*{}*".format) -> str:
    """The prediction in a sentence, for several explanations of one input; empty for several outputs.

    >>> import lcshap as lc
    >>> provenance = {"value": "log_prob", "targets": ["negative"]}
    >>> prediction_sentence(lc.Explanation(np.zeros(2), -0.52, -0.01, lc.Graph.chain(2), 4, provenance))
    'The model predicts *negative* (99.0 %).'
    """
    pieces = _describe_prediction(e)[0] if e.scores.ndim == 1 else []
    return "".join(mark(piece) if k % 2 else piece for k, piece in enumerate(pieces))


def lead_pieces(e: Explanation) -> list[str]:
    """The sentence of `lead_sentence` in pieces: every second one is the name of a class or a unit."""
    if e.scores.ndim > 1:
        main = words.main_output(e)
        return [] if main is None else lead_pieces(e.output(main))
    first, verbs = _describe_prediction(e)
    pieces = [*first[:-1], first[-1] + " "]
    with np.errstate(invalid="ignore"):  # files may hold scores that are not finite
        doubtful = e.insignificant & np.isfinite(e.interval()[0])  # where the error is not known, a unit may be named
    sides = zip((1, -1), verbs, strict=True)
    candidates = [([int(unit) for unit in e.by_magnitude(sign) if not doubtful[unit]], verb) for sign, verb in sides]
    named = [(units[0], verb) for units, verb in candidates if units]
    if not named:
        any_score = any(len(e.by_magnitude(sign)) for sign in (1, -1))
        limit = _saturated_at(e)
        reason = "No unit changes it." if limit is None else _SATURATED.format(limit)
        pieces[-1] += _UNCERTAIN_SCORES if any_score and limit is None else reason
        return pieces
    for k, (unit, verb) in enumerate(named):
        phrase = verb[0] if k == 0 else verb[1]
        pieces[-1] += ", " if k else ""
        pieces += [_short_name(e, unit), f" {phrase} ({_score(e, unit)})"]
    pieces[-1] += "." if verbs is _NUMBER_VERBS else f"{_quantity_phrase(e)}."
    return pieces


def _saturated_at(e: Explanation) -> int | None:
    """The probability, 0 or 1, that is the same with and without units, so that all scores are 0; None otherwise."""
    shares = [probability_of(value, e) for value in (e.base_value, e.full_value)]
    if np.abs(e.scores).max() > _SATURATION * max(1.0, abs(float(e.full_value))):
        return None
    for limit in (0, 1):
        if all(share is not None and abs(share - limit) <= _SATURATION for share in shares):
            return limit
    return None


def _quantity_phrase(e: Explanation) -> str:
    """Which number of a class the scores add up to; empty if it is not known."""
    quantity = words.quantity(e)
    return "" if quantity is None else f", in {quantity}"


Verbs = tuple[tuple[str, str], tuple[str, str]]  # for the most positive and the most negative unit: alone, or after it
_CLASS_VERBS: Verbs = (("counts most for it", ""), ("counts most against it", "most against it"))
_NUMBER_VERBS: Verbs = (("raises it most", ""), ("lowers it most", "lowers it most"))


def _describe_prediction(e: Explanation) -> tuple[list[str], Verbs]:
    """The prediction in pieces, and the verbs for units with positive and negative scores."""
    targets, value = e.provenance.get("targets"), value_name(e)
    place = e.provenance.get("output", 0)
    place = place if isinstance(place, int) and not isinstance(place, bool) and place >= 0 else 0
    items = targets if isinstance(targets, list | tuple) else []
    item = items[place] if place < len(items) else None
    share = probability_of(e.full_value, e)
    if share is None and value == "output" and words.is_class(e):
        share = dict(read_prediction(e.provenance)).get(words.target_name(item))
    if isinstance(item, list | tuple) and len(item) == 2:
        first, second = (printable(str(label)) for label in item)
        better = "higher" if float(e.full_value) >= 0 else "lower"
        return ["The model gives ", first, f" a {better} probability than ", second, "."], _contrast_verbs(first)
    if share is not None and item is not None:
        name = printable(str(item))
        if share >= 0.5:
            return ["The model predicts ", name, f" ({format_percent(share)})."], _CLASS_VERBS
        return ["The model gives ", name, f" {format_percent(share)}."], _CLASS_VERBS
    number = _short_value(e.full_value, e)
    if value == "output" and words.is_class(e) and item is not None:
        return [f"The model's {words.quantity(e)} of ", printable(str(item)), f" is {number}."], _CLASS_VERBS
    if value == "output":
        named = item is not None and len(items) and not str(item).isdigit()
        if named:
            return ["The model's output ", printable(str(item)), f" is {number}."], _NUMBER_VERBS
        return [f"The model's output is {number}."], _NUMBER_VERBS
    quantity = "" if value is None else " " + printable(str(value)).replace("_", " ")
    if value is not None and e.provenance.get("loss") == value:
        return [f"The{quantity} loss goes from {_short_value(e.base_value, e)} to {number}."], _NUMBER_VERBS
    return [f"The value{quantity} goes from {_short_value(e.base_value, e)} to {number}."], _NUMBER_VERBS


def _contrast_verbs(name: str) -> Verbs:
    return ((f"counts most for {name}", ""), (f"counts most against {name}", "most against it"))


def _short_name(e: Explanation, unit: int) -> str:
    name = words.unit_names(e)[unit]
    return name if len(name) <= _MAX_NAME_LENGTH else name[: _MAX_NAME_LENGTH - 1] + "…"


def _score(e: Explanation, unit: int) -> str:
    error = "" if e.stderr is None or not np.isfinite(e.stderr[unit]) else f" ± {_three_digits(float(e.stderr[unit]))}"
    return f"{_three_digits(float(e.scores[unit]), '+')}{error}"


def _short_value(value: Any, e: Explanation) -> str:
    return _three_digits(round_to_zero(float(value), e.scores, e.base_value, e.full_value))


def _three_digits(x: float, sign: str = "") -> str:
    """A number in three digits.

    >>> _three_digits(1234.5), _three_digits(-0.012345), _three_digits(0.5, "+")
    ('1,234', '-0.0123', '+0.5')
    """
    return f"{x:{sign},.0f}" if 1e3 <= abs(x) < 1e7 else f"{x:{sign}.3g}"


def doubt_note(e: Explanation) -> str:
    """Why the intervals may be too narrow, if the method found the values to contradict them; otherwise empty.

    >>> import lcshap as lc
    >>> provenance = {"doubt": "The intervals may be too narrow."}
    >>> doubt_note(lc.Explanation(np.zeros(2), 0.0, 0.0, lc.Graph.chain(2), 4, provenance))
    'The intervals may be too narrow.'
    """
    doubt = e.provenance.get("doubt")
    return printable(doubt) if isinstance(doubt, str) else ""


def residual_note(e: Explanation) -> str:
    """What a large residual means; empty if it is not large.

    >>> import lcshap as lc
    >>> v = lc.Game(lambda kept: 1.0 * kept.all(axis=1), 3)
    >>> residual_note(lc.Shapley().explain(v, lc.Graph.chain(3)))
    ''
    >>> residual_note(lc.FeatureAblation().explain(v, lc.Graph.chain(3)))[:72]
    'The scores add up to +3, but all units together change the value by +1. '
    """
    if e.scores.ndim > 1:
        return ""
    residual, gain = (round_to_zero(float(x), e.scores, e.full_value, e.base_value) for x in (e.residual, _gain(e)))
    if abs(residual) <= _LARGE_RESIDUAL_SHARE * abs(gain):
        return ""
    total = _three_digits(float(e.scores.sum()), "+")
    return (
        f"The scores add up to {total}, but all units together change the value by {_three_digits(gain, '+')}. "
        f"{_residual_reason(residual, gain)} Use the scores as a ranking, not as shares."
    )


def _residual_reason(residual: float, gain: float) -> str:
    if residual * gain < 0 or not gain:
        return "Joint effects of several units are counted once for each of these units."
    return "Joint effects of several units are not included in the scores."


def _gain(e: Explanation) -> float:
    return float(np.subtract(e.full_value, e.base_value))
