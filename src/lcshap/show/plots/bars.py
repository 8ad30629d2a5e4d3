"""The units that matter most as bars, and how they lead from the base value to the full value."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap as fill
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...core.explanation import Explanation
from ...core.rounding import round_to_zero
from .. import flips, words
from ..check import check_option_count
from ..faded_scores import FADED_STRENGTH
from ..palette import find_palette, rgb_to_hex
from .base import PaletteName, one_output, prepare_axes, theme_colours
from .wording import LITERAL, drawable_lines, error_text, figure_number, residual_and_cost, subject_and_values

_WIDTH_INCHES, _ROW_INCHES = 6.4, 0.3  # inches
_CAPTION_LETTERS = 84  # a line of the caption is wrapped after this many letters


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
    order, others, names = _select_rows(e, top)
    lengths = np.append(e.scores[order], e.scores[others].sum() if len(others) else [])
    lengths = round_to_zero(lengths, e.scores, e.base_value, e.full_value)
    ax = prepare_axes(ax, (_WIDTH_INCHES, 0.9 + _ROW_INCHES * len(names)), dark)
    ax.barh(range(len(names)), lengths, height=0.7, color=_bar_colours(lengths, e.insignificant[order], palette, dark))
    low, high = (bound[order] for bound in e.interval())
    with_interval = np.flatnonzero(np.isfinite(low)) if e.stderr is not None else np.array([], np.intp)
    ends = lengths.copy()
    if len(with_interval):
        half_widths = (high - low)[with_interval] / 2
        ink = rgb_to_hex(theme_colours(dark).ink)
        ax.errorbar(
            lengths[with_interval], with_interval, xerr=half_widths, fmt="none", ecolor=ink, elinewidth=1, capsize=2.5
        )
        ends[with_interval] += np.where(lengths[with_interval] < 0, -half_widths, half_widths)
    ax.axvline(0, color=rgb_to_hex(theme_colours(dark).faint), linewidth=0.8)
    label_rows(ax, names, dark)
    errors = [*(error_text(e, int(unit)) for unit in order), *[""] * (len(lengths) - len(order))]
    labels = [figure_number(x, e) + error for x, error in zip(lengths, errors, strict=True)]
    _label_ends(ax, ends, labels, lengths, dark)
    note = ["95 % intervals", *filter(None, [words.faint_note(e)])] if len(with_interval) else []
    add_caption(ax, subject_and_values(e), residual_and_cost(e), note, [flips.path_caption(e)])
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
    """Draw the way from the base value to the full value, in steps: the largest scores, all others, and the residual.

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
    order, others, names = _select_rows(e, top)
    steps = np.append(e.scores[order], e.scores[others].sum() if len(others) else [])
    fills = [*_bar_colours(steps, e.insignificant[order], palette, dark), rgb_to_hex(theme_colours(dark).faint)]
    steps = np.append(steps, e.residual)
    stops = e.base_value + np.cumsum(steps)
    starts = np.append(e.base_value, stops[:-1])
    ax = prepare_axes(ax, (_WIDTH_INCHES, 1.2 + _ROW_INCHES * len(steps)), dark)
    ax.barh(range(len(steps)), steps, left=starts, height=0.7, color=fills)
    faint, ink = rgb_to_hex(theme_colours(dark).faint), rgb_to_hex(theme_colours(dark).ink)
    ax.vlines(stops[:-1], np.arange(len(steps) - 1) - 0.35, np.arange(1, len(steps)) + 0.35, faint, linewidth=0.8)
    label_rows(ax, [*names, "residual"], dark)
    _label_ends(ax, stops, [figure_number(x, e) for x in steps], steps, dark, float(e.base_value))
    rows = (-0.65, len(steps) - 0.35)
    sides = (
        (e.base_value, 0, words.base_value_text(e, figure_number), "bottom"),
        (e.full_value, 1, words.full_value_text(e, figure_number), "top"),
    )
    for x, row, name, va in sides:
        ax.vlines(x, *rows, ink, linewidth=0.8, linestyle=":", zorder=0.5)
        end = {"xy": (x, rows[row]), "xytext": (0, 2 - 4 * row), "textcoords": "offset points", "va": va}
        ax.annotate(name, **end, ha="center", color=ink, fontsize=9)
    ax.set_ylim(len(steps) + 0.4, -1.4)
    add_caption(ax, [*subject_and_values(e)[:-1], words.cost_text(e)], [flips.path_caption(e)])
    return ax


