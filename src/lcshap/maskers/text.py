"""Text: words, sentences, characters or any spans of a string, deleted or replaced."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import pairwise
from operator import index
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..coalitions import Coalitions
from ..errors import MaskerError, PlanError
from ..graphs import Graph
from .base import Masked, Masker

Span = tuple[int, int]
Layout = Literal["chain", "ring", "complete"] | Callable[[int], Graph]


@dataclass(frozen=True)
class Text(Masker):
    r"""A text, cut into words, sentences, characters or whatever a splitter finds.

    Parameters
    ----------
    units : "word": runs without white space, so that "don't", "3.5%", "U.S." and a word with its comma are one unit.
        Scripts written without spaces (Chinese, Japanese, Thai, Lao, Khmer, Burmese) are cut into characters, each with
        the punctuation that touches it. "sentence": up to .!?… (and the like) before white space, up to 。！？
        anywhere, or up to an empty line. "character": what a reader counts as one (grapheme clusters, Unicode Annex
        #29), an accented letter or a family emoji for instance; white space is no unit.
    absent : "delete": absent units disappear. Any other string, such as "[MASK]", stands in the place of each.
    splitter : instead of `units`: a regular expression, each match a unit, or a function from a text to the ascending
        `(start, end)` of its units; empty ones do not count. Text outside all units, white space apart, always stays.
    graph : "chain", "ring" or "complete" over the units in their order, or a function from their number to a `Graph`.
    pin, drop : units always there and units always absent: a set of strings, or a function (unit, start, end) -> bool.
        Neither are units of the game: the graph joins those around them.

    Notes
    -----
    Choose "delete" for models that take any text, "[MASK]" or the like for those that know such a token or expect as
    many words as before. Choose sentences where the text is long, `drop` for words that should not count.

    Deleting keeps the white space between units that were neighbours, and the widest that stood between those that
    become neighbours: a line break survives, and no words are glued (where only Chinese or the like stood between two
    other words, a space comes in). White space at the start of the text goes with the first unit, at its end with the
    last. So all units give back the text itself; none give "", or what always stays. Offsets count code points.

    Examples
    --------
    >>> from lcshap import Coalitions
    >>> from lcshap.maskers.text import Text
    >>> masked = Text().mask("It is not heartwarming or entertaining. It just sucks.")
    >>> masked.graph, masked.graph.names[5], masked.spans[5]
    (Graph.chain(9): 9 units, 8 edges, 'entertaining.', (26, 39))
    >>> three = Coalitions.from_sets(9, [[6, 7, 8], [0, 2, 8], []])
    >>> masked.rows(three)
    ['It just sucks.', 'It not sucks.', '']
    >>> Text(units="sentence", absent="_").mask("It is bad. It just sucks.").rows(Coalitions.from_sets(2, [[1]]))
    ['_ It just sucks.']
    """

    units: Literal["word", "sentence", "character"] = "word"
    absent: str = "delete"
    splitter: str | re.Pattern[str] | Callable[[str], Iterable[Span]] | None = None
    graph: Layout = "chain"
    pin: Callable[[str, int, int], bool] | Collection[str] = ()
    drop: Callable[[str, int, int], bool] | Collection[str] = ()

    def __post_init__(self) -> None:
        if self.units not in _CUTTERS:
            raise MaskerError(f"units must be one of {', '.join(map(repr, _CUTTERS))}, not {self.units!r}")
        if not isinstance(self.absent, str):
            raise MaskerError(f'absent must be "delete" or the string that replaces a unit, not {self.absent!r}')
        if isinstance(self.splitter, str):
            try:
                re.compile(self.splitter)
            except re.error as error:
                raise MaskerError(f"the splitter {self.splitter!r} is no regular expression: {error}") from error
        elif not (self.splitter is None or callable(self.splitter) or _is_pattern(self.splitter)):
            raise MaskerError(f"splitter must be a regular expression (of str) or a function, not {self.splitter!r}")
        check_layout(self.graph)
        check_rules(self.pin, self.drop)

    def mask(self, x: Any) -> MaskedText:
        """Cut a string into units."""
        if not isinstance(x, str):
            raise MaskerError(f"a text must be a str, not {type(x).__name__}")
        spans = list(_CUTTERS[self.units](x)) if self.splitter is None else _split(self.splitter, x)
        if not spans:
            what = f"no {self.units}" if self.splitter is None else "nothing that the splitter finds"
            raise MaskerError(f"there is nothing to explain: the text {x[:40]!r} has {what}")
        roles = [find_role(self.pin, self.drop, x[s:e], s, e) for s, e in spans]
        units = tuple(span for span, role in zip(spans, roles, strict=True) if role == "unit")
        if not units:
            raise MaskerError(f"there is nothing to explain: all {len(spans)} units are pinned or dropped")
        pieces = _with_context(x, spans, roles)
        apart = [
            self.units == "word" and self.splitter is None and not _UNSPACED.search(x, *span) for span, _ in pieces
        ]
        numbers = {role: [k for k, (_, r) in enumerate(pieces) if r == role] for role in ("unit", "pin", "drop")}
        return MaskedText(
            make_graph(self.graph, [x[s:e] for s, e in units]),
            text=x,
            spans=units,
            absent=self.absent,
            pieces=np.array([span for span, _ in pieces], np.int64),
            numbers={role: np.array(found, np.int64) for role, found in numbers.items()},
            apart=np.array(apart),
        )


@dataclass(frozen=True, eq=False)
class MaskedText(Masked):
    """A text and where its units are.

    Attributes
    ----------
    text : the original.
    spans : for each unit its `(start, end)`: ``text[start:end] == graph.names[i]``.
    absent : "delete", or what replaces a unit.
    pieces : the `(start, end)` of everything that is not white space between units: units, pinned text, dropped text.
    numbers : which of the pieces are "unit", "pin" (always there) and "drop" (always absent).
    apart : for each piece, whether it is a word that must not touch another such word that it did not touch before.
    """

    text: str
    spans: tuple[Span, ...]
    absent: str
    pieces: NDArray[np.int64]
    numbers: dict[str, NDArray[np.int64]]
    apart: NDArray[np.bool_]

    def rows(self, coalitions: Coalitions) -> list[str]:
        """One text a coalition, made of slices of the original: as many as the coalition stores units, about."""
        check_units(coalitions, self.graph)
        build = self._deleted if self.absent == "delete" else self._replaced
        rows = [""] * len(coalitions)
        for removed in (False, True):
            where = np.flatnonzero(coalitions.removed == removed)
            for row, text in zip(where.tolist(), build(coalitions.take(where), removed), strict=True):
                rows[row] = text
        return rows

    def lengths(self, coalitions: Coalitions) -> NDArray[np.int64] | None:
        """How many characters are kept, white space aside; None where units are replaced, not deleted."""
        if self.absent != "delete":
            return None
        each, number = np.diff(self.pieces, axis=1)[:, 0], self.numbers
        stored = np.concatenate([[0], np.cumsum(each[number["unit"]][coalitions.indices])])[coalitions.offsets]
        counts, total = np.diff(stored), each[number["unit"]].sum()
        return np.asarray(np.where(coalitions.removed, total - counts, counts) + each[number["pin"]].sum(), np.int64)

    def _deleted(self, sets: Coalitions, removed: bool) -> list[str]:
        """Find the runs of pieces that stay together, of all rows at once; each is one slice of the text."""
        count, rows = len(self.pieces), np.arange(len(sets))
        width = count + 1  # pieces are numbered row by row, with an unused number that keeps the rows apart
        stored = np.repeat(rows, np.diff(sets.offsets)) * width + self.numbers["unit"][sets.indices]
        always = np.append(self.numbers["drop"], count) if removed else self.numbers["pin"]
        stored = np.sort(np.concatenate([stored, np.add.outer(rows * width, always).ravel()]))
        if removed:  # the runs are what lies between two absent pieces
            edges = np.append(-1, stored)
            some = np.diff(edges) > 1
            first, last = edges[:-1][some] + 1, edges[1:][some] - 1
        else:
            first, last = stored[np.diff(stored, prepend=-2) != 1], stored[np.diff(stored, append=-2) != 1]
        row, first, last = first // width, first % width, last % width
        glue = np.zeros(len(first), np.int64)
        for k, (_, where) in enumerate(self._gaps):  # from the narrowest to the widest, which is left to stand
            glue[1:][np.searchsorted(where, last[:-1]) < np.searchsorted(where, first[1:])] = k
        spaces, text = [gap for gap, _ in self._gaps], self.text
        glue[1:][(glue[1:] == 0) & self.apart[last[:-1]] & self.apart[first[1:]]] = spaces.index(" ")
        glue[np.diff(row, prepend=-1) != 0] = 0
        starts, ends = self.pieces[first, 0], self.pieces[last, 1]
        starts[first == 0], ends[last == count - 1] = 0, len(text)
        runs = zip(glue.tolist(), starts.tolist(), ends.tolist(), strict=True)
        parts = [part for k, s, e in runs for part in (spaces[k], text[s:e])]
        bounds = 2 * np.searchsorted(row, np.arange(len(sets) + 1))
        return ["".join(parts[a:b]) for a, b in pairwise(bounds.tolist())]

    @cached_property
    def _gaps(self) -> list[tuple[str, NDArray[np.int64]]]:
        """The different gaps between pieces, by line breaks, then by length; and after which pieces each stands."""
        found: dict[str, list[int]] = {"": [], " ": []}
        for k, (end, start) in enumerate(zip(self.pieces[:-1, 1].tolist(), self.pieces[1:, 0].tolist(), strict=True)):
            found.setdefault(self.text[end:start], []).append(k)
        ordered = sorted(found, key=lambda gap: (gap.count("\n"), len(gap), gap))
        return [(gap, np.array(found[gap], np.int64)) for gap in ordered]

    def _replaced(self, sets: Coalitions, removed: bool) -> Iterator[str]:
        """Start from the text with all units there (or none) and put in what the coalitions store."""
        template, starts, ends = self._full if removed else self._empty
        fills = [self.absent] * len(self.spans) if removed else self.graph.names
        for a, b in pairwise(sets.offsets.tolist()):
            parts, at = [], 0
            for i in sets.indices[a:b].tolist():
                parts += [template[at : starts[i]], fills[i]]
                at = ends[i]
            yield "".join([*parts, template[at:]])

    @cached_property
    def _full(self) -> tuple[str, list[int], list[int]]:
        return self._template(set(self.numbers["drop"].tolist()))

    @cached_property
    def _empty(self) -> tuple[str, list[int], list[int]]:
        return self._template({*self.numbers["drop"].tolist(), *self.numbers["unit"].tolist()})

    def _template(self, absent: set[int]) -> tuple[str, list[int], list[int]]:
        """The text with some pieces replaced, and where each unit stands in it."""
        parts, at, size, starts, ends = [], 0, 0, [], []
        for k, (s, e) in enumerate(self.pieces.tolist()):
            gap, piece = self.text[at:s], self.absent if k in absent else self.text[s:e]
            parts += [gap, piece]
            starts.append(size + len(gap))
            ends.append(size := size + len(gap) + len(piece))
            at = e
        units = self.numbers["unit"].tolist()
        return "".join([*parts, self.text[at:]]), [starts[k] for k in units], [ends[k] for k in units]


# -- what sequences of other kinds share --------------------------------------------------------------------------


def check_layout(layout: Any) -> None:
    """Refuse what cannot become a graph over units in a row."""
    if not (callable(layout) or layout in ("chain", "ring", "complete")):
        raise MaskerError(f'graph must be "chain", "ring", "complete" or a function of d, not {layout!r}')


def make_graph(layout: Layout, names: Sequence[str]) -> Graph:
    """The graph over units in a row, with their names."""
    if not callable(layout):
        made: Graph = getattr(Graph, layout)(len(names), names)
        return made
    graph = layout(len(names))
    if not isinstance(graph, Graph) or graph.d != len(names):
        raise MaskerError(f"the function given as graph must make a Graph of {len(names)} units, not {graph!r}")
    return replace(graph, names=tuple(names))


def check_rules(*rules: Any) -> None:
    """Refuse what cannot be asked whether a unit is pinned or dropped."""
    for rule in rules:
        if isinstance(rule, str | bytes) or not (callable(rule) or isinstance(rule, Collection)):
            raise MaskerError(f"pin and drop take a set of units, such as {{{rule!r}}}, or a function, not {rule!r}")


def find_role(pin: Any, drop: Any, unit: Any, *where: int) -> str:
    """Whether a unit is pinned ("pin"), dropped ("drop") or a "unit" of the game."""
    pinned, dropped = (bool(rule(unit, *where)) if callable(rule) else unit in rule for rule in (pin, drop))
    if pinned and dropped:
        raise MaskerError(f"{unit!r} is both pinned and dropped: should it always be there, or never?")
    return "pin" if pinned else "drop" if dropped else "unit"


def check_units(coalitions: Coalitions, graph: Graph) -> None:
    """Refuse coalitions of another input."""
    if coalitions.d != graph.d:
        raise PlanError(f"coalitions over {coalitions.d} units for an input of {graph.d}")


# -- how texts are cut --------------------------------------------------------------------------------------------

_BLANK = r"\s\u200b\ufeff"  # white space, the zero-width space, the byte order mark
_RUN = re.compile(f"[^{_BLANK}]+")
_INK = re.compile(f"[^{_BLANK}](?:.*[^{_BLANK}])?", re.DOTALL)
# The letters of Thai, Lao, Burmese, Khmer; kana, bopomofo and Han with their rarer blocks. Not their digits.
_UNSPACED = re.compile(
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
    for run in _RUN.finditer(text):
        if _UNSPACED.search(run[0]):
            yield from ((run.start() + s, run.start() + e) for s, e in _unspaced_words(run[0]))
        else:
            yield run.span()


def _unspaced_words(run: str) -> Iterator[Span]:
    """Each letter of a script without spaces, and what is between them; punctuation goes with what it touches."""
    start, holds = 0, ""  # what the word so far is made of, marks aside
    for s, _ in _graphemes(run):
        category = unicodedata.category(run[s])
        opening, mark = category in ("Ps", "Pi"), category[0] == "P"
        kind = "" if mark else "unspaced" if _UNSPACED.match(run, s) else "spaced"
        if holds and (opening or kind == "unspaced" or (kind == "spaced" and holds == "unspaced")):
            yield start, s
            start, holds = s, ""
        holds = kind or holds
    yield start, len(run)


def _sentences(text: str) -> Iterator[Span]:
    ends = [m.end() for m in _SENTENCE_END.finditer(text)]
    for start, end in pairwise([0, *ends, len(text)]):
        if found := _INK.search(text, start, end):
            yield found.span()


def _characters(text: str) -> Iterator[Span]:
    return ((s, e) for s, e in _graphemes(text) if _RUN.search(text, s, e))


_CUTTERS: dict[str, Callable[[str], Iterator[Span]]] = {
    "word": _words,
    "sentence": _sentences,
    "character": _characters,
}


def _is_pattern(splitter: Any) -> bool:
    return isinstance(splitter, re.Pattern) and isinstance(splitter.pattern, str)


def _split(splitter: Any, text: str) -> list[Span]:
    """What a user's splitter finds, checked; without empty spans, which tokenizers give to their special tokens."""
    if isinstance(splitter, str | re.Pattern):
        return [m.span() for m in re.finditer(splitter, text) if m[0]]
    found = splitter(text)
    try:
        spans = [(index(s), index(e)) for s, e in found if s != e]
    except (TypeError, ValueError) as error:
        raise MaskerError(f"the splitter must give pairs (start, end): {error}") from error
    for before, (s, e) in zip([0, *(e for _, e in spans)], spans, strict=False):
        if not before <= s < e <= len(text):
            raise MaskerError(
                f"the splitter gave the span ({s}, {e}) after one that ends at {before}, in a text of "
                f"{len(text)} characters: spans must ascend, not overlap and lie within the text"
            )
    return spans


def _with_context(text: str, spans: list[Span], roles: list[str]) -> list[tuple[Span, str]]:
    """The units and, between them, what is no unit and no white space: it always stays, as if pinned."""
    pieces, at = [], 0
    for (s, e), role in zip([*spans, (len(text), len(text))], [*roles, ""], strict=True):
        if found := _INK.search(text, at, s):
            pieces.append((found.span(), "pin"))
        if role:
            pieces.append(((s, e), role))
        at = e
    return pieces


# -- grapheme clusters (Unicode Standard Annex #29, rules GB3-GB13 without GB9c) ----------------------------------

_HANGUL = {"L": ("L", "V", "LV", "LVT"), "V": ("V", "T"), "LV": ("V", "T"), "T": ("T",), "LVT": ("T",)}
_RANGES = {  # by code point, where the general category does not tell
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
def _kind(character: str) -> str:
    """The class of a character in the rules. All marks count as extending, which a few Burmese ones do not there."""
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
    """What a reader takes for one character each."""
    start, before, flags, picture = 0, "control", 0, False
    for i, character in enumerate(text):
        kind = _kind(character)
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
