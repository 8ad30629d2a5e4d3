"""What a masker is: it names the units of an input, brings their graph, and turns coalitions into model inputs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, fields, is_dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.coalitions import Coalitions
from ..core.digest import class_name, lasting_digest, token
from ..core.graphs import Graph
from ..core.keys import set_keys
from ..core.views import View
from ..errors import PlanError
from .describe import describe
from .keys import find_idle
from .many import are_objects, split

Rows = Any  # a list (of strings, of sequences) or an array whose first axis counts the rows


class Masker(ABC):
    """A recipe for masking. `mask(x)` applies it to one input; the recipe itself never changes.

    Examples
    --------
    >>> import lcshap as lc
    >>> lc.maskers.Text().mask("so very good").graph.names
    ('so', 'very', 'good')
    """

    @abstractmethod
    def mask(self, x: Any) -> Masked:
        """Cut the input `x` into units. Raises `MaskerError` where that cannot be done."""

    def is_many(self, x: Any) -> bool:
        """Whether `x` is a list of inputs and not one input: a sequence, an iterator, an array or a pandas column.

        Maskers of arrays count axes: an array with one more than an input has is a list of inputs. Raises `MaskerError`
        where that cannot be told.
        """
        return are_objects(x, "one input or many")

    def inputs(self, x: Any) -> list[Any]:
        """The inputs in `x`, a list of inputs; one input is a list of one."""
        return split(x) if self.is_many(x) else [x]

    @property
    def name(self) -> str:
        """The name of the class."""
        return type(self).__name__

    def preview(self, x: Any) -> str:
        """How the input `x` is cut into units, and what was chosen for it; no model is asked.

        >>> from lcshap.maskers import Text
        >>> Text().preview("so good")
        'Graph.chain(2): 2 units, 1 edge'
        """
        masked = self.mask(x)
        lines = [repr(masked.graph), "" if masked.choice is None else masked.choice.note, masked.advice]
        if masked.rows_per_call > 1:
            lines.insert(1, f"{masked.rows_per_call:,} background rows: a call takes up to as many model rows")
        return "\n".join(line for line in lines if line)

    @property
    def parameters(self) -> dict[str, Any]:
        """The settings that the repr shows, as JSON can hold them; arrays and functions in few words."""
        if not is_dataclass(self):
            return {}
        return {field.name: describe(getattr(self, field.name)) for field in fields(self) if field.repr}


@dataclass(frozen=True, eq=False)
class Blend:
    """Rows that show an input where units are kept and a reference elsewhere.

    Attributes
    ----------
    kept : `(n, 1, *shape)` or `(n, *shape)`, in the way that the other two broadcast with it.
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
    """What a masker chose for one input because nobody said it.

    Attributes
    ----------
    settings : parameters of the masker, by name; with these in the record the same input is cut in the same way again.
    note : what was chosen and why, in a sentence, for previews and records.
    """

    settings: dict[str, Any]
    note: str


