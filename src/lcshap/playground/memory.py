"""What the model has answered in a session, within a limit of memory."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..core.locks import ForkSafeLock
from ..core.store import Answers, Numbers, Store
from ..core.store_keys import KEY_BYTES

_BYTES_PER_ENTRY = KEY_BYTES + 100  # bytes that a key takes beside its numbers: in the dictionary and as an object


class SessionStore(Store):
    """A store in memory that forgets the inputs that were used least recently when it holds more than
    `max_bytes` bytes.

    Parameters
    ----------
    max_bytes : bytes of keys and numbers that are kept. The input that was used last is always kept as a whole.

    Examples
    --------
    >>> store = SessionStore(10_000)
    >>> store.put(b"space", [b"k" * 16], np.array([[0.5]]))
    >>> is_stored, numbers = store.get(b"space", [b"k" * 16, b"x" * 16])
    >>> is_stored.tolist(), numbers.tolist()
    ([True, False], [[0.5]])
    """

    def __init__(self, max_bytes: int) -> None:
        self.max_bytes = max_bytes
        self._spaces: OrderedDict[bytes, tuple[Answers, int]] = OrderedDict()
        self._nbytes = 0
        self._lock = ForkSafeLock()

    def get(self, space: bytes, keys: Sequence[bytes]) -> tuple[NDArray[np.bool_], Numbers | None]:
        """Which keys are stored, and their numbers."""
        with self._lock:
            if space not in self._spaces:
                return np.zeros(len(keys), bool), None
            self._spaces.move_to_end(space)
            answers, _ = self._spaces[space]
            is_stored = answers.contains(keys)
            return is_stored, answers.look_up([keys[i] for i in np.flatnonzero(is_stored)]) if is_stored.any() else None

    def put(self, space: bytes, keys: Sequence[bytes], numbers: Numbers) -> None:
        """Keep the numbers of some keys, and forget old inputs where that is too much."""
        with self._lock:
            answers, size = self._spaces.get(space, (Answers(), 0))
            answers.add(keys, numbers)
            added = numbers.nbytes + _BYTES_PER_ENTRY * len(keys)
            self._spaces[space] = answers, size + added
            self._spaces.move_to_end(space)
            self._nbytes += added
            while self._nbytes > self.max_bytes and len(self._spaces) > 1:
                _, (_, freed) = self._spaces.popitem(last=False)
                self._nbytes -= freed

    @property
    def nbytes(self) -> int:
        """Bytes of keys and numbers that are kept."""
        return self._nbytes

    def __len__(self) -> int:
        """The number of stored rows."""
        with self._lock:
            return sum(len(answers) for answers, _ in self._spaces.values())
