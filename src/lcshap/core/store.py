"""Stores of model outputs, which resuming, comparing, paths and timing share.

A model is evaluated on *rows*. Before rows are sent to the model, they are looked up in a `Store`, and the outputs of
the model are stored batch by batch. So no row is evaluated twice: not after a failure or Ctrl-C, and not for another
method, target or value.

A row is identified by two keys of 16 bytes: its `space` (the model, and the input with its masker) and its own key
within that space (see `lcshap.maskers.DistinctRows`). A store keeps the *outputs* of the model, not the values
that are computed from them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import GameError
from .locks import ForkSafeLock
from .store_keys import KEY_BYTES

Numbers = NDArray[np.float64]


class Store(ABC):
    """Stores outputs of models. A new kind of store implements two methods.

    Attributes
    ----------
    persistent : whether it outlives the process. Then models are identified by their content or by a name that the user
        sets, not by the identity of the object.

    Examples
    --------
    >>> import lcshap as lc
    >>> isinstance(lc.MemoryStore(), lc.Store)
    True
    """

    persistent: bool = False

    @abstractmethod
    def get(self, space: bytes, keys: Sequence[bytes]) -> tuple[NDArray[np.bool_], Numbers | None]:
        """Which of `keys` are known, and the numbers of those that are, in their order; None where none is. A `space`
        is a model with an input; equal keys of different spaces are different rows."""

    @abstractmethod
    def put(self, space: bytes, keys: Sequence[bytes], numbers: Numbers) -> None:
        """Keep the `numbers` of some `keys` of a `space`, a model with an input: one row for each key."""


class Answers:
    """Numbers by key. They are added in blocks, which are indexed at the next look-up.

    Examples
    --------
    >>> answers = Answers()
    >>> answers.add([b"a" * 16, b"b" * 16], np.array([1.0, 2.0]))
    >>> answers.missing_positions([b"b" * 16, b"c" * 16, b"c" * 16]).tolist(), answers.look_up([b"b" * 16]).tolist()
    ([1], [2.0])
    """

    def __init__(self) -> None:
        self._unindexed: list[tuple[bytes, Numbers]] = []  # These blocks are not in the index yet.
        self._index: dict[bytes, int] = {}
        self._numbers: Numbers | None = None
        self._shape: tuple[int, ...] | None = None

    def __len__(self) -> int:
        """How many distinct keys are known."""
        return len(self._updated_index())

    def add(self, keys: Sequence[bytes], numbers: Numbers) -> None:
        """Keep the numbers of some keys. An interruption cannot leave a part of them."""
        if len(numbers) != len(keys):
            raise GameError(f"Expected one answer for each of {len(keys)} coalitions, got {len(numbers)}.")
        if self._shape not in (None, numbers.shape[1:]):
            raise GameError(f"Expected answers of shape {self._shape}, as before, got {numbers.shape[1:]}.")
        if len(keys):
            self._shape = numbers.shape[1:]
            self._unindexed.append((b"".join(keys), np.array(numbers, np.float64)))

    def contains(self, keys: Sequence[bytes]) -> NDArray[np.bool_]:
        """Which keys are known."""
        index = self._updated_index()
        return np.fromiter((key in index for key in keys), bool, len(keys))

    def missing_positions(self, keys: Sequence[bytes]) -> NDArray[np.intp]:
        """Where the keys stand that are not known, each distinct one once."""
        index, first_positions = self._updated_index(), dict[bytes, int]()
        for position, key in enumerate(keys):
            if key not in index:
                first_positions.setdefault(key, position)
        return np.fromiter(first_positions.values(), np.intp, len(first_positions))

    def look_up(self, keys: Sequence[bytes]) -> Numbers:
        """The numbers of keys that are all known."""
        index = self._updated_index()
        places = np.fromiter((index[key] for key in keys), np.intp, len(keys))
        return np.empty(0) if self._numbers is None else self._numbers[places]

    @property
    def entries(self) -> tuple[list[bytes], Numbers]:
        """All keys and their numbers, each key once."""
        keys = list(self._updated_index())
        return keys, self.look_up(keys)

    def _updated_index(self) -> dict[bytes, int]:
        while self._unindexed:
            joined, numbers = self._unindexed[0]
            start = 0 if self._numbers is None else len(self._numbers)
            all_numbers = numbers if self._numbers is None else np.concatenate([self._numbers, numbers])
            keys = [joined[at : at + KEY_BYTES] for at in range(0, len(joined), KEY_BYTES)]
            self._numbers = all_numbers
            for position, key in enumerate(keys, start):
                self._index.setdefault(key, position)
            del self._unindexed[0]  # This is last, so that an interrupted block is indexed again with the same result.
        return self._index


class MemoryStore(Store):
    """A store in memory, which threads may share. It grows until it is deleted.

    Answers of a model that was fitted again, or whose weights were changed in place, are not used for its new state.
    The state is read at the beginning of each call of an explainer. `lcshap.adapters.model_state` lists what is read,
    and which changes cannot be noticed: mainly those of things that the code of a function reads. ``repr(store)`` names
    such functions.

    Attributes
    ----------
    unread_code : names of functions whose answers are stored, and which may read what cannot be observed.

    Examples
    --------
    >>> import lcshap as lc
    >>> asked = []
    >>> model = lambda texts: [asked.append(t) or float(len(t)) for t in texts]
    >>> store = lc.MemoryStore()
    >>> explainer = lc.Explainer(model, lc.maskers.Text(), "shapley", kind="output", store=store)
    >>> explainer("to be or not").rows, explainer("to be or not").rows
    (16, 0)
    """

    def __init__(self) -> None:
        self._spaces: dict[bytes, Answers] = {}
        self._lock = ForkSafeLock()
        self.unread_code: set[str] = set()

    def get(self, space: bytes, keys: Sequence[bytes]) -> tuple[NDArray[np.bool_], Numbers | None]:
        """Which keys are known, and their numbers."""
        with self._lock:
            answers = self._spaces.get(space)
            if answers is None:
                return np.zeros(len(keys), bool), None
            is_stored = answers.contains(keys)
            return is_stored, answers.look_up([keys[i] for i in np.flatnonzero(is_stored)]) if is_stored.any() else None

    def put(self, space: bytes, keys: Sequence[bytes], numbers: Numbers) -> None:
        """Keep the numbers of some keys."""
        with self._lock:
            self._spaces.setdefault(space, Answers()).add(keys, numbers)

    def __getstate__(self) -> dict[str, Any]:
        """The stored numbers, without the lock, which cannot be pickled."""
        with self._lock:
            return {"known": {space: answers.entries for space, answers in self._spaces.items()}}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._spaces, self._lock, self.unread_code = {}, ForkSafeLock(), set()
        for space, (keys, numbers) in state["known"].items():
            self.put(space, keys, numbers)

    def __len__(self) -> int:
        """How many rows are known."""
        with self._lock:
            return sum(map(len, self._spaces.values()))

    def __repr__(self) -> str:
        unread = f"; changes within {', '.join(sorted(self.unread_code))} are not noticed" if self.unread_code else ""
        return f"<MemoryStore: {len(self):,} answers about {len(self._spaces):,} inputs{unread}>"
