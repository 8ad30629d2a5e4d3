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
from .keys import SIZE
from .locks import ForkSafeLock

_Update = Callable[[bytes], None]


def digest(*things: Any) -> bytes:
    """The digest, 16 bytes, of what the things hold; of functions and unknown objects, of which object they are.

    Known by content: None, numbers, strings, bytes, tuples, lists, dicts, sets, NumPy arrays, SciPy sparse matrices,
    PyTorch tensors, pandas objects, regular expressions, graphs and dataclasses. Everything that is known by content
    has the same digest in all processes. Everything else is known by a random token, which the object keeps as long as
    it lives, so two functions never share a digest, whatever they look like.

    >>> digest("ab", "c") == digest("ab", "c"), digest("ab", "c") == digest("a", "bc"), digest(1) == digest(True)
    (True, False, False)
    >>> digest(len) == digest(len), digest(lambda: 1) == digest(lambda: 1)
    (True, False)
    """
    hashed = blake2b(digest_size=SIZE)
    _walk(hashed.update, things)
    return hashed.digest()


def lasting_digest(find: Callable[[], Any]) -> tuple[bytes, bool]:
    """The digest of what a function finds, and whether it is the same in all processes: nothing is known by identity.

    >>> lasting_digest(lambda: "ab")[1], lasting_digest(lambda: lasting_digest)[1]
    (True, False)
    """
    before, _TOKENS.taken = getattr(_TOKENS, "taken", False), False
    try:
        return digest(find()), not _TOKENS.taken
    finally:
        _TOKENS.taken = _TOKENS.taken or before


def class_name(kind: type) -> tuple[str, ...] | tuple[str, bytes]:
    """What tells a class from others: its full name, and which class it is where several may have that name."""
    name = f"{kind.__module__}.{kind.__qualname__}"
    return (name, token(kind)) if "<locals>" in name or kind.__module__ == "__main__" else (name,)


# -- objects that are known by who they are -----------------------------------------------------------------------

_LIVING: dict[int, tuple[Callable[[], Any], bytes]] = {}
_LOCK = ForkSafeLock()
_TOKENS = threading.local()  # .taken: whether this thread has asked for one


def token(thing: Any) -> bytes:
    """Random bytes that belong to this object alone, as long as it lives.

    An object that cannot be weakly referenced is kept alive, so that no other takes its place in memory.
    """
    number = id(thing)
    _TOKENS.taken = True
    with _LOCK:
        known = _LIVING.get(number)
        if known is not None and known[0]() is thing:
            return known[1]
        made = os.urandom(SIZE)
        try:
            _LIVING[number] = weakref.ref(thing, partial(_forget, _LIVING, number)), made
        except TypeError:
            _LIVING[number] = (lambda: thing), made
        return made


def _forget(living: dict[int, Any], number: int, gone: Any) -> None:
    if number in living and living[number][0] is gone:
        del living[number]


# -- objects that are known by what they hold ---------------------------------------------------------------------


def _walk(update: _Update, thing: Any) -> None:
    """Write a thing down so that no two different things are written alike: its kind, its size, its content."""
    write = _WRITERS.get(type(thing)) or _find_writer(thing)
    write(update, thing)


def _find_writer(thing: Any) -> Callable[[_Update, Any], None]:
    """How to write down what is of no plain type."""
    kind = type(thing)
    if isinstance(thing, np.ndarray):
        return _write_array
    if isinstance(thing, np.generic):
        return _write_scalar
    if sparse.issparse(thing):
        return _write_sparse
    if isinstance(thing, tuple) and hasattr(kind, "_fields"):
        return _write_named
    if "__dataclass_params__" in vars(kind):  # a subclass that is none itself may hold more than the fields
        return _write_dataclass
    if kind.__module__.partition(".")[0] == "torch" and hasattr(thing, "detach"):
        return _write_tensor
    return _write_frame if _is_frame(thing) else _write_object


def _head(update: _Update, tag: bytes, size: int) -> None:
    update(tag + size.to_bytes(8, "little"))


def _write_bytes(update: _Update, thing: bytes | bytearray, tag: bytes = b"b") -> None:
    update(tag + len(thing).to_bytes(8, "little") + thing)


def _write_str(update: _Update, thing: str) -> None:
    _write_bytes(update, thing.encode("utf-8", "surrogatepass"), b"s")


