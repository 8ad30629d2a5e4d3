"""Graphs over the columns of a table, learnt from its rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.csgraph import minimum_spanning_tree
from scipy.special import chdtrc

from ..core.graphs import Graph
from ..errors import MaskerError
from ..extras import import_optional
from .dataframes import Frame
from .mixed import Column, encode_columns, read_array, read_table

Learner = Literal["partial-correlation", "mutual-information", "cluster"]
_MIN_ROWS = 10  # needed to learn a graph: two in each of the five folds of the cross-validation
_MAX_LEVELS = 8  # bins of a numeric column, or categories of another; all rare categories count as one
_MIN_ROWS_PER_CELL = 5  # on average, in a contingency table of two columns: the usual rule for the chi-squared test
_SIGNIFICANCE_LEVEL = 0.01  # the probability of at least one edge if all columns are independent


def learn_graph(
    data: Any,
    threshold: float = 0.1,
    names: Sequence[str] | None = None,
    seed: int = 0,
    method: Learner = "partial-correlation",
) -> Graph:
    """A graph over the columns of a table, learnt from its rows.

    Parameters
    ----------
    data : rows `(n, columns)`, an array or a DataFrame; many more rows than columns, at least 10.
    threshold : edges have a strength above this, from 0 to below 1. The strength is the absolute partial correlation,
        or for the other methods the correlation of two Gaussian columns with the same mutual information.
    names : the names of the columns, instead of those in the data.
    seed : the seed of the random order of the rows for the cross-validation.
    method : "partial-correlation": there is an edge if two columns are correlated given all the others, by the
        graphical lasso with a penalty chosen by cross-validation. It is for columns of numbers without missing values,
        and finds linear dependence only. Needs scikit-learn: ``pip install "lcshap[sklearn]"``. "mutual-information":
        for mixed columns. There is an edge if two columns are dependent, unless a third one lies between them: of three
        columns that all depend on each other, the weakest pair has no edge, as in ARACNE (Margolin et al., 2006).
        "cluster": for mixed columns. The tree that joins the most dependent columns first: the maximum spanning tree of
        mutual information (Chow and Liu, 1968). Without its weakest edges it is divided into the clusters of single
        linkage. Columns that do not depend on others have no edge.

    Returns
    -------
    Graph : one unit for each column, with the edges that were learnt.

    Raises
    ------
    MaskerError : if the data is not a table, has too few rows, or has columns that the method cannot read.

    Notes
    -----
    For mutual information, columns of numbers are cut at their quantiles into at most 8 bins, rare categories are
    merged into one, and missing values are a separate category. Two columns count as dependent by a chi-squared test at
    a level of 0.01 for all pairs together. For data of a Markov random field that is a tree, all three methods find its
    edges, given enough rows; for others the first finds more edges than the second, and the third d - 1.

    Examples
    --------
    >>> steps = np.random.default_rng(0).normal(size=(500, 4))
    >>> learn_graph(steps.cumsum(axis=1), names=["spring", "summer", "autumn", "winter"]).edges.tolist()
    [[0, 1], [1, 2], [2, 3]]
    >>> learn_graph(steps.cumsum(axis=1), method="cluster").edges.tolist()
    [[0, 1], [1, 2], [2, 3]]
    """
    if method not in LEARNERS:
        raise MaskerError(f"Expected one of {', '.join(LEARNERS)} as method, got {method!r}.")
    table = read_table(data, "the data")
    table_names = table.names if isinstance(table, Frame) else read_array(data, "the data")[1]
    if len(table.shape) != 2 or 0 in table.shape:
        raise MaskerError(f"Expected rows and columns to learn a graph from, got shape {table.shape}.")
    if table.shape[0] < _MIN_ROWS:
        raise MaskerError(
            f"Expected more rows to learn a graph from, got {table.shape[0]}. Give learn_graph more rows, or "
            "choose another graph."
        )
    if not 0 <= threshold < 1:
        raise MaskerError(f"Expected a threshold of at least 0 and below 1, got {threshold!r}.")
    column_names = tuple(table_names) if names is None and table_names is not None else names
    labels = [str(c) for c in range(table.shape[1])] if column_names is None else list(column_names)
    edges = LEARNERS[method](encode_columns(table), threshold, labels, seed)
    return Graph.from_edges(table.shape[1], edges, column_names)


def _partial_correlation_edges(
    columns: list[Column], threshold: float, names: list[str], seed: int
) -> NDArray[np.intp]:
    """Edges by the graphical lasso on standardised columns."""
    for name, column in zip(names, columns, strict=True):
        if column.dtype.kind != "f" or not np.isfinite(column).all():
            content = "categories" if column.dtype.kind != "f" else str(column[~np.isfinite(column)][0])
            raise MaskerError(
                f"Expected numbers in every column, got {content} in column {name!r}. Learn the graph with "
                '"mutual-information" or "cluster".'
            )
    table = np.stack(columns, axis=1)
    covariance = import_optional("sklearn.covariance", "sklearn")
    varying = np.flatnonzero(np.ptp(table, axis=0) > 0)
    if len(varying) < 2:
        return np.empty((0, 2), np.intp)
    shuffled = np.random.default_rng(seed).permutation(table[:, varying])
    standard = (shuffled - shuffled.mean(axis=0)) / shuffled.std(axis=0)
    try:
        precision = covariance.GraphicalLassoCV().fit(standard).precision_
    except FloatingPointError as error:
        raise MaskerError(
            f"Expected columns of which a graph can be learnt, got others ({error}). Check whether some "
            "columns are copies or sums of others."
        ) from None
    scale = np.sqrt(np.diag(precision))
    partial = np.triu(np.abs(precision) / np.outer(scale, scale), k=1)
    return np.asarray(varying[np.argwhere(partial > threshold)])


def _mutual_information_edges(columns: list[Column], threshold: float, names: list[str], seed: int) -> NDArray[np.intp]:
    """Edges by mutual information, without the weakest edge of every triangle."""
    strength = _dependence(columns, threshold)
    # The strongest path over a third column, which is as strong as the weaker of its two edges.
    mediated = np.zeros_like(strength)
    for middle in range(len(strength)):
        np.maximum(mediated, np.minimum(strength[:, [middle]], strength[[middle]]), out=mediated)
    return np.argwhere(np.triu((strength > 0) & (strength >= mediated)))


def _spanning_tree_edges(columns: list[Column], threshold: float, names: list[str], seed: int) -> NDArray[np.intp]:
    """Edges of the maximum spanning tree of mutual information, which is a forest if some columns are independent."""
    strength = np.triu(_dependence(columns, threshold))
    tree = minimum_spanning_tree(sparse.csr_array(np.where(strength > 0, 1.0 / np.where(strength, strength, 1), 0)))
    return np.argwhere(tree.toarray() > 0)


LEARNERS: dict[str, Callable[[list[Column], float, list[str], int], NDArray[np.intp]]] = {
    "partial-correlation": _partial_correlation_edges,
    "mutual-information": _mutual_information_edges,
    "cluster": _spanning_tree_edges,
}


# -- mutual information -----------------------------------------------------------------------------------------------


def _dependence(columns: list[Column], threshold: float) -> NDArray[np.float64]:
    """The dependence of each two columns, as a correlation; 0 if it is not significant or too weak."""
    d = len(columns)
    max_levels = max(2, min(_MAX_LEVELS, int(np.sqrt(len(columns[0]) / _MIN_ROWS_PER_CELL))))
    levels = [_discretize(column, max_levels) for column in columns]
    correlations = np.zeros((d, d))
    for i in range(d):
        for j in range(i):
            information, dof = _mutual_information(levels[i], levels[j])
            n = len(levels[i])
            if dof and chdtrc(dof, 2 * n * information) < _SIGNIFICANCE_LEVEL / (d * (d - 1) / 2):
                excess = max(information - dof / (2 * n), 0.0)  # independent columns have dof / 2n on average
                correlations[i, j] = correlations[j, i] = np.sqrt(1 - np.exp(-2 * excess))
    return np.where(correlations > threshold, correlations, 0.0)


def _discretize(column: Column, max_levels: int) -> NDArray[np.intp]:
    """A column as few categories: numbers are cut at quantiles, rare categories merged, missing values separate.

    >>> _discretize(np.array([1.0, 2.0, 3.0, 4.0, np.nan]), 2).tolist(), _discretize(np.array([0, 0, 1, 2]), 2).tolist()
    ([0, 0, 1, 1, 2], [0, 0, 1, 1])
    """
    if column.dtype.kind != "f":
        missing, codes = column < 0, np.maximum(column, 0).astype(np.intp)
        frequent = np.argsort(-np.bincount(codes), kind="stable")
        rank = np.empty(len(frequent), np.intp)
        rank[frequent] = np.arange(len(frequent))
        return np.where(missing, max_levels, np.minimum(rank[codes], max_levels - 1))
    missing = np.isnan(column)
    values = np.unique(column[~missing])
    if len(values) > max_levels:
        values = np.unique(np.quantile(column[~missing], np.arange(1, max_levels) / max_levels))
        codes = np.searchsorted(values, column, side="right")
    else:
        codes = np.searchsorted(values, column)
    return np.where(missing, max_levels, codes)


def _mutual_information(first: NDArray[np.intp], second: NDArray[np.intp]) -> tuple[float, int]:
    """The mutual information of two columns of categories, in nats, and the degrees of freedom of its test."""
    _, first_codes = np.unique(first, return_inverse=True)
    _, second_codes = np.unique(second, return_inverse=True)
    counts = np.zeros((first_codes.max() + 1, second_codes.max() + 1))
    np.add.at(counts, (first_codes, second_codes), 1)
    joint = counts / len(first)
    independent = np.outer(joint.sum(axis=1), joint.sum(axis=0))
    positive = joint > 0
    information = float((joint[positive] * np.log(joint[positive] / independent[positive])).sum())
    return max(information, 0.0), (counts.shape[0] - 1) * (counts.shape[1] - 1)
