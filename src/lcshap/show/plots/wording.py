"""Words as figures write them: literal, and in fonts that can draw them."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from functools import cache
from numbers import Real
from typing import Any

from ...core.explanation import Explanation
from ...core.printable import printable
from ...errors import ShowError
from ...extras import need
from .. import words
from ..palette import limit_of

LITERAL = {"parse_math": False, "usetex": False}


def number(x: Any, e: Explanation | None = None) -> str:
    """A number as `lcshap.show.words` writes it, with a proper minus.

    >>> number(-0.123456)
    '−0.1235'
    """
    return words.number(x, e).replace("-", "−")


def about(e: Explanation) -> list[str]:
    """What is explained and between which values."""
    what = words.about(e)
    return [*([what] if what else []), words.ends(e, number)]


def closing(e: Explanation) -> list[str]:
    """What is left unexplained, and what it cost."""
    return [words.residual(e, number), words.cost(e)]


def check_limit(limit: float | None, scores: Iterable[Any]) -> float:
    """The score of the full colour: that given, or the largest there is."""
    if limit is None:
        return limit_of(scores)
    if not isinstance(limit, Real) or not 0 < limit < float("inf"):
        raise ShowError(f"limit must be a number above 0, the score of the full colour, not {limit!r}")
    return float(limit)


def drawable(*strings: str) -> tuple[list[str], list[str]]:
    """Strings in one line each without what no installed font can draw (□ in its place), and the fonts they need."""
    lines = [" ".join(s.split()) for s in strings]
    wanted = {c for line in lines for c in line}
    used = need("matplotlib", "plot").rcParams["font.family"]
    families, known = _fonts(tuple(used), frozenset(c for c in wanted if ord(c) > 126))
    spare = {c: "" for c in wanted if c != " " and printable(c) != c}  # whether a font has it or not
    spare |= {c: "" if unicodedata.category(c) in ("Cc", "Cf", "Mn") else "□" for c in wanted - known}
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
