"""What figures with a row for each unit share: which units, their names, numbers and colours, and the caption."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap as fill
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...core.explanation import Explanation
from .. import words
from ..check import check_option_count
from ..faded_scores import FADED_STRENGTH
from ..palette import find_palette, rgb_to_hex
from .base import PaletteName, theme_colours
from .wording import LITERAL, drawable_lines

WIDTH_INCHES, ROW_INCHES = 6.4, 0.3  # of a new figure, and of each of its rows
_CAPTION_LETTERS = 84  # a line of the caption is wrapped after this many letters


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


def add_note_below(ax: Any, facts: Sequence[str]) -> Any:
    """Write a small note below the name of the horizontal axis."""
    lines, fonts = drawable_lines(*fill(" · ".join(facts), _CAPTION_LETTERS))
    place = {"xycoords": ax.xaxis.label, "xytext": (0, -3), "textcoords": "offset points", "va": "top", "ha": "center"}
    style = {"fontsize": 8, "color": ax.xaxis.label.get_color(), "fontfamily": fonts, "annotation_clip": False}
    return ax.annotate("\n".join(lines), (0.5, 0), **place, **style, **LITERAL)


def select_unit_rows(e: Explanation, top: int) -> tuple[NDArray[np.intp], NDArray[np.intp], list[str]]:
    """The units with a row of their own, all others, and the names of the rows."""
    check_option_count("top", top)
    order = e.by_magnitude()
    if len(order) == top + 1:  # a single other unit takes no more space than the line that counts it
        top += 1
    all_names = words.unit_names(e, max_length=24)
    names = [all_names[i] for i in order[:top]]
    others = order[top:]
    return order[:top], others, [*names, words.others_text(len(others))] if len(others) else names


def bar_colours(
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


def label_ends(
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
