"""About how long the regression takes, from the number of units and of pairs alone.

Each term is a count of operations, divided by how many of them a processor core of today does in a second. The sum is
mostly right to a factor of two; ``benchmarks/cliffs.py`` measures the time.
"""

from __future__ import annotations

from .posterior import max_process_pairs
from .tuning import DESIGN, SIZES, UNIT_VARIANCES

_SINGLE, _DOUBLE = 6e10, 4e10  # operations a second in products of matrices
_SMALL_DOUBLE = 3e9  # the same in the many small matrices of the search for hyperparameters
_SEARCH = 2.7e9  # the same in the greedy search
_CELLS = 6e7  # units of coalitions a second, for estimates; drawing and storing them takes twice as long
_STEP = 40e-6  # seconds for a step of the greedy search, in addition to its operations
_INPUT, _PAIR = 1.5e-3, 45e-6  # seconds for an input, and for each pair of which the evidence is computed
_EDGE_CELLS = 2e7  # covariances of an interaction with a pair, a second


def design_seconds(d: int, pairs: int) -> float:
    """The seconds for choosing the pairs, which inputs with as many units share.

    >>> 0.05 < design_seconds(64, 255) < 0.2
    True
    """
    if d > SIZES.many_units:
        return 2 * pairs * d / _CELLS + pairs * d**2 / (2 * _SINGLE)
    process_pairs = min(pairs, DESIGN.greedy_pairs_per_unit * d)
    if process_pairs <= DESIGN.few_pairs_per_unit * d:
        candidates = min(DESIGN.candidates_few, DESIGN.comparisons_few // max(process_pairs, 1))
        width = 3 * d + process_pairs
    else:
        ratio = next(ratio for max_units, ratio in DESIGN.candidates_per_pair if d <= max_units)
        candidates, width = ratio * DESIGN.block, 3 * d + DESIGN.block
    return process_pairs * (candidates * width / _SEARCH + _STEP) + 2 * pairs * d / _CELLS


def estimate_seconds(d: int, pairs: int, edges: int = 0) -> float:
    """The seconds for the estimate from the values of one output, with the interactions of some edges.

    >>> estimate_seconds(100, 400) < 0.1 < estimate_seconds(1000, 4000) < 2
    True
    """
    process_pairs = min(pairs, max_process_pairs(d))
    evidence_pairs = min(process_pairs, SIZES.evidence_pairs)
    seconds = _INPUT + process_pairs**3 / 3 / _DOUBLE + pairs * d / _CELLS
    if d > SIZES.many_units:
        evidence_pairs = min(process_pairs, SIZES.shared_pairs_many)
        columns = min(d, SIZES.checked_units) + SIZES.checked_rows
        seconds += process_pairs**2 * (2 * d / _SINGLE + columns / _DOUBLE)
        seconds += (pairs - process_pairs) * process_pairs * 2 * min(d, SIZES.exact_agreement) / _SINGLE
        seconds += UNIT_VARIANCES.steps * min(d, SIZES.inverted_units) ** 3 / _DOUBLE
    else:
        seconds += 1500 * process_pairs**2 / _DOUBLE
    seconds += _PAIR * evidence_pairs + evidence_pairs**3 / _SMALL_DOUBLE
    if edges:
        even_pairs = min(process_pairs, SIZES.evidence_pairs)
        seconds += _PAIR * even_pairs + even_pairs**3 / _SMALL_DOUBLE
        seconds += edges * process_pairs * (1 / _EDGE_CELLS + 2 * process_pairs / _DOUBLE)
    return seconds