def _write_int(update: _Update, thing: int) -> None:
    _write_bytes(update, thing.to_bytes(thing.bit_length() // 8 + 1, "little", signed=True), b"i")


def _write_items(update: _Update, things: Iterable[Any], tag: bytes) -> None:
    items = list(things)
    _head(update, tag, len(items))
    for item in items:
        _walk(update, item)


def _write_unordered(update: _Update, things: Iterable[Any], tag: bytes) -> None:
    _write_items(update, sorted(map(digest, things)), tag)


def _write_named(update: _Update, thing: Any) -> None:
    _write_items(update, (class_name(type(thing)), *thing), b"T")


def _write_dataclass(update: _Update, thing: Any) -> None:
    parts = ((field.name, getattr(thing, field.name)) for field in fields(thing))
    _write_items(update, (class_name(type(thing)), *parts), b"D")


def _write_graph(update: _Update, thing: Graph) -> None:
    lengths = np.array([len(name) for name in thing.names], np.int64)
    _write_items(update, (thing.key, thing.shape, lengths, "".join(thing.names)), b"G")


def _write_array(update: _Update, thing: np.ndarray[Any, Any]) -> None:
    kind = thing.dtype.str if thing.dtype.names is None else repr(thing.dtype.descr)
    _write_items(update, (kind, thing.shape, *(() if type(thing) is np.ndarray else class_name(type(thing)))), b"A")
    if isinstance(thing, np.ma.MaskedArray):
        _write_array(update, np.array(np.broadcast_to(thing.mask, thing.shape)))
        thing = thing.filled(0)
    if thing.dtype.hasobject or thing.dtype.kind == "T":
        _write_items(update, thing.ravel().tolist(), b"O")
    else:
        update(np.ascontiguousarray(thing).tobytes())


def _write_scalar(update: _Update, thing: np.generic) -> None:
    _head(update, b"S", 0)
    _write_array(update, np.asarray(thing))


def _write_sparse(update: _Update, thing: Any) -> None:
    entries = thing.tocoo()
    parts = thing.format, type(thing).__name__, thing.shape, entries.data, *entries.coords
    _write_items(update, parts, b"P")


def _write_tensor(update: _Update, thing: Any) -> None:
    """A PyTorch tensor, whatever its device: types that NumPy lacks are widened, which changes no value."""
    plain = thing.detach().cpu()
    plain = plain.to_dense() if str(plain.layout) != "torch.strided" else plain
    try:
        array = plain.resolve_conj().resolve_neg().numpy()
    except TypeError:
        array = plain.double().numpy()
    parts = str(thing.dtype), str(thing.device), str(thing.layout), bool(thing.requires_grad), array
    _write_items(update, parts, b"t")


def _is_frame(thing: Any) -> bool:
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(thing, pandas.DataFrame | pandas.Series | pandas.Index)


def _write_frame(update: _Update, thing: Any) -> None:
    """A pandas DataFrame, Series or Index; pandas is imported already if there is one."""
    if hasattr(thing, "columns"):
        content: list[Any] = [thing.columns, *(thing.iloc[:, i] for i in range(thing.shape[1]))]
    else:
        content = [thing.name if thing.ndim == 1 else None, str(thing.dtype), np.asarray(thing)]
    index = [thing.index] if hasattr(thing, "index") else []
    _write_items(update, (type(thing).__name__, *content, *index), b"F")


def _write_method(update: _Update, thing: types.MethodType) -> None:
    _write_items(update, (token(thing.__self__), token(thing.__func__)), b"m")


def _write_object(update: _Update, thing: Any) -> None:
    _write_bytes(update, token(thing), b"o")


_WRITERS: dict[type, Callable[[_Update, Any], None]] = {
    type(None): lambda update, thing: update(b"N"),
    bool: lambda update, thing: update(b"B\1" if thing else b"B\0"),
    int: _write_int,
    float: lambda update, thing: update(b"f" + struct.pack("<d", thing)),
    complex: lambda update, thing: update(b"c" + struct.pack("<dd", thing.real, thing.imag)),
    str: _write_str,
    bytes: _write_bytes,
    bytearray: lambda update, thing: _write_bytes(update, thing, b"y"),
    tuple: lambda update, thing: _write_items(update, thing, b"("),
    list: lambda update, thing: _write_items(update, thing, b"["),
    range: lambda update, thing: _write_items(update, (thing.start, thing.stop, thing.step), b"r"),
    dict: lambda update, thing: _write_unordered(update, thing.items(), b"{"),
    set: lambda update, thing: _write_unordered(update, thing, b"<"),
    frozenset: lambda update, thing: _write_unordered(update, thing, b">"),
    re.Pattern: lambda update, thing: _write_items(update, (thing.pattern, thing.flags), b"x"),
    types.MethodType: _write_method,
    Graph: _write_graph,
}
