"""The Shapley value of a linear model, computed from its weights: exact for any number of columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..core.count_games import CountGame
from ..core.graphs import Graph
from ..core.row_encoding import PINNED
from ..core.structures import StructureGame
from ..core.table_method import RowEstimates, TableMethod
from .axioms import Axioms
from .count_scores import count_scores

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class LinearSHAP(TableMethod):
    r"""The exact Shapley value of a linear model, computed from its weights.

    .. math:: \phi(i) = \sum_{j \in i} w_j \Bigl(x_j - \frac1M \sum_m b_{mj}\Bigr)

    The sum is over the numbers j of unit i, such as the columns of a group, or the columns of zeros and ones that a
    category becomes in a pipeline. w are the weights, x is the row, and b are the background rows.

    Parameters
    ----------
    interactions : whether there are pair interactions, which are all zero.

    Notes
    -----
    Choose it for a table and a linear model if the value is the number that is linear in the columns: the output of a
    regression, the log-odds or margin of a classifier (``kind="logits", value="output"``), or the number that a
    generalized linear model is linear in (``lc.adapters.SklearnModel(model, method="linear_predictor")``). Pipelines
    whose steps treat each column by itself are explained on the columns before these steps. It is the Shapley value for
    the background of the masker `Tabular`, in which columns are masked independently of each other.

    Up to 16 coalitions are evaluated by the model itself. If the values of the weights differ from them by more than
    1e-6 of the largest value, `MethodError` is raised.

    References
    ----------
    Štrumbelj and Kononenko 2010 [strumbelj2010efficient]_.

    Examples
    --------
    >>> import numpy as np, lcshap as lc
    >>> from lcshap.core.structures import StructureGame
    >>> from lcshap.core.weights import Weights
    >>> x, background = np.array([[1.0, 7.0]]), np.array([[0.0, 0.0], [0.0, 2.0]])
    >>> game = StructureGame(Weights(np.array([[3.0, 5.0]])), x, background, np.arange(2), 2, np.array([[1.0]]))
    >>> v = lc.Game(lambda kept: kept @ np.array([3.0, 30.0]), 2, structures={"weights": lambda: game})
    >>> lc.LinearSHAP().explain(v, lc.Graph.complete(2)).scores
    array([ 3., 30.])
    """

    name: ClassVar[str] = "linear-shap"
    summary: ClassVar[str] = "The exact Shapley value of a linear model, computed from its weights."
    choose: ClassVar[str] = (
        "Choose it for tables and linear models, to explain the output of a regression, the log-odds or margin of a "
        "classifier, or the link of a generalized linear model."
    )
    cost_in_words: ClassVar[str] = "16, to check that the weights were read correctly"
    reads: ClassVar[str] = "weights"
    reason: ClassVar[str] = (
        "the model is linear, so that its Shapley value can be read off its weights: the result is exact"
    )

    interactions: bool | str = False

    @classmethod
    def examples(cls) -> tuple[LinearSHAP, ...]:
        """The parameters that the conformance suite runs."""
        return (cls(),)

    def axioms(self, graph: Graph) -> Axioms:
        """The axioms that it satisfies on this graph."""
        return Axioms(planned=False, efficient="graph")

    def estimate_rows(self, game: StructureGame) -> RowEstimates:
        """The scores of all rows of a `game`."""
        if isinstance(game, CountGame):
            pairs = np.zeros((1, game.d, game.d, len(game.weights))) if self.interactions else None
            return RowEstimates(count_scores(game)[None], game.at(game.background).sum(axis=1), pairs)
        coefficients = game.weights @ game.structure.coefficients
        reference = np.asarray(game.background.mean(axis=0)).reshape(1, -1)
        if sparse.issparse(game.rows):
            scores = _unit_sums(game.rows, coefficients, game.units, game.d)
            scores -= _unit_sums(reference, coefficients, game.units, game.d)
        else:  # this order loses no digits where the columns are large
            scores = _unit_sums(game.rows - reference, coefficients, game.units, game.d)
        is_pinned = game.units == PINNED
        of_background = reference @ np.where(is_pinned, 0.0, coefficients).T
        of_rows = game.rows @ np.where(is_pinned, coefficients, 0.0).T
        interactions = np.zeros((len(scores), game.d, game.d, len(coefficients))) if self.interactions else None
        return RowEstimates(scores, np.asarray(of_rows + of_background), interactions)


def _unit_sums(rows: Any, coefficients: Floats, units: NDArray[np.intp], d: int) -> Floats:
    """The weighted sums of the numbers of each unit, `(n, d, values)`."""
    used = np.flatnonzero(units >= 0)
    sums = np.empty((rows.shape[0], d, len(coefficients)))
    is_one_to_one = np.array_equal(units[used], np.arange(d)) and not sparse.issparse(rows)
    if is_one_to_one:
        columns = rows if len(used) == len(units) else rows[:, used]
        return np.asarray(np.multiply(columns[:, :, None], coefficients.T[used], out=sums))
    for value, weights in enumerate(coefficients):
        membership = sparse.csr_array((weights[used], (used, units[used])), shape=(len(units), d))
        product = rows @ membership
        sums[:, :, value] = product.toarray() if sparse.issparse(product) else product
    return sums
