"""Digests of content: equal for what is equal in value, different for everything else."""

from __future__ import annotations

import os
import re
import struct
import sys
import threading
import types
import weakref
from collections.abc import Callable, Iterable
from dataclasses import fields
from functools import partial
from hashlib import blake2b
from typing import Any

import numpy as np
from scipy import sparse

from .graphs import Graph
from .locks import ForkSafeLock
from .store_keys import KEY_BYTES

_Update = Callable[[bytes], None]
_STORED_NAME = "__stored_name__"


def digest(*objects: Any) -> bytes:
    """The digest of some objects, 16 bytes: of their content, or of the identity of functions and unknown objects.

    These are digested by content: None, numbers, strings, bytes, tuples, lists, dicts, sets, NumPy arrays, SciPy sparse
    matrices, PyTorch tensors, pandas objects, regular expressions, graphs and dataclasses. An object that is digested
    by content has the same digest in all processes. Every other object is represented by a random token, which belongs
    to it as long as it exists, so two functions never share a digest, even if their code is equal.

    >>> digest("ab", "c") == digest("ab", "c"), digest("ab", "c") == digest("a", "bc"), digest(1) == digest(True)
    (True, False, False)
    >>> digest(len) == digest(len), digest(lambda: 1) == digest(lambda: 1)
    (True, False)
    """
    hasher = blake2b(digest_size=KEY_BYTES)
    _write(hasher.update, objects)
    return hasher.digest()


def digest_across_processes(find: Callable[[], Any]) -> tuple[bytes, bool]:
    """The digest of what a function returns, and whether it is the same in all processes: no token is part of it.

    >>> digest_across_processes(lambda: "ab")[1], digest_across_processes(lambda: digest_across_processes)[1]
    (True, False)
    """
    requested_before, _THREAD.token_requested = getattr(_THREAD, "token_requested", False), False
    try:
        return digest(find()), not _THREAD.token_requested
    finally:
        _THREAD.token_requested = _THREAD.token_requested or requested_before


def class_name(kind: type) -> tuple[str, ...] | tuple[str, bytes]:
    """What identifies a class: its full name, and a token if several classes may have that name."""
    name = ".".join(stored_name(kind))
    return (name, identity_token(kind)) if "<locals>" in name or kind.__module__ == "__main__" else (name,)


def stored_name(obj: Any) -> tuple[str, str]:
    """The module and the name of a class or a function in stores and manifests.

    Usually they are its current module and name. A class of this package that is moved or renamed keeps its
    first full name in an attribute of its own, such as ``__stored_name__ = "lcshap.maskers.text.MaskedText"``, so that
    stores that were written before are still used.

    >>> stored_name(ForkSafeLock)
    ('lcshap.core.locks', 'ForkSafeLock')
    """
    module, _, name = getattr(obj, "__dict__", {}).get(_STORED_NAME, "").rpartition(".")
    return (module, name) if module else (obj.__module__, obj.__qualname__)


# -- objects that are digested by identity --------------------------------------------------------------------------

_TOKENS_BY_ID: dict[int, tuple[Callable[[], Any], bytes]] = {}
_LOCK = ForkSafeLock()
_THREAD = threading.local()  # .token_requested: whether this thread has called `identity_token`


def identity_token(obj: Any) -> bytes:
    """Random bytes that belong to this object alone, as long as it exists.

    An object that cannot be weakly referenced is kept alive, so that no other object gets its address.
    """
    address = id(obj)
    _THREAD.token_requested = True
    with _LOCK:
        entry = _TOKENS_BY_ID.get(address)
        if entry is not None and entry[0]() is obj:
            return entry[1]
        new_token = os.urandom(KEY_BYTES)
        try:
            _TOKENS_BY_ID[address] = weakref.ref(obj, partial(_forget, _TOKENS_BY_ID, address)), new_token
        except TypeError:
            _TOKENS_BY_ID[address] = (lambda: obj), new_token
        return new_token


def _forget(tokens: dict[int, Any], address: int, reference: Any) -> None:
    if address in tokens and tokens[address][0] is reference:
        del tokens[address]


# -- objects that are digested by content -------------------------------------------------------------------------


def _write(update: _Update, obj: Any) -> None:
    """Write an object so that different objects are written differently: its kind, its size, its content."""
    write = _WRITERS.get(type(obj)) or _find_writer(obj)
    write(update, obj)


def _find_writer(obj: Any) -> Callable[[_Update, Any], None]:
    """The function that writes an object whose type is not in `_WRITERS`."""
    kind = type(obj)
    if isinstance(obj, np.ndarray):
        return _write_array
    if isinstance(obj, np.generic):
        return _write_scalar
    if sparse.issparse(obj):
        return _write_sparse
    if isinstance(obj, tuple) and hasattr(kind, "_fields"):
        return _write_namedtuple
    if "__dataclass_params__" in vars(kind):  # A subclass that is not a dataclass may have further attributes.
        return _write_dataclass
    if kind.__module__.partition(".")[0] == "torch" and hasattr(obj, "detach"):
        return _write_tensor
    return _write_frame if _is_frame(obj) else _write_object


def _write_header(update: _Update, tag: bytes, size: int) -> None:
    update(tag + size.to_bytes(8, "little"))


