"""Scores of few rows: every leaf is looked up for every row."""

from __future__ import annotations

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from .codes import Codes
from .leaves import LeafPatterns, LeafTables
from .tables import position_sets

Floats = NDArray[np.float64]
Places = NDArray[np.intp]
_LOOKUPS_PER_STEP = 1 << 17  # entries of tables that are read at once


def add_few_rows(sums: Floats, tables: LeafTables, values: Floats, rows: Floats, d: int, order: int) -> None:
    """Add what some leaves contribute to the scores of some rows.

    Parameters
    ----------
    sums : `(columns, rows)`, with a column for each unit, or pair of units, and each value; see `set_columns`.
    values : `(places, values)`, what each leaf adds.
    rows : `(features, rows)`, in the precision of the trees.
    """
    widest = max(leaf_class.patterns.units.shape[1] for leaf_class in tables.classes)
    outcomes = tables.literals.outcomes(rows, widest)
    for leaf_class in tables.classes:
        if leaf_class.tables.shape[1]:
            columns = set_columns(leaf_class.patterns.units, d, order)
            add_entries(sums, leaf_class.patterns, leaf_class.tables, columns, values[leaf_class.place], outcomes)


def add_entries(
    sums: Floats, patterns: LeafPatterns, tables: Floats, columns: Places, values: Floats, outcomes: Codes
) -> None:
    """Look some leaves up and add what they contribute to some columns.

    Parameters
    ----------
    sums : `(columns * values, rows)`.
    tables, columns : `(leaves, sets, 2**D)` and `(leaves, sets)`.
    values : `(leaves, values)`.
    outcomes : of the literals that the patterns use, `(literals, rows)`.
    """
    codes = patterns.coder.codes(outcomes).astype(np.intp)
    passes = None if patterns.pinned is None else patterns.pinned.codes(outcomes)
    sets, width = tables.shape[1:]
    step = max(1, _LOOKUPS_PER_STEP // (sets * codes.shape[1]))
    for begin in range(0, len(codes), step):
        part = slice(begin, begin + step)
        places = codes[part, None] + (np.arange(len(codes[part]) * sets) * width).reshape(-1, sets, 1)
        entries = tables[part].reshape(-1).take(places)
        if passes is not None:
            entries *= passes[part, None]
        adding = _addition(columns[part], values[part], len(sums))
        sums += adding @ entries.reshape(-1, codes.shape[1])


def _addition(columns: Places, values: Floats, size: int) -> scipy.sparse.csr_array:
    """The matrix `(columns, leaves * sets)` that multiplies entries by the values of leaves and adds them up."""
    leaves, sets = columns.shape
    count = values.shape[1]
    target = (columns[:, :, None] * count + np.arange(count)).ravel()
    source = np.repeat(np.arange(leaves * sets), count)
    weight = np.repeat(values[:, None], sets, axis=1).ravel()
    used = weight != 0
    return scipy.sparse.csr_array((weight[used], (target[used], source[used])), shape=(size, leaves * sets))


def set_columns(units: Places, d: int, order: int) -> Places:
    """The column of each unit, or each pair of units, of some leaves: the unit itself, or first * d + second.

    For order 0 there is one column.

    >>> set_columns(np.array([[0, 2, 3]]), 4, 2).tolist()
    [[2, 3, 11]]
    """
    if order < 2:
        return units if order else np.zeros((len(units), 1), np.intp)
    first, second = np.array(position_sets(units.shape[1], 2), np.intp).reshape(-1, 2).T
    return units[:, first] * d + units[:, second]
