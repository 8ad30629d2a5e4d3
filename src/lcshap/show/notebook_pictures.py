"""Pictures of inputs as HTML without scripts: texts, images, series and bytes in the colours of the scores."""

from __future__ import annotations

import base64
import html
import struct
import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.explanation import Explanation
from ..core.printable import printable
from ..core.views import BytesView, ImageView, SeriesView, TextView, owners
from .faint import FADED
from .palette import clip_limit, find_palette, image_shares, limit_of
from .terminal_pictures import hex_lines, resize, text_runs, to_rgb
from .words import sides, signed

# Colours lie over whatever the page has as its background, so thinly that its ink stays readable on light and on dark.
_OPACITY = 0.65
_SIDE = 256  # pixels of a picture at the most
_SHOWN = 28.0  # em that its longer side takes on the page


def background(score: float, limit: float) -> str:
    """The colour of a score as a style, its strength by the size of the score."""
    palette = find_palette("default")
    red, green, blue = palette.dark_positive if score > 0 else palette.dark_negative
    return f"background:rgba({red},{green},{blue},{_OPACITY * min(abs(score) / limit, 1.0):.3f})"


def _mark(text: str, unit: int, e: Explanation, limit: float) -> str:
    """Text on the colour of its unit, whose score shows under the mouse."""
    if unit < 0:
        return html.escape(text)
    score = float(e.scores[unit])
    shown = FADED * score if e.faint[unit] else score
    return f'<span style="{background(shown, limit)}" title="{signed(score, limit)}">{html.escape(text)}</span>'


def text_html(e: Explanation, view: TextView) -> str:
    """A text on the colours of its units."""
    text, limit = printable(view.text, lines=True), limit_of([e.scores])
    marks = [_mark(part, unit, e, limit) for part, unit in text_runs(text, owners(view))]
    return f'<p class="lcshap-text">{"".join(marks)}</p>'


def bytes_html(e: Explanation, view: BytesView) -> str:
    """A dump on the colours of the units."""
    limit = limit_of([e.scores])
    lines = ("".join(_mark(part, unit, e, limit) for part, unit in line) for line in hex_lines(e, view))
    return f"<pre>{chr(10).join(lines)}</pre>"


def image_html(e: Explanation, view: ImageView) -> str:
    """The image, and beside it the same in grey under the colours of the scores."""
    image, heat = heat_picture(e, view)
    lowers, raises = sides(e)
    clipped = ", the largest 1 % alike" * clip_limit(e.scores)[1]
    pictures = {"the input": image, f"its scores: blue {raises}, orange {lowers}{clipped}": heat}
    em = _SHOWN / 2 * image.shape[1] / max(image.shape[:2])
    return "<p>" + "".join(_img(picture, alt, em) for alt, picture in pictures.items()) + "</p>"


def heat_picture(e: Explanation, view: ImageView) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """The image and its heat map in RGB, each at most 256 pixels high and wide."""
    labels = view.labels
    scores = np.where(labels < 0, 0.0, e.scores[labels])
    image, factor = to_rgb(view.image), min(1.0, _SIDE / max(labels.shape))
    size = max(1, round(factor * labels.shape[0])), max(1, round(factor * labels.shape[1]))
    image, scores = resize(image, size), resize(scores, size)
    palette, (limit, _) = find_palette("default"), clip_limit(e.scores)
    share = np.minimum(np.abs(scores) / limit, 1.0)[..., None]
    ends = np.where(scores[..., None] > 0, palette.positive, palette.negative)
    shown, covered = image_shares(view.photograph)
    faded = 255 - shown * (255 - image.mean(axis=2, keepdims=True))  # a pale grey, so that colours stand out
    share = np.nan_to_num(covered * share)
    return _bytes(image), _bytes(faded * (1 - share) + ends * share)


def _bytes(picture: NDArray[Any]) -> NDArray[np.uint8]:
    return np.asarray(np.rint(np.broadcast_to(picture, (*picture.shape[:2], 3))), np.uint8)


def _img(picture: NDArray[np.uint8], alt: str, em: float) -> str:
    data = base64.b64encode(png(picture)).decode()
    return f'<img alt="{alt}" title="{alt}" style="width:{em:.1f}em;height:auto" src="data:image/png;base64,{data}">'


def png(image: NDArray[np.uint8]) -> bytes:
    """The bytes of a PNG file for an image `(H, W, 3)`.

    >>> png(np.zeros((1, 1, 3), np.uint8))[:8]
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


def series_html(e: Explanation, view: SeriesView) -> str:
    """Each channel as a line over the colours of its units."""
    series, labels, names = view.series, view.labels, view.channels
    limit, rows = limit_of([e.scores]), []
    for channel, name in list(enumerate(names))[:24]:
        line, units = series[:, channel].astype(np.float64), labels[:, channel]
        height = 36 - 32 * (line - line.min()) / (np.ptp(line) or 1.0)
        points = " ".join(f"{x},{y:.1f}" for x, y in zip(range(len(line)), height, strict=True))
        starts = np.flatnonzero(np.diff(units, prepend=-2))
        boxes = "".join(
            f'<rect x="{a - 0.5}" y="0" width="{b - a}" height="40" style="{_fill(e, int(units[a]), limit)}"/>'
            for a, b in zip(starts.tolist(), [*starts[1:].tolist(), len(line)], strict=True)
        )
        title = html.escape(printable(name))
        rows.append(
            f'<div class="lcshap-small">{title if len(names) > 1 else ""}</div>'
            f'<svg viewBox="-0.5 0 {len(line)} 40" preserveAspectRatio="none" role="img" aria-label="{title}" '
            f'style="width:100%;height:3.5em;display:block">{boxes}<polyline points="{points}" fill="none" '
            f'stroke="currentColor" stroke-width="1.3" vector-effect="non-scaling-stroke"/></svg>'
        )
    return "".join(rows)


def _fill(e: Explanation, unit: int, limit: float) -> str:
    return "fill:none" if unit < 0 else background(float(e.scores[unit]), limit).replace("background", "fill")
