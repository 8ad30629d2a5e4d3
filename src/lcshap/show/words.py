"""Everything that is said about an explanation in words, said once: for the terminal, notebooks, figures and the page.

Texts are made harmless (see `lcshap.core.printable`). Numbers have four digits, and what is but rounding next
to the scores and values of the explanation is 0.
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
from ..core.rounding import settled
from ..core.views import TableView
from .chances import chance, percent, value_name

_DIGITS = 4
_NAMED = 6  # outputs that are named in a heading
_CLASSES = ("log_prob", "expected_log_prob", "prob", "log_odds")  # values that are about classes

Format = Callable[[Any, Explanation], str]  # how a number of an explanation is written


# -- numbers --------------------------------------------------------------------------------------------------------


def unexplained(e: Explanation) -> float:
    """The residual of an explanation with one output, with zero for rounding."""
    return settled(float(e.residual), e.scores, e.full_value, e.base_value)


def number(x: Any, e: Explanation | None = None, digits: int = _DIGITS) -> str:
    """A number in four digits; 0 where it is but rounding next to the scores and values of an explanation.

    >>> number(-0.123456), number(1234.5), number(1234567.0)
    ('-0.1235', '1,234', '1.235e+06')
    """
    x = float(x) if e is None else settled(x, e.scores, e.full_value, e.base_value)
    return f"{x:,.0f}" if 10**3 <= abs(x) < 10**6 and digits <= _DIGITS else f"{x:.{digits}g}"


def signed(x: float, limit: float) -> str:
    """A score with its sign, with as many decimals as give the largest score four digits: for columns of scores.

    >>> [signed(x, 0.4) for x in (0.4, -0.0125, 3e-17)], signed(-31415.9, 31415.9), signed(1e-7, 1e-7)
    (['+0.4000', '-0.0125', '+0.0000'], '-31416', '+1.000e-07')
    """
    x = settled(x, limit)
    if not 1e-4 <= limit < 1e7:
        return f"{x:+.{_DIGITS - 1}e}"
    decimals = max(0, _DIGITS - 1 - math.floor(math.log10(limit) + 1e-9))  # 0.9999999999 is 1
    return f"{round(x, decimals) + 0.0:+.{decimals}f}"  # adding zero turns -0.0 into 0.0


def score(e: Explanation, unit: int, limit: float) -> str:
    """The score of a unit, with its standard error where there is one."""
    error = "" if e.stderr is None else f" ± {signed(float(e.stderr[unit]), limit).lstrip('+')}"
    return signed(float(e.scores[unit]), limit) + error


def count(n: int, what: str) -> str:
    """So many of something.

    >>> count(1, "unit"), count(2000, "call")
    ('1 unit', '2,000 calls')
    """
    return f"{n:,} {what}{'' if n == 1 else 's'}"


def shorten(name: str, most: int = 24) -> str:
    """A name in one line, its end cut off where it is long.

    >>> shorten("a\\nb"), shorten("x" * 40, 5)
    ('a b', 'xxxx…')
    """
    line = " ".join(name.split())
    return line if len(line) <= most else line[: most - 1] + "…"


# -- what is explained, and by what ---------------------------------------------------------------------------------


def target(item: Any) -> str:
    """A class by its name; a pair of classes, for a contrast.

    >>> target("sci - fi"), target(["sci", "fi"])
    ('sci - fi', 'sci rather than fi')
    """
    if isinstance(item, list | tuple) and len(item) == 2:
        return printable(f"{item[0]} rather than {item[1]}")
    return printable(str(item))


def targets(e: Explanation) -> list[str]:
    """The classes or outputs that are explained, by name: one for each column of scores, as far as they are known."""
    items, place = e.provenance.get("targets"), e.provenance.get("output", 0)
    if not isinstance(items, list | tuple):
        return [] if items is None else [target(items)]
    if e.scores.ndim == 1:
        place = place if isinstance(place, int) and place >= 0 else 0
        return [target(item) for item in items[place : place + 1]]
    return [target(item) for item in items]


def outputs(e: Explanation) -> list[str]:
    """A name for each output, to tell them apart: the tokens of an answer may come twice.

    >>> import lcshap as lc
    >>> made = {"targets": ["the", "cat", "the"]}
    >>> outputs(lc.Explanation(np.ones((1, 3)), np.zeros(3), np.ones(3), lc.Graph.chain(1), 2, made))
    ['the (1)', 'cat', 'the (2)']
    """
    names = targets(e)
    if e.scores.ndim == 1:
        return names[:1] or [""]
    wanted = e.scores.shape[1]
    names = numbered(names)
    return names if len(set(names)) == len(names) == wanted else [f"output {k}" for k in range(wanted)]


def numbered(names: Sequence[str], cut: Callable[[str], str] = str) -> list[str]:
    """Names with a number where one comes more than once. The script of a page does the same with the words of a text.

    Parameters
    ----------
    cut : what is done to each name before its number is added.

    >>> numbered(["so", "good", "so"])
    ['so (1)', 'good', 'so (2)']
    """
    times, seen, found = Counter(names), Counter[str](), []
    for name in names:
        seen[name] += 1
        found.append(cut(name) + (f" ({seen[name]})" if times[name] > 1 else ""))
    return found


def about(e: Explanation) -> str:
    """Which number is explained: "log_prob of positive"; empty where the explanation does not say."""
    found = targets(e)
    several = found if len(found) <= _NAMED else [*found[: _NAMED - 1], others(len(found) - _NAMED + 1)]
    value, names = e.provenance.get("value"), ", ".join(several)
    if value is None:
        return names
    if _is_margin(e) and value_name(e) == "output":
        value = "margin"
    between = " " if isinstance(value, str) and value == "output" else " of "
    return printable(f"{value}{between}{names}" if names else str(value))


def method(e: Explanation) -> str:
    """The method with its parameters."""
    return printable(str(e.provenance.get("method", "Explanation")))


def method_names(explanations: Sequence[Explanation]) -> list[str]:
    """The methods in short; where one comes twice, with the parameters that differ."""
    names = [printable(str(e.provenance.get("name", "explanation"))) for e in explanations]
    for name, times in Counter(names).items():
        same = [k for k, own in enumerate(names) if own == name]
        given = [_parameters(explanations[k]) for k in same]
        differ = [key for key in given[0] if len({repr(p.get(key)) for p in given}) > 1]
        for k, parameters in zip(same, given, strict=True) if times > 1 else ():
            names[k] = ", ".join([name, *(printable(f"{key} {parameters.get(key)}") for key in differ)])
    return names


def _parameters(e: Explanation) -> dict[str, Any]:
    found = e.provenance.get("parameters")
    return found if isinstance(found, dict) else {}


def heading(e: Explanation) -> str:
    """The method, and what it explains."""
    return " explains ".join(filter(None, [method(e), about(e)]))


def sides(e: Explanation) -> tuple[str, str]:
    """What scores below zero and above it do: they speak against or for a class, or lower or raise a number.

    >>> import lcshap as lc
    >>> sides(lc.Shapley().explain(lc.Game(lambda kept: kept.sum(axis=1), 3), lc.Graph.chain(3)))
    ('lowers', 'raises')
    """
    return ("against", "for") if is_class(e) else ("lowers", "raises")


def is_class(e: Explanation) -> bool:
    """Whether it is about what a model says of a class, and not about a number."""
    return value_name(e) in _CLASSES or _is_margin(e)


def main_output(e: Explanation) -> int | None:
    """Which of several classes or labels comes first: the most probable one. None where the outputs are no classes.

    >>> import lcshap as lc
    >>> made = {"kind": "multilabel", "value": "log_odds", "targets": ["cat", "dog"]}
    >>> main_output(lc.Explanation(np.ones((1, 2)), np.zeros(2), np.array([-1.0, 2.0]), lc.Graph.chain(1), 2, made))
    1
    """
    classes = e.scores.ndim == 2 and "kind" in e.provenance and is_class(e)
    return int(np.argmax(np.asarray(e.full_value))) if classes else None


def _is_margin(e: Explanation) -> bool:
    kind = e.provenance.get("kind")  # which may be anything
    return isinstance(kind, str) and kind == "margin"


def why(e: Explanation) -> str:
    """Why this method was chosen, where it was chosen automatically; else empty."""
    chosen = e.provenance.get("chosen")
    return printable(f"chosen because {chosen['reason']}") if isinstance(chosen, dict) and "reason" in chosen else ""


# -- what the scores add up to, and what they cost ------------------------------------------------------------------


def base(e: Explanation, write: Format = number) -> str:
    """What the model says of the empty input."""
    return f"v(∅) = {_with_chance(e.base_value, e, write)}"


def full(e: Explanation, write: Format = number) -> str:
    """What the model says of the full input."""
    return f"v(V) = {_with_chance(e.full_value, e, write)}"


def ends(e: Explanation, write: Format = number) -> str:
    """What the scores start from and lead to."""
    return f"{base(e, write)} → {full(e, write)}"


def residual(e: Explanation, write: Format = number) -> str:
    """What the scores leave unexplained."""
    return f"residual {_each(e.residual, e, write)}"


def cost(e: Explanation) -> str:
    """How many distinct coalitions the model was asked about, and how many rows were sent where that is another number.

    >>> import lcshap as lc
    >>> cost(lc.Shapley().explain(lc.Game(lambda kept: kept.sum(axis=1), 3), lc.Graph.chain(3)))
    '8 calls'
    """
    sent = "" if e.rows is None or e.rows == e.calls else f" ({count(e.rows, 'row')})"
    return count(e.calls, "call") + sent


def ending(e: Explanation) -> str:
    """What the scores start from and sum to, what they leave unexplained, and what they cost."""
    return f"{ends(e)}; scores sum to {number(e.scores.sum(), e)}, {residual(e)}; {cost(e)}"


def faint(e: Explanation) -> str:
    """What faint colours mean, where some are; else empty."""
    held = int(np.count_nonzero(e.faint))
    if not held or e.scores.ndim > 1:
        return ""
    return f"faint: the 95 % interval holds 0 ({held:,} of {count(len(e.scores), 'unit')})"


def totals(e: Explanation, digits: int = _DIGITS) -> dict[str, str]:
    """The same as a table, of an explanation with one output."""
    values = {"v(∅)": e.base_value, "v(V)": e.full_value, "sum of scores": e.scores.sum(), "residual": e.residual}
    said = {name: number(value, e, digits) for name, value in values.items()}
    for name in ("v(∅)", "v(V)"):
        said[name] = _with_chance(values[name], e, lambda value, e: number(value, e, digits))
    return said | {"calls": f"{e.calls:,}"}


def _each(values: Any, e: Explanation, write: Format) -> str:
    return ", ".join(write(value, e) for value in np.atleast_1d(values).tolist())


def _with_chance(value: Any, e: Explanation, write: Format) -> str:
    """A value, and beside it the probability that it stands for."""
    share = chance(value, e) if e.scores.ndim == 1 else None
    beside = "" if share is None or value_name(e) == "prob" else f" ({percent(share)})"
    return _each(value, e, write) + beside


# -- units ----------------------------------------------------------------------------------------------------------


def unit_names(e: Explanation, most: int | None = None) -> list[str]:
    """Names that tell units apart: with a number where one comes twice, with its value where it is a column of a table.

    Parameters
    ----------
    most : names of more characters are cut.
    """
    names = numbered(e.names, printable if most is None else partial(shorten, most=most))
    texts = e.view.unit_texts if isinstance(e.view, TableView) else {}
    values = {unit: number(value) for unit, value in unit_values(e).items()}
    for unit, value in {**values, **texts}.items():
        names[unit] += f" = {printable(value) if most is None else shorten(value, most)}"
    return names


def unit_values(e: Explanation) -> dict[int, float]:
    """The value of each unit that is one column of a table."""
    return e.view.unit_values if isinstance(e.view, TableView) else {}


def others(n: int, together: str = "") -> str:
    """Units that have no row of their own.

    >>> others(3), others(1, "+0.5")
    ('and 3 others', 'and 1 other, +0.5 together')
    """
    return f"and {count(n, 'other')}" + (f", {together} together" if together else "")


def leading(e: Explanation, top: int) -> list[int]:
    """The units to name first: those with the largest absolute scores; of a path, which has an order, the first."""
    return [int(unit) for unit in e.leading()[:top]]


# -- masking curves -------------------------------------------------------------------------------------------------


def curve_axis(keep: bool = False) -> str:
    """Along a masking curve."""
    return f"units {'kept' if keep else 'masked'} (%)"


def curve_change(what: str) -> str:
    """Up a masking curve, less its start."""
    return f"change of the {what}"


def curve_note(what: str) -> str:
    """Below a masking curve."""
    return printable(f"{what}, while the top units are masked")
