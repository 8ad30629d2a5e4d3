"""An explanation in a terminal: coloured words, heat maps, bars. Plain Python with ANSI codes; rich is not needed."""

from __future__ import annotations

import os
import shutil
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import IO, Any

import numpy as np

from ..core.explanation import Explanation, PathExplanation
from ..extras import need
from .letters import display_width, fit, printable, wrapped
from .palette import limit_of
from .terminal_pictures import Ink, legend, picture


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
    LShapley(order=2, context='absent', interactions=False)
    <BLANKLINE>
    not   -1.000  ▐████████████████████████████████│
    good  +0.500                                   │████████████████▌
    very  +0.000                                   │
    <BLANKLINE>
    v(∅) = 0 → v(V) = -0.5; scores sum to -0.5, residual 0; 8 calls
    """
    if e.scores.ndim == 2:
        outputs = [e.output(k) for k in range(e.scores.shape[1])]
        targets = e.provenance.get("targets") or map(str, range(len(outputs)))
        table = render_table(outputs, list(targets), width, colour, top, dark, palette)
        return "\n".join([*wrapped(heading(e), width), "", table])
    ink = Ink(e.scores, limit_of([e.scores]), colour, dark, palette)
    drawn = picture(e, width, ink)
    drawn += legend(width, ink) if drawn else []
    parts = [wrapped(heading(e), width), drawn, _bars(e, width, ink, top), wrapped(ending(e), width)]
    return "\n\n".join("\n".join(part) for part in parts if part)


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


def is_dark() -> bool:
    """Whether the terminal is dark, by what some terminals say in COLORFGBG; dark if they say nothing."""
    return os.environ.get("COLORFGBG", "").rpartition(";")[2] not in ("7", "15")


def write(text: str, file: IO[str]) -> None:
    """Print, with question marks for what the file's encoding lacks."""
    encoding = getattr(file, "encoding", None) or "utf-8"
    print(text.encode(encoding, "replace").decode(encoding), file=file)


def unit_names(e: Explanation) -> list[str]:
    """The names of the units, printable; with their numbers where names repeat, with their values in a table."""
    counts = Counter(e.names)
    names = [printable(name if counts[name] == 1 else f"{name} [{i}]") for i, name in enumerate(e.names)]
    if e.view is not None and e.view["kind"] == "table":
        for value, unit in zip(e.view["values"].tolist(), e.view["labels"].tolist(), strict=True):
            if unit >= 0:
                names[unit] += f" = {value:.4g}"
    return names


def leading(e: Explanation, top: int) -> list[int]:
    """The units with the largest absolute scores; of a path, which has an order of its own, the first."""
    order = e.ranking if isinstance(e, PathExplanation) else np.argsort(-np.abs(e.scores), kind="stable")
    return [int(unit) for unit in order[:top]]


def _bars(e: Explanation, width: int, ink: Ink, top: int) -> list[str]:
    """The leading units: name, score, and a bar to the right of the axis or to its left."""
    chosen = leading(e, top)
    names, scores = unit_names(e), e.scores[chosen]
    numbers = [ink.number(score) for score in scores]
    if e.stderr is not None:
        numbers = [f"{n} ± {ink.number(e.stderr[i]).lstrip('+')}" for n, i in zip(numbers, chosen, strict=True)]
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
        if score < 0:
            bar = " " * (left - len(full) - half) + ink.bar("▐" * half + full, False) + "│"
        else:
            bar = " " * left + "│" + ink.bar(full + "▌" * half, True)
        lines.append(f"{fit(names[i], label)}  {fit(text, number, right=True)}  {bar}".rstrip())
    others = len(e.scores) - len(chosen)
    if others:
        rest = ink.number(e.scores.sum() - scores.sum())
        lines += wrapped(f"and {others:,} others, {rest} together", width)
    return lines


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
    inks = [Ink(e.scores, limit_of([e.scores]), colour, dark, palette) for e in explanations]
    share = np.max([np.abs(ink.scores) / ink.limit for ink in inks], axis=0)
    units = sorted(np.argsort(-share, kind="stable")[:top].tolist())
    heads, labels = [printable(name) for name in names], unit_names(explanations[0])
    label = min(max([8, *(display_width(labels[i]) for i in units)]), max(8, width // 3))
    columns = [min(max(9, display_width(head)), max(9, width - label - 2)) + 2 for head in heads]
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
        for _, _, ink, width in columns:
            text = ink.number(ink.scores[unit])
            cell = ink.paint(f"{text} ", ink.scores[unit]) if ink.colour else text + ink.sign(unit)
            parts.append(" " * (width - len(text) - 1) + cell)
        lines.append("".join(parts).rstrip())
    others = len(columns[0][0].scores) - len(rows)
    if others:
        rest = (ink.number(e.scores.sum() - e.scores[units].sum()) for e, _, ink, _ in columns)
        lines.append(line(f"{others:,} others", rest))
    lines += ["", line("sum", (ink.number(e.scores.sum()) for e, _, ink, _ in columns))]
    lines.append(line("residual", (ink.number(settled(e)) for e, _, ink, _ in columns)))
    lines.append(line("calls", (f"{e.calls:,}" for e, *_ in columns)))
    return lines


def settled(e: Explanation) -> float:
    """The residual, with zero for what is only rounding."""
    residual, size = float(e.residual), np.abs(e.scores).sum() + abs(e.full_value) + abs(e.base_value)
    return 0.0 if abs(residual) <= 1e-12 * size else residual


def about(e: Explanation) -> str:
    """In words, which number is explained; empty where the explanation does not say."""
    value, targets = e.provenance.get("value"), e.provenance.get("targets") or []
    if value is None:
        return ""
    one = "output" in e.provenance and len(targets) > e.provenance["output"]
    shown = [targets[e.provenance["output"]]] if one else targets
    return printable(f"{value} of {', '.join(shown)}" if shown else str(value))


def heading(e: Explanation) -> str:
    """The method, and what it explains."""
    return " explains ".join(filter(None, [printable(str(e.provenance.get("method", "Explanation"))), about(e)]))


def ending(e: Explanation) -> str:
    """What the scores start from and sum to, what they leave unexplained, and what they cost."""
    total = float(e.scores.sum())
    return (
        f"v(∅) = {e.base_value:.4g} → v(V) = {e.full_value:.4g}; scores sum to {total:.4g}, "
        f"residual {settled(e):.2g}; {e.calls:,} calls"
    )
