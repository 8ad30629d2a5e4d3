"""Texts for models of Hugging Face transformers; absent words are deleted, masked or not attended to."""

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
from .distinct import DistinctRows
from .input_lists import count_axes, holds_inputs, list_inputs
from .text import GraphLayout, MaskedText, Text, check_layout, make_graph, restrict_coalitions
from .text_keys import pair_keys, text_keys
from .tokenizer_content import tokenizer_content

_UNLIMITED_TOKENS = 1_000_000  # transformers writes 1e30 for tokenizers without a limit
_DROPPED, _STAYS = -2, -1  # used instead of a unit's number for tokens that are never kept, and always kept

Side = MaskedText | str  # a text cut into units, or an empty one


@dataclass(frozen=True, eq=False)
class Subwords(Masker):
    """A text or a pair of texts for a model with a tokenizer, cut as by `Text`.

    An input is a string, or a tuple of two, such as a question and a passage; a list is many inputs.

    Parameters
    ----------
    tokenizer : a tokenizer of transformers.
    units, splitter, pin, drop : as in `Text`.
    absent : "delete": absent units disappear from the text, so that a coalition of three words costs the model a text
        of three words. "mask": each of their tokens is replaced by the tokenizer's mask token. "attention": each is
        replaced by padding, to which the model does not attend. The last two need a fast tokenizer.
    truncate : whether the end of a text that is too long is cut off, with a warning. By default an error is raised.
    max_length : the largest number of tokens, including special ones; by default that of the tokenizer, if it has one.
    graph : as in `Text`. The two texts of a pair have a graph each, with no edge between them.

    Notes
    -----
    "delete" is by far the fastest. Choose "mask" for models that were trained to fill in masks, and "attention" if the
    model can handle neither shorter texts nor masks.

    Units of a pair are those of the first text, then those of the second; one of the two may be empty. If a pair is too
    long, the longer text is shortened first. Text that is cut off is in no row, even if it is pinned.

    A token across two units belongs to the first of them. A unit without tokens is still a unit, and has a score of
    zero. Tokens outside all units, such as special ones, are always kept. Models that count positions by the attention
    mask, such as OPT, close the gaps that "attention" makes.

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
    graph: GraphLayout = "chain"

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
        _ = self._text_masker  # raises an error if its parameters are wrong
        if self.absent == "delete":
            return
        if not getattr(self.tokenizer, "is_fast", False):
            raise MaskerError(
                "Expected a fast tokenizer, which reports the positions of its tokens, got a slow one. "
                'Load the fast one (use_fast=True), or write absent="delete".'
            )
        if self.absent == "attention" and "attention_mask" not in self.tokenizer.model_input_names:
            raise MaskerError(
                "Expected a tokenizer of a model that takes an attention mask, got another one. Write "
                'absent="delete" or "mask".'
            )
        if self.fill is None:
            name, alternative = ("mask", "attention") if self.absent == "mask" else ("pad", "mask")
            raise MaskerError(
                f'Expected a tokenizer with a {name} token, got one without. Write absent="delete" or '
                f'absent="{alternative}".'
            )

    def is_many(self, x: Any) -> bool:
        """A list is many inputs; a tuple is one, a pair of texts. Two columns of strings are many pairs."""
        if isinstance(x, tuple):
            if [isinstance(text, str) for text in x] != [True, True]:
                raise MaskerError(f"Expected a tuple of two texts, got {x!r:.60}. For many inputs give a list.")
            return False
        return (count_axes(x) == 2 and x.shape[1] == 2) or holds_inputs(x, "one text, two columns of texts or many")

    def inputs(self, x: Any) -> list[Any]:
        """The texts or pairs in a list of them, or one of them as a list."""
        if not self.is_many(x):
            return [x]
        return [tuple(pair) for pair in np.asarray(x).tolist()] if count_axes(x) == 2 else list_inputs(x)

    def mask(self, x: Any) -> MaskedSubwords:
        """Cut a text or a pair of texts into units."""
        texts = (x,) if isinstance(x, str) else x
        if not isinstance(texts, tuple) or [isinstance(t, str) for t in texts] != [True] * (1 + isinstance(x, tuple)):
            raise MaskerError(f"Expected a str or a tuple of two as the input, got {x!r:.60}.")
        if not any(RUN.search(text) for text in texts):
            raise MaskerError(
                f"Expected a text with at least one {self.units}, got {x!r:.60}. There is nothing to explain."
            )
        sides = self._fit_to_limit([self._text_masker.mask(text) if RUN.search(text) else text for text in texts])
        return MaskedSubwords(self._join_graphs(sides), tuple(sides), self)

    @property
    def fill(self) -> int | None:
        """The token that replaces absent ones: the mask, or padding (the end of text, if there is no padding)."""
        tokenizer = self.tokenizer
        tokens = (
            [tokenizer.mask_token_id] if self.absent == "mask" else [tokenizer.pad_token_id, tokenizer.eos_token_id]
        )
        return next((token for token in tokens if token is not None), None)

    def count(self, texts: Sequence[str]) -> NDArray[np.int64]:
        """The number of tokens of each of `texts`, without special ones."""
        encodings = self.tokenizer(list(texts), add_special_tokens=False, verbose=False)
        return np.array([len(ids) for ids in encodings["input_ids"]], np.int64)

    def longest(self, side: Side) -> str:
        """What all rows of a `side` are made from: the text, where units are deleted without those that are always
        absent.
        """
        if isinstance(side, str):
            return side
        d = side.graph.d
        return side.rows(Coalitions.from_sets(d, [range(d)]))[0] if self.absent == "delete" else side.text

    @cached_property
    def _text_masker(self) -> Text:
        return Text(self.units, splitter=self.splitter, pin=self.pin, drop=self.drop)

    def _join_graphs(self, sides: Sequence[Side]) -> Graph:
        """One graph over the units of all sides."""
        graphs = [make_graph(self.graph, side.graph.names) for side in sides if isinstance(side, MaskedText)]
        if len(graphs) == 1:
            return graphs[0]
        first, second = graphs
        edges = np.concatenate([first.edges, second.edges + first.d])
        return Graph.from_edges(first.d + second.d, edges, first.names + second.names)

    def _fit_to_limit(self, sides: list[Side]) -> list[Side]:
        """Shorten an input that is too long (the longer one of two sides first), or raise an error."""
        limit = self.tokenizer.model_max_length if self.max_length is None else self.max_length
        if limit >= _UNLIMITED_TOKENS:
            return sides
        max_tokens = limit - self.tokenizer.num_special_tokens_to_add(pair=len(sides) == 2)
        sizes = self.count([self.longest(side) for side in sides])
        excess = int(sizes.sum()) - max_tokens
        if excess <= 0:
            return sides
        halves = [max_tokens - max_tokens // 2, max_tokens // 2] if len(sides) == 2 else [max_tokens]
        limits = [max(size - excess, half) for size, half in zip(sizes.tolist(), halves, strict=True)]
        shortened, cuts = zip(*map(self._shorten, sides, limits), strict=True)
        message = (
            f"Expected an input of at most {limit} tokens, got {limit + excess}: {' and '.join(filter(None, cuts))}"
        )
        if not self.truncate:
            raise MaskerError(f"{message} would be cut. Shorten the input, or write truncate=True to leave them out.")
        warnings.warn(f"{message} are cut.", stacklevel=3)
        return list(shortened)

    def _shorten(self, side: Side, max_tokens: int) -> tuple[Side, str]:
        """The longest beginning with at most so many tokens, and the text that is cut off, if any."""
        if isinstance(side, str) or self.count([self.longest(side)])[0] <= max_tokens:
            return side, ""
        piece_counts = range(int(side.numbers["unit"][0]) + 1, len(side.pieces))
        fitting = bisect_right(
            piece_counts, max_tokens, key=lambda pieces: self.count([self.longest(_prefix(side, pieces))])[0]
        )
        if not fitting:
            raise MaskerError(
                f"Expected room for at least the first unit {side.graph.names[0]!r:.40}, got room for {max_tokens} "
                "tokens. Give a larger max_length."
            )
        shortened = _prefix(side, piece_counts[fitting - 1])
        first_lost = side.text[slice(*side.pieces[piece_counts[fitting - 1]].tolist())]
        noun = f"{self.units}s" if self.splitter is None else "units"
        return shortened, f"{side.graph.d - shortened.graph.d} of {side.graph.d} {noun}, from {first_lost!r:.40} on,"


@dataclass(frozen=True, eq=False)
class MaskedSubwords(Masked):
    """One or two texts, and the positions of their units.

    Attributes
    ----------
    sides : each text with its spans; a plain string if it is empty.
    recipe : the masker, which determines what replaces absent units.
    """

    sides: tuple[Side, ...]
    recipe: Subwords

    @property
    def content(self) -> tuple[Any, ...]:
        """The texts with their units, how rows are made, and the tokenizer if rows are its encodings."""
        recipe = self.recipe
        encoding = (
            () if recipe.absent == "delete" else (tokenizer_content(recipe.tokenizer) or recipe.tokenizer, recipe.fill)
        )
        sides = [side if isinstance(side, str) else side.content for side in self.sides]
        return sides, recipe.absent, *encoding

    def rows(self, coalitions: Coalitions) -> list[Any]:
        """Strings or pairs of strings; with "mask" and "attention" encodings, each a row of the tokenizer's arrays."""
        check_units(coalitions, self.graph)
        if self.recipe.absent != "delete":
            return self._encoded(coalitions)
        columns = [
            side.rows(restrict_coalitions(coalitions, start, side.graph.d))
            if isinstance(side, MaskedText)
            else [side] * len(coalitions)
            for side, start in zip(self.sides, self._starts, strict=True)
        ]
        return columns[0] if len(columns) == 1 else list(zip(*columns, strict=True))

    @property
    def view(self) -> TextView:
        """The text, or the two texts one below the other, and the positions of the units."""
        texts = [side if isinstance(side, str) else side.text for side in self.sides]
        starts = [0, len(texts[0]) + 1]
        spans = [
            np.array(side.spans, np.int64) + start
            for side, start in zip(self.sides, starts, strict=False)
            if isinstance(side, MaskedText)
        ]
        return text_view("\n".join(texts), np.concatenate(spans))

    def distinct(self, coalitions: Coalitions) -> DistinctRows:
        """Coalitions with equal texts or pairs of texts share a key; of encodings, coalitions that differ only in units
        without an effect."""
        if self.recipe.absent != "delete":
            return replace(super().distinct(coalitions), lengths=self._lengths)
        keys = (text_keys if len(self.sides) == 1 else pair_keys)(self.rows(coalitions))
        return DistinctRows.by_coalition(coalitions, keys, lengths=self._lengths)

    @cached_property
    def _idle_units(self) -> NDArray[np.bool_] | None:
        """Units without tokens, or whose tokens equal the replacement of absent ones; None if units are deleted."""
        if self.recipe.absent == "delete":
            return None
        owner, is_fill = self._tokens["owner"], self._tokens["input_ids"] == self.recipe.fill
        has_effect = (owner >= 0) & ~(is_fill & (self.recipe.absent == "mask"))
        return np.asarray(np.bincount(owner[has_effect], minlength=self.graph.d) == 0)

    def _lengths(self, coalitions: Coalitions) -> NDArray[np.int64]:
        """The approximate number of tokens of each row: the sum over its units."""
        if self.recipe.absent != "delete":
            return np.full(len(coalitions), len(self._tokens["input_ids"]))
        unit_tokens, fixed_tokens = self._sizes
        stored = np.diff(np.concatenate([[0], np.cumsum(unit_tokens[coalitions.indices])])[coalitions.offsets])
        return np.asarray(np.where(coalitions.removed, unit_tokens.sum() - stored, stored) + fixed_tokens, np.int64)

    @cached_property
    def _starts(self) -> list[int]:
        """The number of the first unit of each side."""
        first_side = self.sides[0]
        return [0, 0 if isinstance(first_side, str) else first_side.graph.d][: len(self.sides)]

    @cached_property
    def _sizes(self) -> tuple[NDArray[np.int64], int]:
        """The number of tokens of each unit, and of those in every row."""
        unit_tokens = self.recipe.count(self.graph.names)
        all_tokens = self.recipe.count([self.recipe.longest(side) for side in self.sides])
        return unit_tokens, int(all_tokens.sum() - unit_tokens.sum())

    @cached_property
    def _tokens(self) -> dict[str, NDArray[np.int64]]:
        """The encoding of the full input, and the unit of each token as "owner"."""
        texts = [side if isinstance(side, str) else side.text for side in self.sides]
        row = texts[0] if len(texts) == 1 else tuple(texts)
        encoding = self.recipe.tokenizer([row], return_offsets_mapping=True, verbose=False)
        side_of_token = np.array([-1 if side is None else side for side in encoding.sequence_ids(0)], np.int64)
        spans = np.array(encoding.pop("offset_mapping")[0], np.int64).reshape(-1, 2)
        owner = np.full(len(side_of_token), _STAYS, np.int64)
        for number, (side, start) in enumerate(zip(self.sides, self._starts, strict=True)):
            if isinstance(side, MaskedText):
                owner[side_of_token == number] = _owners(side, start, spans[side_of_token == number])
        return {name: np.array(values[0], np.int64) for name, values in encoding.items()} | {"owner": owner}

    def _encoded(self, coalitions: Coalitions) -> list[dict[str, NDArray[np.int64]]]:
        encoding, fill = dict(self._tokens), self.recipe.fill
        assert fill is not None
        owner = encoding.pop("owner")
        unit_present = np.pad(coalitions.dense(), ((0, 0), (0, 2)))
        unit_present[:, _STAYS] = True
        present = unit_present[:, owner]
        ids = np.where(present, encoding["input_ids"], fill)
        if self.recipe.absent == "mask":
            return [encoding | {"input_ids": row} for row in ids]
        attention = present.astype(np.int64)
        return [encoding | {"input_ids": i, "attention_mask": a} for i, a in zip(ids, attention, strict=True)]


def _prefix(side: MaskedText, pieces: int) -> MaskedText:
    """The first pieces of a text, units or not."""
    units = int(np.searchsorted(side.numbers["unit"], pieces))
    return replace(
        side,
        graph=Graph.chain(units, side.graph.names[:units]),
        text=side.text[: side.pieces[pieces - 1, 1]],
        spans=side.spans[:units],
        pieces=side.pieces[:pieces],
        numbers={role: numbers[numbers < pieces] for role, numbers in side.numbers.items()},
        apart=side.apart[:pieces],
    )


def _owners(side: MaskedText, start: int, spans: NDArray[np.int64]) -> NDArray[np.int64]:
    """The unit of each token, which is that of the first piece of text that it overlaps."""
    owners = np.full(len(side.pieces) + 1, _STAYS, np.int64)
    owners[side.numbers["unit"]] = start + np.arange(side.graph.d)
    owners[side.numbers["drop"]] = _DROPPED
    piece = np.searchsorted(side.pieces[:, 1], spans[:, 0], side="right")
    begins = np.append(side.pieces[:, 0], len(side.text))[piece]
    return np.where(begins < spans[:, 1], owners[piece], _STAYS)
