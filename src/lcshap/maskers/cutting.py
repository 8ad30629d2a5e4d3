"""Texts are cut into words, sentences or characters of any script, or into the units of a splitter."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import pairwise
from operator import index
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.views import TextView
from ..errors import MaskerError

Span = tuple[int, int]

_BLANK = r"\s\u200b\ufeff"  # white space, the zero-width space, the byte order mark
RUN = re.compile(f"[^{_BLANK}]+")
_NONBLANK = re.compile(f"[^{_BLANK}](?:.*[^{_BLANK}])?", re.DOTALL)
# These are the letters, without the digits, of Thai, Lao, Burmese and Khmer, and kana, bopomofo and Han characters.
UNSPACED = re.compile(
    "[\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ecf\u1000-\u103f\u1050-\u108f\u1780-\u17d3\u3005-\u3007\u3041-\u309f"
    "\u30a1-\u30fa\u30fc-\u30ff\u3105-\u312f\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\uff66-\uff9f\U0001aff0-\U0001b16f\U00020000-\U0003ffff]"
)
_CLOSING = "[)\\]}\"'”’»）」』】》]*+"
_STOP, _WIDE_STOP = ".!?…؟۔।॥", "。！？｡"
_SENTENCE_END = re.compile(
    rf"(?<![{_STOP}])[{_STOP}]++{_CLOSING}(?=\s|\Z)|[{_WIDE_STOP}][{_STOP}{_WIDE_STOP}]*+{_CLOSING}|\n\s*\n"
)


def _words(text: str) -> Iterator[Span]:
    for run in RUN.finditer(text):
        if UNSPACED.search(run[0]):
            yield from ((run.start() + s, run.start() + e) for s, e in _unspaced_words(run[0]))
        else:
            yield run.span()


def _unspaced_words(run: str) -> Iterator[Span]:
    """Each letter of a script without spaces, and the text between; punctuation joins the unit that it touches."""
    start, script = 0, ""  # the script of the current word, without its punctuation
    for s, _ in _graphemes(run):
        category = unicodedata.category(run[s])
        opening, mark = category in ("Ps", "Pi"), category[0] == "P"
        kind = "" if mark else "unspaced" if UNSPACED.match(run, s) else "spaced"
        if script and (opening or kind == "unspaced" or (kind == "spaced" and script == "unspaced")):
            yield start, s
            start, script = s, ""
        script = kind or script
    yield start, len(run)


def _sentences(text: str) -> Iterator[Span]:
    ends = [m.end() for m in _SENTENCE_END.finditer(text)]
    for start, end in pairwise([0, *ends, len(text)]):
        if match := _NONBLANK.search(text, start, end):
            yield match.span()


def _characters(text: str) -> Iterator[Span]:
    return ((s, e) for s, e in _graphemes(text) if RUN.search(text, s, e))


CUTTERS: dict[str, Callable[[str], Iterator[Span]]] = {
    "word": _words,
    "sentence": _sentences,
    "character": _characters,
}


def is_pattern(splitter: Any) -> bool:
    """Whether this is a compiled regular expression of text."""
    return isinstance(splitter, re.Pattern) and isinstance(splitter.pattern, str)


def split_text(splitter: Any, text: str) -> list[Span]:
    """The checked spans of a user's splitter, without empty spans, which tokenizers return for special tokens."""
    if isinstance(splitter, str | re.Pattern):
        return [m.span() for m in re.finditer(splitter, text) if m[0]]
    pairs = splitter(text)
    try:
        spans = [(index(s), index(e)) for s, e in pairs if s != e]
    except (TypeError, ValueError) as error:
        raise MaskerError(f"Expected pairs (start, end) from the splitter, got something else: {error}.") from error
    for previous_end, (s, e) in zip([0, *(e for _, e in spans)], spans, strict=False):
        if not previous_end <= s < e <= len(text):
            raise MaskerError(
                "Expected spans from the splitter that ascend, do not overlap and lie within the text of "
                f"{len(text)} characters, got ({s}, {e}) after one that ends at {previous_end}."
            )
    return spans


def with_context(text: str, spans: list[Span], roles: list[str]) -> list[tuple[Span, str]]:
    """The units, and the text between them other than white space, which is always kept, as if pinned."""
    pieces, position = [], 0
    for (s, e), role in zip([*spans, (len(text), len(text))], [*roles, ""], strict=True):
        if match := _NONBLANK.search(text, position, s):
            pieces.append((match.span(), "pin"))
        if role:
            pieces.append(((s, e), role))
        position = e
    return pieces


def text_view(text: str, spans: NDArray[np.int64]) -> TextView:
    """A text with a unit for each span, and its sentences."""
    sentences = np.array(list(_sentences(text)), np.int64).reshape(-1, 2)
    return TextView(text=text, spans=spans, sentences=sentences, labels=np.arange(len(spans)))


# -- grapheme clusters (Unicode Standard Annex #29, rules GB3-GB13 without GB9c) ----------------------------------

_HANGUL = {"L": ("L", "V", "LV", "LVT"), "V": ("V", "T"), "LV": ("V", "T"), "T": ("T",), "LVT": ("T",)}
_RANGES = {  # code points whose property does not follow from their general category
    "extend": "0e33 0eb3 200c ff9e-ff9f 1f3fb-1f3ff e0020-e007f",
    "prepend": "0600-0605 06dd 070f 0890-0891 08e2 110bd 110cd",
    "flag": "1f1e6-1f1ff",
    "picture": "a9 ae 203c 2049 2122 2139 2190-2bff 3030 303d 3297 3299 1f000-1f0ff 1f10d-1f1e5 1f201-1fffd",
    "L": "1100-115f a960-a97c",
    "V": "1160-11a7 d7b0-d7c6",
    "T": "11a8-11ff d7cb-d7fb",
}
_BLOCKS = [
    (int(low, 16), int(high or low, 16), kind)
    for kind, listed in _RANGES.items()
    for low, _, high in (block.partition("-") for block in listed.split())
]


@lru_cache(maxsize=1 << 14)
def _grapheme_class(character: str) -> str:
    """The class of a character in the rules. All marks count as extending, unlike a few Burmese ones in the rules."""
    category, code = unicodedata.category(character), ord(character)
    if character in "\r\n\u200d":
        return character
    if category in ("Mn", "Me", "Mc"):
        return "extend"
    for low, high, kind in _BLOCKS:
        if low <= code <= high:
            return kind
    if 0xAC00 <= code <= 0xD7A3:
        return "LVT" if (code - 0xAC00) % 28 else "LV"
    return "control" if category in ("Cc", "Cf", "Cs", "Zl", "Zp") else "other"


def _graphemes(text: str) -> Iterator[Span]:
    """The grapheme clusters, each of which a reader counts as one character."""
    start, before, flags, picture = 0, "control", 0, False
    for i, character in enumerate(text):
        kind = _grapheme_class(character)
        if before in ("\r", "\n", "control") or kind in ("\r", "\n", "control"):
            joined = before == "\r" and kind == "\n"
        else:
            joined = (
                kind in ("extend", "\u200d")
                or before == "prepend"
                or kind in _HANGUL.get(before, ())
                or (kind == "flag" and flags % 2 == 1)
                or (kind == "picture" and before == "\u200d" and picture)
            )
        if i and not joined:
            yield start, i
            start = i
        flags = flags + 1 if kind == "flag" else 0
        picture = kind == "picture" or (picture and before != "\u200d" and kind in ("extend", "\u200d"))
        before = kind
    if text:
        yield start, len(text)
