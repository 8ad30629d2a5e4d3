"""Every error that lcshap raises on purpose. Catch `LcshapError` to catch them all."""

from __future__ import annotations

from typing import Any


class LcshapError(Exception):
    """The root of the tree."""


class GraphError(LcshapError, ValueError):
    """A graph that cannot be: an edge outside it, a self-loop, names of the wrong length."""


class MethodError(LcshapError, ValueError):
    """A parameter of a method that makes no sense, or a method unknown to the registry."""


class PlanError(LcshapError, ValueError):
    """Plans or coalitions that do not fit together."""


class PlanTooLargeError(PlanError):
    """A plan above `max_calls`, refused before anything is evaluated.

    `calls` is the number of calls it would take, or a lower bound of it (`exact` says which).
    """

    def __init__(self, message: str, calls: int, exact: bool = False) -> None:
        super().__init__(message)
        self.calls = calls
        self.exact = exact


class GameError(LcshapError, ValueError):
    """A game that answered with the wrong shape, with NaN or inf, or differently when asked twice."""


class MaskerError(LcshapError, ValueError):
    """An input that a masker cannot cut into units: an empty text, an image of another size than its reference."""


class ModelError(LcshapError, ValueError):
    """A model that failed, or gave the wrong shape, NaN, or logits where probabilities were promised.

    Attributes
    ----------
    row : which of the rows that the model was asked about was the first bad one, where it was one row.
    answers : what the model did answer to these rows, `(n, outputs)` with NaN elsewhere; None for nothing.
    explanations : from an `Explainer`: what was finished before the failure, None for the other inputs.

    `Explainer(...)(x, resume=error)` goes on from there and asks for nothing twice.
    """

    explanations: list[Any] | None = None

    def __init__(self, message: str, row: int | None = None, answers: Any = None) -> None:
        super().__init__(message)
        self.row = row
        self.answers = answers


class MissingExtraError(LcshapError, ImportError):
    """A package that an optional part needs is not installed; the message has the line that installs it."""
