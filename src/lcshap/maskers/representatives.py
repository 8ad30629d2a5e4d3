"""A few rows that stand for a table: balanced k-medoids for mixed columns."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from ..errors import MaskerError
from .base import is_count
from .dataframes import Frame
from .mixed import Column, encode_columns, read_table

_MAX_ROWS = 1000  # the most rows for which the distances of all pairs are computed
_MAX_ROUNDS = 20


def representatives(data: Any, k: int, seed: int = 0) -> Any:
    """k rows of a table that stand for all of it, each for equally many rows.

    Balanced k-medoids. All rows are assigned to k of them so that each gets the same number (up to one) and the
    distances sum to little; then each cluster's row with the least distance to all others in it takes its place; and
    so on until nothing changes. Because clusters are of one size, the plain average over the k rows, which is what
    `Tabular` takes, gives every row of the data the same weight. Ordinary k-medoids would need weights.

    Parameters
    ----------
    data : rows `(n, columns)`, an array or a DataFrame.
    k : how many rows.
    seed : which 1,000 rows are looked at where there are more.

    Returns
    -------
    The k rows, in the order in which they stand in the data: an array, or a DataFrame of the same kind.

    Raises
    ------
    MaskerError : if the data is not a table, or has fewer rows than are asked for.

    Notes
    -----
    The distance of two rows is the mean over columns (Gower, 1971): of numbers and dates their difference divided by
    the range of the column, of categories whether they differ; missing values are equal to each other alone. What only
    a few rows have, fewer than n / k, may be in none of the chosen ones; take all rows, or more, where that matters.

    Examples
    --------
    >>> representatives([[0.0], [1.0], [2.0], [10.0], [11.0], [12.0]], 2).tolist()
    [[1.0], [11.0]]
    """
    table = read_table(data, "the data")
    if len(table.shape) != 2 or 0 in table.shape:
        raise MaskerError(f"Expected rows and columns to choose from, got a shape of {table.shape}.")
    rows = choose_rows(encode_columns(table), k, seed)
    return table.pick(rows).data if isinstance(table, Frame) else table[rows]


def choose_rows(columns: list[Column], k: int, seed: int = 0) -> NDArray[np.intp]:
    """The numbers of the k rows; see `representatives`."""
    n = len(columns[0])
    if not is_count(k) or k > n:
        raise MaskerError(f"Expected a number of rows from 1 to {n:,}, those of the data, got {k!r}.")
    max_rows = max(_MAX_ROWS, k)
    sampled = np.arange(n) if n <= max_rows else np.sort(np.random.default_rng(seed).choice(n, max_rows, replace=False))
    return (
        sampled if len(sampled) == k else sampled[_find_medoids(_distances([column[sampled] for column in columns]), k)]
    )


def _distances(columns: list[Column]) -> NDArray[np.float64]:
    n = len(columns[0])
    total = np.zeros((n, n))
    for column in columns:
        if column.dtype.kind != "f":
            total += column[:, None] != column
            continue
        present = np.isfinite(column)
        width = np.ptp(column[present]) if present.any() else 0.0
        distance = np.abs(column[:, None] - column) / (width or 1.0)
        total += np.where(np.isnan(distance), present[:, None] != present, distance)
    return np.asarray(total / len(columns))


def _find_medoids(distances: NDArray[np.float64], k: int) -> NDArray[np.intp]:
    """Alternate between the assignment of rows and the choice of the medoid of each cluster."""
    medoids = _initial_medoids(distances, k)
    best_medoids, lowest_cost = medoids, np.inf
    for _ in range(_MAX_ROUNDS):
        owner = _assign_rows(distances[:, medoids])
        cost = float(distances[np.arange(len(distances)), medoids[owner]].sum())
        if cost >= lowest_cost:
            break
        best_medoids, lowest_cost = medoids, cost
        clusters = [np.flatnonzero(owner == c) for c in range(k)]
        medoids = np.array([rows[distances[np.ix_(rows, rows)].sum(axis=1).argmin()] for rows in clusters])
    return np.sort(best_medoids)


def _initial_medoids(distances: NDArray[np.float64], k: int) -> NDArray[np.intp]:
    """The row nearest to all, then one by one the row that brings the rows nearest to those chosen (PAM's start)."""
    nearest = np.full(len(distances), np.inf)
    chosen: list[int] = []
    for _ in range(k):
        totals = np.minimum(distances, nearest[:, None]).sum(axis=0)
        totals[chosen] = np.inf
        chosen.append(int(totals.argmin()))
        nearest = np.minimum(nearest, distances[:, chosen[-1]])
    return np.array(chosen, np.intp)


def _assign_rows(distances: NDArray[np.float64]) -> NDArray[np.intp]:
    """For each row its medoid, each of which gets as many rows as the others, up to one, at the least sum."""
    n, k = distances.shape
    slots = np.repeat(np.arange(k), -(-n // k))
    costs = distances[:, slots]
    if len(slots) > n:  # some medoids get one row fewer: their last place stays empty at no cost
        empty = np.full((len(slots) - n, len(slots)), np.inf)
        last_slots = np.flatnonzero(np.diff(slots, append=k))
        empty[:, last_slots] = 0.0
        costs = np.concatenate([costs, empty])
    rows, assigned = scipy.optimize.linear_sum_assignment(costs)
    owner = slots[assigned[np.argsort(rows)]]
    return np.asarray(owner[:n])
