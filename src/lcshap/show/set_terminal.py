"""Many explanations in a terminal: the most important units, and the first inputs."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence
from typing import Any

from ..core.explanation import Explanation
from ..core.explanations import Explanations
from . import words
from .check import check_option_count
from .set_summary import FIRST_INPUTS, first_inputs, importances, set_heading
from .terminal import has_colour, print_to_file, render_table
from .terminal_colours import is_dark
from .terminal_text import display_width, fit_to_width, wrap_lines

_BAR_WIDTH = 24


def render_set(xs: Explanations[Any], width: int = 80, top: int = 10) -> str:
    """A summary of a set as lines of text.

    >>> import lcshap as lc
    >>> xs = lc.Explanations.from_arrays([[1.0, -2.0], [3.0, 0.0]], 0.0, [-1.0, 3.0], names=["age", "dose"])
    >>> print(render_set(xs))
    2 explanations
    <BLANKLINE>
    mean |score| over 2 inputs
    age   2  ████████████████████████
    dose  1  ████████████
    <BLANKLINE>
    input  base value  prediction  largest scores
    0      0           -1          dose -2.000, age +1.000
    1      0           3           age +3.000, dose +0.000
    """
    check_option_count("top", top)
    groups, note = importances(xs)
    sections = [wrap_lines(set_heading(xs), width)]
    for group in groups:
        about = f" for {group.cohort}" if group.cohort else ""
        title = f"mean |score| over {words.format_count(group.inputs, 'input')}{about}"
        sections.append([title, *_bars(group.names[:top], group.mean_abs[:top].tolist(), width)])
    header, rows = first_inputs(xs)
    sections.append(_table([header, *rows], width) if rows else [])
    more = len(xs) - FIRST_INPUTS
    sections.append([f"and {words.format_count(more, 'other input')}"] if more > 0 else [])
    sections.append(wrap_lines(note, width) if note else [])
    return "\n\n".join("\n".join(section) for section in sections if section)


def print_set(xs: Explanations[Any], top: int = 10) -> None:
    """Print a summary of a set."""
    print_to_file(render_set(xs, shutil.get_terminal_size().columns, top), sys.stdout)


def print_comparison(xs: Sequence[Explanation], top: int = 10) -> None:
    """Print several explanations of one input side by side."""
    text = "\n".join(words.heading(e) for e in xs) or "No explanations"
    if len(xs) and xs[0].scores.ndim == 1:
        width = shutil.get_terminal_size().columns
        text = render_table(xs, words.method_names(xs), width, has_colour(sys.stdout), top, is_dark())
    print_to_file(text, sys.stdout)


def _bars(names: Sequence[str], sizes: Sequence[float], width: int) -> list[str]:
    labels = [words.shorten(name) for name in names]
    numbers = [words.format_number(size) for size in sizes]
    label, number = (max(map(display_width, texts), default=0) for texts in (labels, numbers))
    room, limit = min(_BAR_WIDTH, max(width - label - number - 4, 4)), max(sizes, default=0.0) or 1.0
    lines = []
    for name, text, size in zip(labels, numbers, sizes, strict=True):
        bar = "█" * round(room * size / limit)
        lines.append(f"{fit_to_width(name, label)}  {text.rjust(number)}  {bar}".rstrip())
    return lines


def _table(rows: Sequence[Sequence[str]], width: int) -> list[str]:
    """Columns of texts; the last one is cut where the terminal ends."""
    widths = [max(display_width(row[column]) for row in rows) for column in range(len(rows[0]) - 1)]
    room = max(width - sum(widths) - 2 * len(widths), 16)
    lines = []
    for row in rows:
        cells = [fit_to_width(cell, cell_width) for cell, cell_width in zip(row[:-1], widths, strict=True)]
        lines.append("  ".join([*cells, words.shorten(row[-1], room)]).rstrip())
    return lines
