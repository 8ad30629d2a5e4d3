"""Text in a terminal: measured by the columns it takes, cut and wrapped to a width."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from functools import lru_cache

_ELLIPSIS = "…"
_NO_BREAK_SPACE = "\N{NO-BREAK SPACE}"  # as wide as a space, but lines are not broken there


def display_width(text: str) -> int:
    """How many columns a text takes: two for Chinese and emoji, none for accents that join the letter before.

    >>> display_width("naïve"), display_width("电影"), display_width("e\u0301")
    (5, 4, 1)
    """
    return sum(map(_character_width, text))


@lru_cache(maxsize=4096)
def _character_width(character: str) -> int:
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def fit_to_width(text: str, width: int, right: bool = False) -> str:
    """A text cut or filled up with spaces to a width.

    >>> fit_to_width("heartwarming", 6) + "|", fit_to_width("电影", 5) + "|", fit_to_width("12", 4, right=True)
    ('heart…|', '电影 |', '  12')
    """
    if display_width(text) > width:
        text = text[: _count_fitting(text, width - 1)] + _ELLIPSIS
    space = " " * (width - display_width(text))
    return space + text if right else text + space


def _count_fitting(text: str, width: int) -> int:
    """The number of leading characters that fit into a width."""
    used = 0
    for i, character in enumerate(text):
        used += _character_width(character)
        if used > width:
            return i
    return len(text)


def wrap_spans(text: str, width: int) -> Iterator[tuple[int, int]]:
    """Where lines start and end: at line feeds, and so that none is wider than this, at a space where there is one.

    >>> text = "not very heartwarming"
    >>> [text[a:b] for a, b in wrap_spans(text, 9)]
    ['not very ', 'heartwarm', 'ing']
    """
    start = break_at = used = 0  # the start of the line, where it can be broken, and its width so far
    for i, character in enumerate(text):
        if character == "\n":
            yield start, i
            start, break_at, used = i + 1, i + 1, 0
            continue
        wide = _character_width(character)
        if wide == 2 or (i > start and text[i - 1] == " "):
            break_at = i
        if used + wide > width and character != " " and i > start:
            cut = break_at if break_at > start else i
            yield start, cut
            start, break_at, used = cut, cut, display_width(text[cut:i])
        used += wide
    yield start, len(text)


def wrap_lines(text: str, width: int) -> list[str]:
    """The lines of a text, none wider than this; numbers and their percent signs, or errors, stay together.

    >>> wrap_lines("it is 59.8 % ± 0.1 of all", 10)
    ['it is', '59.8 %', '± 0.1 of', 'all']
    """
    glued = text.replace(" %", f"{_NO_BREAK_SPACE}%").replace("± ", f"±{_NO_BREAK_SPACE}")
    return [text[start:end].rstrip() for start, end in wrap_spans(glued, width)]
