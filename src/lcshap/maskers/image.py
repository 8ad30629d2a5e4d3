"""Images: pixels, patches, superpixels or any regions; absent ones take the mean colour, a blur, noise, or a colour."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter

from ..core.coalitions import Coalitions
from ..core.graphs import Graph
from ..core.graphs.build import check_size, grid_edges
from ..core.views import ImageView
from ..errors import MaskerError
from ..extras import need
from .base import Blend, Masked, Masker, check_units, is_count
from .many import count_axes, is_list, shape_of

_CHANNELS = 4  # an axis of more entries than RGBA has is not taken for the channels unless the user says so
_BLUR = 0.1  # the standard deviation of "blur", as a share of the shorter side

Channels = Literal["last", "first"]


@dataclass(frozen=True, eq=False)
class Image(Masker):
    """Cut an image into pixels, patches or regions; units that are absent show a reference instead.

    Takes an array `(H, W)`, `(H, W, C)` or `(C, H, W)`, or what NumPy can turn into one, such as a Pillow image. Rows
    keep the shape and the dtype: a uint8 image stays uint8, its reference rounded.

    Parameters
    ----------
    units : "pixel", or "superpixel": regions of like colour found by SLIC, which needs ``pip install "lcshap[image]"``.
    patch : with "pixel", the side of square patches, or their height and width, as units instead of pixels. Where it
        does not divide the image, the last patches are smaller.
    labels : any regions instead: an integer array `(H, W)`, equal numbers forming a unit (in one piece or not). Units
        are in ascending order of their numbers, which need not be consecutive.
    reference : what absent units show. "mean": the average of the image, per channel, as in the paper. A number, or one
        per channel. An array of the image's shape. "blur": the image under a Gaussian blur with a standard deviation of
        a tenth of the shorter side. "noise": uniform between the lowest and the highest value of each channel, drawn
        once from `seed`, so the same for all coalitions.
    channels : where the channels of a 3-D array are: "last" or "first". None tells by the shape: exactly one of the two
        axes must have at most 4 entries, anything else is refused. An array `(H, W)` has none, whatever is said here.
        "none": no image has channels, so that a 3-D array is a list of images; so it is if the reference is `(H, W)`.
    diagonal : units that touch at a corner are neighbours too: 8 neighbours in a grid instead of 4.
    segments : about how many superpixels.
    seed : of the noise; nothing else is random.

    Notes
    -----
    Choose pixels for small images (28×28 are 784 units), patches of 8 to 16 pixels for photographs and for models that
    see patches themselves, superpixels where the scores are for human eyes. A mean colour is itself a signal to models
    that never saw flat areas: compare with "blur", which keeps the layout, before trusting a score. SLIC compares
    colours in Lab if there are three channels, which it takes for RGB.

    Examples
    --------
    >>> import lcshap as lc
    >>> masked = Image(patch=2).mask(np.array([[1.0, 1.0, 6.0], [1.0, 1.0, 2.0]]))
    >>> masked.graph, masked.graph.names
    (Graph.grid((1, 2)): 2 units, 1 edges, ('patch (0, 0)', 'patch (0, 1)'))
    >>> masked.rows(lc.Coalitions.from_sets(2, [[0], [1]])).tolist()
    [[[1.0, 1.0, 2.0], [1.0, 1.0, 2.0]], [[2.0, 2.0, 6.0], [2.0, 2.0, 2.0]]]
    """

    units: Literal["pixel", "superpixel"] = "pixel"
    patch: int | tuple[int, int] | None = None
    labels: NDArray[np.integer] | None = field(default=None, repr=False)
    reference: str | float | Sequence[float] | NDArray[Any] = "mean"
    channels: Channels | Literal["none"] | None = None
    diagonal: bool = False
    segments: int = 50
    seed: int = 0

    def __post_init__(self) -> None:
        if self.units not in ("pixel", "superpixel"):
            raise MaskerError(f'units must be "pixel" or "superpixel", not {self.units!r}')
        if self.channels not in ("last", "first", "none", None):
            raise MaskerError(f'channels must be "last", "first", "none" or None, not {self.channels!r}')
        if isinstance(self.reference, str) and self.reference not in ("mean", "blur", "noise"):
            raise MaskerError(
                f'reference must be "mean", "blur", "noise", a colour or an array, not {self.reference!r}'
            )
        if self.patch is not None and (self.units == "superpixel" or self.labels is not None):
            raise MaskerError("patch cuts a grid of pixels: leave it out with superpixels or labels")
        if self.labels is not None and np.asarray(self.labels).dtype.kind not in "iub":
            raise MaskerError(f"labels must be integers, not {np.asarray(self.labels).dtype}")
        if not is_count(self.segments):
            raise MaskerError(f"segments must be an integer of at least 1, not {self.segments!r}")
        _sides(self.patch)

    def is_many(self, x: Any) -> bool:
        """A list is many images, an array with four axes too; one with three where images are known to be grey."""
        axes = count_axes(x)
        if axes == 3:
            grey = self.channels is None and len(shape_of(self.reference)) == 2
            return grey or self.channels == "none"
        return is_list(x) if axes is None else axes in (1, 4)

    def mask(self, x: Any) -> MaskedImage:
        """Cut an image into units."""
        image = np.array(np.asarray(x), order="C")  # a copy: later changes to the user's array are none of ours
        channels = _check(image, self.channels)
        colours = _channels_last(image, channels)
        labels, graph = self._cut(colours)
        reference = np.broadcast_to(self._reference(image, colours, channels), colours.shape)
        reference = _cast(_channels_back(reference, channels), image.dtype)
        return MaskedImage(graph, image, reference, labels, channels)

    def _cut(self, colours: NDArray[Any]) -> tuple[NDArray[np.intp], Graph]:
        """The unit of each pixel, and the graph."""
        size = colours.shape[:2]
        if self.labels is not None:
            regions = np.asarray(self.labels)
            regions = regions.astype(np.uint8) if regions.dtype.kind == "b" else regions
            if regions.shape != size:
                raise MaskerError(f"labels of shape {regions.shape} for an image of height and width {size}")
        elif self.units == "superpixel":
            regions = _slic(colours, self.segments)
        else:
            rows, columns = (np.arange(n) // side for n, side in zip(size, _sides(self.patch), strict=True))
            grid = int(rows[-1]) + 1, int(columns[-1]) + 1
            word = "" if self.patch is None else "patch "
            check_size(grid[0] * grid[1])
            names = [f"{word}({r}, {c})" for r in range(grid[0]) for c in range(grid[1])]
            return rows[:, None] * grid[1] + columns, Graph.grid(grid, self.diagonal, names)
        numbers, labels = np.unique(regions, return_inverse=True)
        labels = labels.reshape(size)
        touching = labels.ravel()[grid_edges(size, self.diagonal)]
        touching = touching[touching[:, 0] != touching[:, 1]]
        return labels, Graph.from_edges(len(numbers), touching, [f"region {n}" for n in numbers])

    def _reference(self, image: NDArray[Any], colours: NDArray[Any], channels: Channels | None) -> NDArray[Any]:
        """What absent units show, channels last; a single colour stays one."""
        if not isinstance(self.reference, str):
            given = np.asarray(self.reference)
            if given.dtype.kind not in "biuf":
                raise MaskerError(f"the reference must be numbers, not {given.dtype}")
            if given.ndim == 1 and len(given) != colours.shape[2]:
                raise MaskerError(f"a colour of {len(given)} numbers for an image with {colours.shape[2]} channels")
            if given.ndim > 1 and given.shape != image.shape:
                raise MaskerError(f"a reference of shape {given.shape} for an image of shape {image.shape}")
            _check_range(given, image.dtype)
            return _channels_last(given, channels) if given.ndim > 1 else given
        if self.reference == "mean":
            return np.asarray(colours.mean(axis=(0, 1), dtype=np.float64))
        if self.reference == "blur":
            sigma = _BLUR * min(colours.shape[:2])
            return np.asarray(gaussian_filter(colours.astype(np.float64), sigma=(sigma, sigma, 0)))
        low, high = colours.min(axis=(0, 1)).astype(np.float64), colours.max(axis=(0, 1)).astype(np.float64)
        return np.random.default_rng(self.seed).uniform(low, high, size=colours.shape)


@dataclass(frozen=True, eq=False)
class MaskedImage(Masked):
    """An image cut into units.

    Attributes
    ----------
    x : the image.
    reference : what absent units show, an array like `x`.
    labels : `(H, W)`, the unit of each pixel: ``scores[masked.labels]`` is a picture of the scores.
    channels : "last", "first", or None for `(H, W)`.
    """

    x: NDArray[Any]
    reference: NDArray[Any]
    labels: NDArray[np.intp]
    channels: Channels | None

    @property
    def content(self) -> tuple[Any, ...]:
        """The image, its reference and its regions; graph and names play no part."""
        return self.x, self.reference, self.labels, self.channels

    @cached_property
    def _units(self) -> NDArray[np.intp]:
        """The unit of each number in `x`. One gather and one choice over whole rows are the fastest for any layout."""
        pixels = self.labels[..., None] if self.channels == "last" else self.labels
        return np.ascontiguousarray(np.broadcast_to(pixels, self.x.shape))

    @cached_property
    def _in_order(self) -> bool:
        """Whether each number is a unit of its own, in their order: pixels of one channel."""
        return np.array_equal(self._units.ravel(), np.arange(self.graph.d))

    @property
    def owners(self) -> NDArray[np.intp]:
        """The unit of each number of the image."""
        return self._units

    @property
    def view(self) -> ImageView:
        """The image and its reference, channels last, and the unit of each pixel."""
        both = (np.ascontiguousarray(_channels_last(a, self.channels)) for a in (self.x, self.reference))
        image, reference = both
        return ImageView(image=image, reference=reference, labels=self.labels)

    def rows(self, coalitions: Coalitions) -> NDArray[Any]:
        """The masked images, an array `(n, *x.shape)` of the dtype of `x`."""
        return self.blend(coalitions).rows

    def blend(self, coalitions: Coalitions) -> Blend:
        """Which numbers are those of the image, and which those of the reference."""
        check_units(coalitions, self.graph)
        kept = coalitions.dense()
        kept = kept.reshape(-1, *self.x.shape) if self._in_order else kept[:, self._units]
        return Blend(kept, self.x, self.reference)


def _sides(patch: int | tuple[int, int] | None) -> tuple[int, int]:
    """Height and width of a patch."""
    pair = (1, 1) if patch is None else tuple(patch) if isinstance(patch, Sequence) else (patch, patch)
    if len(pair) != 2 or not all(map(is_count, pair)):
        raise MaskerError(f"patch must be a number of pixels, or a height and a width, not {patch!r}")
    return operator.index(pair[0]), operator.index(pair[1])


def _check(image: NDArray[Any], channels: Channels | Literal["none"] | None) -> Channels | None:
    """Refuse what is no image; say where the channels are."""
    if image.dtype.kind not in "biuf":
        raise MaskerError(f"an image is an array of real numbers, not of {image.dtype}")
    if image.ndim not in (2, 3):
        raise MaskerError(f"one image has shape (H, W), (H, W, C) or (C, H, W), not {image.shape}")
    if not image.size:
        raise MaskerError(f"an image of shape {image.shape} has no pixels")
    if not np.isfinite(image).all():
        where = tuple(np.argwhere(~np.isfinite(image))[0].tolist())
        raise MaskerError(f"the image has {image[where]} at {where}: only finite numbers can be masked")
    if image.ndim == 2:
        return None
    if channels == "none":
        raise MaskerError(f'Expected an image of shape (H, W) for channels="none", got {image.shape}.')
    if channels is not None:
        return channels
    first, last = image.shape[0] <= _CHANNELS, image.shape[2] <= _CHANNELS
    if first == last:
        raise MaskerError(
            f'where are the channels of shape {image.shape}? Give channels="last" or channels="first", '
            'or channels="none" if these are several grey images'
        )
    return "last" if last else "first"


def _channels_last(image: NDArray[Any], channels: Channels | None) -> NDArray[Any]:
    """A view `(H, W, C)`."""
    return image[..., None] if channels is None else image if channels == "last" else np.moveaxis(image, 0, 2)


def _channels_back(colours: NDArray[Any], channels: Channels | None) -> NDArray[Any]:
    """The view that `_channels_last` came from."""
    return colours[..., 0] if channels is None else colours if channels == "last" else np.moveaxis(colours, 2, 0)


def _check_range(reference: NDArray[Any], dtype: np.dtype[Any]) -> None:
    """Refuse a given reference that an image of this dtype cannot show."""
    if not np.isfinite(reference).all():
        raise MaskerError("the reference has NaN or infinite values")
    if dtype.kind not in "iu":
        return
    low, high = reference.min(), reference.max()
    least, most = np.iinfo(dtype).min, np.iinfo(dtype).max
    if low < least or high > most:
        raise MaskerError(
            f"a reference from {low} to {high} for an image of {dtype}, which goes from {least} to {most}"
        )
    if np.abs(reference).max() <= 1 and (reference != np.rint(reference)).any():  # would round to black
        raise MaskerError(f"a reference from {low} to {high} looks scaled to 0..1, but the image is {dtype}: scale it")


def _cast(reference: NDArray[Any], dtype: np.dtype[Any]) -> NDArray[Any]:
    """To the dtype of the image, rounded where that has no fractions."""
    whole = dtype.kind in "biu" and reference.dtype.kind == "f"
    return np.ascontiguousarray(np.rint(reference) if whole else reference, dtype)


def _slic(colours: NDArray[Any], segments: int) -> NDArray[np.integer]:
    """Superpixels, numbered from 0."""
    segmentation = need("skimage.segmentation", "image")
    count = colours.shape[2]
    # What distance weighs against colour: Lab, which three channels are turned into, goes to 100, others to 1, and
    # squares add up over channels. With these numbers and a light smoothing photographs get about `segments` regions.
    compactness = 10.0 if count == 3 else 0.1 * count**0.5
    regions = segmentation.slic(
        np.asarray(colours[..., 0] if count == 1 else colours, np.float64),
        n_segments=segments,
        compactness=compactness,
        sigma=1.0,
        channel_axis=None if count == 1 else -1,
        start_label=0,
    )
    if segments > 1 and regions.max() == 0:  # as in noise, where no neighbours are alike
        raise MaskerError(f"SLIC found a single region where {segments} were asked for: give patch or labels instead")
    return np.asarray(regions)
