"""Numbers, names and other strings as figures write them: short, literal, and in fonts that can draw them."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from functools import cache
from numbers import Real
from typing import Any

from ...core.explanation import Explanation
from ...errors import MethodError
from ...extras import need
from ..palette import limit_of

LITERAL = {"parse_math": False, "usetex": False}


def number(x: Any, e: Explanation | None = None) -> str:
    """A number in three digits; 0 where it is but rounding next to the scores of an explanation.

    >>> number(-0.12345), number(1234.5), number(1234567.0)
    ('−0.123', '1,234', '1.23e+06')
    """
    x = float(x)
    if e is not None and abs(x) < 1e-9 * limit_of([e.scores, e.full_value, e.base_value]):
        return "0"
    return (f"{x:,.0f}" if 1e3 <= abs(x) < 1e6 else f"{x:.3g}").replace("-", "−")


def about(e: Explanation) -> list[str]:
    """What is explained and between which values, in short."""
    target = " ".join(map(str, e.provenance.get("targets", ())[e.provenance.get("output", 0) :][:1]))
    value = str(e.provenance.get("value", ""))
    what = f"{value}{' ' if value == 'output' else ' of '}{target}" if target else value
    return [*([what] if what else []), f"v(∅) = {number(e.base_value, e)} → v(V) = {number(e.full_value, e)}"]


def shorten(name: str, most: int = 24) -> str:
    """A name in one line, its end cut off where it is long.

    >>> shorten("a\\nb"), shorten("x" * 40, 5)
    ('a b', 'xxxx…')
    """
    line = " ".join(name.split())
    return line if len(line) <= most else line[: most - 1] + "…"


def check_limit(limit: float | None, scores: Iterable[Any]) -> float:
    """The score of the full colour: that given, or the largest there is."""
    if limit is None:
        return limit_of(scores)
    if not isinstance(limit, Real) or not 0 < limit < float("inf"):
        raise MethodError(f"limit must be a number above 0, the score of the full colour, not {limit!r}")
    return float(limit)


def drawable(*strings: str) -> tuple[list[str], list[str]]:
    """Strings in one line each without what no installed font can draw (□ in its place), and the fonts they need."""
    lines = [" ".join(s.split()) for s in strings]
    wanted = {c for line in lines for c in line}
    used = need("matplotlib", "plot").rcParams["font.family"]
    families, known = _fonts(tuple(used), frozenset(c for c in wanted if ord(c) > 126))
    spare = {c: "" if unicodedata.category(c) in ("Cc", "Cf", "Mn") else "□" for c in wanted - known}
    return ["".join(spare.get(c, c) for c in line) for line in lines], list(families)


@cache
def _fonts(used: tuple[str, ...], wanted: frozenset[str]) -> tuple[list[str], frozenset[str]]:
    """The fonts in use, with others where those lack characters; and all that they can draw."""
    fonts = need("matplotlib.font_manager", "plot")
    families = list(dict.fromkeys([*used, "DejaVu Sans"]))
    known = frozenset[str]().union(*(_glyphs(fonts.findfont(fonts.FontProperties(family=[f]))) for f in families))
    odd = ("cm", "STIXN", "STIXS", "Last Resort")  # numbered in their own way, or boxes only
    upright = [f for f in fonts.fontManager.ttflist if f.style == "normal" and f.weight in (400, "normal", "regular")]
    for name, path in sorted({f.name: f.fname for f in upright if not f.name.startswith(odd)}.items()):
        if wanted <= known:
            break
        if (wanted - known) & _glyphs(path):
            families.append(name)
            known |= _glyphs(path)
    return families, known


@cache
def _glyphs(path: str) -> frozenset[str]:
    """The characters of a font; none where it has bitmaps only."""
    font = need("matplotlib.ft2font", "plot").FT2Font(path)
    try:
        font.set_size(10, 72)
    except RuntimeError:
        return frozenset()
    return frozenset(map(chr, font.get_charmap()))


# -- where it stands ------------------------------------------------------------------------------------------------
