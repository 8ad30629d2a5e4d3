"""Methods that read a model of tables themselves, and explain all rows of a call at once."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ..errors import MethodError
from .checked_coalitions import coalitions_to_check
from .coalitions import Coalitions
from .default_limits import MAX_CALLS
from .estimate import Estimate
from .explanation import Explanation
from .game import AbstractGame
from .graphs import Graph
from .method import Cost, Method, Stop
from .plan import check_calls
from .programs import Program
from .run_plan import explain_estimate
from .structures import Structure, StructureGame

_TOLERANCE = 1e-6  # relative to the larger of 1 and the largest value
Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class RowEstimates:
    """The exact results for the rows of a table.

    Attributes
    ----------
    scores : `(n, d, values)`.
    base_values : `(n, values)`, v(∅) of each row without the constant that the model adds to all outputs.
    interactions : `(n, d, d, values)`, symmetric; None if they were not requested.
    full_values : `(n, values)`, v(V) of each row without that constant; None if it is what the model returns for V.
    """

    scores: Floats
    base_values: Floats
    interactions: Floats | None = None
    full_values: Floats | None = None


@dataclass(frozen=True)
class TableMethod(Method):
    """A method whose scores come from the structure of the model.

    Every such method works in the same way: the structure is read from the model, it is compared with the model on a
    few coalitions, and the scores are computed from it. A subclass only computes them.

    Attributes
    ----------
    reads : the name of the structure, see `lcshap.adapters.Model.structure`.
    reason : why it is chosen for models that have this structure, as a part of a sentence.
    can_do_without_background : whether it can explain rows if the masker has no background.
    """

    reads: ClassVar[str]
    reason: ClassVar[str]
    has_plan: ClassVar[bool] = False
    can_do_without_background: ClassVar[bool] = False

    @property
    def is_efficient(self) -> bool:
        """Whether the scores add up to v(V) - v(∅)."""
        return True

    def uses_background(self, game: StructureGame) -> bool:
        """Whether absent units of a `game` have the values of background rows, so that v(∅) is that of the model."""
        if not game.has_background:
            raise MethodError(
                f"Expected background rows, which {self} needs, got none. Give some to the masker: Tabular(rows)."
            )
        return True

    @abstractmethod
    def estimate_rows(self, game: StructureGame) -> RowEstimates:
        """The scores of all rows of a `game`."""

    def cost(self, graph: Graph, max_calls: int | None = MAX_CALLS) -> Cost:
        """The coalitions on which the model and its structure must agree."""
        calls = len(coalitions_to_check(graph.d))
        check_calls(calls, max_calls, exact=True)
        purpose = f"to check the {self.reads} against the model; the scores are exact, and are computed from them"
        return Cost(calls, True, 0, f"{self}\n  on      {graph}\n  calls   {calls}, {purpose}")

    def program(
        self, game: AbstractGame, graph: Graph, max_calls: int | None = MAX_CALLS, stop: Stop | None = None
    ) -> Program[Explanation]:
        """Evaluate a few coalitions with the model, compare them with the structure, and compute the scores from it."""
        self.check_stop(stop)
        structure_game = game.read_structure(self.reads)
        uses_background, checked = self.uses_background(structure_game), _checked(structure_game)
        values = yield checked
        self._compare(structure_game, checked, values)
        estimates = self.estimate_rows(structure_game)
        estimate = _single_estimate(structure_game, estimates)
        base, full = values[0], values[-1]
        if not uses_background:
            constant = full - structure_game.values(checked)[-1]
            base = constant + structure_game.read(estimates.base_values[0])
            full = full if estimates.full_values is None else constant + structure_game.read(estimates.full_values[0])
        if self.is_efficient:
            self.check_agreement(estimate.scores.sum(axis=0), full - base, values, structure_game.structure)
        return explain_estimate(self, graph, game, estimate, base, full, len(checked))

    def checked_game(self, game: AbstractGame) -> StructureGame:
        """The structure of a game, compared with it on the coalitions that the method evaluates anyway.

        Raises `MethodError` if there is no such structure, or if it does not agree.
        """
        structure_game = game.read_structure(self.reads)
        self.uses_background(structure_game)
        checked = _checked(structure_game)
        self._compare(structure_game, checked, game.evaluate(checked))
        return structure_game

    def check_agreement(self, actual: Floats, expected: Floats, values: Floats, structure: Structure) -> None:
        """Raise if numbers that were computed from the structure differ from those of the model.

        Parameters
        ----------
        values : numbers of the model, whose size decides which differences are rounding errors.
        """
        gap = float(np.abs(actual - expected).max(initial=0.0))
        if not gap <= max(_TOLERANCE, structure.rounding) * max(1.0, float(np.abs(values).max(initial=0.0))):
            raise MethodError(
                f"Expected a model whose outputs are those of its {self.reads} plus a constant, got one that differs "
                f"from them by {gap:.2g}. It transforms them, or they were read wrongly. Choose another method, such "
                "as GraphKernelSHAP."
            )

    def _compare(self, game: StructureGame, checked: Coalitions, values: Floats) -> None:
        """Raise unless the values of the structure and of the model agree up to a constant."""
        own_values = game.values(checked)
        self.check_agreement(own_values - own_values[0], values - values[0], values, game.structure)


def _checked(game: StructureGame) -> Coalitions:
    """The coalitions that are checked. Without background rows it is the full one."""
    return coalitions_to_check(game.d) if game.has_background else Coalitions.from_dense(np.ones((1, game.d), bool))


def _single_estimate(game: StructureGame, estimates: RowEstimates) -> Estimate:
    """The estimate of the first row."""
    scores = game.read(estimates.scores[0])
    if estimates.interactions is None:
        return Estimate(scores)
    pairs = np.stack(np.triu_indices(game.d, 1), axis=1)
    interactions = estimates.interactions[0][pairs[:, 0], pairs[:, 1]]
    return Estimate(scores, interactions=game.read(interactions), pairs=pairs)
