"""Figures of sets without explanations, and figures of single explanations that are given a set."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import signature
from typing import Any, ParamSpec

from ...core.explanations import Explanations
from ...errors import ShowError
from .. import words
from ..palette import rgb_to_hex
from .base import prepare_axes, theme_colours

_SIZE_INCHES = (6.4, 1.2)
P = ParamSpec("P")


def draws_empty_sets(figure: Callable[P, Any]) -> Callable[P, Any]:
    """A figure of many explanations that also draws a set without any: axes that say so, and why."""
    parameters = signature(figure)

    @wraps(figure)
    def draw(*args: P.args, **options: P.kwargs) -> Any:
        arguments = parameters.bind(*args, **options).arguments
        if not is_empty_set(xs := next(iter(arguments.values()))):
            return figure(*args, **options)
        return draw_empty(xs, arguments.get("ax"), arguments.get("dark", False))

    return draw


def draws_one(figure: Callable[P, Any]) -> Callable[P, Any]:
    """A figure of one explanation that also draws a set of one, and a set without any.

    Raises
    ------
    ShowError : for larger sets.
    """
    parameters = signature(figure)

    @wraps(figure)
    def draw(*args: P.args, **options: P.kwargs) -> Any:
        bound = parameters.bind(*args, **options)
        name, xs = next(iter(bound.arguments.items()))
        if not isinstance(xs, Explanations):
            return figure(*args, **options)
        if is_empty_set(xs):
            return draw_empty(xs, bound.arguments.get("ax"), bound.arguments.get("dark", False))
        if len(xs.explained) > 1:
            raise ShowError(
                f"Expected one explanation for the figure {figure.__name__}, got a set of {len(xs)}. Choose one, such "
                "as xs[0], or draw all of them with a figure of sets, such as lcshap.plots.beeswarm."
            )
        bound.arguments[name] = xs.explained[0]
        return figure(*bound.args, **bound.kwargs)

    return draw


def is_empty_set(explanations: Any) -> bool:
    """Whether this is a set in which no input was explained."""
    return isinstance(explanations, Explanations) and len(explanations.errors) == len(explanations)


def draw_empty(xs: Explanations[Any], ax: Any, dark: bool) -> Any:
    """Axes that say that there is no explanation, and how many inputs failed."""
    ax = prepare_axes(ax, _SIZE_INCHES, dark)
    ax.set(xticks=[], yticks=[])
    for spine in ax.spines.values():
        spine.set_visible(False)
    failed = f": {words.format_count(len(xs), 'input')} failed" if len(xs) else ""
    ink = rgb_to_hex(theme_colours(dark).ink)
    ax.text(0.5, 0.5, f"no explanations{failed}", transform=ax.transAxes, ha="center", va="center", color=ink)
    return ax
