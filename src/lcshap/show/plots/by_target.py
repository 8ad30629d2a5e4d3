"""Explanations of several classes, sorted by class: scores for one class say nothing about another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from ...core.explanation import Explanation
from .. import words
from ..palette import hexadecimal
from .base import axes, theme
from .compare import check_explanations
from .wording import LITERAL, drawable

_GAP = 0.75  # inches between two panels: a caption and a title


def by_target(explanations: Sequence[Explanation], output: int | None = None) -> dict[str, list[Explanation]]:
    """The explanations of each class (or contrast, or value), the most frequent class first.

    The keys say what is explained, such as "log_prob of positive"; "" where explanations do not say it.
    """
    found = check_explanations(explanations, output)
    groups: dict[str, list[Explanation]] = {}
    for name, _ in Counter(map(words.about, found)).most_common():
        groups[name] = [e for e in found if words.about(e) == name]
    return groups


def panels(
    groups: dict[str, list[Explanation]],
    ax: Any,
    draw: Callable[[list[Explanation], Any], None],
    size: Callable[[list[Explanation]], tuple[float, float]],
    dark: bool,
) -> Any:
    """Draw each class on axes of its own, one below the other; a single class on the axes themselves.

    Parameters
    ----------
    draw : draws some explanations on some axes.
    size : the width and height in inches that they need.
    """
    sizes = [size(found) for found in groups.values()]
    if len(groups) == 1:
        ax = axes(ax, sizes[0], dark)
        draw(next(iter(groups.values())), ax)
        return ax
    total = sum(height + _GAP for _, height in sizes)
    ax = axes(ax, (max(width for width, _ in sizes), total), dark)
    ax.set_axis_off()
    top = 1.0
    for (name, found), (_, height) in zip(groups.items(), sizes, strict=True):
        part = axes(ax.inset_axes([0, top - height / total, 1, (height - _GAP / 2) / total]), (1, 1), dark)
        draw(found, part)
        (title,), fonts = drawable(name or "what the explanations do not name")
        part.set_title(title, fontsize=9, loc="left", color=hexadecimal(theme(dark).ink), fontfamily=fonts, **LITERAL)
        top -= (height + _GAP) / total
    return ax
