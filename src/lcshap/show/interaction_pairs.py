"""The pairs of units that interact: their values, standard errors, and which intervals contain zero."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..core.explanation import Explanation, half_width
from . import words
from .faded_scores import FADED_STRENGTH
from .palette import colour_limit

_MAX_LISTED_PAIRS = 5  # so many are listed
_RELATIVE_TOLERANCE = 1e-6  # of the largest score: interactions below that are rounding errors


@dataclass(frozen=True)
class Pairs:
    """Pairs of units `(m, 2)`, their interactions, standard errors (None if there are none), and which are faint.

    Pairs are `insignificant` if their 95 % interval contains 0. Edges and bonds are drawn faint for them; arcs
    over texts and rows of tables leave them out.
    """

    units: NDArray[np.intp]
    values: NDArray[np.float64]
    stderr: NDArray[np.float64] | None
    insignificant: NDArray[np.bool_]

    @property
    def by_magnitude(self) -> list[int]:
        """The pairs that are not zero and not faint, the strongest first."""
        order = np.argsort(-np.abs(self.values), kind="stable")
        return [k for k in order.tolist() if self.values[k] and not self.insignificant[k]]


def pairs_of(e: Explanation) -> Pairs | None:
    """The interactions of an explanation with one output; None where it has none.

    >>> import lcshap as lc
    >>> v = lc.Game(lambda kept: 1.0 * (kept[:, 0] & kept[:, 1]), 3)
    >>> pairs = pairs_of(lc.LShapley(interactions=True).explain(v, lc.Graph.chain(3)))
    >>> pairs.units.tolist(), pairs.values.tolist(), pairs.by_magnitude
    ([[0, 1], [1, 2]], [1.0, 0.0], [0])
    """
    if e.interactions is None or isinstance(e.interactions, tuple):
        return None
    upper = sparse.coo_array(sparse.triu(e.interactions, k=1))
    units = np.stack([upper.row, upper.col], axis=1).astype(np.intp)
    if e.interaction_stderr is None or isinstance(e.interaction_stderr, tuple):
        return Pairs(units, upper.data, None, np.zeros(len(units), bool))
    errors = sparse.csr_array(e.interaction_stderr)
    stderr = np.asarray(errors[upper.row, upper.col], np.float64).reshape(len(units))
    width = half_width(stderr, e.dof or 0, 0.95)
    return Pairs(units, upper.data, stderr, np.asarray(np.abs(upper.data) <= width))


def faded_interactions(e: Explanation) -> sparse.csr_array | None:
    """The interactions as a symmetric matrix, reduced if their interval contains 0; None if there are none.

    >>> import lcshap as lc
    >>> v = lc.Game(lambda kept: 1.0 * (kept[:, 0] & kept[:, 1]), 3)
    >>> faded_interactions(lc.LShapley(interactions=True).explain(v, lc.Graph.chain(3))).toarray()[0].tolist()
    [0.0, 1.0, 0.0]
    """
    pairs = pairs_of(e)
    if pairs is None:
        return None
    drawn = np.where(pairs.insignificant, FADED_STRENGTH * pairs.values, pairs.values)
    drawn[np.abs(drawn) < _RELATIVE_TOLERANCE * colour_limit([e.scores])] = 0.0
    upper = sparse.coo_array((drawn, tuple(pairs.units.T)), (len(e.scores),) * 2)
    return sparse.csr_array(upper + upper.T)


def interaction_caption(e: Explanation, drawn_as: str, limit: str, left_out: bool = False) -> str:
    """Describe the interactions in a figure: their scale, the largest with its standard error, and how many are faint.

    Parameters
    ----------
    drawn_as : what represents the interactions in the figure, such as "edges".
    limit : the largest of them, as the figure writes numbers; empty if none is drawn.
    left_out : whether those whose intervals include zero are not drawn at all.
    """
    pairs, largest = pairs_of(e), largest_pairs(e)
    lines = [f"{drawn_as}: interactions, ±{limit}"] if limit else []
    if pairs is None or pairs.stderr is None:
        return "".join(lines)
    if largest and limit:
        lines.append(f"the largest: {largest[0][0]} {largest[0][1]}")
    n_faint = int(np.count_nonzero(pairs.insignificant))
    if n_faint:
        label = f"{drawn_as} not drawn" if left_out else "Faint"
        lines.append(
            f"{label}: the 95 % interval includes zero ({n_faint:,} of {words.format_count(len(pairs.values), 'pair')})"
        )
    return "\n".join(lines)


def largest_pairs(e: Explanation) -> list[tuple[str, str]]:
    """The names of the pairs that interact most, and their values with standard errors, for a table.

    >>> import lcshap as lc
    >>> v = lc.Game(lambda kept: 1.0 * (kept[:, 0] & kept[:, 1]), 3)
    >>> largest_pairs(lc.GraphKernelSHAP(8, interactions=True).explain(v, lc.Graph.chain(3)))
    [('0 + 1', '+1.000 ± 0.000')]
    """
    pairs = pairs_of(e)
    if pairs is None:
        return []
    names, limit = (
        words.unit_names(e),
        max(colour_limit([pairs.values]), _RELATIVE_TOLERANCE * colour_limit([e.scores])),
    )
    rows = []
    for k in pairs.by_magnitude[:_MAX_LISTED_PAIRS]:
        if abs(pairs.values[k]) < _RELATIVE_TOLERANCE * limit:  # a rounding error
            break
        first, second = (words.shorten(names[unit]) for unit in pairs.units[k].tolist())
        error = "" if pairs.stderr is None else f" ± {words.format_signed(float(pairs.stderr[k]), limit).lstrip('+')}"
        rows.append((f"{first} + {second}", words.format_signed(float(pairs.values[k]), limit) + error))
    return rows


def interaction_note(e: Explanation) -> str:
    """The heading of a table of the largest pairs; empty if there are no interactions."""
    pairs = pairs_of(e)
    if pairs is None or not len(pairs.values):
        return ""
    total = words.format_count(len(pairs.values), "pair")
    if pairs.stderr is None:
        return f"largest interactions of {total}"
    n_faint = int(np.count_nonzero(pairs.insignificant))
    doubt = f"; the 95 % intervals of {n_faint:,} include zero" if n_faint else ""
    return f"largest interactions of {total}, with standard errors{doubt}"
