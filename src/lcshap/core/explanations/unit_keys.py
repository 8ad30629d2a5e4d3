"""Which units of different inputs count as the same: by their names, words of texts without case and punctuation."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ...errors import OptionError
from . import dense
from .row_columns import ExplanationColumns


def normalise_word(name: str) -> str:
    """A word in lower case, without the punctuation around it; unchanged if it is only punctuation.

    >>> normalise_word("“Good,”"), normalise_word("don't"), normalise_word("--")
    ('good', "don't", '--')
    """
    inside = [i for i, c in enumerate(name) if not unicodedata.category(c).startswith("P")]
    return name[inside[0] : inside[-1] + 1].casefold() if inside else name


def unit_keys(
    columns: ExplanationColumns, key: Callable[[str], str] | None = None
) -> tuple[tuple[str, ...], NDArray[np.intp]]:
    """The different units of all inputs, and for each score of one output the number of its unit.

    Parameters
    ----------
    key : a function from a name to what it counts as; by default as the module says.
    """
    normalise = key or (normalise_word if dense.has_texts(columns) else str)
    numbers: dict[str, int] = {}
    codes = []  # for each graph, the units that its units count as
    for graph in columns.different_graphs:
        keys = [normalise(name) for name in graph.names]
        if not all(isinstance(entry, str) for entry in keys):
            raise OptionError("Expected key to return a str for each name, got something else.")
        codes.append(np.array([numbers.setdefault(entry, len(numbers)) for entry in keys], np.intp))
    if len(codes) == 1:
        return tuple(numbers), np.tile(codes[0], int(columns.succeeded.sum()))
    graph_codes = columns.graphs.codes_of(len(columns))
    rows = [codes[code] for code in graph_codes.tolist() if code >= 0]
    return tuple(numbers), np.concatenate(rows) if rows else np.empty(0, np.intp)
