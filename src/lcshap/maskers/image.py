"""Images: pixels, patches, superpixels or any regions. Absent ones get the mean colour, a blur, noise, or a colour."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..core.coalitions import Coalitions
from ..core.views import LARGE_IMAGE, ImageView
from ..errors import MaskerError
from .base import Blend, Choice, Masked, Masker, check_units, is_count
from .image_arrays import Channels, Reference, channels_last, make_reference, read_image_array
from .input_lists import count_axes, is_list, shape_of
from .superpixels import (
    SEGMENTS,
    ImagePartition,
    cut_by_default,
    cut_patches,
    cut_regions,
    find_superpixels,
    patch_sides,
)

log = logging.getLogger("lcshap")
_REFERENCES = ("mean", "black", "blur", "noise")


@dataclass(frozen=True, eq=False)
class Image(Masker):
    """Cut an image into pixels, patches or regions; absent units are replaced by a reference.

    Takes an array `(H, W)`, `(H, W, C)` or `(C, H, W)`, or an object that NumPy can convert to one, such as a Pillow
    image. Rows keep the shape and the dtype: a uint8 image stays uint8, and its reference is rounded.
    `lcshap.adapters.ImageModel` converts them to the size, the range and the layout of a model.

    Parameters
    ----------
    units : "pixel", or "superpixel": regions of similar colour found by SLIC, which needs ``pip install
        "lcshap[image]"``. "auto": pixels of an image of up to 75 pixels, up to 75 patches of one of up to 4,096 pixels,
        and superpixels of a larger one (patches if scikit-image is missing). So a small image takes at most about 600
        calls. The choice is recorded, and `preview` shows it.
    patch : the side of square patches, or their height and width, as units instead of pixels. If it does not divide the
        image, the last patches are smaller.
    labels : any regions instead: an integer array `(H, W)`. Pixels with equal numbers are one unit, connected or not.
        Units are in ascending order of their numbers, which need not be consecutive.
    reference : the pixels that replace absent units. "mean": the average of the image, per channel, as in the paper. A
        number, or one per channel: a colour. "black": zeros. An array of the image's shape. "blur": the image under a
        Gaussian blur with a standard deviation of a tenth of the shorter side. "noise": uniform between the lowest and
        the highest value of each channel, drawn once from `seed`, so that it is the same for all coalitions.
    channels : the position of the channels of a 3-D array: "last" or "first". With None it is found from the shape:
        exactly one of the two axes must have at most 4 entries, otherwise an error is raised. An array `(H, W)` has no
        channels in any case. "none": no image has channels, so that a 3-D array is a list of images. This is also the
        case if the reference is `(H, W)`.
    diagonal : whether units that touch at a corner are neighbours too: 8 neighbours in a grid instead of 4.
    segments : the approximate number of superpixels, 100 by default. If it is given, "auto" means superpixels for
        images of every size.
    seed : the seed of the noise; nothing else is random.

    Notes
    -----
    Choose pixels for small images if the model is fast (28×28 are 784 units), patches of 8 to 16 pixels for models that
    see patches themselves, and superpixels for photographs and for pictures of the scores. A mean colour is itself a
    signal to models that were not trained on flat areas: compare with "blur", which keeps the layout, before you trust
    a score.
    SLIC compares colours in Lab if there are three channels, which it takes for RGB.

    Examples
    --------
    >>> import lcshap as lc
    >>> masked = Image(patch=2).mask(np.array([[1.0, 1.0, 6.0], [1.0, 1.0, 2.0]]))
    >>> masked.graph, masked.graph.names
    (Graph.grid((1, 2)): 2 units, 1 edge, ('patch (0, 0)', 'patch (0, 1)'))
    >>> masked.rows(lc.Coalitions.from_sets(2, [[0], [1]])).tolist()
    [[[1.0, 1.0, 2.0], [1.0, 1.0, 2.0]], [[2.0, 2.0, 6.0], [2.0, 2.0, 2.0]]]
    """

    units: Literal["auto", "pixel", "superpixel"] = "auto"
    patch: int | tuple[int, int] | None = None
    labels: NDArray[np.integer] | None = field(default=None, repr=False)
    reference: Reference = "mean"
    channels: Channels | Literal["none"] | None = None
    diagonal: bool = False
    segments: int | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        if self.units not in ("auto", "pixel", "superpixel"):
            raise MaskerError(f'Expected "auto", "pixel" or "superpixel" as units, got {self.units!r}.')
        if self.channels not in ("last", "first", "none", None):
            raise MaskerError(f'Expected "last", "first", "none" or None as channels, got {self.channels!r}.')
        if isinstance(self.reference, str) and self.reference not in _REFERENCES:
            names = ", ".join(f'"{name}"' for name in _REFERENCES)
            raise MaskerError(f"Expected {names}, a colour or an array as reference, got {self.reference!r}.")
        if self.segments is not None and (self.patch is not None or self.labels is not None or self.units == "pixel"):
            raise MaskerError(
                f"Expected segments with superpixels, got segments={self.segments!r} together with pixels, patch or "
                "labels. Leave one of them out."
            )
        if self.patch is not None and (self.units == "superpixel" or self.labels is not None):
            raise MaskerError(
                "Expected patch, or superpixels or labels, got patch together with them. A patch divides the "
                "image into a regular grid. Leave one of them out."
            )
        if self.labels is not None and np.asarray(self.labels).dtype.kind not in "iub":
            raise MaskerError(f"Expected labels as integers, got {np.asarray(self.labels).dtype}.")
        if self.segments is not None and not is_count(self.segments):
            raise MaskerError(f"Expected segments as an integer of at least 1, got {self.segments!r}.")
        patch_sides(self.patch)

    def is_many(self, x: Any) -> bool:
        """A list is many images. So is an array with four axes, and one with three if images have no channels."""
        axes = count_axes(x)
        if axes == 3:
            grey = self.channels is None and len(shape_of(self.reference)) == 2
            return grey or self.channels == "none"
        return is_list(x) if axes is None else axes in (1, 4)

    def mask(self, x: Any) -> MaskedImage:
        """Cut an image into units."""
        image, channels = read_image_array(x, self.channels)
        reference = make_reference(self.reference, image, channels, self.seed)
        cut = self._cut(channels_last(image, channels))
        if cut.choice is not None:
            log.info(cut.choice.reason)
        return MaskedImage(cut.graph, image, reference, cut.labels, channels, cut.choice)

    def _cut(self, colours: NDArray[Any]) -> ImagePartition:
        size = colours.shape[:2]
        if self.labels is not None:
            regions = np.asarray(self.labels)
            if regions.shape != size:
                raise MaskerError(
                    f"Expected labels of shape {size}, the height and width of the image, got {regions.shape}."
                )
            return cut_regions(regions.astype(np.uint8) if regions.dtype.kind == "b" else regions, self.diagonal)
        if self.units == "superpixel":
            return cut_regions(find_superpixels(colours, self.segments or SEGMENTS), self.diagonal)
        if self.units == "auto" and self.patch is None:
            return cut_by_default(colours, self.segments, self.diagonal)
        return cut_patches(size, self.patch, self.diagonal)


@dataclass(frozen=True, eq=False)
class MaskedImage(Masked):
    """An image cut into units.

    Attributes
    ----------
    x : the image.
    reference : the pixels that replace absent units, an array like `x`.
    labels : `(H, W)`, the unit of each pixel: ``scores[masked.labels]`` is a picture of the scores.
    channels : "last", "first", or None for `(H, W)`.
    chosen : how the image was cut, if the masker chose it.
    """

    x: NDArray[Any]
    reference: NDArray[Any]
    labels: NDArray[np.intp]
    channels: Channels | None
    chosen: Choice | None = None

    @property
    def content(self) -> tuple[Any, ...]:
        """The image, its reference and its regions, without graph and names."""
        return self.x, self.reference, self.labels, self.channels

    @property
    def choice(self) -> Choice | None:
        """How the image was cut, if the masker chose it."""
        return self.chosen

    @property
    def _scale_option(self) -> list[str]:
        """The scale that makes whole numbers 0 to 1, as a keyword."""
        return [f"scale=1/{np.iinfo(self.x.dtype).max}"] if self.x.dtype.kind in "iu" else []

    @property
    def hint(self) -> str:
        """How to convert images for the model."""
        options = ['channels="first"'] * (self.channels != "first") + self._scale_option
        return (
            f"(It was given {self.x.dtype} images of shape {self.x.shape}. If it expects other images, wrap it in "
            f"lcshap.adapters.ImageModel with {', '.join([*options, 'size= or colours='])}, or give it prepare=.)"
        )

    @property
    def row_bytes(self) -> int:
        """The size of the image."""
        return self.x.nbytes

    @cached_property
    def _unit_of_number(self) -> NDArray[np.intp]:
        """The unit of each number in `x`. One gather and one choice over whole rows are the fastest for any layout."""
        pixels = self.labels[..., None] if self.channels == "last" else self.labels
        return np.ascontiguousarray(np.broadcast_to(pixels, self.x.shape))

    @cached_property
    def _units_in_order(self) -> bool:
        """Whether each number is a separate unit, in their order, as for pixels of one channel."""
        return np.array_equal(self._unit_of_number.ravel(), np.arange(self.graph.d))

    @property
    def owners(self) -> NDArray[np.intp]:
        """The unit of each number of the image."""
        return self._unit_of_number

    @property
    def view(self) -> ImageView:
        """The image and its reference, channels last, and the unit of each pixel."""
        image, reference = (
            np.ascontiguousarray(channels_last(array, self.channels)) for array in (self.x, self.reference)
        )
        return ImageView(image=image, reference=reference, labels=self.labels)

    def rows(self, coalitions: Coalitions) -> NDArray[Any]:
        """The masked images, an array `(n, *x.shape)` of the dtype of `x`."""
        return self.blend(coalitions).rows

    def blend(self, coalitions: Coalitions) -> Blend:
        """Which numbers are those of the image, and which those of the reference."""
        check_units(coalitions, self.graph)
        kept = coalitions.dense()
        kept = kept.reshape(-1, *self.x.shape) if self._units_in_order else self._expand_to_numbers(kept)
        return Blend(kept, self.x, self.reference)

    def _expand_to_numbers(self, kept: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Which numbers are kept, from the units that are kept."""
        if self.labels.size <= LARGE_IMAGE:
            return kept[:, self._unit_of_number]
        # Without the channels, which is three times as fast for photographs.
        pixels = kept.take(self.labels.ravel(), axis=1)
        if self.channels == "first":
            return pixels.reshape(-1, 1, *self.labels.shape)
        return np.repeat(pixels, self.x.size // self.labels.size, axis=1).reshape(-1, *self.x.shape)
