"""Every error that lcshap raises on purpose. Catch `LcshapError` to catch them all.

::

    LcshapError
    ├── OptionError          an option or argument that makes no sense, or contradicts another one
    │   ├── MethodError      a parameter of a method, or a method that the registry does not know
    │   ├── BudgetError      a budget that cannot be read, or that a method cannot keep
    │   ├── MetricError      an argument of a metric
    │   └── ShowError        an option of a figure, a report or the terminal
    ├── GraphError           a graph that cannot be
    ├── PlanError            plans or coalitions that do not fit together
    │   └── PlanTooLargeError
    ├── GameError            a game that answered with the wrong shape, NaN, or differently when asked twice
    ├── MaskerError          an input that a masker cannot cut into units
    ├── ModelError           a model that failed or gave answers that cannot be used
    │   └── TargetError      a class or number that the model does not have (it is an OptionError too)
    ├── DataError            a data set that is missing or damaged
    ├── FileFormatError      a file that is no explanation
    ├── StoreError           a store of answers that is damaged, no store at all, or cannot be written
    ├── BulkError            a run over a data set that cannot start, go on or be read
    └── MissingExtraError    an optional package that is not installed

    Unfinished               work that ended early; it carries what was finished
    ├── RunFailedError       because the model failed (it is a ModelError too)
    └── Interrupted          because of Ctrl-C (it is a KeyboardInterrupt too)
"""

from __future__ import annotations

from typing import Any


class LcshapError(Exception):
    """The root of the tree."""


class OptionError(LcshapError, ValueError):
    """An option or argument that makes no sense, or that contradicts another one."""


class MethodError(OptionError):
    """A parameter of a method that makes no sense, or a method unknown to the registry."""


class BudgetError(OptionError):
    """A budget that cannot be read, or that the chosen method cannot keep.

    `min_calls` is the smallest number of calls that would do, where it is known.
    """

    def __init__(self, message: str, min_calls: int | None = None) -> None:
        super().__init__(message)
        self.min_calls = min_calls


class MetricError(OptionError):
    """An argument of a metric that makes no sense."""


class ShowError(OptionError):
    """An option of a figure, a report or the terminal that makes no sense."""


class GraphError(LcshapError, ValueError):
    """A graph that cannot be: an edge outside it, a self-loop, names of the wrong length."""


class PlanError(LcshapError, ValueError):
    """Plans or coalitions that do not fit together."""


class PlanTooLargeError(PlanError):
    """A plan above `max_calls`, refused before anything is evaluated.

    `calls` is the number of calls it would take, or a lower bound of it (`exact` says which). `exceeded_limit` is what
    it is too large for: "calls" (a larger `max_calls` helps), "memory" or "time" (only ``max_calls=None`` lifts these
    limits).
    """

    def __init__(self, message: str, calls: int, exact: bool = False, exceeded_limit: str = "calls") -> None:
        super().__init__(message)
        self.calls = calls
        self.exact = exact
        self.exceeded_limit = exceeded_limit

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (str(self), self.calls, self.exact, self.exceeded_limit)


class GameError(LcshapError, ValueError):
    """A game that answered with the wrong shape, with NaN or inf, or differently when asked twice."""


class MaskerError(LcshapError, ValueError):
    """An input that a masker cannot cut into units: an empty text, an image of another size than its reference."""


class ModelError(LcshapError, ValueError):
    """A model that failed, or gave the wrong shape, NaN, or logits although probabilities were declared.

    Attributes
    ----------
    row : which of the rows that the model was asked about was the first bad one, where it was one row.
    answers : what the model did answer to these rows, `(n, outputs)` with NaN elsewhere; None for nothing.
    """

    def __init__(self, message: str, row: int | None = None, answers: Any = None) -> None:
        super().__init__(message)
        self.row = row
        self.answers = answers


def row_of(error: BaseException, count: int | None = None) -> int | None:
    """The row that an error of lcshap names; None for other exceptions, whose attributes may be anything.

    Parameters
    ----------
    count : the number of rows that the model was asked about; a number beyond them is not one of a row.

    Examples
    --------
    >>> class Strange(Exception):
    ...     row = 5
    >>> row_of(ModelError("bad", row=2)), row_of(Strange("bad")), row_of(ModelError("bad", row=2), count=2)
    (2, None, None)
    """
    row = error.row if isinstance(error, ModelError) else None
    if not isinstance(row, int) or isinstance(row, bool) or row < 0 or (count is not None and row >= count):
        return None
    return row


class TargetError(ModelError, OptionError):
    """A class, output or probability that was asked for and that the model does not have."""


class DataError(LcshapError, FileNotFoundError):
    """Data that is not there, or not what it should be; the message says where to get it and where to put it."""


class FileFormatError(LcshapError, ValueError):
    """A file that is no explanation, or one written by a newer version."""


class StoreError(LcshapError):
    """A store of answers that is damaged, that another version wrote, that is no store, or that cannot be written."""


class BulkError(LcshapError):
    """A run over a data set that cannot start, go on or be read: another run's folder, a damaged part, a full disk."""


class MissingExtraError(LcshapError, ImportError):
    """A package that an optional part needs is not installed; the message has the line that installs it."""


class Unfinished(BaseException):
    """Work on one or more inputs that ended before all of it was done. Nothing that was finished is lost.

    Attributes
    ----------
    explanations : for every input its explanation if it was finished, else None (or the error of that input).
    store : what the model has answered so far. Call the explainer again with ``store=error.store``: it goes on from
        there and asks for nothing twice.
    answers : from an adapter: what the model did answer to the rows of one batch, NaN elsewhere; None for nothing.

    Examples
    --------
    >>> import lcshap as lc
    >>> issubclass(lc.errors.RunFailedError, (lc.errors.ModelError, lc.Unfinished))
    True
    >>> issubclass(lc.errors.Interrupted, (KeyboardInterrupt, lc.Unfinished))
    True
    """

    explanations: list[Any]
    store: Any
    answers: Any

    def __init__(
        self, message: str, explanations: list[Any] | None = None, store: Any = None, answers: Any = None
    ) -> None:
        super().__init__(message)
        self.explanations = explanations or []
        self.store, self.answers = store, answers


class RunFailedError(Unfinished, ModelError):
    """The model, or one of several inputs, failed. See `Unfinished` for what is kept, and the cause for the reason."""

    def __init__(
        self, message: str, explanations: list[Any] | None = None, store: Any = None, row: int | None = None
    ) -> None:
        super().__init__(message, explanations, store)
        self.row = row


class Interrupted(Unfinished, KeyboardInterrupt):
    """Ctrl-C. See `Unfinished` for what is kept."""
