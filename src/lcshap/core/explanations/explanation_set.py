"""`Explanations`: the result for many inputs, a sequence of explanations whose numbers are in arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Generic, NoReturn, Protocol, TypeVar, cast, overload

from numpy.typing import ArrayLike, NDArray

from ...errors import OptionError
from ..explanation import Explanation
from ..graphs import Graph
from ..presenter import get_presenter
from ..printable import printable
from .array_attributes import ArrayAttributes
from .concatenation import concatenate
from .from_arrays import columns_from_arrays
from .importance import CohortImportance, Importance, compute_importance
from .pack_columns import pack
from .positions import resolve_index, resolve_mask
from .ragged import Rows
from .row_columns import ExplanationColumns, Outcome
from .set_equality import equal_outcomes, surely_equal
from .set_exports import SetExports

T_co = TypeVar("T_co", bound=Outcome, covariant=True)


class Storage(Protocol):
    """Where a set keeps its explanations: in arrays, or in files that are read when they are needed."""

    def __len__(self) -> int: ...

    def __iter__(self) -> Iterator[Outcome]: ...

    def explanation(self, row: int) -> Outcome:
        """The explanation of an input, or its error."""

    def take(self, rows: Rows) -> Storage:
        """Some of the inputs."""

    def columns(self) -> ExplanationColumns:
        """All inputs in memory, as arrays."""

    @property
    def errors(self) -> Mapping[int, Exception]:
        """The errors of inputs that failed, by the number of the input."""

    @property
    def loaded(self) -> ExplanationColumns | None:
        """All inputs as arrays if they are in memory; None if they are read when they are needed."""


class Explanations(ArrayAttributes, SetExports, Sequence[T_co], Generic[T_co]):
    """The explanations of many inputs: a sequence, and the numbers of all inputs as arrays.

    ``xs[3]`` is an `Explanation`, made on demand, or the error of an input that could not be explained. Slices, masks
    and lists of numbers give `Explanations`. Sets cannot be changed, and their arrays cannot be written to. `+`, `in`
    and `==` work as with lists. An `Explainer`, `lcshap.load` and `lcshap.bulk.load` return sets.

    Parameters
    ----------
    explanations : explanations, and errors of inputs that have none.

    Examples
    --------
    >>> import numpy as np
    >>> import lcshap as lc
    >>> explainer = lc.Explainer(lambda rows: rows @ [1.0, 2.0], lc.maskers.Tabular(np.zeros((1, 2))), kind="output")
    >>> xs = explainer(np.array([[1.0, 1.0], [3.0, 0.0], [0.0, 5.0]]))
    >>> xs.scores
    array([[ 1.,  2.],
           [ 3.,  0.],
           [ 0., 10.]])
    >>> xs.where(xs.predictions > 3).scores.shape, xs[0].top(1)
    ((1, 2), [('1', 2.0)])
    """

    __slots__ = ("_storage",)
    _storage: Storage

    def __init__(self, explanations: Iterable[T_co] = ()) -> None:
        if isinstance(explanations, Explanation):
            raise OptionError("Expected a list of explanations, got one explanation. Put it in brackets.")
        listed = list(explanations)
        object.__setattr__(self, "_storage", pack(listed))

    @classmethod
    def from_storage(cls, storage: Storage) -> Explanations[Any]:
        """The set whose explanations a storage keeps."""
        new: Explanations[Any] = object.__new__(cls)
        object.__setattr__(new, "_storage", storage)
        return new

    @classmethod
    def from_arrays(
        cls,
        scores: ArrayLike,
        base_values: ArrayLike,
        predictions: ArrayLike,
        *,
        names: Sequence[str] | None = None,
        data: Any = None,
        graph: Graph | None = None,
        stderr: ArrayLike | None = None,
        dof: ArrayLike | None = None,
        interactions: ArrayLike | None = None,
        targets: Any = None,
        method: str | None = None,
        calls: ArrayLike = 0,
        rows: ArrayLike | None = None,
        provenance: Mapping[str, Any] | None = None,
        copy: bool = True,
    ) -> Explanations[Explanation]:
        """A set of explanations whose numbers are in arrays. No Python code runs for each input.

        Parameters
        ----------
        scores : `(n, d)`, or `(n, d, outputs)`.
        base_values, predictions : `(n,)`, or `(n, outputs)`, the values without any unit and of the whole inputs; or
            one number for all inputs.
        names : the names of the units. By default the columns of `data` if it is a DataFrame, otherwise numbers.
        data : the feature values, `(n, d)`; an array or a DataFrame.
        graph : which units are neighbours. By default all of them.
        stderr : standard errors, of the shape of `scores`; `dof` are their degrees of freedom.
        interactions : `(n, d, d)` or `(n, d, d, outputs)`, symmetric.
        targets : what is explained: a name for each output, or names for each input.
        method : the name of the method.
        calls, rows : the number of coalitions and of rows of the model; a number, or one for each input.
        provenance : what else is recorded about all inputs.
        copy : False keeps the arrays themselves, which must not be changed any more.

        Raises
        ------
        OptionError : if arrays do not fit together.

        Examples
        --------
        >>> import lcshap as lc
        >>> xs = lc.Explanations.from_arrays([[1.0, 2.0]], [0.0], [3.0], names=["age", "dose"], data=[[70.0, 2.0]])
        >>> xs[0].top(1), xs.data
        ([('dose', 2.0)], array([[70.,  2.]]))
        """
        return cls.from_storage(
            columns_from_arrays(
                scores,
                base_values,
                predictions,
                names=names,
                data=data,
                graph=graph,
                stderr=stderr,
                dof=dof,
                interactions=interactions,
                targets=targets,
                method=method,
                calls=calls,
                rows=rows,
                provenance=provenance,
                copy=copy,
            )
        )

    # -- a sequence -----------------------------------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self._storage)

    def __iter__(self) -> Iterator[T_co]:
        return cast("Iterator[T_co]", iter(self._storage))

    @overload
    def __getitem__(self, index: int) -> T_co: ...
    @overload
    def __getitem__(self, index: slice | Sequence[int] | Sequence[bool] | NDArray[Any]) -> Explanations[T_co]: ...
    @overload
    def __getitem__(self, index: Any) -> Any: ...
    def __getitem__(self, index: Any) -> Any:
        position = resolve_index(index, len(self))
        if isinstance(position, int):
            return self._storage.explanation(position)
        return self.from_storage(self._storage.take(position))

    def where(self, mask: Any) -> Explanations[T_co]:
        """The inputs where `mask` is true: an array, a list or a pandas Series of booleans, one for each input.

        ``xs.where(frame["age"] > 40)`` selects by position, whatever the index of the frame is.
        """
        return self.from_storage(self._storage.take(resolve_mask(mask, len(self))))

    def __add__(self, other: Iterable[Outcome]) -> Explanations[Any]:
        if not isinstance(other, Explanations | list | tuple):
            return NotImplemented
        others = other if isinstance(other, Explanations) else Explanations(other)
        return Explanations.from_storage(concatenate([self._columns, others._columns]))

    def __radd__(self, other: Iterable[Outcome]) -> Explanations[Any]:
        if not isinstance(other, list | tuple):
            return NotImplemented
        return Explanations(other) + self

    def __eq__(self, other: object) -> bool:
        """Whether both have equal explanations in the same order; `other` is a set or a list."""
        if not isinstance(other, Explanations | list):
            return NotImplemented
        if len(self) != len(other):
            return False
        columns, other_columns = self._loaded, other._loaded if isinstance(other, Explanations) else None
        if columns is not None and other_columns is not None and surely_equal(columns, other_columns):
            return True
        return all(equal_outcomes(outcome, entry) for outcome, entry in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]

    def __setattr__(self, name: str, value: Any) -> NoReturn:
        raise AttributeError(f"Expected a set that stays as it is, got a new {name!r}. Sets cannot be changed.")

    def __reduce__(self) -> tuple[Any, ...]:
        return Explanations.from_storage, (self._storage,)

    @property
    def explained(self) -> Explanations[Explanation]:
        """The inputs that were explained, without those that failed."""
        errors = self._storage.errors
        kept = [number for number in range(len(self)) if number not in errors]
        return cast("Explanations[Explanation]", self[kept] if errors else self)

    @property
    def in_memory(self) -> bool:
        """Whether all inputs are in memory, and not read from files when they are needed."""
        return self._loaded is not None

    @property
    def _loaded(self) -> ExplanationColumns | None:
        return self._storage.loaded

    @property
    def errors(self) -> dict[int, Exception]:
        """The errors of inputs that could not be explained, by the number of the input."""
        return dict(self._storage.errors)

    @property
    def _columns(self) -> ExplanationColumns:
        return self._storage.columns()

    @overload
    def importance(
        self,
        by: None = None,
        *,
        k: int = 3,
        output: int | None = None,
        key: Callable[[str], str] | None = None,
    ) -> Importance: ...
    @overload
    def importance(
        self, by: Any, *, k: int = 3, output: int | None = None, key: Callable[[str], str] | None = None
    ) -> CohortImportance: ...
    def importance(
        self,
        by: Any = None,
        *,
        k: int = 3,
        output: int | None = None,
        key: Callable[[str], str] | None = None,
    ) -> Importance | CohortImportance:
        """How important each unit is over all inputs: the mean of |score|, the mean score, and how often it is first.

        Parameters
        ----------
        by : cohorts of inputs, each of which gets an importance of its own. A label for each input, such as
            ``frame["sex"]`` or ``xs.targets``; or a number of cohorts, which are the leaves of a decision tree that is
            fitted to the scores (``"tree"`` for four). Their names are the rules of the leaves.
        k : how many units count as the first ones of an input.
        output : which output, if there are several.
        key : a function from the name of a unit to what it counts as. By default, words of texts are compared without
            case and without the punctuation around them.

        Returns
        -------
        Importance, or CohortImportance : arrays with standard errors over inputs; ``to_dataframe()`` is a table. Inputs
            that failed are left out.

        Raises
        ------
        OptionError : if inputs were explained for different targets, whose scores cannot be averaged.

        Examples
        --------
        >>> import lcshap as lc
        >>> xs = lc.Explanations.from_arrays([[1.0, -2.0], [3.0, 0.0]], 0.0, [-1.0, 3.0], names=["age", "dose"])
        >>> xs.importance(by=["old", "young"])["young"].mean_abs
        array([3., 0.])
        """
        return compute_importance(self._columns, by, k, output, key)

    # -- displays -------------------------------------------------------------------------------------------------

    def __repr__(self) -> str:
        columns = self._loaded
        count = f"<Explanations: {len(self):,} input{'s' * (len(self) != 1)}"
        if columns is None:
            return f"{count}, read from files when they are needed>"
        sizes = sorted({graph.d for graph in columns.different_graphs})
        units = f", {sizes[0]} units" if len(sizes) == 1 else f", {sizes[0]} to {sizes[-1]} units" if sizes else ""
        names = self._method_names
        method = (
            f", {printable(names[0], max_length=100)}"
            if len(names) == 1
            else f", {len(names)} methods"
            if names
            else ""
        )
        failed = f", {len(columns.errors)} failed" if columns.errors else ""
        return f"{count}{units}{method}{failed}>"

    def show(self, top: int = 10) -> None:
        """Print the `top` most important units and the first inputs."""
        get_presenter().show_set(self, top)

    def _repr_html_(self) -> str:
        """The HTML that a notebook shows: a chart of the most important units, and a table of the first inputs."""
        return get_presenter().set_html(self)

    def plot(self, kind: str | None = None, ax: Any = None, **options: Any) -> Any:
        """Draw a figure of all inputs with matplotlib, on the axes `ax` or on new ones, and return the axes.

        `kind` names the figure, by default one that suits the inputs; `options` are those of its function in
        `lc.plots`.
        """
        return get_presenter().plot(self, kind, ax, **options)

    def to_html(self, path: str | Path, **options: Any) -> Path:
        """Write a web page that opens from disk to `path`. `options` are those of `lcshap.report`."""
        return get_presenter().report(self, path, **options)
