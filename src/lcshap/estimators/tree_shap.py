"""The Shapley value of a tree ensemble, read off its trees: exact for any number of columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ..core.graphs import Graph
from ..core.structures import StructureGame
from ..core.table_method import RowEstimates, TableMethod
from ..core.tree_ensembles import TreeGame
from .axioms import Axioms
from .tree_patterns.leaves import TableOptions
from .tree_patterns.values import largest_pattern, pattern_scores
from .tree_walk import walked_shapley_values

Floats = NDArray[np.float64]
_MAX_PATTERN = 16  # units of a leaf up to which all patterns are computed


@dataclass(frozen=True)
class TreeSHAP(TableMethod):
    r"""The exact Shapley value of the sum of a tree ensemble, computed from its trees.

    .. math:: \phi(i) = \frac1M \sum_m \sum_{\text{leaves } l} c_l \left(
        [i \in A] \frac{(a-1)!\, b!}{(a+b)!} - [i \in B] \frac{a!\, (b-1)!}{(a+b)!} \right)

    A is the set of units whose values must come from the row to reach leaf l, B the set of those whose values must come
    from background row m, a and b are their sizes, and c is the value of the leaf.

    Notes
    -----
    Choose it for a table and a tree ensemble (LightGBM, XGBoost, CatBoost; the trees, forests and boosting of
    scikit-learn) if the value is the sum of the trees: the output of a regressor, the probability of a forest, the
    margin of a classifier (``kind="logits", value="output"``). It is the interventional Tree SHAP value, with the
    background of the masker `Tabular`; pinned and dropped columns and groups of columns are as they are in every other
    method. The trees are read from the model itself, and evaluated in double precision.

    16 coalitions are evaluated by the model itself. If the values of the trees differ from them by more than 1e-6 of
    the largest value, `MethodError` is raised.

    References
    ----------
    Lundberg et al. 2020 [lundberg2020local]_.

    Examples
    --------
    >>> import numpy as np, lcshap as lc
    >>> from lcshap.core.tree_ensembles import TreeGame, Trees
    >>> stump = Trees(np.array([0]), np.array([1, -1, -1]), np.array([2, -1, -1]), np.array([1, -1, -1]),
    ...     np.array([0, -1, -1]), np.array([0.5, 0, 0]), np.array([[0.0], [3.0], [5.0]]))
    >>> x, background = np.array([[1.0, 7.0]]), np.array([[0.0, 0.0]])
    >>> trees = TreeGame(stump, x, background, units=np.array([0, 1]), d=2, weights=np.array([[1.0]]))
    >>> v = lc.Game(lambda kept: np.where(kept[:, 0], 5.0, 3.0), 2, structures={"trees": lambda: trees})
    >>> lc.TreeSHAP().explain(v, lc.Graph.complete(2)).scores
    array([2., 0.])
    """

    name: ClassVar[str] = "tree-shap"
    summary: ClassVar[str] = "The exact Shapley value of the sum of a tree ensemble, computed from its trees."
    choose: ClassVar[str] = (
        "Choose it for tables and tree ensembles (LightGBM, XGBoost, CatBoost, scikit-learn), to explain the output of "
        "a regressor, the probability of a forest or the margin of a classifier."
    )
    cost_in_words: ClassVar[str] = "16, to check that the trees were read correctly, and one pass through the trees"
    reads: ClassVar[str] = "trees"
    reason: ClassVar[str] = (
        "the model is a sum of trees, from which its Shapley value can be read off: the result is exact"
    )

    @classmethod
    def examples(cls) -> tuple[TreeSHAP, ...]:
        """The parameters that the conformance suite runs."""
        return (cls(),)

    def axioms(self, graph: Graph) -> Axioms:
        """The axioms that it satisfies on this graph."""
        return Axioms(planned=False, efficient="graph")

    def estimate_rows(self, game: StructureGame) -> RowEstimates:
        """The scores of all rows of a `game`."""
        trees = TreeGame(**vars(game))
        return RowEstimates(tree_shapley_values(trees), pattern_scores(trees, TableOptions(order=0)))


def tree_shapley_values(game: TreeGame) -> Floats:
    """The Shapley value of each value of each row, `(n, d, values)`."""
    if largest_pattern(game) > _MAX_PATTERN:
        return walked_shapley_values(game)
    return pattern_scores(game, TableOptions())
