"""The base classes of maskers: they name the units of an input, define their graph, and turn coalitions into rows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, fields, is_dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.coalitions import Coalitions
from ..core.digest import class_name, digest_across_processes, identity_token
from ..core.graphs import Graph
from ..core.store_keys import set_keys
from ..core.views import View
from ..errors import PlanError
from .describe import describe_setting
from .distinct import DistinctRows
from .input_lists import holds_inputs, list_inputs
from .text_keys import find_idle

Rows = Any  # a list (of strings, of sequences) or an array whose first axis counts the rows


class Masker(ABC):
    """The settings for masking. `mask(x)` applies them to one input; a masker itself never changes.

    Examples
    --------
    >>> import lcshap as lc
    >>> lc.maskers.Text().mask("so very good").graph.names
    ('so', 'very', 'good')
    """

    @abstractmethod
    def mask(self, x: Any) -> Masked:
        """Cut the input `x` into units. Raises `MaskerError` if this is not possible."""

    def is_many(self, x: Any) -> bool:
        """Whether `x` is a list of inputs and not one input: a sequence, an iterator, an array or a pandas column.

        Maskers of arrays count axes: an array with one axis more than an input is a list of inputs. Raises
        `MaskerError` if this is not clear.
        """
        return holds_inputs(x, "one input or many")

    def inputs(self, x: Any) -> list[Any]:
        """The inputs in `x`, which is a list of inputs or one input."""
        return list_inputs(x) if self.is_many(x) else [x]

    def table(self, x: Any) -> Any:
        """The inputs `x` as a `TableInputs`, if they are rows of a table that have the same units; otherwise None."""
        return None

    @property
    def name(self) -> str:
        """The name of the class."""
        return type(self).__name__

    def preview(self, x: Any) -> str:
        """How the input `x` is cut into units, and the settings that were chosen for it. No model is called.

        >>> from lcshap.maskers import Text
        >>> Text().preview("so good")
        'Graph.chain(2): 2 units, 1 edge'
        """
        masked = self.mask(x)
        lines = [repr(masked.graph), "" if masked.choice is None else masked.choice.reason, masked.advice]
        if masked.rows_per_call > 1:
            lines.insert(1, f"{masked.rows_per_call:,} background rows: a call takes up to as many model rows")
        return "\n".join(line for line in lines if line)

    @property
    def parameters(self) -> dict[str, Any]:
        """The settings in the repr as JSON data, with short descriptions of arrays and functions."""
        if not is_dataclass(self):
            return {}
        return {field.name: describe_setting(getattr(self, field.name)) for field in fields(self) if field.repr}


@dataclass(frozen=True, eq=False)
class Blend:
    """Rows that show an input where units are kept and a reference elsewhere.

    Attributes
    ----------
    kept : `(n, 1, *shape)` or `(n, *shape)`, which broadcasts with the other two.
    x, reference : arrays of numbers `(*shape)`, or `(M, *shape)` for M background rows.
    """

    kept: NDArray[np.bool_]
    x: NDArray[Any]
    reference: NDArray[Any]

    @property
    def rows(self) -> NDArray[Any]:
        """The rows themselves, `(n, *shape)`, or `(n * M, *shape)`."""
        return blend(self.kept, self.x, self.reference).reshape(-1, *self.x.shape)


@dataclass(frozen=True)
class Choice:
    """The settings that a masker chose for one input because the user did not.

    Attributes
    ----------
    settings : parameters of the masker, by name. They are recorded, so that the same input can be cut in the same way
        again.
    reason : what was chosen and why, in a sentence, for previews and records.
    """

    settings: dict[str, Any]
    reason: str


@dataclass(frozen=True, eq=False)
class Masked(ABC):
    """One input, cut into units, which makes the rows of coalitions.

    A new kind of input needs a `Masker` with the method `mask`, and a subclass of this class with the method `rows`,
    both as frozen dataclasses. Three further methods are for some kinds of input: `distinct` if rows of different
    coalitions may be equal, or differ in length; `rows_per_call` if absent units take the values of several background
    rows; `view` for a picture of the input. All others have defaults that suit most maskers.

    Attributes
    ----------
    graph : the units, their names and which of them are neighbours.

    Examples
    --------
    >>> import lcshap as lc
    >>> lc.maskers.Text().mask("so very good").rows(lc.Coalitions.from_sets(3, [[0, 2], []]))
    ['so good', '']
    """

    graph: Graph

    @cached_property
    def key(self) -> bytes:
        """16 bytes, equal for the same input masked in the same way and different for all others.

        It is a digest of the class and of `content`, or of all fields if the class does not define `content`. A `Store`
        finds answers by this key.
        """
        return self._key_and_stability[0]

    @property
    def has_stable_key(self) -> bool:
        """Whether `key` is the same in all processes. It is not if it depends on a function of the user."""
        return self._key_and_stability[1]

    @cached_property
    def _key_and_stability(self) -> tuple[bytes, bool]:
        has_content = "content" in vars(type(self))
        return digest_across_processes(lambda: (class_name(type(self)), self.content if has_content else _fields(self)))

    @property
    def content(self) -> tuple[Any, ...]:
        """Everything that rows depend on, for `key`: all fields of the dataclass.

        Override it if a field is not plain data but can be identified by its content. If a class is not a dataclass
        itself, it is unknown what its rows depend on, so that its objects share no keys.
        """
        return _fields(self)

    @property
    def rows_per_call(self) -> int:
        """The number of model rows per coalition: more than one if absent units take values of background rows."""
        return 1

    @property
    def choice(self) -> Choice | None:
        """The settings that the masker chose for this input; None if its parameters determine everything."""
        return None

    @property
    def row_bytes(self) -> int:
        """The memory of a row in bytes if it is large, which keeps batches small; otherwise 0."""
        return 0

    @property
    def row_characters(self) -> int:
        """The number of characters of the row of all units if the input is a text; otherwise 0."""
        return 0

    @property
    def advice(self) -> str:
        """What a user may want to change in the masker, for previews; empty if there is no advice."""
        return ""

    @property
    def hint(self) -> str:
        """What to do if a model cannot take the rows, for the error message; empty if nothing is known."""
        return ""

    @abstractmethod
    def rows(self, coalitions: Coalitions) -> Rows:
        """The model inputs of some coalitions, `rows_per_call` for each, those of a coalition together.

        Maskers use the sparse form if possible: one that deletes units turns three kept words into a text of three
        words.
        """

    def blend(self, coalitions: Coalitions) -> Blend | None:
        """The same rows of `coalitions` as what they are blended from, where units only choose between an input and a
        reference.

        This is sent to a model on another device instead of the rows, with one bit for each number.
        """
        return None

    @property
    def owners(self) -> NDArray[np.intp] | None:
        """The unit of each number of a row, -1 for none, if rows are arrays of numbers. Gradients need it."""
        return None

    @property
    def view(self) -> View | None:
        """The data for a picture of the input, see `lcshap.core.views`; None if the names of the units are enough."""
        return None

    def distinct(self, coalitions: Coalitions) -> DistinctRows:
        """The different rows of some coalitions, with a key for each, because equal rows are evaluated once.

        By default, rows are equal if their coalitions are equal, apart from units that never change a row. Override it
        if rows may also be equal in other ways, such as texts without one of two equal words, or if their lengths
        differ; `DistinctRows.by_coalition` needs no more than a key for each coalition.
        """
        check_units(coalitions, self.graph)
        return DistinctRows.by_coalition(coalitions, set_keys(coalitions, self._idle_units), self.rows_per_call)

    @cached_property
    def _idle_units(self) -> NDArray[np.bool_] | None:
        """Which units never change any row, such as black pixels with a black reference; None if none is known.

        They are found if rows are a `blend`, from its numbers and their `owners`.
        """
        if self.owners is None:
            return None
        mix = self.blend(Coalitions.from_sets(self.graph.d, [[]]))
        return None if mix is None else find_idle(mix.x, mix.reference, self.owners, self.graph.d)


def _fields(masked: Masked) -> tuple[Any, ...]:
    if "__dataclass_params__" not in vars(type(masked)):
        return (identity_token(masked),)
    return tuple(getattr(masked, field.name) for field in fields(masked))


def check_units(coalitions: Coalitions, graph: Graph) -> None:
    """Raise if the coalitions are those of another input."""
    if coalitions.d != graph.d:
        raise PlanError(
            f"Expected coalitions over the {graph.d} units of the input, got coalitions over {coalitions.d} units."
        )


def is_count(n: Any) -> bool:
    """Whether this is an integer of at least 1.

    >>> is_count(3), is_count(0), is_count(True), is_count(2.0)
    (True, False, False, False)
    """
    return isinstance(n, int | np.integer) and not isinstance(n, bool) and bool(n >= 1)


def blend(kept: NDArray[np.bool_], x: NDArray[Any], reference: NDArray[Any]) -> NDArray[Any]:
    """The input where units are kept and the reference elsewhere. Equal to `np.where`, and several times as fast.

    On a random mask, `np.where` is slowed down by mispredicted branches. Here there is no branch: if a unit is kept,
    the bits in which the two arrays differ are flipped.

    >>> blend(np.array([[True, False]]), np.array([1.5, 2.5]), np.array([0.0, np.nan]))
    array([[1.5, nan]])
    """
    if x.dtype != reference.dtype or x.dtype.kind not in "biuf" or x.dtype.itemsize > 8:
        return np.where(kept, x, reference)
    bits = np.dtype(f"u{x.dtype.itemsize}")
    reference_bits = reference.view(bits)
    rows = np.multiply(kept, x.view(bits) ^ reference_bits, dtype=bits)
    rows ^= reference_bits
    return np.asarray(rows.view(x.dtype))
