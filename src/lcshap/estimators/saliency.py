"""Gradient baselines: Saliency, and gradient times input. They need a game that has a gradient."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from ..core.coalitions import Coalitions
from ..core.default_limits import MAX_CALLS
from ..core.estimate import Estimate
from ..core.explanation import Explanation
from ..core.game import AbstractGame
from ..core.graphs import Graph
from ..core.method import Cost, Method, Stop, check_choice
from ..core.programs import Program
from ..core.run_plan import explain_estimate
from ..errors import MethodError
from .axioms import Axioms


class GradientMethod(Method):
    """A method that reads the gradient of v at the full input instead of evaluating coalitions.

    The game gives it: ``Game(fn, d, gradient=...)``, a function without arguments that returns two arrays `(d,
    features)` (or `(d, features, outputs)` for the first): the derivative of v with respect to each input feature of
    each unit, at the full input; and the input less its reference.
    """

    has_plan: ClassVar[bool] = False

    def cost(self, graph: Graph, max_calls: int | None = MAX_CALLS) -> Cost:
        """Two calls, for the base value and the prediction, and one gradient."""
        return Cost(2, True, 1, f"{self}\n  on      {graph}\n  calls   2, and one gradient of the model")

    def program(
        self, game: AbstractGame, graph: Graph, max_calls: int | None = MAX_CALLS, stop: Stop | None = None
    ) -> Program[Explanation]:
        """Compute one gradient; the base value and the prediction are evaluated too, for the residual."""
        self.check_stop(stop)
        if game.gradient is None:
            raise MethodError(
                f"Expected a game with gradients for {type(self).__name__}, got one without. Give Game(..., "
                "gradient=...), or choose a method that needs only values, such as FeatureAblation."
            )
        gradient, change = (np.asarray(array, np.float64) for array in game.gradient())
        if (
            gradient.ndim not in (2, 3)
            or change.ndim != 2
            or gradient.shape[:2] != change.shape
            or len(change) != game.d
        ):
            raise MethodError(
                f"Expected a gradient of shape ({game.d}, features) or ({game.d}, features, outputs) and a "
                f"change of shape ({game.d}, features), got {gradient.shape} and {change.shape}."
            )
        ends = Coalitions.from_sets(game.d, [[], range(game.d)])
        base, full = yield ends
        return explain_estimate(self, graph, game, Estimate(self._score(gradient, change)), base, full, calls=2)

    def _score(self, gradient: NDArray[np.float64], change: NDArray[np.float64]) -> NDArray[np.float64]:
        raise NotImplementedError


@dataclass(frozen=True)
class Saliency(GradientMethod):
    r"""The magnitude of the gradient at each unit.

    .. math:: \phi(i) = \bigl\| \partial v / \partial x_i \bigr\|

    Parameters
    ----------
    norm : the norm over the features of a unit (the colours of a pixel): "max" as in the original paper, "l1" or "l2".

    Notes
    -----
    The scores are never negative, ignore the sign of an effect, and depend only on the immediate neighbourhood of the
    input. Use it as a baseline.

    References
    ----------
    Simonyan, Vedaldi, Zisserman 2013 [simonyan2013deep]_.

    Examples
    --------
    >>> import numpy as np, lcshap as lc
    >>> x = np.array([[1.0], [2.0]])
    >>> v = lc.Game(lambda kept: kept @ [1.0, -8.0], 2, gradient=lambda: (np.array([[1.0], [-4.0]]), x))
    >>> lc.Saliency().explain(v, lc.Graph.chain(2)).scores, lc.GradientInput().explain(v, lc.Graph.chain(2)).scores
    (array([1., 4.]), array([ 1., -8.]))
    """

    norm: Literal["max", "l1", "l2"] = "max"
    name: ClassVar[str] = "saliency"
    summary: ClassVar[str] = "The magnitude of the gradient at each unit."
    choose: ClassVar[str] = (
        "Choose it only as a baseline: it is never negative, and it depends only on the immediate neighbourhood of the "
        "input."
    )
    cost_in_words: ClassVar[str] = "2, and one gradient of the model"

    @classmethod
    def examples(cls) -> tuple[Saliency, ...]:
        """The parameters that the conformance suite runs."""
        return cls(), cls("l1"), cls("l2")

    def axioms(self, graph: Graph) -> Axioms:
        """The axioms that it satisfies on this graph."""
        return Axioms(linear=False, planned=False, dummy=False, monotone=False, unit_mass=False)

    def __post_init__(self) -> None:
        check_choice("norm", self.norm, ("max", "l1", "l2"))

    def _score(self, gradient: NDArray[np.float64], change: NDArray[np.float64]) -> NDArray[np.float64]:
        size = np.abs(gradient)
        if self.norm == "max":
            return np.asarray(size.max(axis=1))
        return np.asarray(size.sum(axis=1) if self.norm == "l1" else np.sqrt((size**2).sum(axis=1)))


@dataclass(frozen=True)
class GradientInput(GradientMethod):
    r"""Gradient times input: the change of v, to first order, from the reference to the input.

    .. math:: \phi(i) = \sum_f (x_{if} - x^0_{if})\, \partial v / \partial x_{if}

    Exact for models that are linear in their input.

    References
    ----------
    Shrikumar et al. 2016 [shrikumar2016not]_.

    Examples
    --------
    >>> import numpy as np, lcshap as lc
    >>> gradient = lambda: (np.array([[2.0], [3.0]]), np.array([[1.0], [1.0]]))  # of v, and x less its reference
    >>> v = lc.Game(lambda kept: kept @ [2.0, 3.0], 2, gradient=gradient)
    >>> lc.GradientInput().explain(v, lc.Graph.chain(2)).scores
    array([2., 3.])
    """

    name: ClassVar[str] = "gradient-input"
    summary: ClassVar[str] = "Gradient times input: the change of v, to first order, from the reference to the input."
    choose: ClassVar[str] = "Choose it when the model is nearly linear in its input. It is exact for linear models."
    cost_in_words: ClassVar[str] = "2, and one gradient of the model"

    @classmethod
    def examples(cls) -> tuple[GradientInput, ...]:
        """The parameters that the conformance suite runs."""
        return (cls(),)

    def axioms(self, graph: Graph) -> Axioms:
        """The axioms that it satisfies on this graph."""
        return Axioms(planned=False, dummy=False, monotone=False, unit_mass=False)

    def _score(self, gradient: NDArray[np.float64], change: NDArray[np.float64]) -> NDArray[np.float64]:
        weights = change if gradient.ndim == 2 else change[..., None]
        return np.asarray((weights * gradient).sum(axis=1))
