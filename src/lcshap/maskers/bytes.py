"""Files: windows of bytes, with a padding value instead of absent bytes."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from ..core.coalitions import Coalitions
from ..core.views import BytesView
from ..errors import MaskerError
from .base import Masked, Masker, blend, check_units, is_count
from .cutting import Span
from .input_lists import count_axes, is_list
from .text import GraphLayout, check_layout, make_graph
from .text_keys import find_idle


@dataclass(frozen=True)
class Bytes(Masker):
    r"""The bytes of a file, in windows; absent bytes are replaced by padding.

    Takes `bytes`, a `bytearray`, an array of uint8, or a `pathlib.Path` whose file is read.

    Parameters
    ----------
    window : the number of bytes of a unit. Windows start at multiples of this in the file; the last one may be shorter.
    padding : the number that replaces an absent byte. It may lie outside 0..255.
    length : the length of all rows. Shorter files are filled with padding on the right, and longer ones raise an error.
        None for the length of the file.
    layout : instead of `length`, for models that read a part of a file, or read it in another order. It is a function
        from the bytes to integers, one for each number of a row: the index of the byte there, or -1 for padding.
    dtype : the integer type of the rows.
    graph : "chain", "ring" or "complete" over the units in their order, or a function from their number to a `Graph`.

    Notes
    -----
    With a layout, bytes that it omits belong to no unit, windows with such bytes only are not units, and the graph
    joins the units around them. A byte that occurs twice in a row is absent in both places at once.

    A unit is named by the address of its first byte. Choose the window by the budget: 4 model rows per unit are few.

    Examples
    --------
    >>> from lcshap import Coalitions
    >>> from lcshap.maskers.bytes import Bytes
    >>> masked = Bytes(window=2, padding=256, length=6).mask(b"\x7fELF\x02")
    >>> masked.graph.names, masked.spans
    (('0x0000', '0x0002', '0x0004'), ((0, 2), (2, 4), (4, 5)))
    >>> masked.rows(Coalitions.from_sets(3, [[0, 2]])).tolist()
    [[127, 69, 256, 256, 2, 256]]
    >>> ends = Bytes(window=2, layout=lambda data: [0, 1, -1, len(data) - 1]).mask(b"GIF89a...;")
    >>> ends.spans, ends.rows(Coalitions.from_sets(2, [[0], [1]])).tolist()
    (((0, 2), (9, 10)), [[71, 73, 0, 0], [0, 0, 0, 59]])
    """

    window: int = 16
    padding: int = 0
    length: int | None = None
    layout: Callable[[bytes], ArrayLike] | None = None
    dtype: DTypeLike = "int64"
    graph: GraphLayout = "chain"

    def __post_init__(self) -> None:
        if not is_count(self.window):
            raise MaskerError(f"Expected window as a number of bytes of at least 1, got {self.window!r}.")
        if self.length is not None and not is_count(self.length):
            raise MaskerError(f"Expected length as an integer of at least 1, or None, got {self.length!r}.")
        if not (self.layout is None or callable(self.layout)):
            raise MaskerError(f"Expected layout as a function from bytes to positions, got {self.layout!r}.")
        if self.layout is not None and self.length is not None:
            raise MaskerError(
                "Expected length or layout, got both. The layout determines how long rows are. Leave one of them out."
            )
        self._check_dtype()
        check_layout(self.graph)

    def is_many(self, x: Any) -> bool:
        """A list is many files; so is an array of uint8 with two axes, or one of objects, each of them bytes."""
        axes = count_axes(x)
        if axes is None:
            return is_list(x)
        dtype = getattr(x, "dtype", None)
        if getattr(dtype, "kind", None) == "S":
            raise MaskerError(f"Expected bytes, got an array of {dtype}, which loses zeros. Give a list of bytes.")
        return axes == 2 or (axes == 1 and dtype == np.dtype(object))

    def mask(self, x: Any) -> MaskedBytes:
        """Cut a file into windows."""
        file_bytes = _read_bytes(x)
        positions = self._positions(file_bytes)
        visible = np.unique(positions[positions >= 0])
        starts = np.flatnonzero(np.diff(visible // self.window, prepend=-1))
        last = np.append(starts[1:], len(visible)) - 1
        spans = tuple(zip(visible[starts].tolist(), (visible[last] + 1).tolist(), strict=True))
        full_row = file_bytes[positions].astype(self.dtype)
        full_row[positions < 0] = self.padding
        labels = np.searchsorted(visible[starts], positions, side="right") - 1
        graph = make_graph(self.graph, [f"0x{start:04x}" for start, _ in spans])
        return MaskedBytes(graph, file_bytes, full_row, labels, spans, self.padding)

    def _positions(self, file_bytes: NDArray[np.uint8]) -> NDArray[np.int64]:
        """For each number of a row, the byte that it shows, or -1."""
        if self.layout is not None:
            return _check_positions(self.layout(file_bytes.tobytes()), len(file_bytes))
        length = len(file_bytes) if self.length is None else self.length
        if len(file_bytes) > length:
            raise MaskerError(
                f"Expected a file of at most {length} bytes, got {len(file_bytes)}. Shorten the file, or choose "
                "with layout= which bytes the model sees."
            )
        return np.where(np.arange(length) < len(file_bytes), np.arange(length), -1)

    def _check_dtype(self) -> None:
        try:
            dtype = np.dtype(self.dtype)
        except TypeError as error:
            raise MaskerError(f"Expected dtype as an integer type, got {self.dtype!r}.") from error
        if dtype.kind not in "iu" or np.iinfo(dtype).max < np.iinfo(np.uint8).max:
            raise MaskerError(f"Expected dtype as an integer type that can hold every byte, got {dtype}.")
        if not isinstance(self.padding, int | np.integer) or isinstance(self.padding, bool):
            raise MaskerError(f"Expected padding as an integer, got {self.padding!r}.")
        if not np.iinfo(dtype).min <= self.padding <= np.iinfo(dtype).max:
            raise MaskerError(f"Expected a padding that {dtype} can hold, got {self.padding}. Give another dtype.")


@dataclass(frozen=True, eq=False)
class MaskedBytes(Masked):
    """A file cut into windows of bytes.

    Attributes
    ----------
    x : the bytes of the file.
    full : the row with all units.
    labels : the unit of each number of a row, -1 for padding.
    spans : the position `(start, end)` of each unit in the file.
    padding : the number that replaces absent bytes.
    """

    x: NDArray[np.uint8]
    full: NDArray[np.integer]
    labels: NDArray[np.intp]
    spans: tuple[Span, ...]
    padding: int

    @property
    def view(self) -> BytesView:
        """The file and where its units are."""
        return BytesView(bytes=self.x, spans=np.array(self.spans, np.int64), labels=np.arange(len(self.spans)))

    @property
    def content(self) -> tuple[Any, ...]:
        """The full row, its units and the padding, without graph and names."""
        return self.full, self.labels, self.padding

    @cached_property
    def _idle_units(self) -> NDArray[np.bool_]:
        """Units whose bytes are all equal to the padding."""
        return find_idle(self.full, np.full_like(self.full, self.padding), self.labels, self.graph.d)

    def rows(self, coalitions: Coalitions) -> NDArray[np.integer]:
        """One row of integers per coalition, all of one length."""
        check_units(coalitions, self.graph)
        # Label -1 is padding, which is the same whether the last unit is kept or not.
        kept = coalitions.dense()[:, self.labels]
        return blend(kept, self.full, np.array(self.padding, self.full.dtype))


def _read_bytes(x: Any) -> NDArray[np.uint8]:
    """A copy of the bytes, at least one."""
    if isinstance(x, os.PathLike):
        try:
            x = Path(x).read_bytes()
        except OSError as error:
            raise MaskerError(f"Expected a file that can be read, got {os.fspath(x)!r}: {error.strerror}.") from error
    if isinstance(x, str):
        raise MaskerError("Expected bytes or a pathlib.Path, got a str. Give pathlib.Path(...) to read a file.")
    if isinstance(x, bytes | bytearray | memoryview):
        x = np.frombuffer(x, np.uint8)
    if not isinstance(x, np.ndarray) or x.dtype != np.uint8 or x.ndim != 1:
        description = f"an array of {x.dtype} of shape {x.shape}" if isinstance(x, np.ndarray) else type(x).__name__
        raise MaskerError(f"Expected bytes, a 1-D array of uint8 or a pathlib.Path, got {description}.")
    if not len(x):
        raise MaskerError("Expected a file with at least one byte, got an empty file. There is nothing to explain.")
    return x.copy()


def _check_positions(positions: ArrayLike, size: int) -> NDArray[np.int64]:
    """The positions that a layout returned; raises if they are not positions in the file."""
    row = np.asarray(positions)
    if row.ndim != 1 or row.dtype.kind not in "iu":
        raise MaskerError(f"Expected a row of integers from the layout, got {row.dtype} of shape {row.shape}.")
    outside = row[(row < -1) | (row >= size)]
    if len(outside):
        raise MaskerError(
            f"Expected positions from 0 to {size - 1} from the layout, or -1 for padding, got {outside[0]}."
        )
    if (row == -1).all():
        raise MaskerError("Expected a layout that shows some byte of the file, got none. There is nothing to explain.")
    return row.astype(np.int64)
