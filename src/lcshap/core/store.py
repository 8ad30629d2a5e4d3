"""What has been answered so far: one memory for resuming, comparing, paths and timing alike.

A model is asked about *rows*. Everything that asks goes through a `Store`, which answers "do we know this row?" before
the model is asked, and keeps what the model says, batch by batch. So a failure, Ctrl-C, another method, another target
or another value never pays for a row twice.

A row is known by two keys of 16 bytes: its `space` (the model, and the input with the way it is masked) and its own
key within that space (see `lcshap.maskers.Masked.keys`). What is kept are the model's *outputs*, not the values that
were computed from them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import GameError
from .keys import SIZE
from .locks import ForkSafeLock

Numbers = NDArray[np.float64]


class Store(ABC):
    """A memory of what models have answered. Two methods are all that another kind of store has to bring.

    Attributes
    ----------
    lasting : whether it outlives the process. Then models are known by what they hold or by the name that the user
        gives, not by which object they are.

    Examples
    --------
    >>> import lcshap as lc
    >>> isinstance(lc.MemoryStore(), lc.Store)
    True
    """

    lasting: bool = False

    @abstractmethod
    def get(self, space: bytes, keys: Sequence[bytes]) -> tuple[NDArray[np.bool_], Numbers | None]:
        """Which of `keys` are known, and the numbers of those that are, in their order; None where none is. A `space`
        is a model with an input: keys of another one are not meant."""

    @abstractmethod
    def put(self, space: bytes, keys: Sequence[bytes], numbers: Numbers) -> None:
        """Keep the `numbers` of some `keys` of a `space`, a model with an input: one row for each key."""


class Answers:
    """Numbers by key. What is added is kept in blocks; they are indexed when somebody looks something up.

    Examples
    --------
    >>> answers = Answers()
    >>> answers.add([b"a" * 16, b"b" * 16], np.array([1.0, 2.0]))
    >>> answers.new([b"b" * 16, b"c" * 16, b"c" * 16]).tolist(), answers.look_up([b"b" * 16]).tolist()
    ([1], [2.0])
    """

    def __init__(self) -> None:
        self._blocks: list[tuple[bytes, Numbers]] = []  # not yet in the index
        self._index: dict[bytes, int] = {}
        self._numbers: Numbers | None = None
        self._shape: tuple[int, ...] | None = None

    def __len__(self) -> int:
        """How many distinct keys are known."""
        return len(self._settled())

    def add(self, keys: Sequence[bytes], numbers: Numbers) -> None:
        """Keep the numbers of some keys. One step, so that an interruption leaves all of it or nothing."""
        if len(numbers) != len(keys):
            raise GameError(f"Expected one answer for each of {len(keys)} coalitions, got {len(numbers)}.")
        if self._shape not in (None, numbers.shape[1:]):
            raise GameError(f"Expected answers of shape {self._shape}, as before, got {numbers.shape[1:]}.")
        if len(keys):
            self._shape = numbers.shape[1:]
            self._blocks.append((b"".join(keys), np.array(numbers, np.float64)))

    def knows(self, keys: Sequence[bytes]) -> NDArray[np.bool_]:
        """Which keys are known."""
        index = self._settled()
        return np.fromiter((key in index for key in keys), bool, len(keys))

    def new(self, keys: Sequence[bytes]) -> NDArray[np.intp]:
        """Where the keys stand that are not known, each distinct one once."""
        index, found = self._settled(), dict[bytes, int]()
        for place, key in enumerate(keys):
            if key not in index:
                found.setdefault(key, place)
        return np.fromiter(found.values(), np.intp, len(found))

    def look_up(self, keys: Sequence[bytes]) -> Numbers:
        """The numbers of keys that are all known."""
        index = self._settled()
        places = np.fromiter((index[key] for key in keys), np.intp, len(keys))
        return np.empty(0) if self._numbers is None else self._numbers[places]

    @property
    def known(self) -> tuple[list[bytes], Numbers]:
        """All keys and their numbers, each key once."""
        keys = list(self._settled())
        return keys, self.look_up(keys)

    def _settled(self) -> dict[bytes, int]:
        while self._blocks:
            joined, numbers = self._blocks[0]
            start = 0 if self._numbers is None else len(self._numbers)
            everything = numbers if self._numbers is None else np.concatenate([self._numbers, numbers])
            keys = [joined[at : at + SIZE] for at in range(0, len(joined), SIZE)]
            self._numbers = everything
            for place, key in enumerate(keys, start):
                self._index.setdefault(key, place)
            del self._blocks[0]  # last: an interruption on the way does all of it again, with the same result
        return self._index


class MemoryStore(Store):
    """A store in memory, which threads may share. It grows with what is asked: drop it to forget.

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

    def get(self, space: bytes, keys: Sequence[bytes]) -> tuple[NDArray[np.bool_], Numbers | None]:
        """Which keys are known, and their numbers."""
        with self._lock:
            answers = self._spaces.get(space)
            if answers is None:
                return np.zeros(len(keys), bool), None
            known = answers.knows(keys)
            return known, answers.look_up([keys[i] for i in np.flatnonzero(known)]) if known.any() else None

    def put(self, space: bytes, keys: Sequence[bytes], numbers: Numbers) -> None:
        """Keep the numbers of some keys."""
        with self._lock:
            self._spaces.setdefault(space, Answers()).add(keys, numbers)

    def __getstate__(self) -> dict[str, Any]:
        """For pickle, which knows no locks: what is known at this moment."""
        with self._lock:
            return {"known": {space: answers.known for space, answers in self._spaces.items()}}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._spaces, self._lock = {}, ForkSafeLock()
        for space, (keys, numbers) in state["known"].items():
            self.put(space, keys, numbers)

    def __len__(self) -> int:
        """How many rows are known."""
        with self._lock:
            return sum(map(len, self._spaces.values()))

    def __repr__(self) -> str:
        return f"<MemoryStore: {len(self):,} answers about {len(self._spaces):,} inputs>"
