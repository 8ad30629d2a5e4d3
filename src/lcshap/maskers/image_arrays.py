"""Images as arrays: reading them, the position of their channels, and the reference of absent units."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import scipy
from numpy.typing import NDArray

from ..errors import MaskerError

_MAX_CHANNELS = 4  # a longer axis is taken for the channels only if the user says so, because RGBA has four
_BLUR_SHARE = 0.1  # the standard deviation of "blur", as a share of the shorter side
# Modes of Pillow whose numbers are neither grey levels nor RGB.
_NON_RGB_MODES = ("P", "PA", "CMYK", "YCbCr", "LAB", "HSV")

Channels = Literal["last", "first"]
Reference = str | float | Sequence[float] | NDArray[Any]


def is_pillow_image(x: Any) -> bool:
    """Whether this is an image of Pillow, which is not imported for this check."""
    pillow = sys.modules.get("PIL.Image")
    return pillow is not None and isinstance(x, pillow.Image)


def read_image_array(
    x: Any, channels: Channels | Literal["none"] | None = None
) -> tuple[NDArray[Any], Channels | None]:
    """A copy of an image as an array, and the position of its channels; raises if it is not an image.

    Images of Pillow with a palette, or with other colours than RGB, become RGB (RGBA if some are transparent).

    >>> read_image_array([[1, 2], [3, 4]])[0].shape, read_image_array(np.zeros((3, 8, 9)))[1]
    ((2, 2), 'first')
    """
    try:
        if is_pillow_image(x) and x.mode in _NON_RGB_MODES:
            x = x.convert("RGBA" if x.mode == "PA" or "transparency" in x.info else "RGB")
        image = np.array(np.asarray(x), order="C")  # a copy, because the user may change the array later
    except (TypeError, ValueError, RuntimeError) as error:  # for ragged lists, and tensors on a GPU or with a gradient
        raise MaskerError(f"Expected an image as an array, got {type(x).__name__}: {error}") from error
    _check_numbers(image)
    return image, _find_channels(image, channels)


def _check_numbers(image: NDArray[Any]) -> None:
    if image.dtype.kind not in "biuf":
        raise MaskerError(
            f"Expected an image of real numbers, got {image.dtype}. Give an array, or an image of Pillow."
        )
    if image.ndim not in (2, 3):
        raise MaskerError(
            f"Expected one image of shape (H, W), (H, W, C) or (C, H, W), got {image.shape}. Give several "
            "images as a list, or as an array with one more axis."
        )
    if not image.size:
        raise MaskerError(f"Expected an image with pixels, got shape {image.shape}. Check how it was made.")
    if image.dtype.kind == "f" and not np.isfinite(image).all():
        where = tuple(np.argwhere(~np.isfinite(image))[0].tolist())
        raise MaskerError(f"Expected finite numbers, got an image with {image[where]} at {where}. Fill or crop it.")


def _find_channels(image: NDArray[Any], channels: Channels | Literal["none"] | None) -> Channels | None:
    if image.ndim == 2:
        return None
    if channels == "none":
        raise MaskerError(f'Expected an image of shape (H, W) for channels="none", got {image.shape}.')
    if channels is not None:
        return channels
    guess = guess_channels(image.shape)
    if guess is None:
        raise MaskerError(
            f"Expected to find the channels by the shape, got {image.shape}, which can be read in several "
            'ways. Give channels="last" or channels="first", or channels="none" if these are several grey '
            "images."
        )
    return guess


def guess_channels(shape: tuple[int, ...]) -> Channels | None:
    """The outer axis of an image with three axes that is that of the channels; None if it is not clear.

    >>> guess_channels((8, 9, 3)), guess_channels((3, 8, 9)), guess_channels((3, 8, 3))
    ('last', 'first', None)
    """
    first, last = shape[0] <= _MAX_CHANNELS, shape[-1] <= _MAX_CHANNELS
    return None if first == last else "last" if last else "first"


def channels_last(image: NDArray[Any], channels: Channels | None) -> NDArray[Any]:
    """A view `(H, W, C)`."""
    return image[..., None] if channels is None else image if channels == "last" else np.moveaxis(image, 0, 2)


def channels_back(colours: NDArray[Any], channels: Channels | None) -> NDArray[Any]:
    """The view that `channels_last` came from."""
    return colours[..., 0] if channels is None else colours if channels == "last" else np.moveaxis(colours, 2, 0)


# -- the reference of absent units ------------------------------------------------------------------------------------


def make_reference(reference: Reference, image: NDArray[Any], channels: Channels | None, seed: int) -> NDArray[Any]:
    """The pixels that replace absent units of an image, an array like it."""
    colours = channels_last(image, channels)
    filling = (
        _compute_reference(reference, colours, seed)
        if isinstance(reference, str)
        else _check_reference(reference, image, channels)
    )
    return _cast_reference(channels_back(np.broadcast_to(filling, colours.shape), channels), image.dtype)


def _compute_reference(name: str, colours: NDArray[Any], seed: int) -> NDArray[Any]:
    if name == "mean":
        return np.asarray(colours.mean(axis=(0, 1), dtype=np.float64))
    if name == "black":
        return np.zeros(colours.shape[2])
    if name == "blur":
        sigma = _BLUR_SHARE * min(colours.shape[:2])
        return np.asarray(scipy.ndimage.gaussian_filter(colours.astype(np.float64), sigma=(sigma, sigma, 0)))
    low, high = colours.min(axis=(0, 1)).astype(np.float64), colours.max(axis=(0, 1)).astype(np.float64)
    return np.random.default_rng(seed).uniform(low, high, size=colours.shape)


def _check_reference(reference: Any, image: NDArray[Any], channels: Channels | None) -> NDArray[Any]:
    """A checked colour or image."""
    reference, count = np.asarray(reference), channels_last(image, channels).shape[2]
    if reference.dtype.kind not in "biuf":
        raise MaskerError(f"Expected a reference of numbers, got {reference.dtype}.")
    if reference.ndim == 1 and len(reference) != count:
        raise MaskerError(
            f"Expected a colour of {count} numbers, one for each channel of the image, got {len(reference)}."
        )
    if reference.ndim > 1 and reference.shape != image.shape:
        raise MaskerError(f"Expected a reference of shape {image.shape}, as the image has, got {reference.shape}.")
    _check_range(reference, image.dtype)
    return channels_last(reference, channels) if reference.ndim > 1 else reference


def _check_range(reference: NDArray[Any], dtype: np.dtype[Any]) -> None:
    """Raise if a reference has values that an image of this dtype cannot have."""
    if not np.isfinite(reference).all():
        raise MaskerError("Expected a reference of finite numbers, got NaN or infinite ones.")
    if dtype.kind not in "iu":
        return
    low, high = reference.min(), reference.max()
    min_level, max_level = np.iinfo(dtype).min, np.iinfo(dtype).max
    if low < min_level or high > max_level:
        raise MaskerError(
            f"Expected a reference from {min_level} to {max_level}, as an image of {dtype} has, got numbers from {low} "
            f"to {high}."
        )
    if np.abs(reference).max() <= 1 and (reference != np.rint(reference)).any():  # it would be rounded to black
        raise MaskerError(
            f"Expected a reference on the scale of the image, which is {dtype}, got numbers from {low} to "
            f"{high}, which look scaled to 0..1. Scale the reference too."
        )


def _cast_reference(reference: NDArray[Any], dtype: np.dtype[Any]) -> NDArray[Any]:
    """The reference in the dtype of the image, rounded if that is an integer type."""
    rounds = dtype.kind in "biu" and reference.dtype.kind == "f"
    return np.ascontiguousarray(np.rint(reference) if rounds else reference, dtype)
