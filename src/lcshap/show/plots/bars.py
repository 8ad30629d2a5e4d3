"""The units that matter most as bars, and how they lead from v(∅) to v(V)."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap as fill
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...core.explanation import Explanation
from ...core.rounding import settled
from .. import flips, words
from ..check import check_count
from ..faint import FADED
from ..palette import find_palette, hexadecimal
from .base import PaletteName, axes, one_output, theme
from .wording import LITERAL, about, closing, drawable, error_of, number

_WIDTH, _ROW = 6.4, 0.3  # inches
_LINE = 84  # letters in a line of the caption


def bars(
    e: Explanation,
    ax: Any = None,
    *,
    top: int = 10,
    output: int | None = None,
    palette: PaletteName = "default",
    dark: bool = False,
) -> Any:
    """Draw the units with the largest absolute scores as bars; the last bar is the sum of all other units.

    Scores of sampling methods have their 95 % interval as an error bar, if there are enough samples to estimate it.

    Parameters
    ----------
    e : an explanation.
    ax : matplotlib axes to draw on; by default those of a new figure.
    top : the number of units that get a bar of their own.
    output : the number of the output to draw, if the explanation has several.
    palette : the name of a palette, or a `Palette`.
    dark : whether the figure is for a dark background.

    Returns
    -------
    Axes : the matplotlib axes. They have `show` and `savefig`, and notebooks display them.

    Raises
    ------
    ShowError : if `top` is below 1, or the explanation has several outputs and `output` is not given.

    Examples
    --------
    >>> import lcshap as lc
    >>> e = lc.explain(lambda texts: [1.0 * ("good" in text) for text in texts], "a good film", kind="output")
    >>> ax = lc.plots.bars(e, top=2)
    >>> len(ax.patches)  # two units, and the sum of the others
    3
    """
    e = one_output(e, output)
    order, others, names = _rows(e, top)
    lengths = np.append(e.scores[order], e.scores[others].sum() if len(others) else [])
    lengths = settled(lengths, e.scores, e.base_value, e.full_value)
    ax = axes(ax, (_WIDTH, 0.9 + _ROW * len(names)), dark)
    ax.barh(range(len(names)), lengths, height=0.7, color=_fills(lengths, e.faint[order], palette, dark))
    low, high = (bound[order] for bound in e.interval())
    where = np.flatnonzero(np.isfinite(low)) if e.stderr is not None else np.array([], np.intp)
    ends = lengths.copy()
    if len(where):
        half = (high - low)[where] / 2
        ink = hexadecimal(theme(dark).ink)
        ax.errorbar(lengths[where], where, xerr=half, fmt="none", ecolor=ink, elinewidth=1, capsize=2.5)
        ends[where] += np.where(lengths[where] < 0, -half, half)
    ax.axvline(0, color=hexadecimal(theme(dark).faint), linewidth=0.8)
    label_rows(ax, names, dark)
    errors = [*(error_of(e, int(unit)) for unit in order), *[""] * (len(lengths) - len(order))]
    said = [number(x, e) + error for x, error in zip(lengths, errors, strict=True)]
    _label_ends(ax, ends, said, lengths, dark)
    note = ["95 % intervals", *filter(None, [words.faint(e)])] if len(where) else []
    caption(ax, about(e), closing(e), note, [flips.caption(e)])
    return ax


def waterfall(
    e: Explanation,
    ax: Any = None,
    *,
    top: int = 10,
    output: int | None = None,
    palette: PaletteName = "default",
    dark: bool = False,
) -> Any:
    """Draw the way from v(∅) to v(V): a step for each of the largest scores, one for all others, one for the residual.

    Parameters
    ----------
    e : an explanation.
    ax : matplotlib axes to draw on; by default those of a new figure.
    top : the number of units that get a step of their own.
    output : the number of the output to draw, if the explanation has several.
    palette : the name of a palette, or a `Palette`.
    dark : whether the figure is for a dark background.

    Returns
    -------
    Axes : the matplotlib axes. They have `show` and `savefig`, and notebooks display them.

    Raises
    ------
    ShowError : if `top` is below 1, or the explanation has several outputs and `output` is not given.

    Examples
    --------
    >>> import lcshap as lc
    >>> e = lc.explain(lambda texts: [1.0 * ("good" in text) for text in texts], "a good film", kind="output")
    >>> ax = lc.plots.waterfall(e, top=2)
    >>> ax.get_xlabel()
    'output 0 · 8 calls'
    """
    e = one_output(e, output)
    order, others, names = _rows(e, top)
    steps = np.append(e.scores[order], e.scores[others].sum() if len(others) else [])
    fills = [*_fills(steps, e.faint[order], palette, dark), hexadecimal(theme(dark).faint)]
    steps = np.append(steps, e.residual)
    stops = e.base_value + np.cumsum(steps)
    starts = np.append(e.base_value, stops[:-1])
    ax = axes(ax, (_WIDTH, 1.2 + _ROW * len(steps)), dark)
    ax.barh(range(len(steps)), steps, left=starts, height=0.7, color=fills)
    faint, ink = hexadecimal(theme(dark).faint), hexadecimal(theme(dark).ink)
    ax.vlines(stops[:-1], np.arange(len(steps) - 1) - 0.35, np.arange(1, len(steps)) + 0.35, faint, linewidth=0.8)
    label_rows(ax, [*names, "residual"], dark)
    _label_ends(ax, stops, [number(x, e) for x in steps], steps, dark, float(e.base_value))
    rows = (-0.65, len(steps) - 0.35)
    sides = ((e.base_value, 0, words.base(e, number), "bottom"), (e.full_value, 1, words.full(e, number), "top"))
    for x, row, name, va in sides:
        ax.vlines(x, *rows, ink, linewidth=0.8, linestyle=":", zorder=0.5)
        end = {"xy": (x, rows[row]), "xytext": (0, 2 - 4 * row), "textcoords": "offset points", "va": va}
        ax.annotate(name, **end, ha="center", color=ink, fontsize=9)
    ax.set_ylim(len(steps) + 0.4, -1.4)
    caption(ax, [*about(e)[:-1], words.cost(e)], [flips.caption(e)])
    return ax


def label_rows(ax: Any, names: Sequence[str], dark: bool) -> None:
    """Names at the left of rows that are counted from the top."""
    shown, fonts = drawable(*names)
    ax.set_yticks(range(len(shown)), shown, fontfamily=fonts, **LITERAL)
    ax.tick_params(axis="y", length=0)
    ax.spines["left"].set_visible(False)
    ax.set_ylim(len(shown) - 0.4, -0.6)


def caption(ax: Any, *lines: Sequence[str]) -> None:
    """Small lines below the axes; no line where there is nothing to say."""
    said = [" · ".join(facts) for facts in lines]
    wrapped = [part for line in said for part in fill(line, _LINE)]
    shown, fonts = drawable(*wrapped)
    ax.set_xlabel("\n".join(shown), fontsize=8, fontfamily=fonts, **LITERAL)


def _rows(e: Explanation, top: int) -> tuple[NDArray[np.intp], NDArray[np.intp], list[str]]:
    """The units with a row of their own, all others, and the names of the rows."""
    check_count("top", top)
    order = e.leading()
    if len(order) == top + 1:  # one other takes no more room than its name
        top += 1
    all_names = words.unit_names(e, most=24)
    names = [all_names[i] for i in order[:top]]
    others = order[top:]
    return order[:top], others, [*names, words.others(len(others))] if len(others) else names


def _fills(lengths: NDArray[np.float64], faint: NDArray[np.bool_], palette: PaletteName, dark: bool) -> list[str]:
    """The colour of each bar by its sign, paler where its interval holds 0, and for the last one if that is others."""
    found = find_palette(palette)
    strength = [*(FADED if held else 1.0 for held in faint), *[0.5] * (len(lengths) - len(faint))]
    return [hexadecimal(found.colour(s * x, abs(x), dark)) for s, x in zip(strength, lengths.tolist(), strict=True)]


def _label_ends(
    ax: Any, ends: NDArray[Any], labels: Sequence[str], signs: NDArray[Any], dark: bool, start: float = 0.0
) -> None:
    """Write beside the end of each bar, on the side that it points to, and leave room for it."""
    ink, paper = hexadecimal(theme(dark).ink), hexadecimal(theme(dark).background)
    behind = {"facecolor": paper, "edgecolor": "none", "pad": 0.5}
    for row, (x, label, sign) in enumerate(zip(ends.tolist(), labels, signs.tolist(), strict=True)):
        side = -1 if sign < 0 else 1
        near = {"xytext": (4 * side, 0), "textcoords": "offset points", "ha": "left" if side > 0 else "right"}
        ax.annotate(label, (x, row), va="center", fontsize=8, color=ink, bbox=behind, **near)
    low, high = min(start, ends.min()), max(start, ends.max())
    sides = signs < 0
    left, right = (
        max([7, *(len(label) for label, side in zip(labels, sides, strict=True) if side == own)])
        for own in (True, False)
    )
    span = (high - low) or 1.0
    ax.set_xlim(low - 0.036 * left * span, high + 0.025 * right * span)
