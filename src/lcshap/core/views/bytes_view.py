"""Files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ..json_reader import JsonNode
from .base import View
from .spans import as_spans, owners_of, read_spans


@dataclass(frozen=True, eq=False, kw_only=True)
class BytesView(View):
    """The bytes of a file. Its parts are `spans`.

    Attributes
    ----------
    bytes : all of them.
    spans : `(n, 2)`, where each part starts and ends.
    """

    kind: ClassVar[str] = "bytes"

    bytes: NDArray[np.uint8]
    spans: NDArray[np.int64]

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set_fields(bytes=np.asarray(self.bytes, np.uint8), spans=as_spans(self.spans))
        self._check_labels_shape((len(self.spans),), "span")

    @property
    def owners(self) -> NDArray[np.intp]:
        """The unit of each byte, -1 for none."""
        return owners_of(self.spans, self.labels, len(self.bytes))

    def unit_data(self, d: int) -> NDArray[np.uint8]:
        """The bytes of the file."""
        return self.bytes

    @classmethod
    def read_fields(cls, place: JsonNode, last: int) -> dict[str, Any]:
        """The bytes and their parts."""
        byte_values = place["bytes"].array("u")
        if byte_values.dtype != np.uint8 or byte_values.ndim != 1 or not byte_values.size:
            place["bytes"].fail("an array of shape (n,) and type uint8", f"{byte_values.shape} and {byte_values.dtype}")
        spans = read_spans(place["spans"], len(byte_values))
        return {"bytes": byte_values, "spans": spans, "labels": place["labels"].integer_array(-1, last, len(spans))}
