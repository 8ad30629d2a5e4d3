"""Rows on which a model is compared with the trees that were read from it, if there is no background."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.structures import Structure
from ..core.tree_ensembles import Trees
from ..maskers.input_lists import is_pandas

_PROBES = 16


def probe_rows(rows: Any, structure: Structure) -> Any:
    """Rows like the first one, in which half of the numbers are thresholds of the trees, on both sides of which rows
    go to different leaves. Where there are no such numbers, copies of the row.

    Parameters
    ----------
    rows : an array or a DataFrame. Only columns of floats are changed, and those of a polars DataFrame are not.
    """
    if not isinstance(structure, Trees) or not (isinstance(rows, np.ndarray) or is_pandas(rows)):
        return rows[:1]
    rng = np.random.default_rng(0)
    probes = rows[np.zeros(_PROBES, np.intp)] if isinstance(rows, np.ndarray) else rows.iloc[[0] * _PROBES].copy()
    sources = np.arange(rows.shape[1]) if structure.encoder is None else structure.encoder.sources
    for number in np.unique(structure.feature[structure.left >= 0]).tolist():
        is_threshold = (structure.feature == number) & (structure.left >= 0) & np.isfinite(structure.threshold)
        column, candidates = int(sources[number]), structure.threshold[is_threshold]
        values = probes[:, column] if isinstance(probes, np.ndarray) else probes.iloc[:, column].to_numpy()
        if column < 0 or values.dtype.kind != "f" or not len(candidates):
            continue
        chosen = np.where(rng.random(_PROBES) < 0.5, rng.choice(candidates, _PROBES), values).astype(values.dtype)
        if isinstance(probes, np.ndarray):
            probes[:, column] = chosen
        else:
            probes.isetitem(column, chosen)
    return probes
