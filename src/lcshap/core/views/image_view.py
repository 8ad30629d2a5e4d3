"""Images."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ...errors import OptionError
from ..json_reader import JsonNode
from .base import View

LARGE_IMAGE = 4096  # pixels: a larger image is a photograph, whose units are superpixels by default


@dataclass(frozen=True, eq=False, kw_only=True)
class ImageView(View):
    """An image. Its parts are pixels, `labels` is `(height, width)`.

    Attributes
    ----------
    image, reference : `(height, width, channels)`; the reference is what stands where units are absent.
    """

    kind: ClassVar[str] = "image"

    image: NDArray[Any]
    reference: NDArray[Any]

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set_fields(image=np.asarray(self.image), reference=np.asarray(self.reference))
        if self.image.ndim != 3 or self.reference.shape != self.image.shape:
            raise OptionError(
                "Expected an image of shape (height, width, channels) and a reference of the same shape, got "
                f"{self.image.shape} and {self.reference.shape}."
            )
        self._check_labels_shape(self.image.shape[:2], "pixel")

    @property
    def photograph(self) -> bool:
        """Whether the image is so large that people look for things in it: pictures keep it visible under colours."""
        return self.labels.size > LARGE_IMAGE

    def unit_data(self, d: int) -> NDArray[Any]:
        """The image."""
        return self.image

    @classmethod
    def read_fields(cls, place: JsonNode, last: int) -> dict[str, Any]:
        """The image, its reference and the unit of each pixel."""
        image = place["image"].array(finite=True)
        if image.ndim != 3 or not image.size:
            place["image"].fail("an array of shape (height, width, channels)", str(image.shape))
        reference = place["reference"].array(finite=True)
        if reference.shape != image.shape:
            place["reference"].fail(f"an array of shape {image.shape}, that of the image", str(reference.shape))
        return {
            "image": image,
            "reference": reference,
            "labels": place["labels"].integer_array(-1, last, *image.shape[:2]),
        }
