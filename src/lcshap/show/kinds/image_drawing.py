"""Images: the image, and beside it the scores as a heat map."""

from __future__ import annotations

import base64
import struct
import zlib
from collections.abc import Sequence
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...core.explanation import Explanation
from ...core.views import ImageView
from ..ink import MAX_LINES, Ink, ansi, sign
from ..pack import ContentPool, pack_array, pack_labels
from ..palette import DARK, LIGHT, PALETTES, RGB, Palette, clip_limit, image_opacities
from ..styling import Styling
from ..words import sign_labels
from .base import Drawing

Floats = NDArray[np.float64]

_SHADES = " ░▒▓█"
_MAX_SIDE_PIXELS = 256  # pixels of a picture at the most
_LONGER_SIDE_EM = 14.0  # em that the longer side takes


# -- in the terminal ---------------------------------------------------------------------------------------------------


def image_lines(e: Explanation, view: ImageView, width: int, ink: Ink) -> list[str]:
    """The image and its scores side by side, two pixels a letter."""
    labels, image = view.labels, to_rgb(view.image)
    scores = np.where(labels < 0, 0.0, e.scores[labels])
    height, wide = scores.shape
    scale = min((width - 3) // 2 / wide, 2 * MAX_LINES / height, 4.0)
    scale = int(scale) if scale > 1 else scale
    size = max(1, round(scale * height)), max(1, round(scale * wide))
    scores, image = resize(scores, size), resize(image, size)
    limit, _ = clip_limit(scores)
    if not ink.colour:
        return _sign_lines(image, scores / limit)
    clipped_ink = Ink(ink.scores, limit, True, ink.dark, ink.palette)
    colours = [[clipped_ink.rgb(score) for score in row] for row in scores.tolist()]
    if view.photograph:
        colours = _blend(image, scores / limit, clipped_ink)
    pixels = [[(int(r), int(g), int(b)) for r, g, b in row] for row in image.tolist()]
    return [f"{a}   {b}" for a, b in zip(_half_block_lines(pixels), _half_block_lines(colours), strict=True)]


def _blend(image: Floats, shares: Floats, ink: Ink) -> list[list[RGB]]:
    """The image in grey under the colours of its scores."""
    visibility, coverage = image_opacities(photograph=True)
    paper = np.array((DARK if ink.dark else LIGHT).background)
    grey = paper + visibility * (image.mean(axis=2, keepdims=True) - paper)
    ends = np.array([ink.rgb(-ink.limit), ink.rgb(ink.limit)])[(shares > 0).astype(int)]
    strength = coverage * np.minimum(np.abs(shares), 1.0)[..., None]
    mixed = np.rint(grey + strength * (ends - grey)).astype(int).tolist()
    return [[(r, g, b) for r, g, b in row] for row in mixed]


def _sign_lines(image: Floats, shares: Floats) -> list[str]:
    """Two pixels a letter without colour: how bright they are, and the sign of their share of the largest score."""
    size = -(-len(shares) // 2), shares.shape[1]
    shades = ["".join(_SHADES[int(v / 255.001 * 5)] for v in row) for row in resize(image.mean(axis=2), size)]
    signs = ["".join(sign(share).replace(" ", "·") for share in row) for row in resize(shares, size)]
    return [f"{a}   {b}" for a, b in zip(shades, signs, strict=True)]


def _half_block_lines(pixels: list[list[RGB]]) -> list[str]:
    lines = []
    for row in range(0, len(pixels), 2):
        below: Sequence[RGB | None] = pixels[row + 1] if row + 1 < len(pixels) else [None] * len(pixels[row])
        pairs = groupby(zip(pixels[row], below, strict=True))
        lines.append("".join(ansi("▀" * len(list(run)), above, under) for (above, under), run in pairs))
    return lines


# -- as HTML -----------------------------------------------------------------------------------------------------------


def image_html(e: Explanation, view: ImageView, styling: Styling) -> str:
    """The image, and beside it the same in grey under the colours of the scores."""
    image, heat = heat_picture(e, view, styling.palette)
    lowers, raises = sign_labels(e)
    named = f": blue {raises}, orange {lowers}" if styling.palette == PALETTES["default"] else ""
    clipped = ", the largest 1 % alike" * clip_limit(e.scores)[1]
    width = styling.width(_LONGER_SIDE_EM * image.shape[1] / max(image.shape[:2]))
    pictures = {"the input": image, f"its scores{named}{clipped}": heat}
    return f"<p>{''.join(_img_element(picture, alt, width) for alt, picture in pictures.items())}</p>"


def heat_picture(e: Explanation, view: ImageView, palette: Palette) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """The image and its heat map in RGB, each at most 256 pixels high and wide."""
    labels = view.labels
    scores = np.where(labels < 0, 0.0, e.scores[labels])
    image, factor = to_rgb(view.image), min(1.0, _MAX_SIDE_PIXELS / max(labels.shape))
    size = max(1, round(factor * labels.shape[0])), max(1, round(factor * labels.shape[1]))
    image, scores = resize(image, size), resize(scores, size)
    limit, _ = clip_limit(e.scores)
    share = np.minimum(np.abs(scores) / limit, 1.0)[..., None]
    ends = np.where(scores[..., None] > 0, palette.positive, palette.negative)
    visibility, coverage = image_opacities(view.photograph)
    faded = 255 - visibility * (255 - image.mean(axis=2, keepdims=True))  # a pale grey, so that colours stand out
    share = np.nan_to_num(coverage * share)
    return _to_uint8(image), _to_uint8(faded * (1 - share) + ends * share)


def _to_uint8(picture: NDArray[Any]) -> NDArray[np.uint8]:
    return np.asarray(np.rint(np.broadcast_to(picture, (*picture.shape[:2], 3))), np.uint8)


def _img_element(picture: NDArray[np.uint8], alt: str, width: str) -> str:
    data = base64.b64encode(encode_png(picture)).decode()
    return f'<img alt="{alt}" title="{alt}" {width} src="data:image/png;base64,{data}">'


def encode_png(image: NDArray[np.uint8]) -> bytes:
    """The bytes of a PNG file for an image `(H, W, 3)`.

    >>> encode_png(np.zeros((1, 1, 3), np.uint8))[:8]
    b'\\x89PNG\\r\\n\\x1a\\n'
    """
    height, width, _ = image.shape
    rows = np.zeros((height, 1 + 3 * width), np.uint8)  # each row begins with its filter, 0 for none
    rows[:, 1:] = image.reshape(height, -1)
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)  # 8 bits, RGB
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(rows.tobytes(), 9)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data)) for name, data in chunks
    )


