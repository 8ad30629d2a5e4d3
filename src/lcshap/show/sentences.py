"""An explanation in a sentence: what the model says and what speaks for it; and what a large residual means."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..core.explanation import Explanation
from ..core.printable import printable
from ..core.rounding import settled
from . import words
from .chances import chance, percent, value_name

_LARGE = 0.25  # a residual above this share of the gain has a sentence of its own
_NAME = 40  # letters of a unit that is named


def lead(e: Explanation, mark: Callable[[str], str] = "*{}*".format) -> str:
    """What the model says, and which units speak most for it and against it; of several classes, of the most probable.

    It is empty for several outputs that are no classes.

    A unit whose interval holds 0 is not named: nobody knows on which side it is.

    Parameters
    ----------
    mark : how the names of classes and units stand out.

    Examples
    --------
    >>> import lcshap as lc
    >>> g = lc.Graph.chain(3, names=["it", "just", "sucks"])
    >>> made = {"value": "log_prob", "targets": ["negative"]}
    >>> lead(lc.Explanation(np.array([-0.38, 0.0, 0.89]), -0.52, -0.01, g, 8, made))
    'The model says *negative* (99.0 %). *sucks* speaks most for it (+0.89), *it* most against it (-0.38).'
    """
    return "".join(mark(part) if k % 2 else part for k, part in enumerate(lead_parts(e)))


def says(e: Explanation, mark: Callable[[str], str] = "*{}*".format) -> str:
    """What the model says, for several explanations of one input; empty where they have several outputs.

    >>> import lcshap as lc
    >>> made = {"value": "log_prob", "targets": ["negative"]}
    >>> says(lc.Explanation(np.zeros(2), -0.52, -0.01, lc.Graph.chain(2), 4, made))
    'The model says *negative* (99.0 %).'
    """
    pieces = _says(e)[0] if e.scores.ndim == 1 else []
    return "".join(mark(part) if k % 2 else part for k, part in enumerate(pieces))


def lead_parts(e: Explanation) -> list[str]:
    """The same in pieces: every second one is the name of a class or a unit."""
    if e.scores.ndim > 1:
        main = words.main_output(e)
        return [] if main is None else lead_parts(e.output(main))
    first, verbs = _says(e)
    pieces = [*first[:-1], first[-1] + " "]
    with np.errstate(invalid="ignore"):  # files may hold scores that are not finite
        doubtful = e.faint & np.isfinite(e.interval()[0])  # where the error is not known, a unit may be named
    sides = zip((1, -1), verbs, strict=True)
    found = [([int(unit) for unit in e.leading(sign) if not doubtful[unit]], verb) for sign, verb in sides]
    named = [(units[0], verb) for units, verb in found if units]
    if not named:
        some = any(len(e.leading(sign)) for sign in (1, -1))
        pieces[-1] += "No score can be told from 0 with these calls." if some else "No unit changes it."
        return pieces
    for k, (unit, verb) in enumerate(named):
        said = verb[0] if k == 0 else verb[1]
        pieces[-1] += ", " if k else ""
        pieces += [_name(e, unit), f" {said} ({_score(e, unit)})"]
    pieces[-1] += "."
    return pieces


Verbs = tuple[tuple[str, str], tuple[str, str]]  # for the most positive and the most negative unit: alone, or after it
_CLASS: Verbs = (("speaks most for it", ""), ("speaks most against it", "most against it"))
_NUMBER: Verbs = (("raises it most", ""), ("lowers it most", "lowers it most"))


def _says(e: Explanation) -> tuple[list[str], Verbs]:
    """What the model says of the full input, and what units do to that."""
    targets, value = e.provenance.get("targets"), value_name(e)
    place = e.provenance.get("output", 0)
    place = place if isinstance(place, int) and not isinstance(place, bool) and place >= 0 else 0
    items = targets if isinstance(targets, list | tuple) else []
    item = items[place] if place < len(items) else None
    share = chance(e.full_value, e)
    if isinstance(item, list | tuple) and len(item) == 2:
        one, other = (printable(str(part)) for part in item)
        better = "more" if float(e.full_value) >= 0 else "less"
        return ["To the model ", one, f" is {better} likely than ", other, "."], _for(one)
    if share is not None and item is not None:
        name = printable(str(item))
        if share >= 0.5:
            return ["The model says ", name, f" ({percent(share)})."], _CLASS
        return ["The model gives ", name, f" {percent(share)}."], _CLASS
    number = _number(e.full_value, e)
    if value == "output" and words.is_class(e) and item is not None:
        return ["The model's margin of ", printable(str(item)), f" is {number}."], _CLASS
    if value == "output":
        named = item is not None and len(items) and not str(item).isdigit()
        if named:
            return ["The model's output ", printable(str(item)), f" is {number}."], _NUMBER
        return [f"The model's output is {number}."], _NUMBER
    what = printable(str(value)).replace("_", " ") if value is not None else "v"
    return [f"{'The value ' * (value is not None)}{what} goes from {_number(e.base_value, e)} to {number}."], _NUMBER


def _for(name: str) -> Verbs:
    return ((f"speaks most for {name}", ""), (f"speaks most against {name}", "most against it"))


def _name(e: Explanation, unit: int) -> str:
    name = words.unit_names(e)[unit]
    return name if len(name) <= _NAME else name[: _NAME - 1] + "…"


def _score(e: Explanation, unit: int) -> str:
    error = "" if e.stderr is None or not np.isfinite(e.stderr[unit]) else f" ± {_short(float(e.stderr[unit]))}"
    return f"{_short(float(e.scores[unit]), '+')}{error}"


def _number(value: Any, e: Explanation) -> str:
    return _short(settled(float(value), e.scores, e.base_value, e.full_value))


def _short(x: float, sign: str = "") -> str:
    """A number in three digits.

    >>> _short(1234.5), _short(-0.012345), _short(0.5, "+")
    ('1,234', '-0.0123', '+0.5')
    """
    return f"{x:{sign},.0f}" if 1e3 <= abs(x) < 1e7 else f"{x:{sign}.3g}"


def residual_note(e: Explanation) -> str:
    """What a large residual means; empty where it is not large.

    >>> import lcshap as lc
    >>> v = lc.Game(lambda kept: 1.0 * kept.all(axis=1), 3)
    >>> residual_note(lc.Shapley().explain(v, lc.Graph.chain(3)))
    ''
    >>> residual_note(lc.FeatureAblation().explain(v, lc.Graph.chain(3)))[:72]
    'The scores add up to +3, and all units together change it by +1: what un'
    """
    if e.scores.ndim > 1:
        return ""
    rest, gain = (settled(float(x), e.scores, e.full_value, e.base_value) for x in (e.residual, _gain(e)))
    if abs(rest) <= _LARGE * abs(gain):
        return ""
    total = _short(float(e.scores.sum()), "+")
    counted = "is counted for each of them" if rest * gain < 0 or not gain else "is left out"
    return (
        f"The scores add up to {total}, and all units together change it by {_short(gain, '+')}: what units do "
        f"together {counted}. Read the scores as a ranking, not as shares."
    )


def _gain(e: Explanation) -> float:
    return float(np.subtract(e.full_value, e.base_value))
