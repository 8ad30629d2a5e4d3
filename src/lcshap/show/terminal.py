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
from ..extras import need
from . import flips, words
from .check import check_count
from .drawings import drawing_of
from .faint import drawn_scores
from .heat import FEW_OUTPUTS, heat_of
from .letters import display_width, fit, wrapped
from .pairs import largest_pairs, note
from .palette import limit_of
from .prompts import answer_lines
from .screen import has_full_colour, in_256, is_dark
from .sentences import lead, residual_note
from .terminal_pictures import Ink, legend
from .words import shorten


def render(
    e: Explanation, width: int = 80, colour: bool = False, top: int = 10, dark: bool = True, palette: str = "default"
) -> str:
    """An explanation as lines of text.

    Parameters
    ----------
    width : of the terminal, in columns; below 40 some lines may be wider.
    colour : ANSI codes with 24-bit colours; without, signs stand below what they are about.
    top : how many units have a bar: those largest in absolute value; of a path, the first.
    dark : whether the terminal is.

    Examples
    --------
    >>> import lcshap as lc
    >>> g = lc.Graph.chain(3, names=["not", "very", "good"])
    >>> v = lc.Game(lambda kept: 1.5 * kept[:, 2] - 2.0 * (kept[:, 0] & kept[:, 2]), 3)
    >>> print(render(lc.LShapley(order=2).explain(v, g), width=66))
    v goes from 0 to -0.5. *good* raises it most (+0.5), *not* lowers
    it most (-1).
    <BLANKLINE>
    LShapley(order=2, context='absent', interactions=False)
    <BLANKLINE>
    not   -1.000  ▐████████████████████████████████│
    good  +0.500                                   │████████████████▌
    very  +0.000                                   │
    <BLANKLINE>
    v(∅) = 0 → v(V) = -0.5; scores sum to -0.5, residual 0; 8 calls
    """
    check_count("top", top)
    if e.scores.ndim == 2:
        outputs = [e.output(k) for k in range(e.scores.shape[1])]
        table = (
            render_table(outputs, words.outputs(e), width, colour, top, dark, palette)
            if len(outputs) <= FEW_OUTPUTS
            else "\n".join(_by_output(e, width, colour, dark, palette))
        )
        sentence, heading, flip = (wrapped(text, width) if text else [] for text in _said(e))
        parts = [sentence, heading, [table], flip]
        parts.append(answer_lines(e, e.view, width) if isinstance(e.view, PromptView) else [])
        return "\n\n".join("\n".join(part) for part in parts if part)
    ink = Ink(drawn_scores(e), limit_of([e.scores]), colour, dark, palette)
    drawn = picture(e, width, ink)
    drawn += legend(width, ink) if drawn else []
    said = [line for line in (flips.flip(e), words.ending(e), residual_note(e), words.faint(e)) if line]
    parts = [wrapped(lead(e), width), wrapped(words.heading(e), width), drawn, _bars(e, width, ink, top)]
    parts.append(_interactions(e, width))
    parts.append(answer_lines(e, e.view, width) if isinstance(e.view, PromptView) else [])
    parts.append([line for text in said for line in wrapped(text, width)])
    return "\n\n".join("\n".join(part) for part in parts if part)


def _said(e: Explanation) -> tuple[str, str, str]:
    """What is said of several outputs: a sentence, the method, and whether a path changes the decision."""
    return lead(e), words.heading(e), flips.flip(e)


def picture(e: Explanation, width: int, ink: Ink) -> list[str]:
    """The input with its scores; nothing where no picture of it is drawn in letters."""
    draw = drawing_of(e.view).terminal
    return [] if draw is None else draw(e, e.view, width, ink)


def print_explanation(e: Explanation, file: IO[str] | None = None, top: int = 10) -> None:
    """Print an explanation: in colour on a terminal that has it, unless the environment has NO_COLOR."""
    file = sys.stdout if file is None else file
    width = shutil.get_terminal_size().columns
    write(render(e, width, has_colour(file), top, is_dark()), file)


def rich_console(e: Explanation, console: Any, options: Any) -> Iterator[Any]:
    """What rich prints for an explanation, see ``__rich_console__`` in its documentation."""
    colour = console.color_system is not None and not console.no_color
    text = render(e, options.max_width, colour, dark=is_dark())
    yield need("rich.text", "cli").Text.from_ansi(text, no_wrap=True, overflow="crop")


def has_colour(file: IO[str], choice: str = "auto") -> bool:
    """Whether to write colours to a file: "always", "never", or "auto": on terminals, unless NO_COLOR is set."""
    if choice != "auto":
        return choice == "always"
    return file.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def write(text: str, file: IO[str]) -> None:
    """Print, with question marks for what the file's encoding lacks, and in 256 colours to terminals without more."""
    if "\033" in text and file.isatty() and not has_full_colour():
        text = in_256(text)
    encoding = getattr(file, "encoding", None) or "utf-8"
    print(text.encode(encoding, "replace").decode(encoding), file=file)


