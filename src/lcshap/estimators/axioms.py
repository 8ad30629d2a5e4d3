"""The axioms that a method satisfies on every graph and game. The conformance suite checks them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Axioms:
    """The axioms that a method satisfies, with its parameters and on a given graph.

    Parameters
    ----------
    linear : the scores are linear in v. Adaptive methods are not.
    planned : there is a plan before anything is evaluated. Adaptive and gradient methods have none.
    symmetric : the numbering of the units does not matter. It does for methods that sample below their full budget.
    layout : the method looks at the rows and columns of a grid and not only at its edges.
    dummy : a unit that never changes the value scores zero.
    monotone : larger marginal contributions of a unit never lower its score.
    efficient : which scores sum to the joint worth of their units: "graph": all of them; "component": those of every
        connected component of the graph; "nothing": none; "depends": it depends on the game.
    unit_mass : on an additive game the score of every unit is exactly its own worth.

    Examples
    --------
    >>> import lcshap as lc
    >>> lc.Shapley().axioms(lc.Graph.chain(6)).efficient
    'graph'
    >>> lc.KernelSHAP(budget=32).axioms(lc.Graph.chain(6)).symmetric  # all 64 coalitions would make it so
    False
    """

    linear: bool = True
    planned: bool = True
    symmetric: bool = True
    layout: bool = False
    dummy: bool = True
    monotone: bool = True
    efficient: Literal["graph", "component", "nothing", "depends"] = "nothing"
    unit_mass: bool = True
