"""An explanation of several outputs as a table: a row for each output, a column for each unit."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..core.explanation import Explanation
from ..core.rounding import round_to_zero
from ..errors import ShowError
from . import words
from .check import check_option_count
from .palette import colour_limit

MAX_TABLE_UNITS = 60  # the default maximum of columns
MAX_OUTPUT_COLUMNS = 6  # tables of units have a column for each output up to this number; more outputs have a row each


@dataclass(frozen=True, eq=False)
class HeatTable:
    """The table.

    Attributes
    ----------
    outputs : the name of each row, such as the tokens of an answer.
    names : the name of each column: the units, in the order of the input.
    units : which units they are.
    scores : `(outputs, units)`, with 0 for rounding.
    limit : the largest absolute score of all outputs and units, including those that are left out.
    left_out : the number of units without a column: those whose scores are the smallest for every output.
    """

    outputs: list[str]
    names: list[str]
    units: NDArray[np.intp]
    scores: NDArray[np.float64]
    limit: float
    left_out: int

    @property
    def note(self) -> str:
        """State how many units are left out; empty if none is."""
        return f"{words.format_count(self.left_out, 'unit')} with smaller scores left out" if self.left_out else ""


def make_heat_table(e: Explanation, top: int = MAX_TABLE_UNITS, name_length: int | None = None) -> HeatTable:
    """Find the table of an explanation with several outputs.

    Parameters
    ----------
    e : the explanation. Its outputs may be classes, or the tokens or sentences of an answer.
    top : the number of units that have a column: those with the largest absolute score for any output.
    name_length : longer names of units are cut.

    Returns
    -------
    The table, whose columns are in the order of the input.

    Raises
    ------
    ShowError : if the explanation has one output only.

    Examples
    --------
    >>> import numpy as np
    >>> import lcshap as lc
    >>> scores = np.array([[1.0, 0.0], [0.1, 0.0], [0.0, -2.0]])
    >>> provenance = {"targets": ["It", "rains"]}
    >>> graph = lc.Graph.chain(3, names=["wet", "and", "dry"])
    >>> heat = make_heat_table(lc.Explanation(scores, np.zeros(2), scores.sum(axis=0), graph, 8, provenance), top=2)
    >>> heat.outputs, heat.names, heat.scores.tolist(), heat.note
    (['It', 'rains'], ['wet', 'dry'], [[1.0, 0.0], [0.0, -2.0]], '1 unit with smaller scores left out')
    """
    check_option_count("top", top)
    if e.scores.ndim != 2:
        raise ShowError(
            "Expected an explanation of several outputs, got one output. Explain several, as with target='all', or "
            "draw another figure."
        )
    scores = round_to_zero(e.scores, e.scores, np.asarray(e.base_value), np.asarray(e.full_value)).T
    sizes = np.where(np.isfinite(scores), np.abs(scores), np.inf).max(axis=0)
    units = np.sort(np.argsort(-sizes, kind="stable")[:top])
    names = words.unit_names(e, name_length)
    return HeatTable(
        words.output_names(e),
        [names[unit] for unit in units],
        units,
        scores[:, units],
        colour_limit([scores]),
        len(sizes) - len(units),
    )
