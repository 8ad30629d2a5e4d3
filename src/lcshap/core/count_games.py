"""Games of texts whose value is a sum of functions of how often each word occurs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from .coalitions import Coalitions
from .structures import StructureGame

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class CountGame(StructureGame):
    """The game of one text: v(S) is the sum, over words, of a function of the number of times that a word occurs in S.

    Attributes
    ----------
    rows, background : `(1, words)`, the counts of the text with all units, and with none.
    unit_counts : `(d, words)`, a sparse matrix: by how much each unit increases the counts if it is present.
    functions : `(counts, words, values)`, what each word adds to v if it occurs so many times.
    lowest : the count to which the first entry of `functions` belongs.
    """

    unit_counts: Any = field(kw_only=True)
    functions: Floats = field(kw_only=True)
    lowest: int = field(kw_only=True)

    @classmethod
    def of_counts(cls, structure: Any, unit_counts: Any, empty: Any, weights: Floats, multi_output: bool) -> CountGame:
        """The game of a text from the counts of its units.

        Parameters
        ----------
        structure : has `count_functions(words, counts, weights)`, which returns `functions`.
        unit_counts : `(d, vocabulary)`, sparse, of integers.
        empty : `(1, vocabulary)`, sparse, the counts with no units.
        """
        empty_counts = empty.toarray()
        is_used = (np.asarray(abs(unit_counts).sum(axis=0)).ravel() > 0) | (empty_counts[0] != 0)
        words = np.flatnonzero(is_used)
        unit_counts = sparse.csc_array(unit_counts)[:, words].astype(np.int64)
        unit_counts.eliminate_zeros()
        start = empty_counts[:, words].astype(np.int64)
        lowest = int((start + np.asarray(unit_counts.minimum(0).sum(axis=0))).min(initial=0))
        highest = int((start + np.asarray(unit_counts.maximum(0).sum(axis=0))).max(initial=0))
        functions = structure.count_functions(words, np.arange(lowest, highest + 1), weights)
        full, units = start + np.asarray(unit_counts.sum(axis=0)), np.empty(0, np.intp)
        rest = {"unit_counts": unit_counts, "functions": functions, "lowest": lowest}
        return cls(structure, full, start, units, unit_counts.shape[0], weights, multi_output, **rest)

    def values(self, coalitions: Coalitions, row: int = 0) -> Floats:
        """v of each coalition, but for a constant, `(n,)` or `(n, values)`."""
        counts = self.background + np.asarray(coalitions.dense().astype(np.int64) @ self.unit_counts)
        return self.read(self.at(counts).sum(axis=1))

    def at(self, counts: NDArray[Any]) -> Floats:
        """What each word adds at these counts, `(n, words, values)`, from counts `(n, words)`."""
        counts = counts.astype(np.intp, copy=False)
        return np.asarray(self.functions[counts - self.lowest, np.arange(counts.shape[1])])
