"""The game of a text and a linear model of the counts of its words."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..adapters.counted_words import WordCounts, WordWeights
from ..core.coalitions import Coalitions
from ..core.count_games import CountGame
from ..errors import MethodError
from ..maskers.base import Masked
from ..maskers.text import MaskedText

_ADVICE = "Choose another method, such as GraphKernelSHAP."


def count_game(
    structure: WordWeights, masked: Masked, weights: NDArray[np.float64], multi_output: bool = False
) -> CountGame:
    """The game of a text from the counts of the words in its units.

    Raises `MethodError` if the counts of a text are not the sums of those of its units, such as for letters as units.
    """
    encoder = structure.encoder
    assert isinstance(encoder, WordCounts)
    if not isinstance(masked, MaskedText):
        raise MethodError(
            f"Expected a text for a model that counts words, got {type(masked).__name__}. Cut it with "
            f"lcshap.maskers.Text. {_ADVICE}"
        )
    d = masked.graph.d
    counts = encoder.counts(masked.piece_texts)
    present, pinned, dropped = (counts[masked.numbers[role]] for role in ("unit", "pin", "drop"))
    absent = encoder.counts(["" if masked.absent == "delete" else masked.absent])
    unit_counts = present - _repeated(absent, d)
    empty = _total(pinned) + absent * (d + dropped.shape[0])
    full = encoder.counts(masked.rows(Coalitions.from_sets(d, [range(d)])))
    if not masked.is_separated or abs(empty + _total(unit_counts) - full).sum():
        raise MethodError(
            f"Expected units with white space between them, so that no word is in two of them, got others. {_ADVICE}"
        )
    return CountGame.of_counts(structure, unit_counts, empty, weights, multi_output)


def _total(counts: Any) -> Any:
    """The sums of the columns, `(1, vocabulary)`, sparse."""
    return sparse.csr_array(np.ones((1, counts.shape[0]), np.int64)) @ counts


def _repeated(row: Any, count: int) -> Any:
    """A row, so many times."""
    return sparse.csr_array(np.ones((count, 1), np.int64)) @ row
