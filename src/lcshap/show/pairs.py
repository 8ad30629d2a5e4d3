"""The pairs of units that interact: their values, standard errors, and which of them may well be zero."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..core.explanation import Explanation, half_width
from . import words
from .faint import FADED
from .palette import limit_of

_FEW = 5  # so many are listed
_ROUNDING = 1e-6  # of the largest score: interactions below that are rounding errors


@dataclass(frozen=True)
class Pairs:
    """Pairs of units `(m, 2)`, their interactions, standard errors (None where nothing was estimated), and doubts.

    Those that are `faint` may well be zero: their 95 % interval holds 0. Edges and bonds are drawn faint for them; arcs
    over texts and rows of tables leave them out.
    """

    units: NDArray[np.intp]
    values: NDArray[np.float64]
    stderr: NDArray[np.float64] | None
    faint: NDArray[np.bool_]

    @property
    def leading(self) -> list[int]:
        """The pairs that are not zero and not faint, the strongest first."""
        order = np.argsort(-np.abs(self.values), kind="stable")
        return [k for k in order.tolist() if self.values[k] and not self.faint[k]]


def pairs_of(e: Explanation) -> Pairs | None:
    """The interactions of an explanation with one output; None where it has none.

    >>> import lcshap as lc
    >>> v = lc.Game(lambda kept: 1.0 * (kept[:, 0] & kept[:, 1]), 3)
    >>> found = pairs_of(lc.LShapley(interactions=True).explain(v, lc.Graph.chain(3)))
    >>> found.units.tolist(), found.values.tolist(), found.leading
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
    width = half_width(stderr, e.freedom or 0, 0.95)
    return Pairs(units, upper.data, stderr, np.asarray(np.abs(upper.data) <= width))


def drawn_pairs(e: Explanation) -> sparse.csr_array | None:
    """The interactions as a symmetric matrix, less for those whose interval holds 0; None where there are none.

    >>> import lcshap as lc
    >>> v = lc.Game(lambda kept: 1.0 * (kept[:, 0] & kept[:, 1]), 3)
    >>> drawn_pairs(lc.LShapley(interactions=True).explain(v, lc.Graph.chain(3))).toarray()[0].tolist()
    [0.0, 1.0, 0.0]
    """
    pairs = pairs_of(e)
    if pairs is None:
        return None
    drawn = np.where(pairs.faint, FADED * pairs.values, pairs.values)
    drawn[np.abs(drawn) < _ROUNDING * limit_of([e.scores])] = 0.0
    upper = sparse.coo_array((drawn, tuple(pairs.units.T)), (len(e.scores),) * 2)
    return sparse.csr_array(upper + upper.T)


def caption(e: Explanation, what: str, limit: str, left_out: bool = False) -> str:
    """What a figure says of its interactions: their scale, the largest with its standard error, and how many are faint.

    Parameters
    ----------
    what : as what they are drawn, such as "edges".
    limit : the largest of them, as the figure writes numbers; empty if none is drawn.
    left_out : whether those whose intervals hold 0 are not drawn at all.
    """
    pairs, largest = pairs_of(e), largest_pairs(e)
    lines = [f"{what}: interactions, ±{limit}"] if limit else []
    if pairs is None or pairs.stderr is None:
        return "".join(lines)
    if largest and limit:
        lines.append(f"the largest: {largest[0][0]} {largest[0][1]}")
    held = int(np.count_nonzero(pairs.faint))
    if held:
        fate = f"{what} not drawn" if left_out else "faint"
        lines.append(f"{fate}: the 95 % interval holds 0 ({held:,} of {words.count(len(pairs.values), 'pair')})")
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
    names, limit = words.unit_names(e), max(limit_of([pairs.values]), _ROUNDING * limit_of([e.scores]))
    found = []
    for k in pairs.leading[:_FEW]:
        if abs(pairs.values[k]) < _ROUNDING * limit:  # a rounding error
            break
        one, other = (words.shorten(names[unit]) for unit in pairs.units[k].tolist())
        error = "" if pairs.stderr is None else f" ± {words.signed(float(pairs.stderr[k]), limit).lstrip('+')}"
        found.append((f"{one} + {other}", words.signed(float(pairs.values[k]), limit) + error))
    return found


def note(e: Explanation) -> str:
    """What is said above a table of the largest pairs; empty where there are no interactions."""
    pairs = pairs_of(e)
    if pairs is None or not len(pairs.values):
        return ""
    all_of = words.count(len(pairs.values), "pair")
    if pairs.stderr is None:
        return f"largest interactions of {all_of}"
    held = int(np.count_nonzero(pairs.faint))
    doubt = f"; the 95 % intervals of {held:,} hold 0" if held else ""
    return f"largest interactions of {all_of}, with standard errors{doubt}"
