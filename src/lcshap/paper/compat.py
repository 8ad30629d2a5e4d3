"""Scores as other implementations compute them, for comparisons."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import comb
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from ..core.coalitions import Coalitions
from ..core.explanation import Explanation
from ..core.game import Game
from ..core.graphs import Graph
from ..core.method import Method, check_choice, check_integer
from ..core.plan import Plan, Terms, check_calls
from ..errors import GameError, MethodError
from ..estimators.subsets import all_subsets, subset_terms


def authors(
    game: Game,
    kind: Literal["L", "C"] = "L",
    num_neighbors: int = 4,
    max_order: int | None = None,
    names: list[str] | None = None,
) -> Explanation:
    """Score units as the released code of Chen et al. does, which differs from the definitions in their paper.

    That code treats a text as a ring, keeps all units outside the neighbourhood present, and silently lowers
    `num_neighbors` by 2 while it is not smaller than d. Its C-Shapley has the printed weights, truncated at `max_order`
    units. An odd `num_neighbors` gives the same neighbourhoods as the even number below it, but the weights of
    L-Shapley are then those of the odd number, and do not sum to 1.

    Parameters
    ----------
    game : the game. Make it with `authors_game` for the value function of the authors.
    kind : "L" for L-Shapley or "C" for C-Shapley.
    num_neighbors : the size of the neighbourhood, 2k in the terms of the paper.
    max_order : the largest number of units of a connected set; by default `num_neighbors` + 1.
    names : the names of the units.

    Returns
    -------
    Explanation : the scores of the units.

    Raises
    ------
    MethodError : if a parameter is not valid.

    Examples
    --------
    >>> import numpy as np, lcshap as lc
    >>> v = lc.Game(lambda kept: 1.0 * (kept[:, 0] & kept[:, 5]), 6)  # the first and the last word of a text
    >>> lc.paper.compat.authors(v, "L", num_neighbors=2).ranking[:2]  # neighbours: this code treats a text as a ring
    array([0, 5])
    """
    graph = Graph.ring(game.d, names)
    return Authors(kind, num_neighbors, max_order).explain(game, graph)


def authors_game(predict: Callable[[NDArray[np.bool_]], Any], d: int, batch_size: int | None = None) -> Game:
    """Make a game of the authors' value function: ``log(p + 1e-15)`` of the class predicted for the full input.

    Parameters
    ----------
    predict : a function from a boolean array `(n, d)` to class probabilities `(n, classes)`.
    d : the number of units.
    batch_size : the largest number of rows in a call of `predict`; None for all at once.

    Returns
    -------
    Game : the game.

    Raises
    ------
    GameError : if `predict` does not return class probabilities.

    Examples
    --------
    >>> import numpy as np, lcshap as lc
    >>> predict = lambda kept: np.stack([1 - kept.mean(axis=1), kept.mean(axis=1)], axis=1)
    >>> lc.paper.compat.authors(lc.paper.compat.authors_game(predict, 4), "L", num_neighbors=2).scores.round(3)
    array([0.462, 0.462, 0.462, 0.462])
    """
    full = np.asarray(predict(np.ones((1, d), bool)))
    if full.ndim != 2 or len(full) != 1:
        raise GameError(f"Expected class probabilities of shape (1, classes) for one row, got {full.shape}.")
    target = int(full[0].argmax())
    return Game(lambda kept: np.log(np.asarray(predict(kept))[:, target] + 1e-15), d, batch_size)


@dataclass(frozen=True)
class Authors(Method):
    """The method behind `authors`. It is not in the registry, because it is only meant for comparisons.

    Parameters
    ----------
    kind : "L" for L-Shapley or "C" for C-Shapley.
    num_neighbors : the size of the neighbourhood, 2k in the terms of the paper.
    max_order : the largest number of units of a connected set.

    Examples
    --------
    >>> import lcshap as lc
    >>> lc.paper.compat.Authors("L", num_neighbors=2).plan(lc.Graph.ring(6)).calls
    26
    """

    kind: Literal["L", "C"]
    num_neighbors: int
    max_order: int | None = None
    name: ClassVar[str] = "authors"

    def __post_init__(self) -> None:
        check_choice("kind", self.kind, ("L", "C"))
        check_integer("num_neighbors", self.num_neighbors)
        if self.max_order is not None:
            check_integer("max_order", self.max_order, minimum=1)

    def _plan(self, graph: Graph, limit: int | None) -> Plan:
        d, k = graph.d, self.num_neighbors
        if k >= d:
            k -= 2 * ((k - d) // 2 + 1)
        if k < 0:
            raise MethodError(
                f"Expected an even num_neighbors, got {self.num_neighbors}, which falls below 0 for a single unit."
            )
        reach = k // 2
        windows = (np.arange(d)[:, None] + np.arange(-reach, reach + 1)) % d
        if self.kind == "L":
            check_calls(2 ** (2 * reach), limit)
            return Plan.from_terms(self, graph, list(_l_terms(d, windows, k)))
        return Plan.from_terms(self, graph, list(_c_terms(d, windows, self.max_order or k + 1)))


def _l_terms(d: int, windows: NDArray[np.intp], k: int) -> list[Terms]:
    """All subsets of the window, weighted by 1 / ((k + 1) C(k, t))."""
    window_size = windows.shape[1]
    terms: list[Terms] = []
    for i, window in enumerate(windows):
        members = np.sort(window).astype(np.int32)
        subsets = all_subsets(window_size)
        kept = subsets[:, np.searchsorted(members, i)]
        others = subsets.sum(axis=1) - kept
        weights = np.where(kept, 1.0, -1.0) * np.array([1 / ((k + 1) * comb(k, t)) for t in range(window_size)])[others]
        terms += subset_terms(d, np.array([i]), members[None], weights, "present")
    return terms


def _c_terms(d: int, windows: NDArray[np.intp], max_order: int) -> list[Terms]:
    """All arcs of the window that contain its middle, weighted as printed."""
    n, rows, weights, absent_sets = windows.shape[1], [], [], []
    for i, window in enumerate(windows):
        for first in range(n // 2 + 1):
            for last in range(n // 2, n):
                u = last - first + 1
                if u > max_order:
                    continue
                absent = [*window[:first], *window[last + 1 :]]
                rows += [i, i]
                weights += [2 / ((u + 2) * (u + 1) * u), -2 / ((u + 2) * (u + 1) * u)]
                absent_sets += [absent, [*absent, i]]
    listed = Coalitions.from_sets(d, absent_sets)
    complements = Coalitions(d, listed.indices, listed.offsets, np.ones(len(listed), bool))
    return [Terms(np.array(rows), np.array(weights), complements)]
