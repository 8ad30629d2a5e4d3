"""An explanation as a table with a row for each unit."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..extras import import_optional
from .views import values_per_unit


def explanation_frame(e: Any) -> Any:
    """A pandas DataFrame of an explanation; see `Explanation.to_dataframe`."""
    pandas = import_optional("pandas", "pandas")
    columns: dict[str, Any] = {"name": e.names, "value": values_per_unit(e.view, e.graph.d)}
    several_outputs = e.scores.ndim == 2
    stderr = np.full(e.scores.shape, np.nan) if e.stderr is None else e.stderr
    for key, array in (("score", e.scores), ("stderr", stderr)):
        for k, column in enumerate(np.atleast_2d(array.T)):
            columns[f"{key}_{k}" if several_outputs else key] = column
    if not several_outputs:
        columns["rank"] = np.argsort(e.by_magnitude(), kind="stable")
    return pandas.DataFrame(columns)
