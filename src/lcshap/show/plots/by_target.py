"""Explanations of several classes, sorted by class: scores of different classes cannot be compared."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from ...core.explanation import Explanation
from .. import words
from ..palette import rgb_to_hex
from .base import prepare_axes, theme_colours
from .compare_plot import check_explanations
from .wording import LITERAL, drawable_lines

_GAP_INCHES = 0.75  # inches between two panels: a caption and a title


def by_target(explanations: Sequence[Explanation], output: int | None = None) -> dict[str, list[Explanation]]:
    """The explanations of each class (or contrast, or value), the most frequent class first.

    The keys say what is explained, such as "log_prob of positive"; "" where explanations do not say it.
    """
    explanations = check_explanations(explanations, output)
    groups: dict[str, list[Explanation]] = {}
    for name, _ in Counter(map(words.describe_subject, explanations)).most_common():
        groups[name] = [e for e in explanations if words.describe_subject(e) == name]
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
    sizes = [size(group) for group in groups.values()]
    if len(groups) == 1:
        ax = prepare_axes(ax, sizes[0], dark)
        draw(next(iter(groups.values())), ax)
        return ax
    total = sum(height + _GAP_INCHES for _, height in sizes)
    ax = prepare_axes(ax, (max(width for width, _ in sizes), total), dark)
    ax.set_axis_off()
    top = 1.0
    for (name, group), (_, height) in zip(groups.items(), sizes, strict=True):
        panel = prepare_axes(
            ax.inset_axes([0, top - height / total, 1, (height - _GAP_INCHES / 2) / total]), (1, 1), dark
        )
        draw(group, panel)
        (title,), fonts = drawable_lines(name or "what the explanations do not name")
        panel.set_title(
            title, fontsize=9, loc="left", color=rgb_to_hex(theme_colours(dark).ink), fontfamily=fonts, **LITERAL
        )
        top -= (height + _GAP_INCHES) / total
    return ax
