"""Remove control characters from texts of inputs, models and files before they are printed or raised."""

from __future__ import annotations

import unicodedata
from functools import lru_cache

_BIDI_CONTROLS = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}


def printable(text: str, lines: bool = False, max_length: int | None = None) -> str:
    r"""Replace everything that controls a terminal; the text keeps its length.

    Control characters become their Unicode pictures. Marks that change the direction of writing and lone surrogates are
    replaced too. Line feeds stay if `lines`, and otherwise become an arrow, which all fonts have; other white space
    becomes a space. A text of more than `max_length` characters is cut.

    >>> printable("a\x1b[2J\nb\tc\x9b"), printable("a\nb", lines=True), printable("heartwarming", max_length=6)
    ('a␛[2J↵b c�', 'a\nb', 'heart…')
    """
    if max_length is not None and len(text) > max_length:
        return printable(text[: max_length - 1], lines) + "…"
    if text.isascii() and text.isprintable():
        return text
    line_feed = "\n" if lines else ""
    return "".join(c if c == line_feed else _replace_control(c) for c in text)


@lru_cache(maxsize=4096)
def _replace_control(character: str) -> str:
    code, kind = ord(character), unicodedata.category(character)
    if character == "\n":
        return "↵"
    if character.isspace() and not 0x1C <= code <= 0x1F:
        return " "
    if kind == "Cc":
        return chr(0x2400 + code) if code < 0x20 else "␡" if code == 0x7F else "�"
    return "�" if kind == "Cs" or unicodedata.bidirectional(character) in _BIDI_CONTROLS else character


def escape_surrogates(text: str) -> str:
    """The text with surrogates escaped, so that it can be written in UTF-8."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")
