"""The different rows of some coalitions, each of which is sent to the model once."""

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

    A key identifies all rows of a coalition, or a single row of it if the masker compares rows one by one.

    Attributes
    ----------
    keys : 16 bytes for each, in the order of first appearance. The keys of different rows are never equal.
    coalitions : for each key, the first coalition that has it.
    index : the number of the key of each requested coalition, or of each row, with those of a coalition together. None
        if all keys differ, so that these numbers are 0, 1, 2, ...
    rows_per_key : the number of rows that are sent to the model for each key.
    copies : the number of rows of a coalition that are equal to each row that is sent. Its answer is stored for all of
        them.
    make : makes the rows of some keys, given by their numbers. None if they are `Masked.rows` of their coalitions.
    lengths : returns the approximate lengths of the rows of coalitions, because rows of similar length share a batch.
        None if all rows have the same length.

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
        """Coalitions whose rows are equal if their keys are equal.

        Parameters
        ----------
        coalitions, keys : the requested coalitions, and a key of 16 bytes for each.
        rows_per_key : the number of rows of each coalition.
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
