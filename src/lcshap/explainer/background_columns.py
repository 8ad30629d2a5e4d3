"""The masker of an explainer: a table of background rows becomes one, with the columns that the model was fitted on."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ..core.graphs import Graph
from ..errors import MaskerError
from ..maskers.base import Masker
from ..maskers.dataframes import select_columns
from ..maskers.input_lists import count_axes, is_frame
from ..maskers.tabular import Tabular
from .option_checks import describe_non_masker

_MANY_ROWS = 1_000  # background rows from which a warning says what a call of the model costs


def read_masker(model: Any, masker: Any) -> Masker:
    """The masker that a user gave, or `Tabular` of the background rows that were given in its place.

    Columns of a DataFrame are put into the order in which the model was fitted.

    Raises
    ------
    MaskerError : for any other object; and if a masker has no DataFrame to reorder, and the names of the columns of the
        model in another order. A model that gets arrays cannot notice this, and its predictions would be wrong. Other
        names are accepted, because they may be names for displays.

    Examples
    --------
    >>> import numpy as np
    >>> read_masker(None, np.zeros((20, 3)))
    Tabular(graph=None, names=None, pin=(), drop=(), groups=None, summary=None)
    """
    if not isinstance(masker, Masker):
        if not is_table(masker):
            raise MaskerError(f"Expected a masker, got {describe_non_masker(masker)}")
        fitted = fitted_columns(model, [str(name) for name in masker.columns]) if is_frame(masker) else None
        return Tabular(masker if fitted is None else select_columns(masker, fitted, "the background", "the model"))
    return _reorder_background(model, masker) if isinstance(masker, Tabular) else masker


def is_table(data: Any) -> bool:
    """Whether this is a DataFrame, or an array with two axes."""
    return is_frame(data) or (count_axes(data) == 2 and hasattr(data, "dtype") and not hasattr(data, "tocsr"))


def fitted_columns(model: Any, names: Sequence[str]) -> list[str] | None:
    """The columns that a model was fitted on, in their order; None if it does not know them.

    LightGBM replaces spaces in names. Its names are translated back to `names`, those of the data.
    """
    model = getattr(model, "estimator", model) if hasattr(model, "predict") else model
    fitted = getattr(model, "feature_names_in_", None)
    if fitted is None:
        return None
    originals = {name.replace(" ", "_"): name for name in names} | {name: name for name in names}
    return [originals.get(str(name), str(name)) for name in fitted]


def warn_of_many_rows(rows_per_call: int, stacklevel: int) -> None:
    """Warn that each call takes many model rows, if it does."""
    if rows_per_call > _MANY_ROWS:
        warnings.warn(
            f"Each call of the model takes {rows_per_call:,} rows, one for each row of the background. To choose 100 "
            "rows that represent it, give lcshap.maskers.Tabular(X, summary=100) instead of X.",
            stacklevel=stacklevel,
        )


def _reorder_background(model: Any, masker: Tabular) -> Tabular:
    """The masker with the columns in the order of the model."""
    names = masker.column_names
    fitted = None if names is None else fitted_columns(model, names)
    if fitted is None or names is None or fitted == list(names) or not set(fitted) <= set(names):
        return masker
    if is_frame(masker.background) and masker.names is None and _has_only_names(masker):
        return replace(masker, background=select_columns(masker.background, fitted, "the background", "the model"))
    if len(fitted) < len(names):
        return masker
    raise MaskerError(
        f"Expected the columns in the order in which the model was fitted, {', '.join(fitted)}, got "
        f"{', '.join(names)}. Reorder the columns of the table."
    )


def _has_only_names(masker: Tabular) -> bool:
    """Whether no column is given by its number, and none depends on the order."""
    groups = masker.groups.values() if masker.groups and not isinstance(masker.groups, str) else ()
    has_order = masker.graph == "chain" or isinstance(masker.graph, Graph)
    return not has_order and all(map(_are_names, (masker.pin, masker.drop, *groups)))


def _are_names(columns: Any) -> bool:
    listed: Sequence[Any] = [columns] if isinstance(columns, str | int) else list(columns)
    return all(isinstance(column, str) for column in listed)
