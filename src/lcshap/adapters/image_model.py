"""Photographs for models that need them resized, scaled, standardised, or with the channels first."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from ..core.redact import describe_error
from ..errors import ModelError
from ..maskers.base import Rows, is_count
from ..maskers.image_arrays import Channels, guess_channels
from .base import Kind, Model
from .find import find_model

Floats = NDArray[np.float32]


class ImageModel(Model):
    """A model of images, and how images are prepared for it.

    Units are masked in the original photograph, such as one of uint8, which is also shown in pictures. This adapter
    then prepares each row for the model, like any photograph.

    Parameters
    ----------
    model : a model or an adapter, anything that `find_model` takes.
    kind : the kind of its outputs, see `Model`.
    size : the height and the width that it takes; one number for a square. Images are resized as by Pillow's bilinear
        filter, without cropping: crop them before if the model expects that.
    channels : the position of the channels for the model, "first" (PyTorch) or "last" (Keras). By default it does not
        change.
    colours : the number of channels that it takes, 1 or 3. By default that of `mean` or `std`, or otherwise that of the
        image without its transparency. Grey images are repeated for 3; transparency is removed as by Pillow's
        ``convert("RGB")``.
    scale : the factor of the numbers of an image: 1 / 255 scales uint8 to the range from 0 to 1. Images of truth values
        are 0 and 1 and are not scaled.
    mean, std : the mean is then subtracted, and the result divided by std: a number, or one for each channel.

    Examples
    --------
    >>> import lcshap as lc
    >>> brightness = lambda x: x.mean(axis=(1, 2, 3))  # a model of images (3, 2, 2) between -1 and 1
    >>> model = lc.adapters.ImageModel(brightness, "output", size=2, channels="first", scale=1 / 255, mean=0.5, std=0.5)
    >>> photo = np.full((40, 60, 3), 255, np.uint8)
    >>> model.prepare([photo]).shape, model.predict([photo]).tolist()
    ((1, 3, 2, 2), [[1.0]])
    """

    __stored_name__ = "lcshap.adapters.image.ImageModel"

    fingerprint_attributes = ("model", "size", "channels", "colours", "scale", "mean", "std")

    def __init__(
        self,
        model: Any,
        kind: Kind | None = None,
        *,
        size: int | tuple[int, int] | None = None,
        channels: Channels | None = None,
        colours: int | None = None,
        scale: float | None = None,
        mean: ArrayLike | None = None,
        std: ArrayLike | None = None,
    ) -> None:
        self.model = find_model(model, kind)
        self.kind, self.classes, self.batch_size = self.model.kind, self.model.classes, self.model.batch_size
        self.size, self.scale = _check_size(size), _check_scale(scale)
        self.mean, self.std = _check_colour("mean", mean), _check_colour("std", std)
        if channels not in ("first", "last", None):
            raise ModelError(f'Expected channels="first", "last" or None, got {channels!r}.')
        if self.std is not None and (self.std <= 0).any():
            raise ModelError(f"Expected std above 0, got {std!r}.")
        self.channels = channels
        self.colours = self._count_colours(colours)

    def _count_colours(self, colours: int | None) -> int | None:
        lengths = {len(numbers) for numbers in (self.mean, self.std) if numbers is not None and numbers.ndim}
        lengths |= set() if colours is None else {colours}
        if len(lengths) > 1 or (colours is not None and colours not in (1, 3)):
            raise ModelError(
                f"Expected mean and std with a number for each of 1 or 3 colours, got mean="
                f"{_format_colour(self.mean)}, std={_format_colour(self.std)} and colours={colours!r}."
            )
        return lengths.pop() if lengths else None

    def predict(self, rows: Rows) -> NDArray[Any]:
        """The outputs of the model for the prepared rows."""
        prepared = self.prepare(rows)
        try:
            return self.model.predict(prepared)
        except (ModelError, MemoryError):
            raise
        except Exception as error:
            description = f"{prepared.dtype} images of shape {prepared.shape[1:]}"
            raise ModelError(
                f"Expected a model that accepts {description}, got an error from it: {describe_error(error)}. Describe "
                "its input with size=, channels=, colours=, scale=, mean= and std= of ImageModel."
            ) from error

    def cost(self, calls: int) -> str | None:
        """The cost of the answers, as declared by the model."""
        return self.model.cost(calls)

    def gradient(self, rows: Rows, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """The gradient with respect to the rows before they were prepared. Rounding is ignored."""
        rows = np.asarray(rows)
        gradients = self.model.gradient(self.prepare(rows), weights)
        colours, layout = self._move_channels_last(rows)
        gradients = np.moveaxis(gradients, 1, -1) if self._has_channels_first(layout) else gradients
        gradients = gradients[..., None] if gradients.ndim == 3 else gradients
        factor = (1.0 if self.scale is None else self.scale) / (1.0 if self.std is None else self.std)
        row_gradients = np.zeros(colours.shape)
        for row, gradient in zip(row_gradients, gradients * factor, strict=True):
            resized = _resize(gradient, colours.shape[1:3], adjoint=True)
            if resized.shape[2] > row.shape[2]:  # the grey channel was repeated
                resized = resized.sum(axis=2, keepdims=True)
            row[..., : resized.shape[2]] = resized
        return np.ascontiguousarray(_restore_layout(row_gradients, layout).reshape(rows.shape))

    # -- preparing ------------------------------------------------------------------------------------------------

    def prepare(self, rows: Rows) -> NDArray[Any]:
        """The `rows`, images `(n, H, W)`, `(n, H, W, C)` or `(n, C, H, W)`, prepared for the model."""
        rows = np.asarray(rows)
        colours, layout = self._move_channels_last(rows)
        self._check_range(rows)
        images = np.stack([self._prepare_image(row) for row in colours]) if len(colours) else colours
        grey = layout is None and self.channels is None and images.shape[-1] == 1
        return (
            images[..., 0]
            if grey
            else np.ascontiguousarray(np.moveaxis(images, -1, 1) if self._has_channels_first(layout) else images)
        )

    def _prepare_image(self, image: NDArray[Any]) -> NDArray[Any]:
        """One image, channels last."""
        image = self._convert_channels(image)
        scale = 1.0 if self.scale is None or image.dtype.kind == "b" else self.scale  # truth values are 0 and 1
        if self.size is not None and image.shape[:2] != self.size:
            image = _round_like(_resize(image, self.size), image.dtype)
        if self.scale is None and self.mean is None and self.std is None:
            return image
        numbers = np.multiply(image, scale, dtype=np.float32)
        numbers -= 0.0 if self.mean is None else self.mean.astype(np.float32)
        numbers /= 1.0 if self.std is None else self.std.astype(np.float32)
        return np.asarray(numbers)

    def _convert_channels(self, image: NDArray[Any]) -> NDArray[Any]:
        """The image with as many channels as the model takes."""
        count = image.shape[2]
        opaque = {2: 1, 4: 3}.get(count, count)  # without transparency
        channels = self.colours or opaque
        if count != channels:
            image = image[..., :opaque]
        if opaque == 1 and channels == 3:
            return np.repeat(image, 3, axis=2)
        if opaque != channels:
            raise ModelError(
                f"Expected images with {channels} channels, got {count}. Convert them, or set colours=, and "
                "mean= and std= with that many numbers."
            )
        return image

    def _move_channels_last(self, rows: NDArray[Any]) -> tuple[NDArray[Any], Channels | None]:
        """The rows as `(n, H, W, C)`, and the position of their channels."""
        if rows.ndim == 3:
            return rows[..., None], None
        if rows.ndim != 4 or rows.dtype.kind not in "biuf":
            raise ModelError(f"Expected images (n, H, W), (n, H, W, C) or (n, C, H, W), got {rows.dtype} {rows.shape}.")
        layout = guess_channels(rows.shape[1:])
        if layout is None:
            raise ModelError(
                f"Expected images with 1 to 4 channels, got shape {rows.shape[1:]}. Give them as (H, W, 3)."
            )
        return rows if layout == "last" else np.moveaxis(rows, 1, -1), layout

    def _has_channels_first(self, layout: Channels | None) -> bool:
        """Whether prepared images have their channels first."""
        return self.channels == "first" or (self.channels is None and layout == "first")

    def _check_range(self, rows: NDArray[Any]) -> None:
        """Raise `ModelError` if images seem to be scaled twice, or not at all."""
        is_integer = rows.dtype.kind in "iu"
        if self.scale is None:
            if is_integer and self.mean is not None and self.mean.any() and np.abs(self.mean).max() <= 1:
                raise ModelError(
                    f"Expected images from 0 to 1 for mean={self.mean.tolist()}, got {rows.dtype}. Set scale=1/255."
                )
            return
        if not rows.size or rows.dtype.kind == "b":
            return
        low, high = float(rows.min()), float(rows.max())
        if low * self.scale < -1e-6 or high * self.scale > 1 + 1e-6:
            usual = f"set scale=1/{np.iinfo(rows.dtype).max}" if rows.dtype.kind == "u" else "set another scale"
            raise ModelError(
                f"Expected images that scale={self.scale:.4g} brings between 0 and 1, got {rows.dtype} from {low:g} to "
                f"{high:g}. Give the photograph as it was before it was prepared, or {usual}."
            )
        if not is_integer and self.scale < 0.1 and 0 < high <= 1 and (rows != np.rint(rows)).any():
            raise ModelError(
                f"Expected images from 0 to {1 / self.scale:g} for scale={self.scale:.4g}, got {rows.dtype} "
                f"from {low:g} to {high:g}, which look scaled already. Leave scale out, or give the image as "
                "uint8."
            )


def _restore_layout(images: NDArray[Any], layout: Channels | None) -> NDArray[Any]:
    return images if layout != "first" else np.moveaxis(images, -1, 1)


def _resize(image: NDArray[Any], size: tuple[int, int], adjoint: bool = False) -> NDArray[Any]:
    """An image `(H, W, C)` in another size; the adjoint computes the gradient with respect to the original size."""
    for axis in (0, 1):
        old, new = image.shape[axis], size[axis]
        if old == new:
            continue
        weights = _resize_weights(new, old).T if adjoint else _resize_weights(old, new)
        moved = np.moveaxis(image, axis, 0)
        resized = weights @ moved.reshape(old, -1)
        image = np.moveaxis(resized.reshape(new, *moved.shape[1:]), 0, axis)
    return image


@lru_cache(maxsize=64)
def _resize_weights(old: int, new: int) -> sparse.csr_array:
    """Return the weights of the old pixels in each new one along an axis: the triangle filter of Pillow.

    >>> _resize_weights(4, 2).toarray().round(3)
    array([[0.429, 0.429, 0.143, 0.   ],
           [0.   , 0.143, 0.429, 0.429]], dtype=float32)
    """
    step = old / new
    reach = max(step, 1.0)  # each pixel of a smaller image is an average, so that no pixel is skipped
    centre = (np.arange(new) + 0.5) * step
    first = np.maximum(np.floor(centre - reach + 0.5).astype(int), 0)
    taps = first[:, None] + np.arange(int(np.ceil(2 * reach)) + 2)
    share = np.maximum(1 - np.abs(taps + 0.5 - centre[:, None]) / reach, 0.0) * (taps < old)
    share /= share.sum(axis=1, keepdims=True)
    places = np.repeat(np.arange(new), taps.shape[1])
    kept = share.ravel() > 0
    entries = share.ravel()[kept].astype(np.float32), (places[kept], taps.ravel()[kept])
    return sparse.csr_array(entries, shape=(new, old))


def _round_like(image: NDArray[Any], dtype: np.dtype[Any]) -> NDArray[Any]:
    """Round the pixels of integer images, as Pillow does."""
    if dtype.kind == "b":
        return np.asarray(image, np.float32)
    return np.rint(image).astype(dtype) if dtype.kind in "iu" else image.astype(dtype, copy=False)


def _format_colour(colour: NDArray[np.float64] | None) -> str:
    return "None" if colour is None else str(colour.tolist())


def _check_size(size: Any) -> tuple[int, int] | None:
    if size is None:
        return None
    pair = tuple(size) if isinstance(size, Sequence) else (size, size)
    if len(pair) != 2 or not all(map(is_count, pair)):
        raise ModelError(f"Expected size as a number of pixels, or a height and a width, got {size!r}.")
    return int(pair[0]), int(pair[1])


def _check_scale(scale: Any) -> float | None:
    if scale is None:
        return None
    if isinstance(scale, bool) or not isinstance(scale, int | float | np.number) or not 0 < scale < np.inf:
        raise ModelError(f"Expected scale as a number above 0, such as 1/255, got {scale!r}.")
    return float(scale)


def _check_colour(name: str, numbers: Any) -> NDArray[np.float64] | None:
    if numbers is None:
        return None
    try:
        colour = np.asarray(numbers, np.float64)
    except (TypeError, ValueError):
        colour = np.empty((0, 0))
    if colour.ndim > 1 or not colour.size or not np.isfinite(colour).all():
        raise ModelError(f"Expected {name} as a number or one for each channel, got {numbers!r}.")
    return colour
