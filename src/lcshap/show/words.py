"""The sentences and labels about an explanation, shared by the terminal, notebooks, figures and the page.

Control characters in texts are replaced (see `lcshap.core.printable`). Numbers have four digits. A number that is only
a rounding error compared with the scores and values of the explanation is written as 0.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from ..core.explanation import Explanation
from ..core.printable import printable
from ..core.rounding import round_to_zero
from ..core.views import TableView
from .probability_of_value import format_percent, probability_of, value_name

_DIGITS = 4
_MAX_NAMED_OUTPUTS = 6  # outputs that are named in a heading; more are counted
BASE_VALUE_NAME = "base value"
_QUANTITIES = {"log_prob": "log probability", "prob": "probability", "log_odds": "log odds"}
_CLASS_VALUES = ("log_prob", "expected_log_prob", "prob", "log_odds")  # values that are about classes

Format = Callable[[Any, Explanation], str]  # how a number of an explanation is written


# -- numbers --------------------------------------------------------------------------------------------------------


def rounded_residual(e: Explanation) -> float:
    """The residual of an explanation with one output, with zero for rounding."""
    return round_to_zero(float(e.residual), e.scores, e.full_value, e.base_value)


def format_number(x: Any, e: Explanation | None = None, digits: int = _DIGITS) -> str:
    """A number in four digits; 0 if it is a rounding error compared with the scores and values of an explanation.

    >>> format_number(-0.123456), format_number(1234.5), format_number(1234567.0)
    ('-0.1235', '1,234', '1.235e+06')
    """
    x = float(x) if e is None else round_to_zero(x, e.scores, e.full_value, e.base_value)
    return f"{x:,.0f}" if 10**3 <= abs(x) < 10**6 and digits <= _DIGITS else f"{x:.{digits}g}"


def format_signed(x: float, limit: float) -> str:
    """A score with its sign, with as many decimals as the largest score needs for four digits.

    >>> [format_signed(x, 0.4) for x in (0.4, -0.0125, 3e-17)]
    ['+0.4000', '-0.0125', '+0.0000']
    >>> format_signed(-31415.9, 31415.9), format_signed(1e-7, 1e-7)
    ('-31416', '+1.000e-07')
    """
    x = round_to_zero(x, limit)
    if not 1e-4 <= limit < 1e7:
        return f"{x:+.{_DIGITS - 1}e}"
    decimals = max(0, _DIGITS - 1 - math.floor(math.log10(limit) + 1e-9))  # 0.9999999999 is 1
    return f"{round(x, decimals) + 0.0:+.{decimals}f}"  # adding zero turns -0.0 into 0.0


def format_score(e: Explanation, unit: int, limit: float) -> str:
    """The score of a unit, with its standard error where there is one."""
    error = "" if e.stderr is None else f" ± {format_signed(float(e.stderr[unit]), limit).lstrip('+')}"
    return format_signed(float(e.scores[unit]), limit) + error


def format_count(n: int, noun: str) -> str:
    """A number with its noun, in the plural unless the number is 1.

    >>> format_count(1, "unit"), format_count(2000, "call")
    ('1 unit', '2,000 calls')
    """
    return f"{n:,} {noun}{'' if n == 1 else 's'}"


def shorten(name: str, max_length: int = 24) -> str:
    """A name in one line, cut if it is longer than `max_length` characters.

    >>> shorten("a\\nb"), shorten("x" * 40, 5)
    ('a b', 'xxxx…')
    """
    line = " ".join(name.split())
    return line if len(line) <= max_length else line[: max_length - 1] + "…"


# -- what is explained, and by what ---------------------------------------------------------------------------------


def target_name(item: Any) -> str:
    """A class by its name; a pair of classes, for a contrast.

    >>> target_name("sci - fi"), target_name(["sci", "fi"])
    ('sci - fi', 'sci rather than fi')
    """
    if isinstance(item, list | tuple) and len(item) == 2:
        return printable(f"{item[0]} rather than {item[1]}")
    return printable(str(item))


def target_names(e: Explanation) -> list[str]:
    """The classes or outputs that are explained, by name: one for each column of scores, if they are recorded."""
    items, place = e.provenance.get("targets"), e.provenance.get("output", 0)
    if not isinstance(items, list | tuple):
        return [] if items is None else [target_name(items)]
    if e.scores.ndim == 1:
        place = place if isinstance(place, int) and place >= 0 else 0
        return [target_name(item) for item in items[place : place + 1]]
    return [target_name(item) for item in items]


def output_names(e: Explanation) -> list[str]:
    """A distinct name for each output. Names that occur twice, such as tokens of an answer, get a number.

    >>> import lcshap as lc
    >>> provenance = {"targets": ["the", "cat", "the"]}
    >>> output_names(lc.Explanation(np.ones((1, 3)), np.zeros(3), np.ones(3), lc.Graph.chain(1), 2, provenance))
    ['the (1)', 'cat', 'the (2)']
    """
    names = target_names(e)
    if e.scores.ndim == 1:
        return names[:1] or [""]
    n_outputs = e.scores.shape[1]
    names = number_duplicates(names)
    return names if len(set(names)) == len(names) == n_outputs else [f"output {k}" for k in range(n_outputs)]


def number_duplicates(names: Sequence[str], cut: Callable[[str], str] = str) -> list[str]:
    """Add a number to names that occur more than once. The script of a page does the same with the words of a text.

    Parameters
    ----------
    cut : a function that is applied to each name before its number is added.

    >>> number_duplicates(["so", "good", "so"])
    ['so (1)', 'good', 'so (2)']
    """
    times, seen, labels = Counter(names), Counter[str](), []
    for name in names:
        seen[name] += 1
        labels.append(cut(name) + (f" ({seen[name]})" if times[name] > 1 else ""))
    return labels


def describe_subject(e: Explanation) -> str:
    """Which number is explained, such as "log_prob of positive"; empty if it is not recorded."""
    named = target_names(e)
    if len(named) > _MAX_NAMED_OUTPUTS:
        named = [*named[: _MAX_NAMED_OUTPUTS - 1], others_text(len(named) - _MAX_NAMED_OUTPUTS + 1)]
    value, names = e.provenance.get("value"), ", ".join(named)
    if value is None:
        return names
    value = _class_output(e) or value
    between = " " if isinstance(value, str) and value == "output" else " of "
    return printable(f"{value}{between}{names}" if names else str(value))


def method_text(e: Explanation) -> str:
    """The method with its parameters."""
    return printable(str(e.provenance.get("method", "Explanation")))


def method_names(explanations: Sequence[Explanation]) -> list[str]:
    """The names of the methods, with the parameters that differ if a method occurs twice."""
    names = [printable(str(e.provenance.get("name", "explanation"))) for e in explanations]
    for name, times in Counter(names).items():
        places = [k for k, other in enumerate(names) if other == name]
        parameter_sets = [_parameters(explanations[k]) for k in places]
        differ = [key for key in parameter_sets[0] if len({repr(p.get(key)) for p in parameter_sets}) > 1]
        for k, parameters in zip(places, parameter_sets, strict=True) if times > 1 else ():
            names[k] = ", ".join([name, *(printable(f"{key} {parameters.get(key)}") for key in differ)])
    return names


def _parameters(e: Explanation) -> dict[str, Any]:
    parameters = e.provenance.get("parameters")
    return parameters if isinstance(parameters, dict) else {}


def heading(e: Explanation) -> str:
    """The method, and what it explains."""
    return " explains ".join(filter(None, [method_text(e), describe_subject(e)]))


def sign_labels(e: Explanation) -> tuple[str, str]:
    """The labels of negative and positive scores: against and for a class, or lowers and raises a number.

    >>> import lcshap as lc
    >>> sign_labels(lc.Shapley().explain(lc.Game(lambda kept: kept.sum(axis=1), 3), lc.Graph.chain(3)))
    ('lowers', 'raises')
    """
    return ("against", "for") if is_class(e) else ("lowers", "raises")


def is_class(e: Explanation) -> bool:
    """Whether the explained value belongs to a class, and not to a number such as the output of a regression."""
    return value_name(e) in _CLASS_VALUES or _class_output(e) is not None


def main_output(e: Explanation) -> int | None:
    """The output that is shown first: the most probable class or label. None if the outputs are not classes.

    >>> import lcshap as lc
    >>> provenance = {"kind": "multilabel", "value": "log_odds", "targets": ["cat", "dog"]}
    >>> full_value = np.array([-1.0, 2.0])
    >>> main_output(lc.Explanation(np.ones((1, 2)), np.zeros(2), full_value, lc.Graph.chain(1), 2, provenance))
    1
    """
    classes = e.scores.ndim == 2 and "kind" in e.provenance and is_class(e)
    return int(np.argmax(np.asarray(e.full_value))) if classes else None


def explains_all_classes(e: Explanation) -> bool:
    """Whether there are scores for all classes because no target was chosen, so that pictures show the predicted one.

    >>> import lcshap as lc
    >>> explains_all_classes(lc.Explanation(np.ones(1), 0.0, 1.0, lc.Graph.chain(1), 2))
    False
    """
    target = e.provenance.get("target")
    return main_output(e) is not None and isinstance(target, str) and target == "classes"


def quantity(e: Explanation) -> str | None:
    """What the explained value of a class is called in sentences; None if it is not about single classes.

    >>> import lcshap as lc
    >>> quantity(lc.Explanation(np.ones(1), 0.0, 1.0, lc.Graph.chain(1), 2, {"value": "log_odds"}))
    'log odds'
    """
    return _QUANTITIES.get(str(value_name(e)), _class_output(e))


def _class_output(e: Explanation) -> str | None:
    """What the output of the model for a class is called if it is explained; None if outputs are not classes."""
    kind = e.provenance.get("kind")  # which may be anything
    if value_name(e) != "output" or not isinstance(kind, str) or "loss" in e.provenance:
        return None
    return {"margin": "margin", "logits": "logit"}.get(kind)


def selection_reason(e: Explanation) -> str:
    """Why this method was selected, if it was selected automatically; otherwise empty."""
    chosen = e.provenance.get("chosen")
    return printable(f"chosen because {chosen['reason']}") if isinstance(chosen, dict) and "reason" in chosen else ""


# -- what the scores add up to, and what they cost ------------------------------------------------------------------


def full_value_name(e: Explanation) -> str:
    """What readers call the full value: the prediction, if the model itself returns the number that is explained.

    The prediction of a classifier is a class, so that the log-probability or the margin of a class is a full value.

    >>> import lcshap as lc
    >>> names = []
    >>> for value in ("output", "log_prob"):
    ...     provenance = {"value": value, "targets": ["price"]}
    ...     names.append(full_value_name(lc.Explanation(np.ones(1), 0.0, 1.0, lc.Graph.chain(1), 2, provenance)))
    >>> names
    ['prediction', 'full value']
    """
    return "prediction" if value_name(e) == "output" and not is_class(e) else "full value"


def base_value_text(e: Explanation, write: Format = format_number) -> str:
    """The base value: the value of the input without any units."""
    return f"{BASE_VALUE_NAME} {_with_probability(e.base_value, e, write)}"


def full_value_text(e: Explanation, write: Format = format_number) -> str:
    """The full value: the value of the input as it is."""
    return f"{full_value_name(e)} {_with_probability(e.full_value, e, write)}"


def base_and_full_value(e: Explanation, write: Format = format_number) -> str:
    """The base value and the full value."""
    return f"{base_value_text(e, write)} → {full_value_text(e, write)}"


def residual_text(e: Explanation, write: Format = format_number) -> str:
    """The residual: the part of the difference that the scores do not explain."""
    return f"residual {_join_values(e.residual, e, write)}"


def cost_text(e: Explanation) -> str:
    """The number of distinct coalitions that were evaluated, and the number of rows if it differs.

    >>> import lcshap as lc
    >>> cost_text(lc.Shapley().explain(lc.Game(lambda kept: kept.sum(axis=1), 3), lc.Graph.chain(3)))
    '8 calls'
    """
    sent = "" if e.rows is None or e.rows == e.calls else f" ({format_count(e.rows, 'row')})"
    return format_count(e.calls, "call") + sent


def totals_sentence(e: Explanation) -> str:
    """Base value, full value, the sum of the scores, the residual and the cost, in one line."""
    total = format_number(e.scores.sum(), e)
    values = base_and_full_value(e)
    return f"{values[0].upper()}{values[1:]}; scores sum to {total}, {residual_text(e)}; {cost_text(e)}"


def faint_note(e: Explanation) -> str:
    """What faint colours mean, if there are any; otherwise empty."""
    n_faint = int(np.count_nonzero(e.insignificant))
    if not n_faint or e.scores.ndim > 1:
        return ""
    return f"Faint: the 95 % interval includes zero ({n_faint:,} of {format_count(len(e.scores), 'unit')})"


def totals(e: Explanation, digits: int = _DIGITS) -> dict[str, str]:
    """The values of `totals_sentence` as a table, for an explanation with one output."""
    write: Format = partial(format_number, digits=digits)
    return {
        BASE_VALUE_NAME: _with_probability(e.base_value, e, write),
        full_value_name(e): _with_probability(e.full_value, e, write),
        "sum of scores": write(e.scores.sum(), e),
        "residual": write(e.residual, e),
        "calls": f"{e.calls:,}",
    }


def _join_values(values: Any, e: Explanation, write: Format) -> str:
    return ", ".join(write(value, e) for value in np.atleast_1d(values).tolist())


def _with_probability(value: Any, e: Explanation, write: Format) -> str:
    """A value, followed by the probability that it corresponds to."""
    share = probability_of(value, e) if e.scores.ndim == 1 else None
    beside = "" if share is None or value_name(e) == "prob" else f" ({format_percent(share)})"
    return _join_values(value, e, write) + beside


# -- units ----------------------------------------------------------------------------------------------------------


def unit_names(e: Explanation, max_length: int | None = None) -> list[str]:
    """Distinct names of the units: with a number if a name occurs twice, with the value if it is a column of a table.

    Parameters
    ----------
    max_length : longer names are cut to this number of characters.
    """
    names = number_duplicates(e.names, printable if max_length is None else partial(shorten, max_length=max_length))
    texts = e.view.unit_texts if isinstance(e.view, TableView) else {}
    values = {unit: format_number(value) for unit, value in unit_values(e).items()}
    for unit, value in {**values, **texts}.items():
        names[unit] += f" = {printable(value) if max_length is None else shorten(value, max_length)}"
    return names


def unit_values(e: Explanation) -> dict[int, float]:
    """The value of each unit that is one column of a table."""
    return e.view.unit_values if isinstance(e.view, TableView) else {}


def others_text(n: int, together: str = "") -> str:
    """How many units have no row of their own.

    >>> others_text(3), others_text(1, "+0.5")
    ('and 3 others', 'and 1 other, +0.5 together')
    """
    return f"and {format_count(n, 'other')}" + (f", {together} together" if together else "")


def top_units(e: Explanation, top: int) -> list[int]:
    """The units with the largest absolute scores; for a path, the first units in its order."""
    return [int(unit) for unit in e.by_magnitude()[:top]]


# -- masking curves -------------------------------------------------------------------------------------------------


def curve_x_label(keep: bool = False) -> str:
    """The label of the horizontal axis of a masking curve."""
    return f"units {'kept' if keep else 'masked'} (%)"


def curve_y_label(quantity: str) -> str:
    """The label of the vertical axis of a masking curve, relative to its start."""
    return f"change of the {quantity}"


def curve_note(quantity: str) -> str:
    """The note below a masking curve."""
    return printable(f"{quantity}, while the top units are masked")
