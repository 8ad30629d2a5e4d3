"""Explanations of several classes, sorted by class: scores of different classes cannot be compared."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from ...core.explanation import Explanation
from ...errors import ShowError
from .. import words
from ..palette import rgb_to_hex
from .base import check_explanations, choose_outputs, prepare_axes, theme_colours
from .wording import LITERAL, drawable_lines

Group = TypeVar("Group")
GAP_INCHES = 0.75  # inches between two panels: a caption and a title
MAX_PANELS = 8  # more panels than this would be too small, or too long a page


def by_target(
    explanations: Explanation | Sequence[Explanation], output: int | None = None, target: Any = None
) -> dict[str, list[Explanation]]:
    """The explanations of each class (or contrast, or value), the most frequent class first.

    The keys say what is explained, such as "log_prob of positive"; "" where explanations do not say it. Explanations of
    several outputs are in the group of each of them, or only in that of the `output` or `target` that is chosen.
    """
    groups: dict[str, list[Explanation]] = {}
    for e in check_explanations(explanations):
        if target is not None and e.scores.ndim == 1 and words.target_name(target) not in words.target_names(e):
            continue  # another class than the chosen one
        for chosen in choose_outputs(e, output, target):
            groups.setdefault(words.describe_subject(chosen), []).append(chosen)
    if not groups:
        names = sorted({name for e in check_explanations(explanations) for name in words.target_names(e)})
        raise ShowError(f"Expected target as one of {', '.join(map(repr, names)) or 'none'}, got {target!r}.")
    return dict(sorted(groups.items(), key=lambda item: -len(item[1])))


def output_panels(
    outputs: Sequence[Explanation],
    ax: Any,
    draw: Callable[[Explanation, Any], Any],
    size: tuple[float, float],
    dark: bool,
    gap: float = GAP_INCHES,
) -> Any:
    """Draw each output of an explanation on axes of its own, with the name of the output above them."""
    names = words.number_duplicates([words.describe_subject(e) or f"output {k}" for k, e in enumerate(outputs)])
    return panels(dict(zip(names, outputs, strict=True)), ax, draw, lambda e: size, dark, gap)


def panels(
    groups: dict[str, Group],
    ax: Any,
    draw: Callable[[Group, Any], Any],
    size: Callable[[Group], tuple[float, float]],
    dark: bool,
    gap: float = GAP_INCHES,
) -> Any:
    """Draw each class on axes of its own, one below the other; a single class on the axes themselves.

    Parameters
    ----------
    draw : draws some explanations on some axes.
    size : the width and height in inches that they need.
    gap : the inches between two panels, for what is written below and above their axes.
    """
    if len(groups) > MAX_PANELS:
        raise ShowError(
            f"Expected at most {MAX_PANELS} targets or outputs, which have a panel each, got {len(groups)}. Choose "
            "one with output= or target=."
        )
    sizes = [size(group) for group in groups.values()]
    if len(groups) == 1:
        ax = prepare_axes(ax, sizes[0], dark)
        draw(next(iter(groups.values())), ax)
        return ax
    total = sum(height + gap for _, height in sizes)
    ax = prepare_axes(ax, (max(width for width, _ in sizes), total), dark)
    ax.set_axis_off()
    top = 1.0
    for (name, group), (_, height) in zip(groups.items(), sizes, strict=True):
        panel = prepare_axes(
            ax.inset_axes([0, top - height / total, 1, (height - GAP_INCHES / 2) / total]), (1, 1), dark
        )
        draw(group, panel)
        (title,), fonts = drawable_lines(name or "what the explanations do not name")
        panel.set_title(
            title, fontsize=9, loc="left", color=rgb_to_hex(theme_colours(dark).ink), fontfamily=fonts, **LITERAL
        )
        top -= (height + gap) / total
    return ax
