"""Writing from right to left: the order in which letters and words are drawn.

Matplotlib from 3.11 on orders and joins the letters of a string itself. Before, it draws them from left to right as
they are stored; there, `visual` puts them into the order in which they are seen, and Arabic letters into their joined
forms.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import cache
from itertools import groupby

from ...extras import need

_RIGHT = ("R", "AL", "AN")
_MIRRORED = str.maketrans("()[]{}<>«»", ")(][}{><»«")
_FORMS = ("isolated", "initial", "medial", "final")


def is_right(text: str) -> bool | None:
    """Whether a text is written from right to left, by its first letter of either kind; None where it has none.

    >>> is_right("שלום"), is_right("... good"), is_right("123")
    (True, False, None)
    """
    for character in text:
        kind = unicodedata.bidirectional(character)
        if kind in ("L", *_RIGHT[:2]):
            return kind != "L"
    return None


def order(words: Sequence[str], right: bool) -> list[int]:
    """The order in which the words of a line are drawn from left to right; `right` where its text runs to the left.

    >>> order(["a", "ב", "ג", "d"], right=False), order(["א", "b", "c", "ד"], right=True)
    ([0, 2, 1, 3], [3, 1, 2, 0])
    """
    sides = [is_right(word) for word in words]
    for k, side in enumerate(sides):  # numbers and signs go with what stands before them
        if side is None:
            sides[k] = sides[k - 1] if k else right
    runs = [list(run) for _, run in groupby(range(len(words)), key=sides.__getitem__)]
    runs = [run[::-1] if sides[run[0]] else run for run in runs]
    return [k for run in (runs[::-1] if right else runs) for k in run]


def visual(text: str) -> str:
    """A string as matplotlib is to get it.

    >>> visual("good")
    'good'
    """
    if text.isascii() or is_shaped() or not any(unicodedata.bidirectional(c) in _RIGHT for c in text):
        return text
    return reordered(joined(text))


@cache
def is_shaped() -> bool:
    """Whether this matplotlib orders and joins letters itself."""
    return hasattr(need("matplotlib.ft2font", "plot"), "__libraqm_version__")


def reordered(text: str) -> str:
    """The letters of a string in the order in which they are seen: those from right to left turned round.

    >>> reordered("אבג 12"), reordered("a אב b")
    ('12 גבא', 'a בא b')
    """
    clusters: list[str] = []
    for character in text:
        if clusters and unicodedata.combining(character):
            clusters[-1] += character
        else:
            clusters.append(character)
    kinds = [_kind(cluster[0]) for cluster in clusters]
    base = is_right(text) or False
    for k, kind in enumerate(kinds):  # spaces and signs between letters of one kind go with them
        if kind is None:
            near = [kinds[k - 1] if k else base, next((x for x in kinds[k + 1 :] if x is not None), base)]
            kinds[k] = near[0] if near[0] == near[1] else base
    runs = [list(run) for _, run in groupby(range(len(clusters)), key=kinds.__getitem__)]
    drawn = []
    for run in runs[::-1] if base else runs:
        if kinds[run[0]]:
            drawn += [clusters[k].translate(_MIRRORED) for k in reversed(run)]
        else:
            drawn += [clusters[k] for k in run]
    return "".join(drawn)


def _kind(character: str) -> bool | None:
    kind = unicodedata.bidirectional(character)
    if kind in ("R", "AL"):
        return True
    return False if kind in ("L", "EN", "AN") else None


def joined(text: str) -> str:
    """Arabic letters in the forms that they have beside each other."""
    forms, found = _arabic(), []
    for k, letter in enumerate(text):
        own = forms.get(letter)
        if own is None:
            found.append(letter)
            continue
        before = _neighbour(text, k, -1)
        after = _neighbour(text, k, 1)
        back = "initial" in forms.get(before, {}) and "final" in own
        on = "initial" in own and "final" in forms.get(after, {})
        found.append(own.get(_FORMS[(1 if on else 0) if not back else (2 if on else 3)], letter))
    return "".join(found)


def _neighbour(text: str, k: int, step: int) -> str:
    """The next letter on a side, past the marks above and below letters."""
    k += step
    while 0 <= k < len(text) and unicodedata.combining(text[k]):
        k += step
    return text[k] if 0 <= k < len(text) else ""


@cache
def _arabic() -> dict[str, dict[str, str]]:
    """For each Arabic letter the characters of its forms, as Unicode has them for old fonts and programs."""
    found: dict[str, dict[str, str]] = {}
    for code in (*range(0xFB50, 0xFC00), *range(0xFE80, 0xFEF5)):
        form, *letters = unicodedata.decomposition(chr(code)).split() or [""]
        if len(letters) == 1 and form[1:-1] in _FORMS:
            found.setdefault(chr(int(letters[0], 16)), {})[form[1:-1]] = chr(code)
    return found
