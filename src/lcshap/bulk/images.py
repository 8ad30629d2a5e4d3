"""Images from the bytes of their files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.limits import MAX_PIXELS
from ..maskers.image_files import decode_image


@dataclass(frozen=True)
class ImageOptions:
    """How an image file becomes an array.

    Parameters
    ----------
    grey : make it shades of grey.
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


AS_IT_IS = ImageOptions()


def read_image(data: bytes, name: str, options: ImageOptions = AS_IT_IS) -> NDArray[Any]:
    """The image in the bytes of a file, upright as phones and browsers show it.

    Parameters
    ----------
    data : the content of the file.
    name : the name of the file, for errors.

    Returns
    -------
    An array of bytes `(height, width)` or `(height, width, 3)`, or what `options` make of it.

    Raises
    ------
    MaskerError : for what is no image, or one that is too large.

    Examples
    --------
    >>> read_image(b"not an image", "cat.png")
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
