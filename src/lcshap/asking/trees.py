"""A model, a masked row and a value as a game of trees, where the value is a sum over the trees of the model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..adapters.base import Model
from ..core.coalitions import Coalitions
from ..core.trees import TreeGame
from ..errors import LcshapError, MethodError
from ..maskers.base import Masked
from ..maskers.many import is_frame, is_pandas
from ..maskers.masked_table import MaskedTabular
from .values import FixedValue, Value

Floats = NDArray[np.float64]
_ADVICE = (
    'Explain value="output" of a regressor, value="prob" of a forest, or the margin of a classifier (kind="logits" and '
    'value="output"); or choose another method, such as GraphKernelSHAP.'
)


def tree_game(model: Model, masked: Masked, value: FixedValue) -> TreeGame:
    """The game as the trees of the model play it; `MethodError` with the reason where they do not."""
    weights = linear(value, masked.rows_per_call)
    if weights is None:
        rows = f" averaged over {masked.rows_per_call} background rows" if masked.rows_per_call > 1 else ""
        raise MethodError(
            f"Expected a number that is a sum over trees, got {_name(value)} of a model of kind={value.kind!r}{rows}. "
            f"{_ADVICE}"
        )
    try:
        trees = model.trees()
    except NotImplementedError:
        raise MethodError(f"Expected a tree ensemble, got {type(model).__name__}. {_ADVICE}") from None
    if trees.value.shape[1] != weights.shape[1]:
        raise MethodError(
            f"Expected trees for {weights.shape[1]} outputs of the model, got {trees.value.shape[1]}. {_ADVICE}"
        )
    x, background = _ends(masked, trees.categories)
    owners = masked.column_units if isinstance(masked, MaskedTabular) else masked.owners
    if owners is None or owners.shape != x.shape[1:]:
        raise MethodError(f"Expected the columns of a table, got {type(masked).__name__}. {_ADVICE}")
    missing = np.isnan(x[:, trees.blind]).any(axis=0) | np.isnan(background[:, trees.blind]).any(axis=0)
    if missing.any():
        column = int(trees.blind[np.argmax(missing)])
        raise MethodError(
            f"Expected no missing values in column {column}, got some. The model was told how to treat them "
            '(nan_mode="Max"), which cannot be read. Choose another method, such as GraphKernelSHAP.'
        )
    return TreeGame(trees, x, background, owners, masked.graph.d, weights, value.several)


def may_read(model: Model, masked: Masked, value: Value, classes: Sequence[str] | None) -> bool:
    """Whether there are trees for this value, as far as that can be told without asking the model."""
    try:
        columns = model.trees().value.shape[1]
        fixed = value.resolve(np.full((1, columns), 1 / columns), model.kind, classes)
        tree_game(model, masked, fixed)
    except (LcshapError, NotImplementedError):
        return False
    return True


def linear(value: FixedValue, rows: int) -> Floats | None:
    """The weights `(values, outputs)` with which the value is a sum of the outputs, but for a constant; else None.

    Where a coalition takes several rows, probabilities are averaged, not log-odds: then only outputs themselves are.

    >>> linear(Value("log_odds").resolve(np.array([[2.0]]), "logits"), rows=1)
    array([[1.]])
    """
    name, k = value.value.name, value.full.shape[-1]
    if name == "output":
        ends = np.concatenate([np.eye(k), np.zeros((1, k))])
        values = value(ends).reshape(k + 1, -1)
        return np.asarray((values[:-1] - values[-1]).T)
    two = k == 1 and value.kind in ("probabilities", "logits")
    if name == "prob" and value.kind in ("probabilities", "multilabel"):
        table = np.array([[-1.0], [1.0]]) if two else np.eye(k)
    elif name == "log_odds" and rows == 1 and value.kind == "logits" and (two or k == 2):
        table = np.array([[-1.0], [1.0]]) if two else np.array([[1.0, -1.0], [-1.0, 1.0]])
    elif name == "log_prob" and rows == 1 and value.kind == "logits" and all(b is not None for _, b in value.pairs):
        table = np.array([[0.0], [1.0]]) if two else np.eye(k)
    else:
        return None
    return np.array([table[a] if b is None else table[a] - table[b] for a, b in value.pairs])


def _ends(masked: Masked, categories: Sequence[Sequence[Any]]) -> tuple[Floats, Floats]:
    """The rows of V and those of ∅, as numbers."""
    d = masked.graph.d
    found = []
    for units in (range(d), range(0)):
        rows: Any = masked.rows(Coalitions.from_sets(d, [units]))
        try:
            rows = _encoded(rows, categories) if is_frame(rows) else rows
            numbers = np.asarray(rows, np.float64)
        except (TypeError, ValueError):
            raise MethodError(f"Expected columns of numbers, got others. {_ADVICE}") from None
        if numbers.ndim != 2:
            raise MethodError(f"Expected rows of a table, got inputs of shape {numbers.shape[1:]}. {_ADVICE}")
        found.append(numbers)
    return found[0], found[1]


def _encoded(rows: Any, categories: Sequence[Sequence[Any]]) -> Any:
    """A DataFrame as numbers; of columns of categories, the place of each value among those that the trees know."""
    if not categories or not is_pandas(rows):
        return rows.to_numpy()
    known, columns = iter(categories), []
    for _, column in rows.items():
        if hasattr(column.dtype, "categories"):
            codes = {category: float(code) for code, category in enumerate(next(known, ()))}
            column = [codes.get(value, np.nan) for value in column.tolist()]
        columns.append(np.asarray(column, np.float64))
    return np.stack(columns, axis=1)


def _name(value: FixedValue) -> str:
    name = value.value.name
    return getattr(name, "__name__", "a function") if callable(name) else f'value="{name}"'
