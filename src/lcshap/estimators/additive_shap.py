"""The Shapley value of a generalized additive model, computed from the tables of its terms."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, combinations
from math import factorial
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ..core.graphs import Graph
from ..core.row_encoding import PINNED
from ..core.structures import StructureGame
from ..core.table_method import RowEstimates, TableMethod
from .axioms import Axioms

Floats = NDArray[np.float64]
Units = frozenset[int]


@dataclass(frozen=True)
class AdditiveSHAP(TableMethod):
    r"""The exact Shapley value of a generalized additive model, computed from the tables of its terms.

    .. math:: \phi(i) = \sum_{t \ni i} \sum_{S \subseteq t \setminus i} \frac{|S|!\, (|t|-|S|-1)!}{|t|!}
        \bigl(v_t(S \cup i) - v_t(S)\bigr)

    t are the terms, as sets of units, and v_t(S) is the mean of a term over the background rows, with the values of
    the row for the units of S. A term of one column counts for this column alone, and a term of two columns is divided
    between both.

    Parameters
    ----------
    interactions : whether the Shapley interaction indices of all pairs of units are computed too.

    Notes
    -----
    Choose it for a table and an explainable boosting machine of `interpret`, with terms of one, two or more columns, if
    the value is the sum of the terms: the output of a regressor, or the log-odds of a classifier (``kind="logits",
    value="output"``). The time is proportional to the rows plus the background rows. The terms that `interpret` itself
    shows are centred on the training data and leave pairs undivided; here every column has one score, for the
    background of the masker `Tabular`.

    Up to 16 coalitions are evaluated by the model itself. If the values of the tables differ from them by more than
    1e-6 of the largest value, `MethodError` is raised.

    References
    ----------
    Lou et al. 2013 [lou2013accurate]_; Bordt and von Luxburg 2023 [bordt2023shapley]_.

    Examples
    --------
    >>> import numpy as np, lcshap as lc
    >>> from lcshap.core.additive_terms import AdditiveTerms
    >>> from lcshap.core.structures import StructureGame
    >>> product = AdditiveTerms((np.array([[[0.0], [0.0]], [[0.0], [6.0]]]),), ((0, 1),))
    >>> row, background = np.array([[1, 1]]), np.array([[0, 0], [1, 0]])
    >>> game = StructureGame(product, row, background, np.arange(2), 2, np.array([[1.0]]))
    >>> v = lc.Game(lambda kept: 6 * kept[:, 1] * (1 + kept[:, 0]) / 2, 2, structures={"terms": lambda: game})
    >>> lc.AdditiveSHAP().explain(v, lc.Graph.complete(2)).scores
    array([1.5, 4.5])
    """

    name: ClassVar[str] = "additive-shap"
    summary: ClassVar[str] = (
        "The exact Shapley value of a generalized additive model, computed from the tables of its terms."
    )
    choose: ClassVar[str] = (
        "Choose it for tables and explainable boosting machines of interpret, to explain the output of a regressor or "
        "the log-odds of a classifier."
    )
    cost_in_words: ClassVar[str] = "16, to check that the terms were read correctly"
    reads: ClassVar[str] = "terms"
    reason: ClassVar[str] = (
        "the model is a sum of terms of few columns, from whose tables its Shapley value can be computed: the result "
        "is exact"
    )

    interactions: bool | str = False

    @classmethod
    def examples(cls) -> tuple[AdditiveSHAP, ...]:
        """The parameters that the conformance suite runs."""
        return (cls(),)

    def axioms(self, graph: Graph) -> Axioms:
        """The axioms that it satisfies on this graph."""
        return Axioms(planned=False, efficient="graph")

    def estimate_rows(self, game: StructureGame) -> RowEstimates:
        """The scores of all rows of a `game`."""
        count, values = len(game.rows), len(game.weights)
        scores, base_values = np.zeros((count, game.d, values)), np.zeros((count, values))
        interactions = np.zeros((count, game.d, game.d, values)) if self.interactions else None
        for term in range(len(game.structure.tables)):
            means = _TermMeans(game, term)
            base_values += means.of(frozenset())
            for unit in means.units:
                scores[:, unit] += means.weighted_differences((unit,))
            for pair in combinations(means.units, 2) if interactions is not None else ():
                difference = means.weighted_differences(pair)
                for first, second in (pair, pair[::-1]):
                    interactions[:, first, second] += difference  # type: ignore[index]
        return RowEstimates(scores, base_values, interactions)


class _TermMeans:
    """The means of one term over the background rows, for all rows at once.

    The background rows are counted by their positions in the table. A mean is then a product of counts and table along
    the axes of absent units, which all rows look up on the other axes.
    """

    def __init__(self, game: StructureGame, term: int) -> None:
        self.table = game.structure.tables[term] @ game.weights.T
        self.rows = game.structure.positions(game.rows, term)
        self.background = game.structure.positions(game.background, term)
        self.axis_units = [int(unit) for unit in game.units[list(game.structure.numbers[term])]]
        self.units = sorted({unit for unit in self.axis_units if unit >= 0})
        self._means: dict[Units, Floats] = {}

    def of(self, present: Units) -> Floats:
        """The mean of the term for each row if these units are present, `(n, values)` or `(1, values)`."""
        if present not in self._means:
            self._means[present] = self._mean(present)
        return self._means[present]

    def weighted_differences(self, units: tuple[int, ...]) -> Floats:
        """The Shapley value of one unit, or the Shapley interaction index of several, in the game of the term."""
        others = [unit for unit in self.units if unit not in units]
        players = len(others) + 1
        total = np.zeros(self.table.shape[-1:])
        for subset in _subsets(others):
            weight = factorial(len(subset)) * factorial(players - len(subset) - 1) / factorial(players)
            for added in _subsets(units):
                sign = -1 if (len(units) - len(added)) % 2 else 1
                total = total + sign * weight * self.of(subset | added)
        return total

    def _mean(self, present: Units) -> Floats:
        is_absent = [not (unit in present or unit == PINNED) for unit in self.axis_units]
        absent = [axis for axis, out in enumerate(is_absent) if out]
        kept = [axis for axis, out in enumerate(is_absent) if not out]
        if not absent:
            return np.asarray(self.table[self.rows])
        shape = [self.table.shape[axis] for axis in absent]
        flat = np.ravel_multi_index([self.background[axis] for axis in absent], shape)
        shares = np.bincount(flat, minlength=int(np.prod(shape))).reshape(shape) / len(flat)
        means = np.tensordot(shares, self.table, axes=(range(len(absent)), absent))
        return np.asarray(means[tuple(self.rows[axis] for axis in kept)] if kept else means[None])


def _subsets(units: tuple[int, ...] | list[int]) -> Iterator[Units]:
    """All subsets of some units, as sets."""
    sizes = range(len(units) + 1)
    return (frozenset(subset) for subset in chain.from_iterable(combinations(units, size) for size in sizes))
