"""The different rows among those of some coalitions: what a model is asked about, each of them once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.coalitions import Coalitions

Places = NDArray[np.intp]
Lengths = Callable[[Coalitions], NDArray[np.integer]]


@dataclass(frozen=True, eq=False)
class DistinctRows:
    """The different rows of some coalitions of one input. Each of them has a key, by which a `Store` finds its answer.

    A key stands for all rows of a coalition, or for a single row of it where the masker compares rows one by one.

    Attributes
    ----------
    keys : 16 bytes for each, in the order of first appearance. Keys are never equal where rows differ.
    coalitions : for each key, the first coalition that has it.
    index : the number of the key of each coalition that was asked for, or of each row, those of a coalition together.
        None: all keys differ, so that these numbers are 0, 1, 2, ...
    rows_per_key : how many rows are sent to the model for each key.
    copies : how many rows of a coalition are equal to each row that is sent. Their answers are stored as often.
    make : makes the rows of some keys, given by their numbers. None: they are `Masked.rows` of their coalitions.
    lengths : says about how long the rows of coalitions are, because rows of similar length share a batch. None: all
        rows have the same length.

    Examples
    --------
    >>> from lcshap.maskers import Text
    >>> distinct = Text().mask("bad bad film").distinct(Coalitions.from_sets(3, [[0], [0, 2], [1], [1, 2]]))
    >>> distinct.index.tolist(), distinct.make(np.array([1]))
    ([0, 1, 0, 1], ['bad film'])
    """

    keys: list[bytes]
    coalitions: Coalitions
    index: Places | None = None
    rows_per_key: int = 1
    copies: int = 1
    make: Callable[[Places], Any] | None = None
    lengths: Lengths | None = None

    @classmethod
    def by_coalition(
        cls,
        coalitions: Coalitions,
        keys: Sequence[bytes],
        rows_per_key: int = 1,
        rows: Sequence[Any] | None = None,
        lengths: Lengths | None = None,
    ) -> DistinctRows:
        """Coalitions whose rows are equal where their keys are.

        Parameters
        ----------
        coalitions, keys : the coalitions that were asked for, and a key of 16 bytes for each.
        rows_per_key : how many rows each coalition has.
        rows : the rows, one for each coalition, if they are to be kept and not made again. The rows of some 16,000
            coalitions are kept at the same time, so a row should not be much larger than 4 kB.
        lengths : see the attribute.
        """
        unique_keys = list(dict.fromkeys(keys))
        index = None
        if len(unique_keys) < len(keys):
            numbers = dict(zip(unique_keys, range(len(unique_keys)), strict=True))
            index = np.fromiter((numbers[key] for key in keys), np.intp, len(keys))
            first_index = np.unique(index, return_index=True)[1]
            coalitions = coalitions.take(first_index)
            rows = None if rows is None else [rows[place] for place in first_index.tolist()]
        kept_rows = rows  # a second name, with which mypy knows the type in the function below
        make = None if kept_rows is None else lambda places: [kept_rows[place] for place in places.tolist()]
        return cls(unique_keys, coalitions, index, rows_per_key, make=make, lengths=lengths)

    def __len__(self) -> int:
        """The number of keys."""
        return len(self.keys)
