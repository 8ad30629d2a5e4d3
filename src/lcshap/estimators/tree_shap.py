"""The Shapley value of a tree ensemble, read off its trees: exact for any number of columns."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from ..core.graphs import Graph
from ..core.row_encoding import DROPPED, PINNED
from ..core.structures import StructureGame
from ..core.table_method import RowEstimates, TableMethod
from ..core.tree_ensembles import TreeGame
from ..errors import MethodError, OptionError
from .axioms import Axioms
from .tree_indices import tree_scores
from .tree_patterns.leaves import TableOptions
from .tree_patterns.values import pattern_scores

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class TreeSHAP(TableMethod):
    r"""The exact Shapley value of the sum of a tree ensemble, computed from its trees.

    .. math:: \phi(i) = \frac1M \sum_m \sum_{\text{leaves } l} c_l \left(
        [i \in A] \frac{(a-1)!\, b!}{(a+b)!} - [i \in B] \frac{a!\, (b-1)!}{(a+b)!} \right)

    A is the set of units whose values must come from the row to reach leaf l, B the set of those whose values must come
    from background row m, a and b are their sizes, and c is the value of the leaf.

    Parameters
    ----------
    background : what absent columns are. "masker": they have the values of the background rows of the masker `Tabular`
        (interventional values). None: at a node that compares an absent column, a row goes both ways, with the shares
        of the training rows that went there (path-dependent values). These are also computed if the masker has no
        background.
    index : "shapley", or "banzhaf" for the Banzhaf value, whose scores do not add up to v(V) - v(∅).
    interactions : whether the interactions of all pairs of columns are computed too, by the Shapley or the Banzhaf
        interaction index [grabisch1999axiomatic]_. True and "all" are the same.

    Notes
    -----
    Choose it for a table and a tree ensemble (LightGBM, XGBoost, CatBoost; the trees, forests and boosting of
    scikit-learn) if the value is the sum of the trees: the output of a regressor, the probability of a forest, the
    margin of a classifier (``kind="logits", value="output"``). It is the interventional Tree SHAP value, with the
    background of the masker `Tabular`; pinned and dropped columns and groups of columns are as they are in every other
    method. The trees are read from the model itself, and evaluated in double precision.

    Path-dependent values need no background rows, and take less time. They depend on the trees and not only on the
    function that they compute: two models with equal outputs can have different values, and a column that the model
    does not use may still carry a share if another one is correlated with it.

    16 coalitions are evaluated by the model itself. If the values of the trees differ from them by more than 1e-6 of
    the largest value, `MethodError` is raised. Without background rows, the rows that are explained take their place,
    and thresholds of the trees if there is one row only.

    References
    ----------
    Lundberg et al. 2020 [lundberg2020local]_; Grabisch and Roubens 1999 [grabisch1999axiomatic]_.

    Examples
    --------
    >>> import numpy as np, lcshap as lc
    >>> from lcshap.core.tree_ensembles import TreeGame, Trees
    >>> stump = Trees(np.array([0]), np.array([1, -1, -1]), np.array([2, -1, -1]), np.array([1, -1, -1]),
    ...     np.array([0, -1, -1]), np.array([0.5, 0, 0]), np.array([[0.0], [3.0], [5.0]]), cover=np.array([4, 3, 1.0]))
    >>> x, background = np.array([[1.0, 7.0]]), np.array([[0.0, 0.0]])
    >>> trees = TreeGame(stump, x, background, units=np.array([0, 1]), d=2, weights=np.array([[1.0]]))
    >>> v = lc.Game(lambda kept: np.where(kept[:, 0], 5.0, 3.0), 2, structures={"trees": lambda: trees})
    >>> lc.TreeSHAP().explain(v, lc.Graph.complete(2)).scores
    array([2., 0.])
    >>> lc.TreeSHAP(background=None).explain(v, lc.Graph.complete(2)).scores  # 5 less the mean of the training rows
    array([1.5, 0. ])
    """

    name: ClassVar[str] = "tree-shap"
    summary: ClassVar[str] = "The exact Shapley value of the sum of a tree ensemble, computed from its trees."
    choose: ClassVar[str] = (
        "Choose it for tables and tree ensembles (LightGBM, XGBoost, CatBoost, scikit-learn), to explain the output of "
        "a regressor, the probability of a forest or the margin of a classifier."
    )
    cost_in_words: ClassVar[str] = "16, to check that the trees were read correctly, and one pass through the trees"
    reads: ClassVar[str] = "trees"
    can_do_without_background: ClassVar[bool] = True
    reason: ClassVar[str] = (
        "the model is a sum of trees, from which its Shapley value can be read off: the result is exact"
    )

    background: Literal["masker"] | None = "masker"
    index: Literal["shapley", "banzhaf"] = "shapley"
    interactions: bool | Literal["all"] = False

    def __post_init__(self) -> None:
        if not (self.background is None or (isinstance(self.background, str) and self.background == "masker")):
            raise OptionError(
                'Expected background="masker" (the rows of the masker) or None (the shares of training rows), got '
                f"{type(self.background).__name__}. Give background rows to the masker: Tabular(rows)."
            )
        if self.index not in ("shapley", "banzhaf"):
            raise OptionError(f"Expected index='shapley' or index='banzhaf', got {self.index!r}.")

    @classmethod
    def examples(cls) -> tuple[TreeSHAP, ...]:
        """The parameters that the conformance suite runs."""
        return (cls(),)

    def axioms(self, graph: Graph) -> Axioms:
        """The axioms that it satisfies on this graph."""
        return Axioms(planned=False, efficient="graph" if self.is_efficient else "nothing")

    @property
    def is_efficient(self) -> bool:
        """Whether the scores add up to v(V) - v(∅), which Banzhaf values do not."""
        return self.index == "shapley"

    def uses_background(self, game: StructureGame) -> bool:
        """Whether absent columns of a `game` have the values of background rows; an error without cover."""
        if self.background is not None and game.has_background:
            return True
        if not len(game.structure.cover):
            raise MethodError(
                "Expected trees that know how many training rows reached each node, got trees that do not. Give "
                "background rows: TreeSHAP() with the masker Tabular(rows)."
            )
        return False

    def estimate_rows(self, game: StructureGame) -> RowEstimates:
        """The scores of all rows of a `game`."""
        trees, uses_cover = TreeGame(**vars(game)), not self.uses_background(game)
        scores = tree_scores(trees, TableOptions(self.index, 1), uses_cover)
        base_values = _base_values(trees, uses_cover)
        pairs = tree_scores(trees, TableOptions(self.index, 2), uses_cover) if self.interactions else None
        full_values = None
        if uses_cover and (trees.units == DROPPED).any():
            all_present = replace(trees, units=np.where(trees.units >= 0, PINNED, trees.units))
            full_values = pattern_scores(all_present, TableOptions(order=0), uses_cover)
        return RowEstimates(scores, base_values, pairs, full_values)


def _base_values(game: TreeGame, uses_cover: bool) -> Floats:
    """v(∅) of all rows, `(n, values)`, which is the same for all of them unless columns are pinned."""
    has_pinned = bool((game.units == PINNED).any())
    base_values = pattern_scores(
        game if has_pinned else replace(game, rows=game.rows[:1]), TableOptions(order=0), uses_cover
    )
    return np.broadcast_to(base_values, (len(game.rows), base_values.shape[1]))
