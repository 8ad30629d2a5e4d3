"""Text: words, sentences, characters or any spans of a string, deleted or replaced."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, pairwise
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..core.coalitions import Coalitions
from ..core.graphs import Graph
from ..core.views import TextView
from ..errors import MaskerError
from .base import Masked, Masker, check_units
from .cutting import CUTTERS, UNSPACED, Span, is_pattern, split_text, text_view, with_context
from .distinct import DistinctRows
from .input_lists import holds_inputs
from .slices import RangeMaximum, SliceJoiner
from .text_keys import text_keys

_MAX_LETTERS = 1 << 23  # letters of all rows that are made or kept at once
# Rows of longer texts are made again for each batch, because those of many inputs would fill the memory.
_MAX_KEPT_LETTERS = 1 << 12
GraphLayout = Literal["chain", "ring", "complete"] | Callable[[int], Graph]


@dataclass(frozen=True)
class Text(Masker):
    r"""A text, cut into words, sentences, characters or the units of a splitter.

    Parameters
    ----------
    units : "word": runs without white space, so that "don't", "3.5%", "U.S." and a word with its comma are one unit.
        Scripts written without spaces (Chinese, Japanese, Thai, Lao, Khmer, Burmese) are cut into characters, each with
        the punctuation that touches it. "sentence": up to .!?… (and the like) before white space, up to 。！？
        anywhere, or up to an empty line. "character": what a reader counts as one (grapheme clusters, Unicode Annex
        #29), such as an accented letter or a family emoji; white space is not a unit.
    absent : "delete": absent units are deleted. Any other string, such as "[MASK]", replaces each absent unit.
    splitter : instead of `units`: a regular expression, each match a unit, or a function from a text to the ascending
        `(start, end)` of its units; empty ones do not count. Text outside all units, except for white space, is always
        kept.
    graph : "chain", "ring" or "complete" over the units in their order, or a function from their number to a `Graph`.
    pin, drop : pieces that are always present, and always absent: a set of strings, or a function (unit, start, end) ->
        bool. They are not units of the game, and the graph joins the units around them.

    Notes
    -----
    Choose "delete" for models that take any text, and "[MASK]" or a similar token for models that know it or expect the
    same number of words. Choose sentences for long texts, and `drop` for words that should not count.

    Deletion keeps the white space between neighbouring units. Between units that become neighbours, it keeps the widest
    white space of the gap: a line break is kept, and words are not joined (if there was only text of a script without
    spaces between two words, a space is inserted). White space at the start of the text belongs to the first unit, and
    at its end to the last. So all units together give the original text, and no units give "", or the text that is
    always kept. Offsets count code points.

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
    graph: GraphLayout = "chain"
    pin: Callable[[str, int, int], bool] | Collection[str] = ()
    drop: Callable[[str, int, int], bool] | Collection[str] = ()

    def __post_init__(self) -> None:
        if self.units not in CUTTERS:
            raise MaskerError(f"Expected one of {', '.join(map(repr, CUTTERS))} as units, got {self.units!r}.")
        if not isinstance(self.absent, str):
            raise MaskerError(f'Expected "delete" or the string that replaces a unit as absent, got {self.absent!r}.')
        if isinstance(self.splitter, str):
            try:
                re.compile(self.splitter)
            except re.error as error:
                raise MaskerError(
                    f"Expected a regular expression as splitter, got {self.splitter!r}: {error}."
                ) from error
        elif not (self.splitter is None or callable(self.splitter) or is_pattern(self.splitter)):
            raise MaskerError(
                f"Expected a regular expression (of str) or a function as splitter, got {self.splitter!r}."
            )
        check_layout(self.graph)
        check_rules(self.pin, self.drop)

    def is_many(self, x: Any) -> bool:
        """A list, an iterator, an array or a pandas Series of strings is many texts."""
        return holds_inputs(x, "one text or many")

    def mask(self, x: Any) -> MaskedText:
        """Cut a string into units."""
        if not isinstance(x, str):
            raise MaskerError(f"Expected a text as str, got {type(x).__name__}.")
        spans = list(CUTTERS[self.units](x)) if self.splitter is None else split_text(self.splitter, x)
        if not spans:
            expected = f"at least one {self.units}" if self.splitter is None else "something that the splitter finds"
            raise MaskerError(f"Expected a text with {expected}, got {x[:40]!r}. There is nothing to explain.")
        roles = [find_role(self.pin, self.drop, x[s:e], s, e) for s, e in spans]
        units = tuple(span for span, role in zip(spans, roles, strict=True) if role == "unit")
        if not units:
            raise MaskerError(
                f"Expected at least one unit that is neither pinned nor dropped, got none of {len(spans)}. "
                "There is nothing to explain."
            )
        pieces = with_context(x, spans, roles)
        apart = [self.units == "word" and self.splitter is None and not UNSPACED.search(x, *span) for span, _ in pieces]
        numbers = {role: [k for k, (_, r) in enumerate(pieces) if r == role] for role in ("unit", "pin", "drop")}
        return MaskedText(
            make_graph(self.graph, [x[s:e] for s, e in units]),
            text=x,
            spans=units,
            absent=self.absent,
            pieces=np.array([span for span, _ in pieces], np.int64),
            numbers={role: np.array(indices, np.int64) for role, indices in numbers.items()},
            apart=np.array(apart),
        )


@dataclass(frozen=True, eq=False)
class MaskedText(Masked):
    """A text and the positions of its units.

    Attributes
    ----------
    text : the original.
    spans : for each unit its `(start, end)`: ``text[start:end] == graph.names[i]``.
    absent : "delete", or the string that replaces a unit.
    pieces : the `(start, end)` of everything that is not white space between units: units, pinned text, dropped text.
    numbers : which of the pieces are "unit", "pin" (always present) and "drop" (always absent).
    apart : for each piece, whether it is a word that must not touch another such word that it did not touch
        before.
    """

    text: str
    spans: tuple[Span, ...]
    absent: str
    pieces: NDArray[np.int64]
    numbers: dict[str, NDArray[np.int64]]
    apart: NDArray[np.bool_]  # this name is part of stored digests, and must not change

    @property
    def content(self) -> tuple[Any, ...]:
        """The text, its pieces and how absent ones are replaced, without graph and names."""
        return self.text, self.absent, self.pieces, self.numbers, self.apart

    @property
    def row_characters(self) -> int:
        """The number of characters of the text."""
        return len(self.text)

    def rows(self, coalitions: Coalitions) -> list[str]:
        """One text per coalition, made of about as many slices of the original as the coalition stores units."""
        check_units(coalitions, self.graph)
        build = self._delete_units if self.absent == "delete" else self._replace_units
        rows = [""] * len(coalitions)
        for removed in (False, True):
            selected = np.flatnonzero(coalitions.removed == removed)
            step = max(1, _MAX_LETTERS // self._max_row_letters)
            for chunk in (selected[start : start + step] for start in range(0, len(selected), step)):
                for row, text in zip(chunk.tolist(), build(coalitions.take(chunk), removed), strict=True):
                    rows[row] = text
        return rows

    @property
    def view(self) -> TextView:
        """The text and the positions of its units."""
        return text_view(self.text, np.array(self.spans, np.int64).reshape(-1, 2))

    @property
    def piece_texts(self) -> list[str]:
        """The text of each piece."""
        return [self.text[start:end] for start, end in self.pieces.tolist()]

    @property
    def is_separated(self) -> bool:
        """Whether there is white space between any two pieces of every row."""
        return all(any(map(str.isspace, gap)) for gap in self._gaps)

    def distinct(self, coalitions: Coalitions) -> DistinctRows:
        """Coalitions with equal texts share a key. The texts are kept if they are few and short enough."""
        if self._max_row_letters <= _MAX_KEPT_LETTERS and len(coalitions) * self._max_row_letters <= _MAX_LETTERS:
            rows = self.rows(coalitions)
            return DistinctRows.by_coalition(coalitions, text_keys(rows), rows=rows, lengths=self._lengths)
        step = max(1, _MAX_LETTERS // self._max_row_letters)
        parts = (self.rows(coalitions[start : start + step]) for start in range(0, len(coalitions), step))
        return DistinctRows.by_coalition(coalitions, text_keys(chain.from_iterable(parts)), lengths=self._lengths)

    def _lengths(self, coalitions: Coalitions) -> NDArray[np.int64]:
        """The number of characters that are kept, without white space; that of the text if units are replaced."""
        if self.absent != "delete":
            return np.full(len(coalitions), np.diff(self.pieces, axis=1).sum())
        piece_lengths, numbers = np.diff(self.pieces, axis=1)[:, 0], self.numbers
        stored = np.concatenate([[0], np.cumsum(piece_lengths[numbers["unit"]][coalitions.indices])])[
            coalitions.offsets
        ]
        counts, total = np.diff(stored), piece_lengths[numbers["unit"]].sum()
        return np.asarray(
            np.where(coalitions.removed, total - counts, counts) + piece_lengths[numbers["pin"]].sum(), np.int64
        )

    def _delete_units(self, sets: Coalitions, removed: bool) -> list[str]:
        """Find the runs of pieces that stay together, of all rows at once; each is one slice of the text."""
        count, rows = len(self.pieces), np.arange(len(sets))
        width = count + 1  # pieces are numbered row by row, with an unused number that keeps the rows apart
        stored = np.repeat(rows, np.diff(sets.offsets)) * width + self.numbers["unit"][sets.indices]
        always = np.append(self.numbers["drop"], count) if removed else self.numbers["pin"]
        stored = np.sort(np.concatenate([stored, np.add.outer(rows * width, always).ravel()]))
        if removed:  # a run lies between two absent pieces
            edges = np.append(-1, stored)
            nonempty = np.diff(edges) > 1
            first, last = edges[:-1][nonempty] + 1, edges[1:][nonempty] - 1
        else:
            first, last = stored[np.diff(stored, prepend=-2) != 1], stored[np.diff(stored, append=-2) != 1]
        row, first, last = first // width, first % width, last % width
        glue = np.zeros(len(first), np.int64)
        glue[1:] = self._widest.maxima(last[:-1], first[1:])
        glue[1:][(glue[1:] == 0) & self.apart[last[:-1]] & self.apart[first[1:]]] = self._spaces.index(" ")
        glue[np.diff(row, prepend=-1) != 0] = 0
        starts, ends = self.pieces[first, 0], self.pieces[last, 1]
        starts[first == 0], ends[last == count - 1] = 0, len(self.text)
        return self._letters.join(glue, starts, ends, np.searchsorted(row, np.arange(len(sets) + 1)))

    @cached_property
    def _gaps(self) -> list[str]:
        """The white space after each piece except the last."""
        return [self.text[end:start] for end, start in zip(self.pieces[:-1, 1], self.pieces[1:, 0], strict=True)]

    @cached_property
    def _spaces(self) -> list[str]:
        """The different gaps, by line breaks, then by length."""
        return sorted({"", " ", *self._gaps}, key=lambda gap: (gap.count("\n"), len(gap), gap))

    @cached_property
    def _widest(self) -> RangeMaximum:
        numbers = {gap: number for number, gap in enumerate(self._spaces)}
        return RangeMaximum([numbers[gap] for gap in self._gaps])

    @cached_property
    def _letters(self) -> SliceJoiner:
        return SliceJoiner(self.text, self._spaces)

    @property
    def _max_row_letters(self) -> int:
        """An upper bound of the letters of the longest row."""
        return len(self.text) + (0 if self.absent == "delete" else len(self.absent) * len(self.pieces))

    def _replace_units(self, sets: Coalitions, removed: bool) -> Iterator[str]:
        """Start from the text with all units (or none) and replace the units that the coalitions store."""
        template, starts, ends = self._full_template if removed else self._empty_template
        fills = [self.absent] * len(self.spans) if removed else self.graph.names
        for a, b in pairwise(sets.offsets.tolist()):
            parts, position = [], 0
            for i in sets.indices[a:b].tolist():
                parts += [template[position : starts[i]], fills[i]]
                position = ends[i]
            yield "".join([*parts, template[position:]])

    @cached_property
    def _full_template(self) -> tuple[str, list[int], list[int]]:
        return self._template(set(self.numbers["drop"].tolist()))

    @cached_property
    def _empty_template(self) -> tuple[str, list[int], list[int]]:
        return self._template({*self.numbers["drop"].tolist(), *self.numbers["unit"].tolist()})

    def _template(self, absent: set[int]) -> tuple[str, list[int], list[int]]:
        """The text with some pieces replaced, and the position of each unit in it."""
        parts, position, size, starts, ends = [], 0, 0, [], []
        for k, (s, e) in enumerate(self.pieces.tolist()):
            gap, piece = self.text[position:s], self.absent if k in absent else self.text[s:e]
            parts += [gap, piece]
            starts.append(size + len(gap))
            ends.append(size := size + len(gap) + len(piece))
            position = e
        units = self.numbers["unit"].tolist()
        return "".join([*parts, self.text[position:]]), [starts[k] for k in units], [ends[k] for k in units]


# -- shared with other kinds of sequences --------------------------------------------------------------------------


def check_layout(layout: Any) -> None:
    """Raise if this does not define a graph over units in a row."""
    if not (callable(layout) or layout in ("chain", "ring", "complete")):
        raise MaskerError(f'Expected "chain", "ring", "complete" or a function of d as graph, got {layout!r}.')


def make_graph(layout: GraphLayout, names: Sequence[str]) -> Graph:
    """The graph over units in a row, with their names."""
    if not callable(layout):
        graph: Graph = getattr(Graph, layout)(len(names), names)
        return graph
    graph = layout(len(names))
    if not isinstance(graph, Graph) or graph.d != len(names):
        raise MaskerError(f"Expected a Graph of {len(names)} units from the function graph, got {graph!r}.")
    return replace(graph, names=tuple(names))


def check_rules(*rules: Any) -> None:
    """Raise if this cannot determine whether a unit is pinned or dropped."""
    for rule in rules:
        if isinstance(rule, str | bytes) or not (callable(rule) or isinstance(rule, Collection)):
            raise MaskerError(
                f"Expected a set of units, such as {{{rule!r}}}, or a function as pin or drop, got {rule!r}."
            )


def find_role(pin: Any, drop: Any, unit: Any, *position: int) -> str:
    """Whether a unit is pinned ("pin"), dropped ("drop") or a "unit" of the game."""
    pinned, dropped = (bool(rule(unit, *position)) if callable(rule) else unit in rule for rule in (pin, drop))
    if pinned and dropped:
        raise MaskerError(
            f"Expected units that are pinned or dropped, got {unit!r} in both. Remove it from one of them."
        )
    return "pin" if pinned else "drop" if dropped else "unit"


def restrict_coalitions(coalitions: Coalitions, start: int, d: int) -> Coalitions:
    """The coalitions among units `start` to `start + d`."""
    inside = (coalitions.indices >= start) & (coalitions.indices < start + d)
    offsets = np.concatenate([[0], np.cumsum(inside)])[coalitions.offsets]
    return Coalitions(d, coalitions.indices[inside] - np.int32(start), offsets, coalitions.removed)
