"""Words of a text; the characters of absent ones become spaces, so that all others keep their position."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...core.coalitions import Coalitions
from ...core.views import View
from ...maskers.base import Masked, Masker, check_units
from ...maskers.text import MaskedText, Text


@dataclass(frozen=True)
class Blanks(Masker):
    """Words as units; each character of an absent word is replaced by a space.

    This is the zero padding of the paper for models that read characters, for which a space is padding.

    Examples
    --------
    >>> from lcshap import Coalitions
    >>> Blanks().mask("It just sucks.").rows(Coalitions.from_sets(3, [[0, 2], []]))
    ['It      sucks.', '              ']
    """

    def mask(self, x: Any) -> MaskedBlanks:
        """Cut a string into words."""
        words = Text().mask(x)
        return MaskedBlanks(words.graph, words)


@dataclass(frozen=True, eq=False)
class MaskedBlanks(Masked):
    """A text and the positions of its words."""

    words: MaskedText

    @cached_property
    def _characters(self) -> tuple[NDArray[np.str_], NDArray[np.int64]]:
        """Each character, and the word that it belongs to."""
        unit = np.full(len(self.words.text), -1)
        for i, (start, end) in enumerate(self.words.spans):
            unit[start:end] = i
        return np.array(list(self.words.text)), unit

    def rows(self, coalitions: Coalitions) -> list[str]:
        """One text per coalition, all of the same length."""
        check_units(coalitions, self.graph)
        characters, unit = self._characters
        kept = coalitions.dense()[:, unit] | (unit < 0)
        return ["".join(row) for row in np.where(kept, characters, " ").tolist()]

    @property
    def view(self) -> View | None:
        """The view of the text."""
        return self.words.view
