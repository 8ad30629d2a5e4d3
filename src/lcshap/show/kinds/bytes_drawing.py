"""Files: dumps of bytes on the colours of their units."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.explanation import Explanation
from ...core.views import BytesView
from ..coloured_html import colour_spans
from ..ink import MAX_LINES, MIN_COLOURED_SHARE, Ink, Line, text_runs
from ..pack import ContentPool, pack_array, pack_labels, pack_spans
from ..styling import Styling
from .base import Drawing

_MIN_WIDTH_FOR_16_BYTES = 76  # what a dump of 16 bytes a line takes


def byte_lines(e: Explanation, view: BytesView, width: int, ink: Ink) -> list[str]:
    """A dump on the colours of the units."""
    lines = hex_lines(e, view, 16 if width >= _MIN_WIDTH_FOR_16_BYTES else 8)
    return [row for line in lines for row in ink.lines(line)]


def hex_lines(e: Explanation, view: BytesView, size: int = 16, max_lines: int = MAX_LINES) -> list[Line]:
    """A dump of bytes, so many a line: of long files the lines with the largest scores."""
    content, owner = view.bytes, view.owners
    weight = np.where(owner < 0, 0.0, np.abs(e.scores)[owner])
    starts = np.arange(0, len(content), size)
    if len(starts) > max_lines:
        heaviest = np.maximum.reduceat(weight, starts)
        chosen = np.argsort(-heaviest, kind="stable")[:max_lines]
        starts = starts[np.sort(chosen[heaviest[chosen] >= MIN_COLOURED_SHARE * heaviest.max()])]
    lines: list[Line] = []
    end = 0
    for start in starts.tolist():
        if start > end:
            lines.append([(f"… {start - end:,} bytes", -1)])
        end = min(start + size, len(content))
        lines.append(_hex_line(content[start:end].tolist(), owner[start:end].tolist(), start, size))
    return [*lines, [(f"… {len(content) - end:,} bytes", -1)]] if end < len(content) else lines


def _hex_line(content: list[int], owner: list[int], start: int, size: int) -> Line:
    line: Line = [(f"{start:08x}  ", -1)]
    for byte, unit, after in zip(content, owner, [*owner[1:], -1], strict=True):
        line += [(f"{byte:02x}", unit), (" ", unit if unit == after else -1)]
    letters = "".join(chr(byte) if 0x20 <= byte < 0x7F else "." for byte in content)
    return [*line, (" " * (3 * (size - len(content)) + 1), -1), *text_runs(letters, np.array(owner))]


def bytes_html(e: Explanation, view: BytesView, styling: Styling) -> str:
    """A dump on the colours of the units."""
    lines = (colour_spans(line, e, styling) for line in hex_lines(e, view))
    return f'<pre tabindex="0">{chr(10).join(lines)}</pre>'


def pack_bytes(view: BytesView, pool: ContentPool) -> dict[str, Any]:
    """All bytes, and where the parts are."""
    return {
        "kind": "bytes",
        "bytes": pack_array(view.bytes),
        "spans": pack_spans(view.spans),
        **pack_labels(view, pool),
    }


BYTES = Drawing(byte_lines, bytes_html, pack_bytes, ("hexdump",))
