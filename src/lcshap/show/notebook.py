"""An explanation in a notebook: a piece of HTML without scripts, readable on light and on dark pages."""

from __future__ import annotations

import base64
import html
import struct
import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.explanation import Explanation
from .letters import printable, signed
from .palette import find_palette, limit_of
from .terminal import about, ending, leading, settled, unit_names
from .terminal_pictures import hex_lines, owners, resize, text_runs, to_rgb

# Colours lie over whatever the page has as its background, so thinly that its ink stays readable on light and on dark.
_OPACITY = 0.65
_SIDE = 256  # pixels of a picture at the most
_SHOWN = 28.0  # em that its longer side takes on the page
_STYLE = """
.lcshap{font-size:.95em;line-height:1.6;max-width:60em}
.lcshap p{margin:.4em 0}
.lcshap .lcshap-small{font-size:.85em;opacity:.8}
.lcshap .lcshap-text{white-space:pre-wrap;overflow-wrap:anywhere}
.lcshap .lcshap-text span{border-radius:.2em;padding:.1em 0}
.lcshap pre{line-height:1.35;overflow-x:auto;background:none;color:inherit;margin:.4em 0}
.lcshap img{image-rendering:pixelated;margin-right:1em;vertical-align:top;border:1px solid rgba(128,128,128,.4)}
.lcshap table{border-collapse:collapse;border:none;margin:.4em 0}
.lcshap th,.lcshap td{border:none;background:none;padding:.1em .6em;text-align:right;font-weight:normal;
font-variant-numeric:tabular-nums;white-space:nowrap}
.lcshap th:first-child{text-align:left;max-width:20em;overflow:hidden;text-overflow:ellipsis}
.lcshap td.lcshap-bar{min-width:20em;padding:.1em 0}
.lcshap td.lcshap-bar div{height:1em}
"""


def to_html(e: Explanation, top: int = 10) -> str:
    """What a notebook shows for an explanation: the input with its scores, bars of the largest ones, and the totals.

    Everything that comes from users or models is escaped, and nothing is a script.

    >>> import lcshap as lc
    >>> g = lc.Graph.chain(2, names=["<b>", "a"])
    >>> page = to_html(lc.Shapley().explain(lc.Game(lambda kept: kept @ [1.0, -1.0], 2), g))
    >>> "<b>" in page, "&lt;b&gt;" in page
    (False, True)
    """
    method = html.escape(printable(str(e.provenance.get("method", "Explanation"))))
    what = html.escape(about(e))
    parts = [f"<style>{_STYLE}</style>", f"<p><strong>{method}</strong>{f' explains {what}' if what else ''}</p>"]
    if e.scores.ndim == 2:
        parts.append(_table(e, top))
    else:
        kind = None if e.view is None else e.view["kind"]
        parts += [_PICTURES[kind](e)] if kind in _PICTURES else []
        parts += [_bars(e, top), f'<p class="lcshap-small">{html.escape(ending(e))}</p>']
    return f'<div class="lcshap">{"".join(parts)}</div>'


def _background(score: float, limit: float) -> str:
    """The colour of a score as a style, its strength by the size of the score."""
    palette = find_palette("default")
    red, green, blue = palette.dark_positive if score > 0 else palette.dark_negative
    return f"background:rgba({red},{green},{blue},{_OPACITY * min(abs(score) / limit, 1.0):.3f})"


def _mark(text: str, unit: int, e: Explanation, limit: float) -> str:
    """Text on the colour of its unit, whose score shows under the mouse."""
    if unit < 0:
        return html.escape(text)
    score = float(e.scores[unit])
    return f'<span style="{_background(score, limit)}" title="{signed(score, limit)}">{html.escape(text)}</span>'


def _text(e: Explanation) -> str:
    assert e.view is not None
    text, limit = printable(e.view["text"], lines=True), limit_of([e.scores])
    marks = [_mark(part, unit, e, limit) for part, unit in text_runs(text, owners(e.view, len(text)))]
    return f'<p class="lcshap-text">{"".join(marks)}</p>'


def _bytes(e: Explanation) -> str:
    limit = limit_of([e.scores])
    lines = ("".join(_mark(part, unit, e, limit) for part, unit in line) for line in hex_lines(e))
    return f"<pre>{chr(10).join(lines)}</pre>"


