"""The external files that an ONNX file refers to. A file from an untrusted source may name any file of the machine,
such as ``../../../etc/passwd``, and not every version of onnxruntime refuses to read it.

The format is parsed without the `onnx` package: only the messages that may contain a tensor, and of tensors only where
their data are stored.
"""

from __future__ import annotations

import mmap
import os
from collections.abc import Iterator
from pathlib import Path, PurePosixPath, PureWindowsPath

from ..errors import ModelError

_MAX_DEPTH = 100  # the largest depth of nested messages, as in protobuf
_MAX_FIELDS = 50_000_000  # the largest number of fields that are read; large models have a million
_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
_MEMORY_ADDRESS = "_ORT_MEM_ADDR_"  # onnxruntime writes this instead of a file name for data in its own memory

# This maps messages of onnx.proto3 to the fields that are messages again. Other fields contain no tensors.
_MESSAGE_FIELDS: dict[str, dict[int, str]] = {
    "Model": {7: "Graph", 20: "Training", 25: "Function"},
    "Graph": {1: "Node", 5: "Tensor", 15: "Sparse"},
    "Training": {1: "Graph", 2: "Graph"},
    "Function": {7: "Node", 11: "Attribute"},
    "Node": {5: "Attribute"},
    "Attribute": {5: "Tensor", 6: "Graph", 10: "Tensor", 11: "Graph", 22: "Sparse", 23: "Sparse"},
    "Sparse": {1: "Tensor", 2: "Tensor"},
    "Tensor": {13: "Entry"},
    "Entry": {},
}
_Buffer = bytes | mmap.mmap


def check_external_data(graph: str | bytes) -> None:
    """Raise `ModelError` if a graph, given by its path or as bytes, refers to files outside of its folder."""
    if isinstance(graph, bytes):
        for location in _external_locations(graph):
            raise ModelError(
                f"Expected bytes that hold all of the graph, got a graph with data in the file {location!r}. Give the "
                f"path of the .onnx file."
            )
        return
    with open(graph, "rb") as file:
        if not os.fstat(file.fileno()).st_size:
            raise _format_error("it is empty")
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as buffer:
            for location in _external_locations(buffer):
                _check_inside(graph, location)


def data_files(path: str) -> list[str]:
    """Return the files beside a graph that contain a part of its data."""
    with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as buffer:
        names = sorted(set(_external_locations(buffer)))
    return [os.path.join(os.path.dirname(path), name) for name in names]


def _check_inside(path: str, location: str) -> None:
    """Raise `ModelError` unless the file is in the folder of the model, also after links are followed."""
    folders = (os.path.realpath(os.path.dirname(path)), os.path.dirname(os.path.realpath(path)))
    forms = (PurePosixPath(location), PureWindowsPath(location))
    is_relative = not any(form.is_absolute() or form.anchor or ".." in form.parts for form in forms)
    if is_relative and location.isprintable() and _MEMORY_ADDRESS not in location:
        target = Path(os.path.realpath(os.path.join(os.path.dirname(path), location)))
        if target.is_file() and any(target.is_relative_to(folder) for folder in folders):
            return
    raise ModelError(
        f"Expected an ONNX file whose data are in files beside it, got one with data in {location!r}, which "
        "is elsewhere or missing. Put that file beside it. If you do not trust the origin of the model, do "
        "not use it: it could read any file."
    )


def _external_locations(buffer: _Buffer) -> Iterator[str]:
    """Yield the names of all external files of a graph."""
    stack = [("Model", 0, len(buffer), 0)]
    count = 0
    while stack:
        kind, start, end, depth = stack.pop()
        if depth > _MAX_DEPTH:
            raise _format_error(f"more than {_MAX_DEPTH} levels")
        texts: dict[int, list[bytes]] = {1: [], 2: []}
        for number, begin, stop in _read_fields(buffer, start, end):
            count += 1
            if count > _MAX_FIELDS:
                raise _format_error(f"more than {_MAX_FIELDS:,} fields")
            if kind == "Entry" and number in texts:
                texts[number].append(buffer[begin:stop])
            elif number in _MESSAGE_FIELDS[kind]:
                stack.append((_MESSAGE_FIELDS[kind][number], begin, stop, depth + 1))
        if kind == "Entry" and texts[1] not in ([b"offset"], [b"length"], [b"checksum"]):
            for name in texts[2]:
                yield name.decode("utf-8", "backslashreplace")


def _read_fields(buffer: _Buffer, place: int, end: int) -> Iterator[tuple[int, int, int]]:
    """The fields of a message that have a length: their numbers, and the start and end of their content."""
    while place < end:
        tag, place = _read_varint(buffer, place, end, 5)
        number, wire = tag >> 3, tag & 7
        begin = place
        if wire == _VARINT:
            _, place = _read_varint(buffer, place, end, 10)
        elif wire == _BYTES:
            size, begin = _read_varint(buffer, place, end, 10)
            place = begin + size
        elif wire in (_FIXED32, _FIXED64):
            place += 4 if wire == _FIXED32 else 8
        else:
            raise _format_error(f"a field of type {wire}")
        if place > end or not 0 < number < 1 << 29:
            raise _format_error("a field that does not fit")
        if wire == _BYTES:
            yield number, begin, place


def _read_varint(buffer: _Buffer, place: int, end: int, longest: int) -> tuple[int, int]:
    """Read a number with seven bits per byte, the lowest first. Return it and the position of its end."""
    value = 0
    for shift in range(longest):
        if place + shift >= end:
            break
        byte = buffer[place + shift]
        value |= (byte & 0x7F) << 7 * shift
        if byte < 0x80:
            return value, place + shift + 1
    raise _format_error("a number without an end")


def _format_error(reason: str) -> ModelError:
    return ModelError(
        f"Expected a graph in the ONNX format, got something else: {reason}. Check where the file is from."
    )
