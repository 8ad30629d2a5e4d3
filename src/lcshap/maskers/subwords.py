"""Subwords: texts for models of Hugging Face transformers, word by word: deleted, masked or not attended to."""

from __future__ import annotations

import re
import warnings
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..core.coalitions import Coalitions
from ..core.graphs import Graph
from ..core.views import TextView
from ..errors import MaskerError
from .base import Masked, Masker, check_units, is_count
from .cutting import RUN, Span, text_view
from .keys import pair_keys, text_keys
from .many import are_objects, count_axes, split
from .text import Layout, MaskedText, Text, check_layout, make_graph, restrict
from .tokenizer_content import tokenizer_content

_ENDLESS = 1_000_000  # transformers writes 1e30 for tokenizers that know no limit
_DROPPED, _STAYS = -2, -1  # instead of a unit's number: tokens never there, and tokens always there

Side = MaskedText | str  # a text cut into units, or an empty one


@dataclass(frozen=True, eq=False)
class Subwords(Masker):
    """A text or a pair of texts, cut as `Text` cuts them, for a model with a tokenizer.

    An input is a string, or a tuple of two, such as a question and a passage; a list is many inputs.

    Parameters
    ----------
    tokenizer : of transformers.
    units, splitter, pin, drop : as in `Text`.
    absent : "delete": absent units disappear from the text, so that a coalition of three words costs the model a text
        of three words. "mask": each of their tokens becomes the tokenizer's mask token. "attention": each becomes
        padding, in its place, that the model does not attend to. The last two need a fast tokenizer.
    truncate : leave out the end of a text that is too long, with a warning. By default it is refused.
    max_length : how many tokens there may be, special ones included; by default what the tokenizer says, if it does.
    graph : as in `Text`. The two texts of a pair have a graph each, with no edge between them.

    Notes
    -----
    "delete" is by far the fastest. Choose "mask" for models that have learnt to fill masks in, "attention" where
    neither a shorter text nor a mask makes sense to the model.

    Units of a pair are those of the first text, then those of the second; one of the two may be empty. Of a pair that
    is too long the longer text is shortened first. What is cut is in no row, pinned or not.

    A token across two units belongs to the first of them. A unit without tokens is still one, and scores zero. Tokens
    outside all units, special ones for instance, always stay. Models that count positions by the attention mask, as OPT
    does, close the gaps that "attention" leaves.

    Examples
    --------
    ::

        masker = Subwords(AutoTokenizer.from_pretrained(name), absent="mask")
        lc.Explainer(TransformersModel(model, tokenizer), masker)(("Who sleeps?", "The cat sleeps."))
    """

    tokenizer: Any = field(repr=False)
    units: Literal["word", "sentence", "character"] = "word"
    absent: Literal["delete", "mask", "attention"] = "delete"
    splitter: str | re.Pattern[str] | Callable[[str], Iterable[Span]] | None = None
    pin: Callable[[str, int, int], bool] | Collection[str] = ()
    drop: Callable[[str, int, int], bool] | Collection[str] = ()
    truncate: bool = False
    max_length: int | None = None
    graph: Layout = "chain"

    def __post_init__(self) -> None:
        if not (callable(self.tokenizer) and hasattr(self.tokenizer, "model_max_length")):
            kind = type(self.tokenizer).__name__
            raise MaskerError(f"Expected a tokenizer that AutoTokenizer.from_pretrained loads, got {kind}.")
        if self.absent not in ("delete", "mask", "attention"):
            raise MaskerError(f'Expected "delete", "mask" or "attention" as absent, got {self.absent!r}.')
        length = self.max_length
        if length is not None and not is_count(length):
            raise MaskerError(f"Expected max_length as an integer of at least 1, or None, got {length!r}.")
        check_layout(self.graph)
        _ = self._text  # raises where its parameters make no sense
        if self.absent == "delete":
            return
        if not getattr(self.tokenizer, "is_fast", False):
            raise MaskerError(
                "Expected a fast tokenizer, which knows where its tokens are in the text, got a slow one. "
                'Load the fast one (use_fast=True), or write absent="delete".'
            )
        if self.absent == "attention" and "attention_mask" not in self.tokenizer.model_input_names:
            raise MaskerError(
                "Expected a tokenizer of a model that takes an attention mask, got another one. Write "
                'absent="delete" or "mask".'
            )
        if self.fill is None:
            name, other = ("mask", "attention") if self.absent == "mask" else ("pad", "mask")
            raise MaskerError(
                f'Expected a tokenizer with a {name} token, got one without. Write absent="delete" or absent="{other}".'
            )

    def is_many(self, x: Any) -> bool:
        """A list is many inputs; a tuple is one, a pair of texts. Two columns of strings are many pairs."""
        if isinstance(x, tuple):
            if [isinstance(text, str) for text in x] != [True, True]:
                raise MaskerError(f"Expected a tuple of two texts, got {x!r:.60}. For many inputs give a list.")
            return False
        return (count_axes(x) == 2 and x.shape[1] == 2) or are_objects(x, "one text, two columns of texts or many")

    def inputs(self, x: Any) -> list[Any]:
        """The texts or pairs in a list of them; one is a list of one."""
        if not self.is_many(x):
            return [x]
        return [tuple(pair) for pair in np.asarray(x).tolist()] if count_axes(x) == 2 else split(x)

    def mask(self, x: Any) -> MaskedSubwords:
        """Cut a text or a pair of texts into units."""
        texts = (x,) if isinstance(x, str) else x
        if not isinstance(texts, tuple) or [isinstance(t, str) for t in texts] != [True] * (1 + isinstance(x, tuple)):
            raise MaskerError(f"Expected a str or a tuple of two as the input, got {x!r:.60}.")
        if not any(RUN.search(text) for text in texts):
            raise MaskerError(
                f"Expected a text with at least one {self.units}, got {x!r:.60}. There is nothing to explain."
            )
        sides = self._fit([self._text.mask(text) if RUN.search(text) else text for text in texts])
        return MaskedSubwords(self._join(sides), tuple(sides), self)

    @property
    def fill(self) -> int | None:
        """The token in the place of absent ones: the mask, or padding (the end of text, where there is none)."""
        known = self.tokenizer
        tokens = [known.mask_token_id] if self.absent == "mask" else [known.pad_token_id, known.eos_token_id]
        return next((token for token in tokens if token is not None), None)

    def count(self, texts: Sequence[str]) -> NDArray[np.int64]:
        """How many tokens each of `texts` has, without special ones."""
        made = self.tokenizer(list(texts), add_special_tokens=False, verbose=False)
        return np.array([len(ids) for ids in made["input_ids"]], np.int64)

    def longest(self, side: Side) -> str:
        """What all rows of a `side` are made from: the text, where units are deleted without those that are always
        absent.
        """
        if isinstance(side, str):
            return side
        d = side.graph.d
        return side.rows(Coalitions.from_sets(d, [range(d)]))[0] if self.absent == "delete" else side.text

    @cached_property
    def _text(self) -> Text:
        return Text(self.units, splitter=self.splitter, pin=self.pin, drop=self.drop)

    def _join(self, sides: Sequence[Side]) -> Graph:
        """One graph over the units of all sides."""
        graphs = [make_graph(self.graph, side.graph.names) for side in sides if isinstance(side, MaskedText)]
        if len(graphs) == 1:
            return graphs[0]
        first, second = graphs
        edges = np.concatenate([first.edges, second.edges + first.d])
        return Graph.from_edges(first.d + second.d, edges, first.names + second.names)

    def _fit(self, sides: list[Side]) -> list[Side]:
        """Shorten what is too long, of two sides the longer one first, or refuse it."""
        limit = self.tokenizer.model_max_length if self.max_length is None else self.max_length
        if limit >= _ENDLESS:
            return sides
        room = limit - self.tokenizer.num_special_tokens_to_add(pair=len(sides) == 2)
        sizes = self.count([self.longest(side) for side in sides])
        over = int(sizes.sum()) - room
        if over <= 0:
            return sides
        halves = [room - room // 2, room // 2] if len(sides) == 2 else [room]
        rooms = [max(size - over, half) for size, half in zip(sizes.tolist(), halves, strict=True)]
        short, cuts = zip(*map(self._cut, sides, rooms), strict=True)
        what = f"Expected an input of at most {limit} tokens, got {limit + over}: {' and '.join(filter(None, cuts))}"
        if not self.truncate:
            raise MaskerError(f"{what} would be cut. Shorten the input, or write truncate=True to leave them out.")
        warnings.warn(f"{what} are cut.", stacklevel=3)
        return list(short)

    def _cut(self, side: Side, room: int) -> tuple[Side, str]:
        """As much from the start as has at most so many tokens, and what is lost, if anything is."""
        if isinstance(side, str) or self.count([self.longest(side)])[0] <= room:
            return side, ""
        some = range(int(side.numbers["unit"][0]) + 1, len(side.pieces))
        fitting = bisect_right(some, room, key=lambda pieces: self.count([self.longest(_prefix(side, pieces))])[0])
        if not fitting:
            raise MaskerError(
                f"Expected room for at least the first unit {side.graph.names[0]!r:.40}, got room for {room} "
                "tokens. Give a larger max_length."
            )
        short = _prefix(side, some[fitting - 1])
        first = side.text[slice(*side.pieces[some[fitting - 1]].tolist())]
        noun = f"{self.units}s" if self.splitter is None else "units"
        return short, f"{side.graph.d - short.graph.d} of {side.graph.d} {noun}, from {first!r:.40} on,"


@dataclass(frozen=True, eq=False)
class MaskedSubwords(Masked):
    """A text or two, and where their units are.

    Attributes
    ----------
    sides : each text with its spans; a plain string if it is empty.
    recipe : what takes the place of absent units.
    """

    sides: tuple[Side, ...]
    recipe: Subwords

    @property
    def content(self) -> tuple[Any, ...]:
        """The texts with their units and what is made of them; which tokenizer, where rows are its encodings."""
        how = self.recipe
        encoding = () if how.absent == "delete" else (tokenizer_content(how.tokenizer) or how.tokenizer, how.fill)
        sides = [side if isinstance(side, str) else side.content for side in self.sides]
        return sides, how.absent, *encoding

    def rows(self, coalitions: Coalitions) -> list[Any]:
        """Strings or pairs of strings; with "mask" and "attention" encodings, each a row of the tokenizer's arrays."""
        check_units(coalitions, self.graph)
        if self.recipe.absent != "delete":
            return self._encoded(coalitions)
        columns = [
            side.rows(restrict(coalitions, start, side.graph.d))
            if isinstance(side, MaskedText)
            else [side] * len(coalitions)
            for side, start in zip(self.sides, self._starts, strict=True)
        ]
        return columns[0] if len(columns) == 1 else list(zip(*columns, strict=True))

    @property
    def view(self) -> TextView:
        """The text, or the two one below the other, and where its units are."""
        texts = [side if isinstance(side, str) else side.text for side in self.sides]
        starts = [0, len(texts[0]) + 1]
        spans = [
            np.array(side.spans, np.int64) + start
            for side, start in zip(self.sides, starts, strict=False)
            if isinstance(side, MaskedText)
        ]
        return text_view("\n".join(texts), np.concatenate(spans))

    def keys(self, coalitions: Coalitions) -> list[bytes]:
        """Equal exactly where texts or pairs of texts are; for encodings, where other than idle units are the same."""
        if self.recipe.absent != "delete":
            return super().keys(coalitions)
        return text_keys(self.rows(coalitions)) if len(self.sides) == 1 else pair_keys(self.rows(coalitions))

    @cached_property
    def idle(self) -> NDArray[np.bool_] | None:
        """Units without tokens, or whose tokens are what replaces absent ones; None where units are deleted."""
        if self.recipe.absent == "delete":
            return None
        owner, same = self._tokens["owner"], self._tokens["input_ids"] == self.recipe.fill
        counts = (owner >= 0) & ~(same & (self.recipe.absent == "mask"))
        return np.asarray(np.bincount(owner[counts], minlength=self.graph.d) == 0)

    def lengths(self, coalitions: Coalitions) -> NDArray[np.int64]:
        """About how many tokens each row has: those of its units, each taken alone."""
        if self.recipe.absent != "delete":
            return np.full(len(coalitions), len(self._tokens["input_ids"]))
        each, rest = self._sizes
        stored = np.diff(np.concatenate([[0], np.cumsum(each[coalitions.indices])])[coalitions.offsets])
        return np.asarray(np.where(coalitions.removed, each.sum() - stored, stored) + rest, np.int64)

    @cached_property
    def _starts(self) -> list[int]:
        """The number of the first unit of each side."""
        first = self.sides[0]
        return [0, 0 if isinstance(first, str) else first.graph.d][: len(self.sides)]

    @cached_property
    def _sizes(self) -> tuple[NDArray[np.int64], int]:
        """How many tokens each unit has, and how many are in every row."""
        each = self.recipe.count(self.graph.names)
        full = self.recipe.count([self.recipe.longest(side) for side in self.sides])
        return each, int(full.sum() - each.sum())

    @cached_property
    def _tokens(self) -> dict[str, NDArray[np.int64]]:
        """The encoding of the full input, and the unit of each token as "owner"."""
        texts = [side if isinstance(side, str) else side.text for side in self.sides]
        row = texts[0] if len(texts) == 1 else tuple(texts)
        made = self.recipe.tokenizer([row], return_offsets_mapping=True, verbose=False)
        places = np.array([-1 if side is None else side for side in made.sequence_ids(0)], np.int64)
        spans = np.array(made.pop("offset_mapping")[0], np.int64).reshape(-1, 2)
        owner = np.full(len(places), _STAYS, np.int64)
        for number, (side, start) in enumerate(zip(self.sides, self._starts, strict=True)):
            if isinstance(side, MaskedText):
                owner[places == number] = _owners(side, start, spans[places == number])
        return {name: np.array(values[0], np.int64) for name, values in made.items()} | {"owner": owner}

    def _encoded(self, coalitions: Coalitions) -> list[dict[str, NDArray[np.int64]]]:
        full, fill = dict(self._tokens), self.recipe.fill
        assert fill is not None
        owner = full.pop("owner")
        units = np.pad(coalitions.dense(), ((0, 0), (0, 2)))
        units[:, _STAYS] = True
        there = units[:, owner]
        ids = np.where(there, full["input_ids"], fill)
        if self.recipe.absent == "mask":
            return [full | {"input_ids": row} for row in ids]
        attention = there.astype(np.int64)
        return [full | {"input_ids": i, "attention_mask": a} for i, a in zip(ids, attention, strict=True)]


def _prefix(side: MaskedText, pieces: int) -> MaskedText:
    """The first pieces of a text, units or not."""
    units = int(np.searchsorted(side.numbers["unit"], pieces))
    return replace(
        side,
        graph=Graph.chain(units, side.graph.names[:units]),
        text=side.text[: side.pieces[pieces - 1, 1]],
        spans=side.spans[:units],
        pieces=side.pieces[:pieces],
        numbers={role: found[found < pieces] for role, found in side.numbers.items()},
        apart=side.apart[:pieces],
    )


def _owners(side: MaskedText, start: int, spans: NDArray[np.int64]) -> NDArray[np.int64]:
    """The unit of each token: the first piece of text that it overlaps says which."""
    owners = np.full(len(side.pieces) + 1, _STAYS, np.int64)
    owners[side.numbers["unit"]] = start + np.arange(side.graph.d)
    owners[side.numbers["drop"]] = _DROPPED
    piece = np.searchsorted(side.pieces[:, 1], spans[:, 0], side="right")
    begins = np.append(side.pieces[:, 0], len(side.text))[piece]
    return np.where(begins < spans[:, 1], owners[piece], _STAYS)