def _bars(e: Explanation, width: int, ink: Ink, top: int) -> list[str]:
    """The leading units: name, score, and a bar to the right of the axis or to its left."""
    chosen = words.leading(e, top)
    names, scores = words.unit_names(e), e.scores[chosen]
    numbers = [words.score(e, unit, ink.limit) for unit in chosen]
    label = min(max((display_width(names[i]) for i in chosen), default=0), max(8, width // 3))
    number = max(map(len, numbers), default=0)
    room = max(4, width - label - number - 6)
    low, high = min(0.0, scores.min(initial=0.0)), max(0.0, scores.max(initial=0.0))
    scale = (room - 1) / ((high - low) or 1.0)
    left = int(np.ceil(-low * scale))
    lines = []
    for i, score, text in zip(chosen, scores.tolist(), numbers, strict=True):
        halves = round(2 * abs(score) * scale)
        full, half = "█" * (halves // 2), halves % 2
        if e.faint[i]:
            full, half = "░" * -(-halves // 2), 0
        if score < 0:
            bar = " " * (left - len(full) - half) + ink.bar("▐" * half + full, False) + "│"
        else:
            bar = " " * left + "│" + ink.bar(full + "▌" * half, True)
        lines.append(f"{fit(names[i], label)}  {fit(text, number, right=True)}  {bar}".rstrip())
    others = len(e.scores) - len(chosen)
    if others:
        lines += wrapped(words.others(others, ink.number(e.scores.sum() - scores.sum())), width)
    return lines


def _interactions(e: Explanation, width: int) -> list[str]:
    """The pairs of units that interact most, with standard errors."""
    found, said = largest_pairs(e), note(e)
    label = min(max((display_width(name) for name, _ in found), default=0), max(8, width // 2))
    column = max((len(text) for _, text in found), default=0)
    rows = [f"{fit(name, label)}  {fit(text, column, right=True)}" for name, text in found]
    return [*wrapped(said, width), *rows] if said else []


def _by_output(e: Explanation, width: int, colour: bool, dark: bool, palette: str) -> list[str]:
    """Many outputs, such as the tokens of an answer: each with the units that matter most to it, on one scale."""
    heat = heat_of(e, len(e.scores))
    label = min(max(map(display_width, heat.outputs)), max(8, width // 3))
    lines = []
    for output, scores in zip(heat.outputs, heat.scores, strict=True):
        ink, line, room = Ink(scores, heat.limit, colour, dark, palette), fit(output, label), width - label
        for unit in np.argsort(-np.abs(scores), kind="stable").tolist():
            text = f" {shorten(heat.names[unit])} {ink.number(scores[unit])} "
            room -= 1 + display_width(text)
            if room < 0 or not scores[unit]:
                break
            line += " " + (ink.paint(text, scores[unit]) if colour else text)
        lines.append(line.rstrip())
    return [*lines, "", *wrapped(words.cost(e), width)]


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
    inks = [Ink(drawn_scores(e), limit_of([e.scores]), colour, dark, palette) for e in explanations]
    share = np.max([np.abs(e.scores) / ink.limit for e, ink in zip(explanations, inks, strict=True)], axis=0)
    units = sorted(np.argsort(-share, kind="stable")[:top].tolist())
    heads, labels = [printable(name) for name in names], words.unit_names(explanations[0])
    others = len(words.count(len(share), "other"))
    label = min(max([8, others, *(display_width(labels[i]) for i in units)]), max(8, width // 3))
    numbers = [max(len(words.score(e, i, ink.limit)) for i in units) for e, ink in zip(explanations, inks, strict=True)]
    wanted = [max(9, display_width(head), number + 1) for head, number in zip(heads, numbers, strict=True)]
    columns = [min(column, max(9, width - label - 2)) + 2 for column in wanted]
    blocks: list[list[int]] = [[]]  # which columns stand side by side
    for k, column in enumerate(columns):
        if blocks[-1] and label + sum(columns[i] for i in blocks[-1]) + column > width:
            blocks.append([])
        blocks[-1].append(k)
    rows = [(i, fit(labels[i], label)) for i in units]
    drawn = [_block([(explanations[k], heads[k], inks[k], columns[k]) for k in block], rows) for block in blocks]
    return "\n\n".join("\n".join(lines) for lines in drawn)


def _block(columns: Sequence[tuple[Explanation, str, Ink, int]], rows: Sequence[tuple[int, str]]) -> list[str]:
    """Some columns of a table; `rows` are its units with their labels."""
    units, label = [unit for unit, _ in rows], display_width(rows[0][1])

    def line(name: str, cells: Iterable[str]) -> str:  # a space after each, as after the coloured ones
        parts = (fit(cell, width - 1, right=True) + " " for cell, (*_, width) in zip(cells, columns, strict=True))
        return (fit(name, label) + "".join(parts)).rstrip()

    lines = [line("", (head for _, head, _, _ in columns))]
    for unit, name in rows:
        parts = [name]
        for e, _, ink, width in columns:
            text = words.score(e, unit, ink.limit)
            cell = ink.paint(f"{text} ", ink.scores[unit]) if ink.colour else text + ink.sign(unit)
            parts.append(" " * (width - len(text) - 1) + cell)
        lines.append("".join(parts).rstrip())
    others = len(columns[0][0].scores) - len(rows)
    if others:
        rest = (ink.number(e.scores.sum() - e.scores[units].sum()) for e, _, ink, _ in columns)
        lines.append(line(words.count(others, "other"), rest))
    lines += ["", line("sum", (ink.number(e.scores.sum()) for e, _, ink, _ in columns))]
    lines.append(line("residual", (ink.number(words.unexplained(e)) for e, _, ink, _ in columns)))
    lines.append(line("calls", (f"{e.calls:,}" for e, *_ in columns)))
    return lines
