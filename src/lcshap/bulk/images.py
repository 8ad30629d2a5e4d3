"""Images from the bytes of their files."""

from __future__ import annotations

import io
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import MaskerError
from ..extras import need

MAX_PIXELS = 50_000_000  # of an image file


@dataclass(frozen=True)
class ImageOptions:
    """How an image file becomes an array.

    Parameters
    ----------
    grey : make it shades of grey.
    scale : scale pixels from 0..255 to 0..1.
    channels_first : `(channels, height, width)` instead of `(height, width, channels)`.
    max_pixels : larger images are refused before they are decoded.
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
    pillow = need("PIL.Image", "image")
    try:
        with warnings.catch_warnings(action="ignore", category=pillow.DecompressionBombWarning):
            picture = pillow.open(io.BytesIO(data))
        with picture:
            width, height = picture.size  # of the header: nothing is decoded yet
            if width * height > options.max_pixels:
                raise MaskerError(
                    f"Expected an image of at most {options.max_pixels:,} pixels, got {name} with {width:,} x "
                    f"{height:,}. Make it smaller, or raise --max-pixels."
                )
            upright = need("PIL.ImageOps", "image").exif_transpose(picture)
            x = np.asarray(upright.convert("L" if options.grey or picture.mode in ("1", "L") else "RGB"))
    except pillow.DecompressionBombError as error:
        raise MaskerError(f"{name} is too large: {error}. Make it smaller.") from None
    except (OSError, SyntaxError) as error:
        reason = "" if isinstance(error, pillow.UnidentifiedImageError) else f" ({error})"
        raise MaskerError(f"Expected an image, got {name}, which cannot be read as one{reason}.") from None
    x = x.astype(np.float32) / 255 if options.scale else x
    if options.channels_first:
        x = x[None] if x.ndim == 2 else np.moveaxis(x, 2, 0)
    return np.ascontiguousarray(x)
