"""A summary of many explanations in words and numbers, for notebooks and for the terminal."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ..core.explanation import Explanation
from ..core.explanations import Explanations
from ..core.explanations.importance import Importance
from ..errors import OptionError
from . import words

FIRST_INPUTS = 5  # inputs in the table
TOP_UNITS = 10  # units in the chart
_MAX_GROUPS = 3  # targets that have a chart
_LISTED_UNITS = 3  # units that are named for an input
_SAMPLED_INPUTS = 200  # of a set that is read from files: so many are read for a summary


def set_heading(xs: Explanations[Any]) -> str:
    """How many explanations there are, and of what.

    >>> set_heading(Explanations())
    'No explanations'
    """
    if not len(xs):
        return "No explanations"
    text = words.format_count(len(xs), "explanation")
    if xs.in_memory:
        methods = sorted({str(name) for name in xs.methods if name is not None})
        subjects = dict.fromkeys(words.describe_subject(e) for e in xs[:FIRST_INPUTS] if isinstance(e, Explanation))
        about = next(iter(subjects)) if len(subjects) == 1 else ""
        if methods:
            text += f" by {words.shorten(methods[0], 60) if len(methods) == 1 else f'{len(methods)} methods'}"
        text += f" of {about}" if about else ""
        text += f"; {words.format_count(len(xs.errors), 'input')} failed" if xs.errors else ""
    return text


def importances(xs: Explanations[Any]) -> tuple[list[Importance], str]:
    """The importance of units for each target, and a sentence about what is left out."""
    sample, note = xs, ""
    if not xs.in_memory and len(xs) > _SAMPLED_INPUTS:
        sample, note = xs[:_SAMPLED_INPUTS], f"The chart is about the first {_SAMPLED_INPUTS} inputs."
    explained = sample.explained
    if not len(explained):
        return [], note
    outputs = explained[0].scores.shape[1] if explained[0].scores.ndim == 2 else 0
    try:
        if outputs:
            names = words.output_names(explained[0])
            groups = [_named(explained.importance(output=k), names[k]) for k in range(min(outputs, _MAX_GROUPS))]
            hidden = outputs - len(groups)
        else:
            cohorts = list(explained.importance(by=explained.targets))
            groups = [_named(group, group.cohort if len(cohorts) > 1 else "") for group in cohorts[:_MAX_GROUPS]]
            hidden = len(cohorts) - len(groups)
    except OptionError as error:  # explanations that cannot be combined
        return [], str(error)
    return groups, " ".join(filter(None, [note, f"{hidden} more targets are not shown." if hidden else ""]))


def _named(importance: Importance, name: str) -> Importance:
    return replace(importance, cohort=name)


def first_inputs(xs: Explanations[Any]) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """A table of the first inputs: what is explained, its value, and the units with the largest scores."""
    header = ("input", "explains", "base value", "prediction", "largest scores")
    rows = [(str(number), *_describe(outcome)) for number, outcome in enumerate(xs[:FIRST_INPUTS])]
    if len({row[1] for row in rows}) == 1:  # the heading says it already
        return header[:1] + header[2:], [row[:1] + row[2:] for row in rows]
    return header, rows


def _describe(outcome: Explanation | Exception) -> tuple[str, ...]:
    if isinstance(outcome, Exception):
        return "failed", "", "", words.shorten(str(outcome), 80)
    e = outcome
    subject = words.describe_subject(e)
    if e.scores.ndim == 2:
        k = words.main_output(e) or 0
        name, e = words.output_names(outcome)[k], outcome.output(k)
        subject = subject if len(subject) <= 40 else name
    names = words.unit_names(e)
    limit = float(abs(e.scores).max()) or 1.0
    units = [
        f"{words.shorten(names[unit])} {words.format_signed(float(e.scores[unit]), limit)}"
        for unit in words.top_units(e, _LISTED_UNITS)
    ]
    return subject, words.format_number(e.base_value, e), words.format_number(e.full_value, e), ", ".join(units)
