"""Text in a terminal: measured by the columns it takes, cut and wrapped to a width."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from functools import lru_cache

_CUT = "…"
_GLUE = "\N{NO-BREAK SPACE}"  # as wide as a space, and no place for a new line


def display_width(text: str) -> int:
    """How many columns a text takes: two for Chinese and emoji, none for accents that join the letter before.

    >>> display_width("naïve"), display_width("电影"), display_width("e\u0301")
    (5, 4, 1)
    """
    return sum(map(_width, text))


@lru_cache(maxsize=4096)
def _width(character: str) -> int:
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def fit(text: str, width: int, right: bool = False) -> str:
    """A text cut or filled up with spaces to a width.

    >>> fit("heartwarming", 6) + "|", fit("电影", 5) + "|", fit("12", 4, right=True)
    ('heart…|', '电影 |', '  12')
    """
    if display_width(text) > width:
        text = text[: _reach(text, width - 1)] + _CUT
    space = " " * (width - display_width(text))
    return space + text if right else text + space


def _reach(text: str, width: int) -> int:
    """How many characters, counted from the first, take no more than a width."""
    used = 0
    for i, character in enumerate(text):
        used += _width(character)
        if used > width:
            return i
    return len(text)


def wrap(text: str, width: int) -> Iterator[tuple[int, int]]:
    """Where lines start and end: at line feeds, and so that none is wider than this, at a space where there is one.

    >>> text = "not very heartwarming"
    >>> [text[a:b] for a, b in wrap(text, 9)]
    ['not very ', 'heartwarm', 'ing']
    """
    start = rest = used = 0  # of a line: where it starts, where it can be broken, its width so far
    for i, character in enumerate(text):
        if character == "\n":
            yield start, i
            start, rest, used = i + 1, i + 1, 0
            continue
        wide = _width(character)
        if wide == 2 or (i > start and text[i - 1] == " "):
            rest = i
        if used + wide > width and character != " " and i > start:
            cut = rest if rest > start else i
            yield start, cut
            start, rest, used = cut, cut, display_width(text[cut:i])
        used += wide
    yield start, len(text)


def wrapped(text: str, width: int) -> list[str]:
    """The lines of a text, none wider than this; numbers and their percent signs, or errors, stay together.

    >>> wrapped("it is 59.8 % ± 0.1 of all", 10)
    ['it is', '59.8 %', '± 0.1 of', 'all']
    """
    glued = text.replace(" %", f"{_GLUE}%").replace("± ", f"±{_GLUE}")
    return [text[start:end].rstrip() for start, end in wrap(glued, width)]
