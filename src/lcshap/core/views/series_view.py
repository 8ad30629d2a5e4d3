"""Time series."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ...errors import OptionError
from ..json_reader import JsonNode
from .base import View


@dataclass(frozen=True, eq=False, kw_only=True)
class SeriesView(View):
    """A time series. Its parts are numbers, `labels` is `(steps, channels)`.

    Attributes
    ----------
    series : `(steps, channels)`.
    channels : their names.
    """

    kind: ClassVar[str] = "series"

    series: NDArray[Any]
    channels: tuple[str, ...]

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set_fields(series=np.asarray(self.series), channels=tuple(map(str, self.channels)))
        if self.series.ndim != 2 or self.series.shape[1] != len(self.channels):
            raise OptionError(
                f"Expected a series of shape (steps, channels) and {len(self.channels)} channels, got "
                f"{self.series.shape}."
            )
        self._check_labels_shape(self.series.shape, "number")

    def unit_data(self, d: int) -> NDArray[Any]:
        """The series."""
        return self.series

    @classmethod
    def read_fields(cls, place: JsonNode, last: int) -> dict[str, Any]:
        """The numbers, the names of the channels and the unit of each number."""
        series = place["series"].array(finite=True)
        if series.ndim != 2 or not series.size:
            place["series"].fail("an array of shape (steps, channels)", str(series.shape))
        channels = place["channels"].strings(series.shape[1])
        return {
            "series": series,
            "channels": channels,
            "labels": place["labels"].integer_array(-1, last, *series.shape),
        }
