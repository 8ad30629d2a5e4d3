"""What may stand in the place of absent units: other maskers that cut the same units."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ..maskers import Image, Masker, Tabular, Text
from .edits import COLOURS

AS_CONFIGURED = "as configured"


def alternative_maskers(masker: Masker) -> dict[str, Masker]:
    """Maskers that cut inputs as the given one does and differ in what absent units become, by name.

    The first is the given one. Others are known for texts (delete the words, or put a placeholder), images (the mean
    colour, black, a blur, noise) and tables of numbers (the mean of the background rows, instead of all of them).

    Examples
    --------
    >>> import lcshap as lc
    >>> list(alternative_maskers(lc.maskers.Text()))
    ['as configured', 'placeholder [MASK]', 'placeholder ...']
    """
    maskers: dict[str, Masker] = {AS_CONFIGURED: masker}
    if isinstance(masker, Text):
        others = {"delete": "delete", "placeholder [MASK]": "[MASK]", "placeholder ...": "..."}
        maskers |= {name: replace(masker, absent=absent) for name, absent in others.items() if absent != masker.absent}
    elif isinstance(masker, Image):
        named = masker.reference if isinstance(masker.reference, str) else None
        maskers |= {name: replace(masker, reference=name) for name in COLOURS if name != named}
    elif isinstance(masker, Tabular) and _has_rows(masker.background):
        maskers["mean row"] = replace(masker, background=masker.background.mean(axis=0), summary=None)
    return maskers


def _has_rows(background: Any) -> bool:
    return isinstance(background, np.ndarray) and background.ndim == 2 and len(background) > 1
