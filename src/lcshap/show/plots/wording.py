"""Words as figures write them: literal, and in fonts that can draw them."""

from __future__ import annotations

import math
import unicodedata
import warnings
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
from ..words import shorten
from .bidi import visual

_NO_FONT = (
    "No installed font has the characters {}. Figures show □ for them. Install a font that has them, such as Noto "
    "Sans, and clear matplotlib's font cache."
)
LITERAL = {"parse_math": False, "usetex": False}


def number(x: Any, e: Explanation | None = None) -> str:
    """A number as `lcshap.show.words` writes it, with a proper minus.

    >>> number(-0.123456)
    '−0.1235'
    """
    return words.number(x, e).replace("-", "−")


def error_of(e: Explanation, unit: int) -> str:
    """The standard error of a score, where there is one; else empty."""
    known = e.stderr is not None and e.stderr.ndim == 1 and math.isfinite(e.stderr[unit])
    return f" ± {words.number(e.stderr[unit], e, digits=2)}" if e.stderr is not None and known else ""


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
        raise ShowError(f"Expected limit as a number above 0, the score of the full colour, got {limit!r}.")
    return float(limit)


def drawable(*strings: str) -> tuple[list[str], list[str]]:
    """Strings in one line each, as matplotlib is to get them, and the fonts they need.

    Where no installed font can draw a character, an emoji has its name in its place, and other characters have a □ and
    a warning.
    """
    lines = [" ".join(s.split()) for s in strings]
    wanted = {c for line in lines for c in line}
    used = need("matplotlib", "plot").rcParams["font.family"]
    families, known = _fonts(tuple(used), frozenset(c for c in wanted if ord(c) > 126))
    spare = {c: "" for c in wanted if c != " " and printable(c) != c}  # whether a font has it or not
    spare |= {c: _instead(c) for c in wanted - known}
    boxes = sorted(c for c in wanted - known if spare[c] == "□" and not unicodedata.category(c).startswith("C"))
    if boxes:
        warnings.warn(_NO_FONT.format(shorten("".join(boxes))), stacklevel=2)
    return [visual("".join(spare.get(c, c) for c in line)) for line in lines], list(families)


def _instead(character: str) -> str:
    """What stands for a character that no font has: for a symbol its name.

    >>> _instead("🦄"), _instead("电")
    (':unicorn face:', '□')
    """
    kind, name = unicodedata.category(character), unicodedata.name(character, "")
    if kind in ("Cc", "Cf", "Mn") or 0x1F3FB <= ord(character) <= 0x1F3FF:  # also colours of the skin of emoji
        return ""
    return f":{name.lower()}:" if kind == "So" and name else "□"


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