def _write_bytes(update: _Update, content: bytes | bytearray, tag: bytes = b"b") -> None:
    update(tag + len(content).to_bytes(8, "little") + content)


def _write_str(update: _Update, text: str) -> None:
    _write_bytes(update, text.encode("utf-8", "surrogatepass"), b"s")


def _write_int(update: _Update, number: int) -> None:
    _write_bytes(update, number.to_bytes(number.bit_length() // 8 + 1, "little", signed=True), b"i")


def _write_items(update: _Update, objects: Iterable[Any], tag: bytes) -> None:
    members = list(objects)
    _write_header(update, tag, len(members))
    for member in members:
        _write(update, member)


def _write_unordered(update: _Update, objects: Iterable[Any], tag: bytes) -> None:
    _write_items(update, sorted(map(digest, objects)), tag)


def _write_namedtuple(update: _Update, record: Any) -> None:
    _write_items(update, (class_name(type(record)), *record), b"T")


def _write_dataclass(update: _Update, obj: Any) -> None:
    entries = ((field.name, getattr(obj, field.name)) for field in fields(obj))
    _write_items(update, (class_name(type(obj)), *entries), b"D")


def _write_graph(update: _Update, graph: Graph) -> None:
    lengths = np.array([len(name) for name in graph.names], np.int64)
    _write_items(update, (graph.key, graph.shape, lengths, "".join(graph.names)), b"G")


def _write_array(update: _Update, array: np.ndarray[Any, Any]) -> None:
    kind = array.dtype.str if array.dtype.names is None else repr(array.dtype.descr)
    _write_items(update, (kind, array.shape, *(() if type(array) is np.ndarray else class_name(type(array)))), b"A")
    if isinstance(array, np.ma.MaskedArray):
        _write_array(update, np.array(np.broadcast_to(array.mask, array.shape)))
        array = array.filled(0)
    if array.dtype.hasobject or array.dtype.kind == "T":
        _write_items(update, array.ravel().tolist(), b"O")
    else:
        update(np.ascontiguousarray(array).tobytes())


def _write_scalar(update: _Update, scalar: np.generic) -> None:
    _write_header(update, b"S", 0)
    _write_array(update, np.asarray(scalar))


def _write_sparse(update: _Update, matrix: Any) -> None:
    entries = matrix.tocoo()
    content = matrix.format, type(matrix).__name__, matrix.shape, entries.data, *entries.coords
    _write_items(update, content, b"P")


def _write_tensor(update: _Update, tensor: Any) -> None:
    """A PyTorch tensor, whatever its device: types that NumPy lacks are widened, which changes no value."""
    plain = tensor.detach().cpu()
    plain = plain.to_dense() if str(plain.layout) != "torch.strided" else plain
    try:
        array = plain.resolve_conj().resolve_neg().numpy()
    except TypeError:
        array = plain.double().numpy()
    content = str(tensor.dtype), str(tensor.device), str(tensor.layout), bool(tensor.requires_grad), array
    _write_items(update, content, b"t")


def _is_frame(obj: Any) -> bool:
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(obj, pandas.DataFrame | pandas.Series | pandas.Index)


def _write_frame(update: _Update, frame: Any) -> None:
    """A pandas DataFrame, Series or Index; pandas is imported already if there is one."""
    if hasattr(frame, "columns"):
        content: list[Any] = [frame.columns, *(frame.iloc[:, i] for i in range(frame.shape[1]))]
    else:
        content = [frame.name if frame.ndim == 1 else None, str(frame.dtype), np.asarray(frame)]
    index = [frame.index] if hasattr(frame, "index") else []
    _write_items(update, (type(frame).__name__, *content, *index), b"F")


def _write_method(update: _Update, method: types.MethodType) -> None:
    _write_items(update, (identity_token(method.__self__), identity_token(method.__func__)), b"m")


def _write_object(update: _Update, obj: Any) -> None:
    _write_bytes(update, identity_token(obj), b"o")


_WRITERS: dict[type, Callable[[_Update, Any], None]] = {
    type(None): lambda update, obj: update(b"N"),
    bool: lambda update, obj: update(b"B\1" if obj else b"B\0"),
    int: _write_int,
    float: lambda update, obj: update(b"f" + struct.pack("<d", obj)),
    complex: lambda update, obj: update(b"c" + struct.pack("<dd", obj.real, obj.imag)),
    str: _write_str,
    bytes: _write_bytes,
    bytearray: lambda update, obj: _write_bytes(update, obj, b"y"),
    tuple: lambda update, obj: _write_items(update, obj, b"("),
    list: lambda update, obj: _write_items(update, obj, b"["),
    range: lambda update, obj: _write_items(update, (obj.start, obj.stop, obj.step), b"r"),
    dict: lambda update, obj: _write_unordered(update, obj.items(), b"{"),
    set: lambda update, obj: _write_unordered(update, obj, b"<"),
    frozenset: lambda update, obj: _write_unordered(update, obj, b">"),
    re.Pattern: lambda update, obj: _write_items(update, (obj.pattern, obj.flags), b"x"),
    types.MethodType: _write_method,
    Graph: _write_graph,
}
