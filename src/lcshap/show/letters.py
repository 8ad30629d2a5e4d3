"""Text in a terminal: made harmless, measured by the columns it takes, cut and wrapped to a width."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from functools import lru_cache

_DIRECTIONS = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
_CUT = "…"


def printable(text: str, lines: bool = False) -> str:
    r"""Text that does nothing to a terminal, of the same length: control characters become pictures of themselves.

    Also marks that change the direction of writing, and halves of characters. Line feeds stay if `lines`; other white
    space becomes a space.

    >>> printable("a\x1b[2J\nb\tc\x9b"), printable("a\nb", lines=True)
    ('a␛[2J␊b c�', 'a\nb')
    """
    kept = "\n" if lines else ""
    return "".join(c if c == kept else _printable(c) for c in text)


@lru_cache(maxsize=4096)
def _printable(character: str) -> str:
    code, kind = ord(character), unicodedata.category(character)
    if character != "\n" and character.isspace() and not 0x1C <= code <= 0x1F:
        return " "
    if kind == "Cc":
        return chr(0x2400 + code) if code < 0x20 else "␡" if code == 0x7F else "�"
    return "�" if kind == "Cs" or unicodedata.bidirectional(character) in _DIRECTIONS else character


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
        while text and display_width(text) > width - 1:
            text = text[:-1]
        text += _CUT
    space = " " * (width - display_width(text))
    return space + text if right else text + space


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
    """The lines of a text, none wider than this."""
    return [text[start:end].rstrip() for start, end in wrap(text, width)]
