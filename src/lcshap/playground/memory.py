"""What the model has answered in a session, within a limit of memory."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..core.keys import SIZE
from ..core.locks import ForkSafeLock
from ..core.store import Answers, Numbers, Store

_ENTRY = SIZE + 100  # bytes that a key takes beside its numbers: in the dictionary and as an object


class SessionStore(Store):
    """A store in memory that forgets the inputs that were used least recently when it holds more than `most` bytes.

    Parameters
    ----------
    most : bytes of keys and numbers that are kept. The input that was used last is always kept as a whole.

    Examples
    --------
    >>> store = SessionStore(10_000)
    >>> store.put(b"space", [b"k" * 16], np.array([[0.5]]))
    >>> known, numbers = store.get(b"space", [b"k" * 16, b"x" * 16])
    >>> known.tolist(), numbers.tolist()
    ([True, False], [[0.5]])
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self._spaces: OrderedDict[bytes, tuple[Answers, int]] = OrderedDict()
        self._held = 0
        self._lock = ForkSafeLock()

    def get(self, space: bytes, keys: Sequence[bytes]) -> tuple[NDArray[np.bool_], Numbers | None]:
        """Which keys are known, and their numbers."""
        with self._lock:
            if space not in self._spaces:
                return np.zeros(len(keys), bool), None
            self._spaces.move_to_end(space)
            answers, _ = self._spaces[space]
            known = answers.knows(keys)
            return known, answers.look_up([keys[i] for i in np.flatnonzero(known)]) if known.any() else None

    def put(self, space: bytes, keys: Sequence[bytes], numbers: Numbers) -> None:
        """Keep the numbers of some keys, and forget old inputs where that is too much."""
        with self._lock:
            answers, size = self._spaces.get(space, (Answers(), 0))
            answers.add(keys, numbers)
            added = numbers.nbytes + _ENTRY * len(keys)
            self._spaces[space] = answers, size + added
            self._spaces.move_to_end(space)
            self._held += added
            while self._held > self.most and len(self._spaces) > 1:
                _, (_, gone) = self._spaces.popitem(last=False)
                self._held -= gone

    @property
    def held(self) -> int:
        """Bytes of keys and numbers that are kept."""
        return self._held

    def __len__(self) -> int:
        """How many rows are known."""
        with self._lock:
            return sum(len(answers) for answers, _ in self._spaces.values())
