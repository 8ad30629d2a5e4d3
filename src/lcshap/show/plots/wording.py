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
from ...extras import import_optional
from .. import words
from ..palette import colour_limit
from ..words import shorten

_NO_FONT_WARNING = (
    "No installed font has the characters {}. Figures show □ for them. Install a font that has them, such as Noto "
    "Sans, and clear matplotlib's font cache."
)
LITERAL = {"parse_math": False, "usetex": False}


def figure_number(x: Any, e: Explanation | None = None) -> str:
    """A number as `lcshap.show.words` writes it, with a proper minus.

    >>> figure_number(-0.123456)
    '−0.1235'
    """
    return words.format_number(x, e).replace("-", "−")


def error_text(e: Explanation, unit: int) -> str:
    """The standard error of a score, where there is one; else empty."""
    is_finite = e.stderr is not None and e.stderr.ndim == 1 and math.isfinite(e.stderr[unit])
    return f" ± {words.format_number(e.stderr[unit], e, digits=2)}" if e.stderr is not None and is_finite else ""


def subject_and_values(e: Explanation) -> list[str]:
    """What is explained and between which values."""
    subject = words.describe_subject(e)
    return [*([subject] if subject else []), words.base_and_full_value(e, figure_number)]


def residual_and_cost(e: Explanation) -> list[str]:
    """What is left unexplained, and what it cost."""
    return [words.residual_text(e, figure_number), words.cost_text(e)]


def check_limit(limit: float | None, scores: Iterable[Any]) -> float:
    """The score of the full colour: that given, or the largest there is."""
    if limit is None:
        return colour_limit(scores)
    if not isinstance(limit, Real) or not 0 < limit < float("inf"):
        raise ShowError(f"Expected limit as a number above 0, the score of the full colour, got {limit!r}.")
    return float(limit)


def drawable_lines(*strings: str) -> tuple[list[str], list[str]]:
    """Strings in one line each, and the fonts they need.

    Where no installed font can draw a character, an emoji has its name in its place, and other characters have a □ and
    a warning.
    """
    lines = [" ".join(s.split()) for s in strings]
    characters = {c for line in lines for c in line}
    configured = import_optional("matplotlib", "plot").rcParams["font.family"]
    families, supported = _find_fonts(tuple(configured), frozenset(c for c in characters if ord(c) > 126))
    replacements = {c: "" for c in characters if c != " " and printable(c) != c}  # whether a font has it or not
    replacements |= {c: _replacement(c) for c in characters - supported}
    boxes = sorted(
        c for c in characters - supported if replacements[c] == "□" and not unicodedata.category(c).startswith("C")
    )
    if boxes:
        warnings.warn(_NO_FONT_WARNING.format(shorten("".join(boxes))), stacklevel=2)
    return ["".join(replacements.get(c, c) for c in line) for line in lines], list(families)


def _replacement(character: str) -> str:
    """What stands for a character that no font has: for a symbol its name.

    >>> _replacement("🦄"), _replacement("电")
    (':unicorn face:', '□')
    """
    kind, name = unicodedata.category(character), unicodedata.name(character, "")
    if kind in ("Cc", "Cf", "Mn") or 0x1F3FB <= ord(character) <= 0x1F3FF:  # also colours of the skin of emoji
        return ""
    return f":{name.lower()}:" if kind == "So" and name else "□"


@cache
def _find_fonts(configured: tuple[str, ...], characters: frozenset[str]) -> tuple[list[str], frozenset[str]]:
    """The fonts in use, with others where those lack characters; and all that they can draw."""
    fonts = import_optional("matplotlib.font_manager", "plot")
    families = list(dict.fromkeys([*configured, "DejaVu Sans"]))
    supported = frozenset[str]().union(
        *(_font_characters(fonts.findfont(fonts.FontProperties(family=[f]))) for f in families)
    )
    odd = ("cm", "STIXN", "STIXS", "Last Resort")  # numbered in their own way, or boxes only
    upright = [f for f in fonts.fontManager.ttflist if f.style == "normal" and f.weight in (400, "normal", "regular")]
    for name, path in sorted({f.name: f.fname for f in upright if not f.name.startswith(odd)}.items()):
        if characters <= supported:
            break
        if (characters - supported) & _font_characters(path):
            families.append(name)
            supported |= _font_characters(path)
    return families, supported


@cache
def _font_characters(path: str) -> frozenset[str]:
    """The characters of a font; none where it has bitmaps only."""
    font = import_optional("matplotlib.ft2font", "plot").FT2Font(path)
    try:
        font.set_size(10, 72)
    except RuntimeError:
        return frozenset()
    return frozenset(map(chr, font.get_charmap()))
