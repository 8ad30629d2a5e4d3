"""Writing from right to left: the order in which the words of a line are drawn.

Matplotlib orders and joins the letters of a string itself. Figures of texts draw each word as a string of its own, so
the order of words is decided here.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from itertools import groupby


def is_right_to_left(text: str) -> bool | None:
    """Whether a text is written from right to left, by its first letter of either kind; None where it has none.

    >>> is_right_to_left("שלום"), is_right_to_left("... good"), is_right_to_left("123")
    (True, False, None)
    """
    for character in text:
        kind = unicodedata.bidirectional(character)
        if kind in ("L", "R", "AL"):
            return kind != "L"
    return None


def visual_order(words: Sequence[str], right: bool) -> list[int]:
    """The order in which the words of a line are drawn from left to right; `right` where its text runs to the left.

    >>> visual_order(["a", "ב", "ג", "d"], right=False), visual_order(["א", "b", "c", "ד"], right=True)
    ([0, 2, 1, 3], [3, 1, 2, 0])
    """
    sides = [is_right_to_left(word) for word in words]
    for k, side in enumerate(sides):  # numbers and signs go with what stands before them
        if side is None:
            sides[k] = sides[k - 1] if k else right
    runs = [list(run) for _, run in groupby(range(len(words)), key=sides.__getitem__)]
    runs = [run[::-1] if sides[run[0]] else run for run in runs]
    return [k for run in (runs[::-1] if right else runs) for k in run]
