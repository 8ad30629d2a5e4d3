"""The Python batches of CIFAR-10, which are pickles, read without unpickling.

A small interpreter knows the instructions that these files are made of, and no other. It makes bytes, integers, lists,
tuples and dicts; the one array is taken from its bytes, whose number must be that of its shape. Nothing is imported or
called, and NumPy never sees a type that comes from the file.
"""

from __future__ import annotations

import math
import pickletools
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

_CONSTANTS = {"BININT", "BININT1", "BININT2", "SHORT_BINBYTES", "BINBYTES", "BINUNICODE", "SHORT_BINUNICODE"}
_STRINGS = {"SHORT_BINSTRING", "BINSTRING"}  # of Python 2: bytes, which pickletools gives as Latin-1
_LITERALS = {"NONE": None, "NEWTRUE": True, "NEWFALSE": False}
_TUPLES = {"TUPLE1": 1, "TUPLE2": 2, "TUPLE3": 3}
_NAMES = {
    ("numpy.core.multiarray", "_reconstruct"): "array",
    ("numpy._core.multiarray", "_reconstruct"): "array",
    ("numpy", "ndarray"): "ndarray",
    ("numpy", "dtype"): "dtype",
}


class BatchError(ValueError):
    """A file that is no batch."""


@dataclass(eq=False)
class _Name:
    """What a batch asks for by name; stands for nothing."""

    name: str


@dataclass(eq=False)
class _Type:
    """The type of bytes, the only one."""


@dataclass(eq=False)
class _Array:
    """An array whose content comes later."""

    content: NDArray[np.uint8] | None = None


@dataclass
class _Machine:
    """The stack and the memory of the interpreter."""

    stack: list[Any] = field(default_factory=list)
    marks: list[int] = field(default_factory=list)
    memo: dict[int, Any] = field(default_factory=dict)

    def pop(self) -> Any:
        if len(self.stack) <= (self.marks[-1] if self.marks else 0):
            raise BatchError("an instruction has nothing to work on")
        return self.stack.pop()

    def pop_to_mark(self) -> list[Any]:
        if not self.marks:
            raise BatchError("an instruction has nothing to work on")
        start = self.marks.pop()
        items = self.stack[start:]
        del self.stack[start:]
        return items

    def top(self, kind: type) -> Any:
        if len(self.stack) <= (self.marks[-1] if self.marks else 0) or type(self.stack[-1]) is not kind:
            raise BatchError(f"an instruction needs a {kind.__name__.strip('_').lower()}")
        return self.stack[-1]


def read_batch(data: bytes) -> tuple[NDArray[np.uint8], list[int]]:
    """The images of a batch, a row of 3,072 bytes each, and their labels; `BatchError` for any other file.

    >>> read_batch(b"cos\\nsystem\\n(S'ls'\\ntR.")
    Traceback (most recent call last):
        ...
    lcshap.paper.datasets.batches.BatchError: it asks for os.system, which no batch of images needs
    """
    batch = _interpret(data)
    if not isinstance(batch, dict):
        raise BatchError("it holds no dict")
    rows, labels = batch.get(b"data"), batch.get(b"labels")
    images = rows.content if isinstance(rows, _Array) else None
    if images is None or images.ndim != 2 or images.shape[1] != 3072:
        raise BatchError("it has no data with 3,072 bytes for each image")
    if not isinstance(labels, list) or not all(type(label) is int for label in labels) or len(labels) != len(images):
        raise BatchError("it has no labels, a number for each image")
    return images, labels


def _interpret(data: bytes) -> Any:
    machine = _Machine()
    try:
        for code, argument, _ in pickletools.genops(data):
            if code.name == "STOP":
                return machine.pop()
            _step(machine, code.name, argument)
    except BatchError:
        raise
    except (ValueError, OverflowError, RecursionError) as error:  # of pickletools: an unknown or unfinished instruction
        raise BatchError(str(error)[:200]) from None
    raise BatchError("it has no end")


def _step(machine: _Machine, name: str, argument: Any) -> None:
    """One instruction."""
    if name in _CONSTANTS:
        machine.stack.append(argument)
    elif name in _STRINGS:
        machine.stack.append(argument.encode("latin-1"))
    elif name in _LITERALS:
        machine.stack.append(_LITERALS[name])
    elif name in _TUPLES:
        machine.stack.append(tuple(reversed([machine.pop() for _ in range(_TUPLES[name])])))
    elif name in _STEPS:
        _STEPS[name](machine, argument)
    elif name not in ("PROTO", "FRAME"):
        raise BatchError(f"it has the instruction {name}, which no batch of images needs")


