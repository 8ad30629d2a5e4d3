"""Rows of text made of slices of one string, all rows at once."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise

import numpy as np
from numpy.typing import NDArray

Places = NDArray[np.int64]


class SliceJoiner:
    """A text, and some short strings that are inserted between slices of it.

    Examples
    --------
    >>> letters = SliceJoiner("It is bad. ", ["", " "])
    >>> letters.join(np.array([0, 1, 0]), np.array([0, 6, 3]), np.array([2, 11, 5]), np.array([0, 2, 2, 3]))
    ['It bad. ', '', 'is']
    """

    def __init__(self, text: str, between: Sequence[str]) -> None:
        all_text = text + "".join(between)
        self._coding, kind = ("utf-32-le", "<u4") if max(all_text, default="") > "\xff" else ("latin-1", "u1")
        self._codes = np.frombuffer(all_text.encode(self._coding, "surrogatepass"), kind)
        self._ends = np.array(list(accumulate(map(len, between), initial=len(text))), np.int64)

    def join(self, glue: Places, starts: Places, ends: Places, bounds: Places) -> list[str]:
        """Rows of slices ``text[start:end]``, each after the string with the number in `glue`.

        Row r takes the slices from ``bounds[r]`` to ``bounds[r + 1]``.
        """
        slice_starts = np.stack([self._ends[glue], starts], axis=1).ravel()
        lengths = np.stack([self._ends[glue + 1], ends], axis=1).ravel() - slice_starts
        sizes = np.concatenate([[0], np.cumsum(lengths)])
        letters = np.arange(sizes[-1], dtype=np.int32)  # like `ranges`, with integers of half the size
        letters += np.repeat((slice_starts - sizes[:-1]).astype(np.int32), lengths)
        joined = self._codes[letters].tobytes().decode(self._coding, "surrogatepass")
        return [joined[a:b] for a, b in pairwise(sizes[2 * bounds].tolist())]


class RangeMaximum:
    """The largest of consecutive numbers, for many runs at once, from a table of the maxima of runs of 1, 2, 4, ...

    >>> RangeMaximum([0, 3, 1, 2]).maxima(np.array([0, 2, 0]), np.array([1, 4, 4])).tolist()
    [0, 2, 3]
    """

    def __init__(self, numbers: Sequence[int]) -> None:
        row = np.array([*numbers, 0], np.int64)  # empty runs read the last entry, and their result is not used
        table = [row]
        while (step := 1 << (len(table) - 1)) < len(row):
            table.append(np.append(np.maximum(row[:-step], row[step:]), row[-step:]))
            row = table[-1]
        self._table = np.array(table)
        self._levels = np.array([max(n, 1).bit_length() - 1 for n in range(len(row) + 1)])

    def maxima(self, starts: Places, ends: Places) -> Places:
        """The largest of ``numbers[start:end]`` for each run; any number if the run is empty."""
        level = self._levels[np.maximum(ends - starts, 1)]
        return np.asarray(
            np.maximum(self._table[level, starts], self._table[level, np.maximum(ends, 1) - (1 << level)])
        )
