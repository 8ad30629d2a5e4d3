"""Digests of the weights of PyTorch models, which are read in full only when they may have changed.

Reading all weights of a language model takes about a second for half a gigabyte, and a persistent store needs it before
each explanation. So the digest of a large tensor is kept as long as the tensor lives, and is used again if no change
can be detected:

- PyTorch counts the changes in place that go through PyTorch (an optimiser, `load_state_dict`, `add_`).
- Changes that it does not count (through `.data`, or through an array of NumPy that shares the memory) change the sum
  of all bits, which is computed each time at the speed of memory. Only uncounted changes whose sum is zero, such as two
  weights that are swapped through `.data`, are not detected.
"""

from __future__ import annotations

from typing import Any

from ..core.digest import digest
from ..extras import import_optional

_MIN_CACHED_BYTES = 1 << 16  # bytes from which the digest of a tensor is kept
_CACHE: list[Any] = []  # one dictionary from tensors to their last state and digest


def tensor_digest(tensor: Any) -> bytes:
    """Return the digest of the numbers of a tensor.

    >>> torch = import_optional("torch", "torch")
    >>> weights = torch.zeros(200, 200)
    >>> before = tensor_digest(weights)
    >>> weights.data[3, 4] = 1
    >>> before == tensor_digest(weights), before == tensor_digest(torch.zeros(200, 200))
    (False, True)
    """
    plain = tensor.detach()
    is_dense = str(plain.layout) == "torch.strided" and plain.is_contiguous() and not plain.is_complex()
    if not is_dense or plain.nbytes < _MIN_CACHED_BYTES or plain.nbytes % 4:
        return digest(plain)
    if not _CACHE:
        import_optional("torch", "torch")
        from torch.utils.weak import WeakIdKeyDictionary

        _CACHE.append(WeakIdKeyDictionary())
    state = _tensor_state(plain)
    cached = _CACHE[0].get(tensor)
    if cached is not None and cached[0] == state:
        return bytes(cached[1])
    content_digest = digest(plain)
    _CACHE[0][tensor] = state, content_digest
    return content_digest


def _tensor_state(plain: Any) -> tuple[Any, ...]:
    """Return properties that change with the numbers of a tensor and are fast to compute."""
    torch = import_optional("torch", "torch")
    version = -1 if plain.is_inference() else plain._version
    checksum = plain.reshape(-1).view(torch.int32).sum(dtype=torch.int32)
    return version, plain.data_ptr(), tuple(plain.shape), str(plain.dtype), str(plain.device), int(checksum)
