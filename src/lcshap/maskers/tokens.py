"""Sequences of token ids for models with an embedding; absent tokens are replaced by padding or deleted."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..core.coalitions import Coalitions
from ..core.store_keys import row_keys
from ..core.views import TextView
from ..errors import MaskerError
from .base import Masked, Masker, check_units, is_count
from .cutting import text_view
from .distinct import DistinctRows
from .input_lists import holds_rows, list_rows
from .text import GraphLayout, check_layout, check_rules, find_role, make_graph

_MAX_CELLS = 1 << 20  # tokens of all rows that are made at once for their keys, to limit the memory


@dataclass(frozen=True)
class Tokens(Masker):
    """A sequence of token ids. Each token that is not padding is a unit.

    Parameters
    ----------
    padding : the id of padding.
    length : the length of all rows. None for that of the input or, if tokens are deleted, that of the longest row of
        the batch (at least 1).
    side : where rows shorter than `length` are padded: "right", after the tokens, or "left", before them.
    absent : "replace": absent tokens are replaced by padding, as in the paper. "delete": they are deleted, and the
        remaining tokens move together.
    pin, drop : tokens that are always present, such as those of the beginning and the end, and tokens that are always
        absent: a set of ids, or a function (id, position) -> bool. They are not units of the game, and the graph joins
        the units around them.
    vocabulary : names for the ids: a mapping or a sequence; ids that it lacks are named by their number.
    graph : "chain", "ring" or "complete" over the units in their order, or a function from their number to a `Graph`.

    Notes
    -----
    Choose "replace" if the model was trained on padded input or positions matter, and "delete" for models of any
    length. Padding at the ends of the input does not change with "replace", and is made again with "delete". A padding
    id between tokens is not a unit and is kept. Nothing is cut off: an input longer than `length` raises an error.

    Examples
    --------
    >>> from lcshap import Coalitions
    >>> from lcshap.maskers.tokens import Tokens
    >>> some = Coalitions.from_sets(3, [[0, 2], [1]])
    >>> Tokens(length=5).mask([12, 7, 31]).rows(some).tolist()
    [[12, 0, 31, 0, 0], [0, 7, 0, 0, 0]]
    >>> Tokens(absent="delete", side="left").mask([12, 7, 31]).rows(some).tolist()
    [[12, 31], [0, 7]]
    """

    padding: int = 0
    length: int | None = None
    side: Literal["right", "left"] = "right"
    absent: Literal["replace", "delete"] = "replace"
    pin: Callable[[int, int], bool] | Collection[int] = ()
    drop: Callable[[int, int], bool] | Collection[int] = ()
    vocabulary: Mapping[int, str] | Sequence[str] | None = None
    graph: GraphLayout = "chain"

    def __post_init__(self) -> None:
        if not _is_int(self.padding):
            raise MaskerError(f"Expected padding as an integer, got {self.padding!r}.")
        if self.length is not None and not is_count(self.length):
            raise MaskerError(f"Expected length as an integer of at least 1, or None, got {self.length!r}.")
        if self.side not in ("right", "left"):
            raise MaskerError(f'Expected "right" or "left" as side, got {self.side!r}.')
        if self.absent not in ("replace", "delete"):
            raise MaskerError(f'Expected "replace" or "delete" as absent, got {self.absent!r}.')
        if not (self.vocabulary is None or isinstance(self.vocabulary, Mapping | Sequence)):
            raise MaskerError(f"Expected vocabulary as a mapping or a sequence, got {type(self.vocabulary).__name__}.")
        check_rules(self.pin, self.drop)
        check_layout(self.graph)

    def is_many(self, x: Any) -> bool:
        """A list of numbers is one input; a list of sequences or an array with two axes is many."""
        return holds_rows(x)

    def inputs(self, x: Any) -> list[Any]:
        """The sequences in a list of sequences, or one sequence as a list."""
        return list_rows(x) if self.is_many(x) else [x]

    def mask(self, x: Any) -> MaskedTokens:
        """Take every token that is not padding as a unit."""
        ids = _check_ids(x)
        if self.length is not None and len(ids) > self.length:
            raise MaskerError(
                f"Expected at most {self.length} tokens, the length of rows, got {len(ids)}. Shorten the input."
            )
        token_positions = np.flatnonzero(ids != self.padding)
        if not len(token_positions):
            raise MaskerError(
                f"Expected at least one token besides the padding {self.padding}, got none. There is nothing "
                "to explain."
            )
        roles = np.array([find_role(self.pin, self.drop, int(ids[p]), p) for p in token_positions.tolist()])
        units = token_positions[roles == "unit"]
        if not len(units):
            raise MaskerError(
                f"Expected at least one token that is neither pinned nor dropped, got none of {len(token_positions)}. "
                "There is nothing to explain."
            )
        inner_padding = np.arange(token_positions[0], token_positions[-1] + 1)
        inner_padding = inner_padding[ids[inner_padding] == self.padding]
        return MaskedTokens(
            make_graph(self.graph, [self._name(t) for t in ids[units].tolist()]),
            ids=ids,
            positions=units,
            pinned=np.sort(np.concatenate([token_positions[roles == "pin"], inner_padding])),
            recipe=self,
        )

    def _name(self, token: int) -> str:
        words = self.vocabulary
        if isinstance(words, Mapping):
            return str(words.get(token, token))
        return str(words[token] if words is not None and 0 <= token < len(words) else token)


@dataclass(frozen=True, eq=False)
class MaskedTokens(Masked):
    """A sequence of ids and which of them are units.

    Attributes
    ----------
    ids : the input.
    positions : the position of each unit in the input: ``ids[positions[i]]`` is the token of unit i.
    pinned : the positions of tokens that are always present.
    recipe : the masker, which determines how rows are padded.
    """

    ids: NDArray[np.int64]
    positions: NDArray[np.int64]
    pinned: NDArray[np.int64]
    recipe: Tokens

    @property
    def content(self) -> tuple[Any, ...]:
        """The ids and how rows are padded, without the names of tokens."""
        recipe = self.recipe
        return self.ids, self.positions, self.pinned, recipe.padding, recipe.length, recipe.side, recipe.absent

    def rows(self, coalitions: Coalitions) -> NDArray[np.int64]:
        """One row of ids per coalition, all of the same length."""
        check_units(coalitions, self.graph)
        return self._replace_tokens(coalitions) if self.recipe.absent == "replace" else self._delete_tokens(coalitions)

    @property
    def view(self) -> TextView:
        """The names of the tokens as a text."""
        name_ends = np.cumsum([len(name) + 1 for name in self.graph.names]) - 1
        spans = np.stack([name_ends - [len(name) for name in self.graph.names], name_ends], axis=1)
        return text_view(" ".join(self.graph.names), spans)

    def distinct(self, coalitions: Coalitions) -> DistinctRows:
        """Where tokens are deleted, coalitions with equal rows share a key; padding of rows of a free length, which
        fills them up in a batch, does not count."""
        if self.recipe.absent == "replace":
            return super().distinct(coalitions)
        lengths = self._lengths if self.recipe.length is None else None
        return DistinctRows.by_coalition(coalitions, self._keys(coalitions), lengths=lengths)

    def _keys(self, coalitions: Coalitions) -> list[bytes]:
        """A key for each coalition, equal exactly if rows are equal."""
        keys: list[bytes] = []
        step = max(1, _MAX_CELLS // len(self.ids))
        for start in range(0, len(coalitions), step):
            chunk = coalitions[start : start + step]
            rows = self.rows(chunk)
            row_ends, flat = rows.itemsize * rows.shape[1] * np.arange(1, len(rows) + 1), rows.tobytes()
            counts = rows.itemsize * (rows.shape[1] if self.recipe.length else chunk.sizes + len(self.pinned))
            key_starts = row_ends - (rows.itemsize * rows.shape[1] if self.recipe.side == "right" else counts)
            spans = zip(key_starts.tolist(), (key_starts + counts).tolist(), strict=True)
            keys += row_keys(flat[a:b] for a, b in spans)
        return keys

    def _lengths(self, coalitions: Coalitions) -> NDArray[np.int64]:
        """The number of tokens of each row, if rows have no fixed length."""
        return coalitions.sizes + len(self.pinned)

    def _replace_tokens(self, coalitions: Coalitions) -> NDArray[np.int64]:
        """Start each row from all units or from none, as the coalition is stored, and change the others."""
        width = len(self.ids) if self.recipe.length is None else self.recipe.length
        shift = width - len(self.ids) if self.recipe.side == "left" else 0
        empty_row = np.full(width, self.recipe.padding, np.int64)
        empty_row[shift + self.pinned] = self.ids[self.pinned]
        full_row = empty_row.copy()
        full_row[shift + self.positions] = self.ids[self.positions]
        rows = np.where(coalitions.removed[:, None], full_row, empty_row)
        row = np.repeat(np.arange(len(coalitions)), np.diff(coalitions.offsets))
        column = shift + self.positions[coalitions.indices]
        rows[row, column] = np.where(coalitions.removed[row], empty_row[column], full_row[column])
        return rows

    def _delete_tokens(self, coalitions: Coalitions) -> NDArray[np.int64]:
        """Number the remaining tokens within each row and write them next to each other."""
        counts = coalitions.sizes + len(self.pinned)
        width = max(1, int(counts.max(initial=0))) if self.recipe.length is None else self.recipe.length
        rows = np.full((len(coalitions), width), self.recipe.padding, np.int64)
        for removed in (False, True):
            selected = np.flatnonzero(coalitions.removed == removed)
            row, position = self._kept_tokens(coalitions.take(selected), removed)
            number = np.arange(len(row)) - np.repeat(np.cumsum(counts[selected]) - counts[selected], counts[selected])
            row = selected[row]
            column = number if self.recipe.side == "right" else width - counts[row] + number
            rows[row, column] = self.ids[position]
        return rows

    def _kept_tokens(self, sets: Coalitions, removed: bool) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The remaining tokens: the row of each, in ascending order, and its position in the input."""
        rows, size = np.arange(len(sets)), len(self.ids)
        kept = Coalitions.from_dense(sets.dense()) if removed else sets
        row = np.repeat(rows, np.diff(kept.offsets))
        pinned = np.add.outer(rows * size, self.pinned).ravel()
        cells = np.concatenate([row * size + self.positions[kept.indices], pinned])
        row, position = np.divmod(np.sort(cells) if len(pinned) else cells, size)
        return row, position


def _is_int(number: Any) -> bool:
    return isinstance(number, int | np.integer) and not isinstance(number, bool)


def _check_ids(x: Any) -> NDArray[np.int64]:
    """The input as a row of 64-bit integers."""
    try:
        ids = np.asarray(x)
    except (TypeError, ValueError) as error:
        raise MaskerError(
            f"Expected tokens as a list or a 1-D array of integers, got something else: {error}."
        ) from error
    if ids.ndim != 1:
        raise MaskerError(f"Expected tokens as one sequence of integers, got an array of shape {ids.shape}.")
    if not len(ids):
        raise MaskerError("Expected at least one token, got none. There is nothing to explain.")
    if ids.dtype.kind not in "iu" or (ids.dtype == np.uint64 and (ids > np.iinfo(np.int64).max).any()):
        raise MaskerError(f"Expected tokens as 64-bit integers, got {ids.dtype}.")
    return ids.astype(np.int64)
