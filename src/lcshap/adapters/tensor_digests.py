"""Digests of the weights of PyTorch models, which are read in full only when they may have changed.

Reading all weights of a language model takes about a second for half a gigabyte, and a store that outlives the process
asks for it before each explanation. So the digest of a large tensor is kept as long as the tensor lives, and is used
again if nothing has changed that shows:

- PyTorch counts the changes in place that go through PyTorch (an optimiser, `load_state_dict`, `add_`).
- Changes that it does not count (through `.data`, or through an array of NumPy that shares the memory) show in the sum
  of all bits, which is computed each time at the speed of memory. Only uncounted changes whose sum is zero, such as two
  weights that change places through `.data`, are not noticed.
"""

from __future__ import annotations

from typing import Any

from ..core.digest import digest
from ..extras import need

_LARGE = 1 << 16  # bytes from which the digest of a tensor is kept
_KNOWN: list[Any] = []  # one dictionary from tensors that live to what they looked like and their digest


def tensor_digest(tensor: Any) -> bytes:
    """The digest of the numbers of a tensor.

    >>> torch = need("torch", "torch")
    >>> weights = torch.zeros(200, 200)
    >>> before = tensor_digest(weights)
    >>> weights.data[3, 4] = 1
    >>> before == tensor_digest(weights), before == tensor_digest(torch.zeros(200, 200))
    (False, True)
    """
    plain = tensor.detach()
    usual = str(plain.layout) == "torch.strided" and plain.is_contiguous() and not plain.is_complex()
    if not usual or plain.nbytes < _LARGE or plain.nbytes % 4:
        return digest(plain)
    if not _KNOWN:
        need("torch", "torch")
        from torch.utils.weak import WeakIdKeyDictionary

        _KNOWN.append(WeakIdKeyDictionary())
    looks = _looks(plain)
    before = _KNOWN[0].get(tensor)
    if before is not None and before[0] == looks:
        return bytes(before[1])
    found = digest(plain)
    _KNOWN[0][tensor] = looks, found
    return found


def _looks(plain: Any) -> tuple[Any, ...]:
    """What changes with the numbers of a tensor, and is quick to find."""
    torch = need("torch", "torch")
    count = -1 if plain.is_inference() else plain._version
    total = plain.reshape(-1).view(torch.int32).sum(dtype=torch.int32)
    return count, plain.data_ptr(), tuple(plain.shape), str(plain.dtype), str(plain.device), int(total)