def _image(e: Explanation) -> str:
    """The image, and beside it the same in grey under the colours of the scores."""
    assert e.view is not None
    labels = e.view["labels"]
    scores = np.where(labels < 0, 0.0, e.scores[labels])
    image, factor = to_rgb(e.view["image"]), min(1.0, _SIDE / max(labels.shape))
    size = max(1, round(factor * labels.shape[0])), max(1, round(factor * labels.shape[1]))
    image, scores = resize(image, size), resize(scores, size)
    palette, limit = find_palette("default"), limit_of([scores])
    share = np.minimum(np.abs(scores) / limit, 1.0)[..., None]
    ends = np.where(scores[..., None] > 0, palette.positive, palette.negative)
    faded = 255 - 0.25 * (255 - image.mean(axis=2, keepdims=True))  # a pale grey, so that colours stand out
    pictures = {
        "the input": image,
        "its scores: blue speaks for it, orange against": faded * (1 - share) + ends * share,
    }
    em = _SHOWN / 2 * size[1] / max(size)
    return "<p>" + "".join(_img(picture, alt, em) for alt, picture in pictures.items()) + "</p>"


def _img(picture: NDArray[np.float64], alt: str, em: float) -> str:
    data = base64.b64encode(png(np.rint(np.broadcast_to(picture, (*picture.shape[:2], 3))).astype(np.uint8))).decode()
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


def _series(e: Explanation) -> str:
    """Each channel as a line over the colours of its units."""
    assert e.view is not None
    series, labels, names = e.view["series"], e.view["labels"], e.view["channels"]
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
    return "fill:none" if unit < 0 else _background(float(e.scores[unit]), limit).replace("background", "fill")


def _bars(e: Explanation, top: int) -> str:
    """The units with the largest scores, each with a bar to the right of zero or to its left."""
    chosen, names, limit = leading(e, top), unit_names(e), limit_of([e.scores])
    low, high = min(0.0, e.scores[chosen].min()), max(0.0, e.scores[chosen].max())
    span = (high - low) or 1.0
    rows = []
    for unit in chosen:
        score, error = float(e.scores[unit]), ""
        if e.stderr is not None:
            error = f" ± {signed(float(e.stderr[unit]), limit).lstrip('+')}"
        start, width = 100 * (min(score, 0.0) - low) / span, 100 * abs(score) / span
        bar = f"margin-left:{start:.1f}%;width:{width:.1f}%;{_background(np.copysign(limit, score), limit)}"
        rows.append(
            f'<tr><th scope="row">{html.escape(names[unit])}</th><td>{signed(score, limit)}{error}</td>'
            f'<td class="lcshap-bar"><div style="{bar}"></div></td></tr>'
        )
    if len(e.scores) > len(chosen):
        rest = signed(float(e.scores.sum() - e.scores[chosen].sum()), limit)
        rows.append(f'<tr><th scope="row">{len(e.scores) - len(chosen):,} others</th><td>{rest}</td><td></td></tr>')
    return f"<table><tbody>{''.join(rows)}</tbody></table>"


def _table(e: Explanation, top: int) -> str:
    """Several outputs: a row a unit, a column an output."""
    outputs = [e.output(k) for k in range(e.scores.shape[1])]
    limits = [limit_of([o.scores]) for o in outputs]
    targets = [printable(str(t)) for t in e.provenance.get("targets") or range(len(outputs))]
    names = unit_names(e)
    units = sorted(np.argsort(-np.max(np.abs(e.scores) / limits, axis=1), kind="stable")[:top].tolist())
    head = "".join(f'<th scope="col">{html.escape(target)}</th>' for target in targets)
    rows = [f"<tr><td></td>{head}</tr>"]
    for unit in units:
        cells = [
            f'<td style="{_background(o.scores[unit], limit)}">{signed(float(o.scores[unit]), limit)}</td>'
            for o, limit in zip(outputs, limits, strict=True)
        ]
        rows.append(f'<tr><th scope="row">{html.escape(names[unit])}</th>{"".join(cells)}</tr>')
    facts: dict[str, list[Any]] = {
        "v(∅)": [f"{o.base_value:.4g}" for o in outputs],
        "v(V)": [f"{o.full_value:.4g}" for o in outputs],
        "residual": [f"{settled(o):.2g}" for o in outputs],
    }
    for name, values in facts.items():
        rows.append(f'<tr><th scope="row">{name}</th>{"".join(f"<td>{v}</td>" for v in values)}</tr>')
    others = len(e.scores) - len(units)
    note = f"{e.calls:,} calls" + (f"; {others:,} other units are not shown" if others else "")
    return f'<table><tbody>{"".join(rows)}</tbody></table><p class="lcshap-small">{note}</p>'


_PICTURES = {"text": _text, "bytes": _bytes, "image": _image, "series": _series}