# -- for the script of the page ---------------------------------------------------------------------------------------


def pack_image(view: ImageView, pool: ContentPool) -> dict[str, Any]:
    """The image and its reference in 256 levels: grey, RGB or RGBA; a reference of one colour as one pixel."""
    image = view.image
    levels = [to_uint8_levels(array, image) for array in (image, view.reference)]
    reference = levels[1].reshape(-1, levels[1].shape[2])
    if (reference == reference[0]).all():
        reference = reference[0]
    height, width = image.shape[:2]
    size = {"kind": "image", "height": height, "width": width, "channels": levels[0].shape[2]}
    return {
        **size,
        "image": pack_array(levels[0].ravel()),
        "reference": pack_array(reference.ravel()),
        **pack_labels(view, pool),
    }


def to_uint8_levels(array: NDArray[Any], image: NDArray[Any]) -> NDArray[np.uint8]:
    """Numbers as bytes: as they are, from 0 to 1, or else between the lowest and the highest of the image."""
    if image.dtype != np.uint8:
        low, high = float(image.min()), float(image.max())
        if low >= 0 and high <= 1:
            low, high = 0.0, 1.0
        array = np.nan_to_num((array.astype(np.float64) - low) / ((high - low) or 1.0))
        array = (array.clip(0, 1) * 255).round().astype(np.uint8)
    array = array.reshape(*image.shape[:2], -1)
    return array if array.shape[2] in (1, 3, 4) else array.mean(axis=2, keepdims=True).astype(np.uint8)


# -- pixels -----------------------------------------------------------------------------------------------------------


def to_rgb(image: NDArray[Any]) -> Floats:
    """An image `(H, W, C)` of any numbers as `(H, W, 3)` from 0 to 255; grey unless it has three or four channels."""
    colours = np.asarray(image, np.float64)
    colours = colours[..., :3] if colours.shape[2] in (3, 4) else colours.mean(axis=2, keepdims=True)
    low, high = colours.min(), colours.max()
    if image.dtype == np.uint8:
        low, high = 0.0, 255.0
    elif low >= 0 and high <= 1:
        low, high = 0.0, 1.0
    return np.broadcast_to((colours - low) * (255 / ((high - low) or 1.0)), (*image.shape[:2], 3))


def resize(image: Floats, size: tuple[int, int]) -> Floats:
    """Height and width of an image changed: pixels averaged, or repeated."""
    for axis, count in enumerate(size):
        if count > image.shape[axis]:
            image = image.take(np.arange(count) * image.shape[axis] // count, axis)
        elif count < image.shape[axis]:
            image = np.stack([block.mean(axis=axis) for block in np.array_split(image, count, axis)], axis)
    return image


IMAGE = Drawing(image_lines, image_html, pack_image, ("image", "masked_image"))
