"""A few rows that represent a table, by balanced k-medoids for mixed columns."""

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
    """k rows of a table that represent all of it, each the same number of rows.

    The method is balanced k-medoids. All rows are assigned to k medoids such that each gets the same number (up to one)
    and the sum of distances is small. Then the row of each cluster with the smallest distance to all others becomes its
    medoid. Both steps are repeated until nothing changes. Because all clusters have the same size, the average over the
    k rows, which `Tabular` uses, gives every row of the data the same weight. Ordinary k-medoids would need weights.

    Parameters
    ----------
    data : rows `(n, columns)`, an array or a DataFrame.
    k : the number of rows.
    seed : the seed for the choice of 1,000 rows if there are more.

    Returns
    -------
    The k rows, in the order of the data: an array, or a DataFrame of the same kind.

    Raises
    ------
    MaskerError : if the data is not a table, or has fewer than k rows.

    Notes
    -----
    The distance of two rows is the mean over columns (Gower, 1971): for numbers and dates their difference divided by
    the range of the column, for categories 1 if they differ. A missing value equals only other missing values. Values
    that occur in fewer than n / k rows may be in none of the chosen rows; take more rows, or all, if they matter.

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
    """The row nearest to all, then one by one the row that lowers the distances to the chosen rows most, as in PAM."""
    nearest = np.full(len(distances), np.inf)
    chosen: list[int] = []
    for _ in range(k):
        totals = np.minimum(distances, nearest[:, None]).sum(axis=0)
        totals[chosen] = np.inf
        chosen.append(int(totals.argmin()))
        nearest = np.minimum(nearest, distances[:, chosen[-1]])
    return np.array(chosen, np.intp)


def _assign_rows(distances: NDArray[np.float64]) -> NDArray[np.intp]:
    """The medoid of each row. All medoids get the same number of rows, up to one, at the smallest sum of distances."""
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
