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
    planned : the method has a plan before it evaluates coalitions. Adaptive and gradient methods have none.
    symmetric : the scores do not depend on the numbering of the units. Those of methods that sample do.
    layout : the method uses the rows and columns of a grid and not only its edges.
    dummy : a unit that never changes the value scores zero.
    monotone : larger marginal contributions of a unit never lower its score.
    efficient : which scores sum to the joint value of their units: "graph": all of them; "component": those of every
        connected component of the graph; "nothing": none; "depends": it depends on the game.
    unit_mass : in an additive game the score of every unit is exactly its term of the sum.

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
