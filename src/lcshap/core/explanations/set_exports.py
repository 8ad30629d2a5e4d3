"""The exports of a set of explanations: pandas, polars, shap, files."""

from __future__ import annotations

from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import OptionError
from ..atomic_files import write_file
from . import dense
from .json_set import write_json_set
from .parquet_set import write_parquet_set
from .row_columns import ExplanationColumns
from .set_frames import to_pandas, to_polars
from .shap_exchange import set_to_shap


class SetExports(ABC):
    """Explanations of many inputs in the forms of other libraries."""

    __slots__ = ()

    @property
    @abstractmethod
    def _columns(self) -> ExplanationColumns:
        """All inputs in memory, as columns."""

    def to_numpy(self) -> NDArray[np.float64]:
        """A copy of the scores, `(n, d)` or `(n, d, outputs)`, which can be changed."""
        return np.array(dense.dense_scores(self._columns))

    def save(self, path: str | Path) -> Path:
        """Write the explanations to one file, which `lcshap.load` reads back. Returns the path.

        A name that ends in ``.parquet`` gives a Parquet file, which is small and fast, and which other programs read
        too. It needs ``pip install "lcshap[bulk]"``. A name that ends in ``.json`` gives a JSON file. Both have a
        digest of their content, which is verified when they are read.

        Raises
        ------
        OptionError : if the name ends in something else, or a record holds what JSON cannot hold.
        """
        suffix = Path(path).suffix.lower()
        if suffix not in (".parquet", ".json"):
            raise OptionError(f"Expected a file name that ends in .parquet or .json, got {Path(path).name!r}.")
        columns = self._columns
        return write_file(path, write_parquet_set(columns) if suffix == ".parquet" else write_json_set(columns))

    def to_dataframe(self, wide: bool = False) -> Any:
        """A pandas DataFrame.

        Parameters
        ----------
        wide : False for a row for each unit of each input, with the columns `input`, `unit`, `name`, `value`, `score`,
            `stderr` and `rank` (by |score|, from 0); and `output` and `target` before the score if there are several
            outputs. `value` and `stderr` are NaN where there is none. Inputs that failed have no rows. True for a row
            for each input (and output), with the scores of each unit in a column.

        Raises
        ------
        OptionError : if `wide`, and inputs have different units.

        Examples
        --------
        >>> import lcshap as lc
        >>> xs = lc.Explanations.from_arrays([[1.0, 2.0]], 0.0, 3.0, names=["age", "dose"], data=[[70.0, 2.0]])
        >>> xs.to_dataframe()[["input", "name", "value", "score", "rank"]]
           input  name  value  score  rank
        0      0   age   70.0    1.0     1
        1      0  dose    2.0    2.0     0
        >>> xs.to_dataframe(wide=True).columns.tolist()
        ['age', 'dose']
        """
        return to_pandas(self._columns, wide)

    def to_polars(self) -> Any:
        """A polars DataFrame with a row for each unit of each input, as `to_dataframe` has.

        If some values are texts, all values are.
        """
        return to_polars(self._columns)

    def to_shap(self, *, interactions: bool = False) -> Any:
        """A `shap.Explanation` of all inputs that were explained, for shap's plots. See `Explanation.to_shap`.

        Texts, whose units differ, have an array of scores for each input.

        Parameters
        ----------
        interactions : give the interactions instead of the scores, `(n, d, d)`, in the convention of shap: half of the
            interaction of a pair on either side of the diagonal, main effects on it, so that rows sum to the scores.
        """
        return set_to_shap(self._columns, interactions)