@dataclass(frozen=True, eq=False)
class Masked(ABC):
    """One input, cut into units: everything that coalitions of it need.

    Attributes
    ----------
    graph : the units, their names and who is next to whom.

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

        A digest of the class and of `content`, or of all fields where the class itself does not say what that is.
        What a `Store` remembers is found by it.
        """
        return self._keyed[0]

    @property
    def lasting(self) -> bool:
        """Whether `key` is the same in all processes: functions of the user, for instance, are known in one alone."""
        return self._keyed[1]

    @cached_property
    def _keyed(self) -> tuple[bytes, bool]:
        own = "content" in vars(type(self))
        return lasting_digest(lambda: (class_name(type(self)), self.content if own else _fields(self)))

    @property
    def content(self) -> tuple[Any, ...]:
        """Everything that rows depend on, for `key`: all fields of the dataclass.

        Override it where a field is no plain data and yet can be told by what it holds. Of a class that is no dataclass
        itself nobody knows what its rows depend on, so that its objects share no keys.
        """
        return _fields(self)

    @property
    def rows_per_call(self) -> int:
        """How many model rows one coalition takes: more than one where absent units take values of background rows."""
        return 1

    @property
    def choice(self) -> Choice | None:
        """What the masker chose for this input itself; None: nothing, its parameters say all."""
        return None

    @property
    def row_bytes(self) -> int:
        """How much memory a row takes, where that may be much: batches are kept small then. 0: very little."""
        return 0

    @property
    def advice(self) -> str:
        """What a user may want to change in the masker, for previews; empty where there is nothing to say."""
        return ""

    @property
    def hint(self) -> str:
        """What to do about rows that a model cannot take, for the error then; empty where nothing is known."""
        return ""

    @abstractmethod
    def rows(self, coalitions: Coalitions) -> Rows:
        """The model inputs of some coalitions, `rows_per_call` for each, those of a coalition together.

        Uses the sparse form where it can: a deleting masker turns three kept words into a text of three words.
        """

    def blend(self, coalitions: Coalitions) -> Blend | None:
        """The same rows of `coalitions` as what they are blended from, where units only choose between an input and a
        reference.

        A model on another device is sent this instead of the rows: a bit a number.
        """
        return None

    @property
    def owners(self) -> NDArray[np.intp] | None:
        """For rows that are arrays of numbers: the unit of each number of a row, -1 for none. Gradients need it."""
        return None

    @property
    def view(self) -> View | None:
        """What a picture of the input needs, see `lcshap.core.views`; None: the names of the units are enough."""
        return None

    def keys(self, coalitions: Coalitions) -> list[bytes]:
        """16 bytes for each coalition, within this input: never equal where rows differ, so equal rows are asked once.

        By default they are equal where coalitions are, `idle` units aside. Maskers whose rows may be equal in other
        ways, as texts without one of two equal words are, look at the rows.
        """
        check_units(coalitions, self.graph)
        return set_keys(coalitions, self.idle)

    def row_keys(self, coalitions: Coalitions) -> tuple[list[bytes], NDArray[np.intp]] | None:
        """16 bytes for each different row, in the order of their first places, and the number of each row among them.

        There are `rows_per_call` rows for each coalition. None: see `keys`.

        It is for maskers with several rows for each coalition, where rows of different coalitions, or of different
        background rows, are often equal. Then `rows_of` makes the rows that differ. For one input the answer is either
        always None or never.
        """
        return None

    @property
    def full_is_one_row(self) -> bool:
        """Whether the rows of the full input are several and all equal, so that `rows_of` needs to make only one."""
        return False

    def rows_of(self, coalitions: Coalitions, background: NDArray[np.intp]) -> Rows:
        """One row for each of `coalitions`: the one with the background row of this number. Goes with `row_keys`."""
        raise NotImplementedError

    def keyed(self, coalitions: Coalitions) -> tuple[list[bytes], list[Any] | None]:
        """The keys, and the rows where the keys were made of them, they are lists and small: they are not made again.

        Rows of some 16,000 coalitions are kept at the same time, so they may have 4 kB each.
        """
        return self.keys(coalitions), None

    @cached_property
    def idle(self) -> NDArray[np.bool_] | None:
        """Which units never change any row, such as black pixels where the reference is black; None: none is known.

        Found by default where rows are a `blend`, from its numbers and their `owners`.
        """
        if self.owners is None:
            return None
        mix = self.blend(Coalitions.from_sets(self.graph.d, [[]]))
        return None if mix is None else find_idle(mix.x, mix.reference, self.owners, self.graph.d)

    def lengths(self, coalitions: Coalitions) -> NDArray[np.integer] | None:
        """About how long the rows of `coalitions` are, where that differs: rows of like length share a batch."""
        return None


def _fields(masked: Masked) -> tuple[Any, ...]:
    if "__dataclass_params__" not in vars(type(masked)):
        return (token(masked),)
    return tuple(getattr(masked, field.name) for field in fields(masked))


def check_units(coalitions: Coalitions, graph: Graph) -> None:
    """Refuse coalitions of another input."""
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
    """The input where units are kept and the reference elsewhere: `np.where` to the bit, several times as fast.

    On a random mask `np.where` guesses every branch wrong. Here there is none: where kept, the bits in which the two
    differ are turned over.

    >>> blend(np.array([[True, False]]), np.array([1.5, 2.5]), np.array([0.0, np.nan]))
    array([[1.5, nan]])
    """
    if x.dtype != reference.dtype or x.dtype.kind not in "biuf" or x.dtype.itemsize > 8:
        return np.where(kept, x, reference)
    bits = np.dtype(f"u{x.dtype.itemsize}")
    other = reference.view(bits)
    rows = np.multiply(kept, x.view(bits) ^ other, dtype=bits)
    rows ^= other
    return np.asarray(rows.view(x.dtype))
