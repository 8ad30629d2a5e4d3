"""An explanation in a terminal: coloured words, heat maps, bars. Plain Python with ANSI codes; rich is not needed."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import IO, Any

import numpy as np

from ..core.explanation import Explanation
from ..core.printable import printable
from ..core.views import PromptView
from ..extras import import_optional
from . import flips, words
from .check import check_option_count
from .faded_scores import faded_scores
from .heat_table import MAX_OUTPUT_COLUMNS, make_heat_table
from .ink import Ink, legend
from .interaction_pairs import interaction_note, largest_pairs
from .kinds import drawing_of
from .palette import colour_limit
from .prompts import answer_lines
from .sentences import doubt_note, lead_sentence, residual_note
from .terminal_colours import has_full_colour, in_256, is_dark
from .terminal_text import display_width, fit_to_width, wrap_lines
from .words import shorten


def render_explanation(
    e: Explanation, width: int = 80, colour: bool = False, top: int = 10, dark: bool = True, palette: str = "default"
) -> str:
    """An explanation as lines of text.

    Parameters
    ----------
    width : the width of the terminal, in columns; below 40 some lines may be wider.
    colour : whether to use ANSI codes with 24-bit colours; otherwise signs are printed below the units.
    top : how many units have a bar: those largest in absolute value; of a path, the first.
    dark : whether the terminal is dark.

    Examples
    --------
    >>> import lcshap as lc
    >>> g = lc.Graph.chain(3, names=["not", "very", "good"])
    >>> v = lc.Game(lambda kept: 1.5 * kept[:, 2] - 2.0 * (kept[:, 0] & kept[:, 2]), 3)
    >>> print(render_explanation(lc.LShapley(order=2).explain(v, g), width=72))
    The value goes from 0 to -0.5. *good* raises it most (+0.5), *not*
    lowers it most (-1).
    <BLANKLINE>
    LShapley(order=2, context='absent', interactions=False)
    <BLANKLINE>
    not   -1.000  ▐████████████████████████████████████│
    good  +0.500                                       │██████████████████▌
    very  +0.000                                       │
    <BLANKLINE>
    Base value 0 → full value -0.5; scores sum to -0.5, residual 0; 8 calls
    """
    check_option_count("top", top)
    if e.scores.ndim == 2:
        outputs = [e.output(k) for k in range(e.scores.shape[1])]
        table = (
            render_table(outputs, words.output_names(e), width, colour, top, dark, palette)
            if len(outputs) <= MAX_OUTPUT_COLUMNS
            else "\n".join(_output_lines(e, width, colour, dark, palette))
        )
        sentence, heading, flip = (wrap_lines(text, width) if text else [] for text in _output_sentences(e))
        sections = [sentence, heading, [table], flip]
        sections.append(answer_lines(e, e.view, width) if isinstance(e.view, PromptView) else [])
        return "\n\n".join("\n".join(section) for section in sections if section)
    ink = Ink(faded_scores(e), colour_limit([e.scores]), colour, dark, palette)
    drawn = picture_lines(e, width, ink)
    drawn += legend(width, ink) if drawn else []
    sentences = [
        line
        for line in (
            flips.flip_sentence(e),
            words.totals_sentence(e),
            residual_note(e),
            words.faint_note(e),
            doubt_note(e),
        )
        if line
    ]
    sections = [
        wrap_lines(lead_sentence(e), width),
        wrap_lines(words.heading(e), width),
        drawn,
        _bar_lines(e, width, ink, top),
    ]
    sections.append(_interaction_lines(e, width))
    sections.append(answer_lines(e, e.view, width) if isinstance(e.view, PromptView) else [])
    sections.append([line for text in sentences for line in wrap_lines(text, width)])
    return "\n\n".join("\n".join(section) for section in sections if section)


def _output_sentences(e: Explanation) -> tuple[str, str, str]:
    """The sentences about several outputs: the prediction, the method, and whether a path changes the decision."""
    return lead_sentence(e), words.heading(e), " ".join(filter(None, [flips.flip_sentence(e), doubt_note(e)]))


def picture_lines(e: Explanation, width: int, ink: Ink) -> list[str]:
    """The input with its scores, as lines of text; empty if this kind of input has no picture in a terminal."""
    return drawing_of(e.view).lines(e, e.view, width, ink)


def print_explanation(e: Explanation, file: IO[str] | None = None, top: int = 10) -> None:
    """Print an explanation: in colour on a terminal that has it, unless the environment has NO_COLOR."""
    file = sys.stdout if file is None else file
    width = shutil.get_terminal_size().columns
    print_to_file(render_explanation(e, width, has_colour(file), top, is_dark()), file)


def rich_console(e: Explanation, console: Any, options: Any) -> Iterator[Any]:
    """What rich prints for an explanation, see ``__rich_console__`` in its documentation."""
    colour = console.color_system is not None and not console.no_color
    text = render_explanation(e, options.max_width, colour, dark=is_dark())
    yield import_optional("rich.text", "cli").Text.from_ansi(text, no_wrap=True, overflow="crop")


def has_colour(file: IO[str], choice: str = "auto") -> bool:
    """Whether to write colours to a file: "always", "never", or "auto": on terminals, unless NO_COLOR is set."""
    if choice != "auto":
        return choice == "always"
    return file.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def print_to_file(text: str, file: IO[str]) -> None:
    """Print a text, with ? for characters that the encoding lacks, and in 256 colours if there are no more."""
    if "\033" in text and file.isatty() and not has_full_colour():
        text = in_256(text)
    encoding = getattr(file, "encoding", None) or "utf-8"
    print(text.encode(encoding, "replace").decode(encoding), file=file)


def _bar_lines(e: Explanation, width: int, ink: Ink, top: int) -> list[str]:
    """The units with the largest scores: name, score, and a bar to the right or left of the axis."""
    chosen = words.top_units(e, top)
    names, scores = words.unit_names(e), e.scores[chosen]
    numbers = [words.format_score(e, unit, ink.limit) for unit in chosen]
    label = min(max((display_width(names[i]) for i in chosen), default=0), max(8, width // 3))
    number = max(map(len, numbers), default=0)
    room = max(4, width - label - number - 6)
    low, high = min(0.0, scores.min(initial=0.0)), max(0.0, scores.max(initial=0.0))
    scale = (room - 1) / ((high - low) or 1.0)
    axis = int(np.ceil(-low * scale))
    lines = []
    for i, score, text in zip(chosen, scores.tolist(), numbers, strict=True):
        halves = round(2 * abs(score) * scale)
        full, half = "█" * (halves // 2), halves % 2
        if e.insignificant[i]:
            full, half = "░" * -(-halves // 2), 0
        if score < 0:
            bar = " " * (axis - len(full) - half) + ink.bar("▐" * half + full, False) + "│"
        else:
            bar = " " * axis + "│" + ink.bar(full + "▌" * half, True)
        lines.append(f"{fit_to_width(names[i], label)}  {fit_to_width(text, number, right=True)}  {bar}".rstrip())
    others = len(e.scores) - len(chosen)
    if others:
        lines += wrap_lines(words.others_text(others, ink.number(e.scores.sum() - scores.sum())), width)
    return lines


def _interaction_lines(e: Explanation, width: int) -> list[str]:
    """The pairs of units that interact most, with standard errors."""
    pairs, heading = largest_pairs(e), interaction_note(e)
    label = min(max((display_width(name) for name, _ in pairs), default=0), max(8, width // 2))
    column = max((len(text) for _, text in pairs), default=0)
    rows = [f"{fit_to_width(name, label)}  {fit_to_width(text, column, right=True)}" for name, text in pairs]
    return [*wrap_lines(heading, width), *rows] if heading else []


def _output_lines(e: Explanation, width: int, colour: bool, dark: bool, palette: str) -> list[str]:
    """Many outputs, such as the tokens of an answer: each with the units that matter most to it, on one scale."""
    heat = make_heat_table(e, len(e.scores))
    label = min(max(map(display_width, heat.outputs)), max(8, width // 3))
    lines = []
    for output, scores in zip(heat.outputs, heat.scores, strict=True):
        ink, line, room = Ink(scores, heat.limit, colour, dark, palette), fit_to_width(output, label), width - label
        for unit in np.argsort(-np.abs(scores), kind="stable").tolist():
            text = f" {shorten(heat.names[unit])} {ink.number(scores[unit])} "
            room -= 1 + display_width(text)
            if room < 0 or not scores[unit]:
                break
            line += " " + (ink.paint(text, scores[unit]) if colour else text)
        lines.append(line.rstrip())
    return [*lines, "", *wrap_lines(words.cost_text(e), width)]


def render_table(
    explanations: Sequence[Explanation],
    names: Sequence[str],
    width: int = 80,
    colour: bool = False,
    top: int = 10,
    dark: bool = True,
    palette: str = "default",
) -> str:
    """Several explanations of one input side by side: a row a unit, a column an explanation, each in its own colours.

    Of many units those largest in any explanation are shown, in the order of the input.
    """
    inks = [Ink(faded_scores(e), colour_limit([e.scores]), colour, dark, palette) for e in explanations]
    share = np.max([np.abs(e.scores) / ink.limit for e, ink in zip(explanations, inks, strict=True)], axis=0)
    units = sorted(np.argsort(-share, kind="stable")[:top].tolist())
    heads, labels = [printable(name) for name in names], words.unit_names(explanations[0])
    others = len(words.format_count(len(share), "other"))
    label = min(max([8, others, *(display_width(labels[i]) for i in units)]), max(8, width // 3))
    numbers = [
        max(len(words.format_score(e, i, ink.limit)) for i in units) for e, ink in zip(explanations, inks, strict=True)
    ]
    natural_widths = [max(9, display_width(head), number + 1) for head, number in zip(heads, numbers, strict=True)]
    columns = [min(column, max(9, width - label - 2)) + 2 for column in natural_widths]
    blocks: list[list[int]] = [[]]  # which columns stand side by side
    for k, column in enumerate(columns):
        if blocks[-1] and label + sum(columns[i] for i in blocks[-1]) + column > width:
            blocks.append([])
        blocks[-1].append(k)
    rows = [(i, fit_to_width(labels[i], label)) for i in units]
    drawn = [_table_block([(explanations[k], heads[k], inks[k], columns[k]) for k in block], rows) for block in blocks]
    return "\n\n".join("\n".join(lines) for lines in drawn)


def _table_block(columns: Sequence[tuple[Explanation, str, Ink, int]], rows: Sequence[tuple[int, str]]) -> list[str]:
    """Some columns of a table; `rows` are its units with their labels."""
    units, label = [unit for unit, _ in rows], display_width(rows[0][1])

    def line(name: str, cells: Iterable[str]) -> str:  # a space after each, as after the coloured ones
        parts = (
            fit_to_width(cell, width - 1, right=True) + " " for cell, (*_, width) in zip(cells, columns, strict=True)
        )
        return (fit_to_width(name, label) + "".join(parts)).rstrip()

    lines = [line("", (head for _, head, _, _ in columns))]
    for unit, name in rows:
        parts = [name]
        for e, _, ink, width in columns:
            text = words.format_score(e, unit, ink.limit)
            cell = ink.paint(f"{text} ", ink.scores[unit]) if ink.colour else text + ink.sign(unit)
            parts.append(" " * (width - len(text) - 1) + cell)
        lines.append("".join(parts).rstrip())
    others = len(columns[0][0].scores) - len(rows)
    if others:
        other_sums = (ink.number(e.scores.sum() - e.scores[units].sum()) for e, _, ink, _ in columns)
        lines.append(line(words.format_count(others, "other"), other_sums))
    lines += ["", line("sum", (ink.number(e.scores.sum()) for e, _, ink, _ in columns))]
    lines.append(line("residual", (ink.number(words.rounded_residual(e)) for e, _, ink, _ in columns)))
    lines.append(line("calls", (f"{e.calls:,}" for e, *_ in columns)))
    return lines