def _mark(machine: _Machine, argument: Any) -> None:
    machine.marks.append(len(machine.stack))


def _put(machine: _Machine, argument: Any) -> None:
    value = machine.pop()
    machine.stack.append(value)
    machine.memo[len(machine.memo) if argument is None else argument] = value


def _get(machine: _Machine, argument: Any) -> None:
    if argument not in machine.memo:
        raise BatchError("it remembers what it never saw")
    machine.stack.append(machine.memo[argument])


def _tuple(machine: _Machine, argument: Any) -> None:
    machine.stack.append(tuple(machine.pop_to_mark()))


def _append(machine: _Machine, argument: Any) -> None:
    value = machine.pop()
    machine.top(list).append(value)


def _appends(machine: _Machine, argument: Any) -> None:
    values = machine.pop_to_mark()
    machine.top(list).extend(values)


def _set_item(machine: _Machine, argument: Any) -> None:
    value, key = machine.pop(), machine.pop()
    _fill(machine.top(dict), [key, value])


def _set_items(machine: _Machine, argument: Any) -> None:
    values = machine.pop_to_mark()
    _fill(machine.top(dict), values)


def _fill(found: dict[bytes, Any], values: list[Any]) -> None:
    if len(values) % 2 or not all(type(key) in (bytes, str) for key in values[::2]):
        raise BatchError("a dict has keys that are no texts")
    keys = [key if type(key) is bytes else key.encode("utf-8", "replace") for key in values[::2]]
    found.update(zip(keys, values[1::2], strict=True))


def _global(machine: _Machine, argument: Any) -> None:
    if argument is None:
        name, module = machine.pop(), machine.pop()
    else:
        module, _, name = argument.partition(" ")
    if type(name) is not str or type(module) is not str or (module, name) not in _NAMES:
        raise BatchError(f"it asks for {module}.{name}, which no batch of images needs"[:200])
    machine.stack.append(_Name(_NAMES[module, name]))


def _reduce(machine: _Machine, argument: Any) -> None:
    given, called = machine.pop(), machine.pop()
    name = called.name if isinstance(called, _Name) else None
    if name == "dtype" and type(given) is tuple and len(given) == 3 and given[0] in (b"u1", "u1"):
        machine.stack.append(_Type())
    elif name == "array" and type(given) is tuple and len(given) == 3 and isinstance(given[0], _Name):
        machine.stack.append(_Array())
    else:
        raise BatchError("it makes something that no batch of images needs")


def _build(machine: _Machine, argument: Any) -> None:
    state = machine.pop()
    made = machine.pop()
    machine.stack.append(made)
    if isinstance(made, _Type) and type(state) is tuple and len(state) == 8 and state[1] in (b"|", "|"):
        return
    if not isinstance(made, _Array) or type(state) is not tuple or len(state) != 5:
        raise BatchError("it makes something that no batch of images needs")
    _, shape, kind, by_columns, content = state
    sides = shape if type(shape) is tuple and all(type(side) is int and side >= 0 for side in shape) else ()
    if not isinstance(kind, _Type) or by_columns not in (False, 0) or type(content) is not bytes or len(sides) != 2:
        raise BatchError("its array is none of bytes")
    if math.prod(sides) != len(content):
        raise BatchError(f"its array of shape {sides} has {len(content):,} bytes")
    made.content = np.frombuffer(content, np.uint8).reshape(sides)


_STEPS: dict[str, Callable[[_Machine, Any], None]] = {
    "MARK": _mark,
    "BINPUT": _put,
    "LONG_BINPUT": _put,
    "MEMOIZE": _put,
    "BINGET": _get,
    "LONG_BINGET": _get,
    "EMPTY_LIST": lambda machine, argument: machine.stack.append([]),
    "EMPTY_DICT": lambda machine, argument: machine.stack.append({}),
    "TUPLE": _tuple,
    "APPEND": _append,
    "APPENDS": _appends,
    "SETITEM": _set_item,
    "SETITEMS": _set_items,
    "GLOBAL": _global,
    "STACK_GLOBAL": _global,
    "REDUCE": _reduce,
    "BUILD": _build,
}
