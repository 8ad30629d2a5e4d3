"""Images from the bytes of their files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.default_limits import MAX_PIXELS
from ..maskers.image_files import decode_image


@dataclass(frozen=True)
class ImageOptions:
    """How an image file becomes an array.

    Parameters
    ----------
    grey : convert the image to shades of grey.
    scale : scale pixels from 0..255 to 0..1.
    channels_first : `(channels, height, width)` instead of `(height, width, channels)`.
    max_pixels : larger images are refused before they are decoded.

    Examples
    --------
    >>> ImageOptions(scale=True).scale
    True
    """

    grey: bool = False
    scale: bool = False
    channels_first: bool = False
    max_pixels: int = MAX_PIXELS


DEFAULT_IMAGE_OPTIONS = ImageOptions()


def image_from_bytes(data: bytes, name: str, options: ImageOptions = DEFAULT_IMAGE_OPTIONS) -> NDArray[Any]:
    """The image in the bytes of a file, rotated as its EXIF orientation says.

    Parameters
    ----------
    data : the content of the file.
    name : the name of the file, for errors.

    Returns
    -------
    An array of bytes `(height, width)` or `(height, width, 3)`, or the array that `options` describe.

    Raises
    ------
    MaskerError : if the content is not an image, or the image is too large.

    Examples
    --------
    >>> image_from_bytes(b"not an image", "cat.png")
    Traceback (most recent call last):
        ...
    lcshap.errors.MaskerError: Expected an image, got cat.png, which cannot be read as one.
    """
    advice = "Make it smaller, or raise --max-pixels."
    x = decode_image(data, name, options.max_pixels, grey=options.grey, advice=advice)
    x = x.astype(np.float32) / 255 if options.scale else x
    if options.channels_first:
        x = x[None] if x.ndim == 2 else np.moveaxis(x, 2, 0)
    return np.ascontiguousarray(x)
