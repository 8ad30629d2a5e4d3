"""Image files as arrays, decoded in memory and within a limit."""

from __future__ import annotations

import io
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import MaskerError
from ..extras import import_optional


def decode_image(
    data: bytes,
    name: str,
    max_pixels: int,
    *,
    grey: bool = False,
    formats: Sequence[str] | None = None,
    advice: str = "Make it smaller.",
) -> NDArray[Any]:
    """Decode an image file to an array of bytes, `(height, width)` or `(height, width, 3)`.

    The number of pixels is read from the header of the file, so that a small file with a very large image is refused
    before it is decoded. The image is rotated according to its EXIF data.

    Parameters
    ----------
    data : the content of the file.
    name : the name of the file in errors.
    max_pixels : the largest number of pixels.
    grey : convert colours to shades of grey. Images without colours always are `(height, width)`.
    formats : the formats of Pillow that are read, such as ``("PNG", "JPEG")``. By default all of them.
    advice : what the error for a large image recommends.

    Returns
    -------
    An array of type uint8.

    Raises
    ------
    MaskerError : if the file is not an image, is damaged or is too large.

    Examples
    --------
    >>> import io
    >>> from PIL import Image
    >>> file = io.BytesIO()
    >>> Image.new("L", (3, 2), 7).save(file, "PNG")
    >>> decode_image(file.getvalue(), "grey.png", max_pixels=100).tolist()
    [[7, 7, 7], [7, 7, 7]]
    """
    pillow = import_optional("PIL.Image", "image")
    try:
        with warnings.catch_warnings(action="ignore", category=pillow.DecompressionBombWarning):
            picture = pillow.open(io.BytesIO(data), formats=formats)
        with picture:
            width, height = picture.size  # from the header, before the image is decoded
            if width * height > max_pixels:
                raise MaskerError(
                    f"Expected an image of at most {max_pixels:,} pixels, got {name} with {width:,} x {height:,}. "
                    f"{advice}"
                )
            upright = import_optional("PIL.ImageOps", "image").exif_transpose(picture)  # as phones and browsers show it
            return np.asarray(upright.convert("L" if grey or picture.mode in ("1", "L") else "RGB"))
    except pillow.DecompressionBombError as error:
        raise MaskerError(
            f"Expected an image that can be opened safely, got {name}: {error}. Make it smaller."
        ) from None
    except MaskerError:
        raise
    except (OSError, SyntaxError, ValueError) as error:
        reason = "" if isinstance(error, pillow.UnidentifiedImageError) else f" ({error})"
        raise MaskerError(f"Expected an image, got {name}, which cannot be read as one{reason}.") from None