def label_rows(ax: Any, names: Sequence[str], dark: bool) -> None:
    """Names at the left of rows that are counted from the top."""
    labels, fonts = drawable_lines(*names)
    ax.set_yticks(range(len(labels)), labels, fontfamily=fonts, **LITERAL)
    ax.tick_params(axis="y", length=0)
    ax.spines["left"].set_visible(False)
    ax.set_ylim(len(labels) - 0.4, -0.6)


def add_caption(ax: Any, *lines: Sequence[str]) -> None:
    """Write small lines below the axes; empty lines are left out."""
    paragraphs = [" · ".join(facts) for facts in lines]
    wrapped, fonts = drawable_lines(*(line for paragraph in paragraphs for line in fill(paragraph, _CAPTION_LETTERS)))
    ax.set_xlabel("\n".join(wrapped), fontsize=8, fontfamily=fonts, **LITERAL)


def _select_rows(e: Explanation, top: int) -> tuple[NDArray[np.intp], NDArray[np.intp], list[str]]:
    """The units with a row of their own, all others, and the names of the rows."""
    check_option_count("top", top)
    order = e.by_magnitude()
    if len(order) == top + 1:  # a single other unit takes no more space than the line that counts it
        top += 1
    all_names = words.unit_names(e, max_length=24)
    names = [all_names[i] for i in order[:top]]
    others = order[top:]
    return order[:top], others, [*names, words.others_text(len(others))] if len(others) else names


def _bar_colours(
    lengths: NDArray[np.float64], insignificant: NDArray[np.bool_], palette: PaletteName, dark: bool
) -> list[str]:
    """The colour of each bar by its sign, paler if its interval contains 0 or if it is the sum of the other units."""
    colour_scale = find_palette(palette)
    strength = [
        *(FADED_STRENGTH if held else 1.0 for held in insignificant),
        *[0.5] * (len(lengths) - len(insignificant)),
    ]
    return [
        rgb_to_hex(colour_scale.colour(s * x, abs(x), dark)) for s, x in zip(strength, lengths.tolist(), strict=True)
    ]


def _label_ends(
    ax: Any, ends: NDArray[Any], labels: Sequence[str], signs: NDArray[Any], dark: bool, start: float = 0.0
) -> None:
    """Write the label of each bar beside its end, on the side that it points to, and extend the axis for it."""
    ink, paper = rgb_to_hex(theme_colours(dark).ink), rgb_to_hex(theme_colours(dark).background)
    background_box = {"facecolor": paper, "edgecolor": "none", "pad": 0.5}
    for row, (x, label, sign) in enumerate(zip(ends.tolist(), labels, signs.tolist(), strict=True)):
        side = -1 if sign < 0 else 1
        offset = {"xytext": (4 * side, 0), "textcoords": "offset points", "ha": "left" if side > 0 else "right"}
        ax.annotate(label, (x, row), va="center", fontsize=8, color=ink, bbox=background_box, **offset)
    low, high = min(start, ends.min()), max(start, ends.max())
    sides = signs < 0
    left_letters, right_letters = (
        max([7, *(len(label) for label, side in zip(labels, sides, strict=True) if side == negative)])
        for negative in (True, False)
    )
    span = (high - low) or 1.0
    ax.set_xlim(low - 0.036 * left_letters * span, high + 0.025 * right_letters * span)
