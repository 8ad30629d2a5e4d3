"""Pictures of inputs for browsers that run no scripts: HTML and SVG with classes of the style sheet of the page."""

from __future__ import annotations

import base64
import html

import numpy as np

from ...core.explanation import Explanation
from ...core.printable import printable
from ...core.views import BytesView, ImageView, MoleculeView, SeriesView, TextView, owners
from ...errors import MissingExtraError
from ..faint import drawn_scores
from ..molecules import read_molecule
from ..notebook_pictures import heat_picture, png
from ..palette import Palette, hexadecimal, ink_on, limit_of
from ..terminal_pictures import hex_lines, text_runs

_LETTERS, _CHANNELS = 5000, 12  # that are shown: letters of a text, channels of a series
SHADES = 10  # strengths of a colour, each a class of the style sheet


def static_picture(e: Explanation) -> str:
    """Draw the input of an explanation with one output; empty where its units have nothing but names."""
    view = e.view
    if isinstance(view, TextView):
        return _text(e, view)
    if isinstance(view, BytesView):
        return _bytes(e, view)
    if isinstance(view, SeriesView):
        return _series(e, view)
    if isinstance(view, MoleculeView):
        return _molecule(e, view)
    if isinstance(view, ImageView):
        data = base64.b64encode(png(heat_picture(e, view)[1])).decode()
        return f'<img alt="The scores over the image" src="data:image/png;base64,{data}">'
    return ""


def _text(e: Explanation, view: TextView) -> str:
    text = printable(view.text, lines=True)[:_LETTERS]
    runs, shades = text_runs(text, owners(view)[: len(text)]), _shades(e)
    return f'<p dir="auto">{"".join(_mark(part, unit, shades) for part, unit in runs)}</p>'


def _bytes(e: Explanation, view: BytesView) -> str:
    shades = _shades(e)
    lines = ("".join(_mark(part, unit, shades) for part, unit in line) for line in hex_lines(e, view))
    return f'<pre tabindex="0">{chr(10).join(lines)}</pre>'


def _series(e: Explanation, view: SeriesView) -> str:
    """Each channel as a line over the colours of its units."""
    shades, found = _shades(e), []
    for channel, name in list(enumerate(view.channels))[:_CHANNELS]:
        line, units = view.series[:, channel].astype(np.float64), view.labels[:, channel]
        height = 36 - 32 * (line - line.min()) / (np.ptp(line) or 1.0)
        points = " ".join(f"{x},{y:.1f}" for x, y in enumerate(height.tolist()))
        starts = np.flatnonzero(np.diff(units, prepend=-2)).tolist()
        boxes = "".join(
            f'<rect class="{_shade(int(units[a]), shades)}" x="{a - 0.5}" y="0" width="{b - a}" height="40"/>'
            for a, b in zip(starts, [*starts[1:], len(line)], strict=True)
        )
        title = html.escape(printable(name))
        found.append(
            f'<figure><figcaption dir="auto">{title}</figcaption><svg class="static" role="img" aria-label="{title}" '
            f'viewBox="-0.5 0 {len(line)} 40" preserveAspectRatio="none">{boxes}<polyline points="{points}"/></svg>'
            "</figure>"
        )
    return "".join(found)


def _molecule(e: Explanation, view: MoleculeView) -> str:
    """Atoms on the colours of their units, and bonds; nothing where RDKit is not there or cannot read it."""
    try:
        mol = read_molecule(view)
    except MissingExtraError:
        return ""
    if mol is None:
        return ""
    shades, places = _shades(e), mol.GetConformer().GetPositions()[:, :2] * [1.0, -1.0]
    low, size = places.min(axis=0) - 1.0, np.ptp(places, axis=0) + 2.0
    box = " ".join(f"{x:.2f}" for x in (*low.tolist(), *size.tolist()))
    lines = []
    for bond in mol.GetBonds():
        (x, y), (u, v) = places[bond.GetBeginAtomIdx()].tolist(), places[bond.GetEndAtomIdx()].tolist()
        lines.append(f'<line x1="{x:.2f}" y1="{y:.2f}" x2="{u:.2f}" y2="{v:.2f}"/>')
    atoms = [
        f'<g class="{_shade(int(unit), shades)}"><circle cx="{x:.2f}" cy="{y:.2f}" r="0.42"/>'
        f'<text x="{x:.2f}" y="{y + 0.18:.2f}">{html.escape(atom.GetSymbol())}</text></g>'
        for atom, unit, (x, y) in zip(mol.GetAtoms(), view.labels.tolist(), places.tolist(), strict=True)
    ]
    label = "The molecule with the scores of its atoms"
    return f'<svg class="static atoms" role="img" aria-label="{label}" viewBox="{box}">{"".join(lines + atoms)}</svg>'


# -- colours --------------------------------------------------------------------------------------------------------


def shades(palette: Palette) -> str:
    """Write the rules of the style sheet for the colours of scores, from the most negative, n10, to p10.

    Without scripts, nothing changes the theme but the settings of the system.
    """
    return f"{_rules(palette, dark=False)}@media (prefers-color-scheme: dark) {{\n{_rules(palette, dark=True)}}}\n"


def _rules(palette: Palette, dark: bool) -> str:
    colours = [
        (f".{letter}{k}", palette.colour(sign * k, SHADES, dark))  # SVG fills what HTML has as a background
        for letter, sign in (("n", -1), ("p", 1))
        for k in range(1, SHADES + 1)
    ]
    return "".join(
        f"{name} {{ background: {shade}; fill: {shade}; color: {hexadecimal(ink_on(colour))}; }}\n"
        for name, colour in colours
        for shade in [hexadecimal(colour)]
    )


def shade_of(score: float, limit: float) -> str:
    """The class of a score; empty where it has no colour.

    >>> shade_of(1.0, 1.0), shade_of(-0.52, 1.0), shade_of(0.01, 1.0)
    ('p10', 'n5', '')
    """
    strength = min(SHADES, round(SHADES * abs(score) / limit)) if np.isfinite(score) else 0
    return f"{'p' if score > 0 else 'n'}{strength}" if strength else ""


def _shades(e: Explanation) -> list[str]:
    """The class of each unit."""
    limit = limit_of([e.scores])
    return [shade_of(score, limit) for score in drawn_scores(e).tolist()]


def _shade(unit: int, shades: list[str]) -> str:
    return (shades[unit] if unit >= 0 else "") or "plain"


def _mark(text: str, unit: int, shades: list[str]) -> str:
    shade = shades[unit] if unit >= 0 else ""
    return f'<span class="{shade}">{html.escape(text)}</span>' if shade else html.escape(text)
