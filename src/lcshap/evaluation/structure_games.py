"""A model, a masked row and a value as a game of the structure of the model, if the value is linear in its outputs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..adapters.base import Model
from ..adapters.counted_words import WordWeights
from ..core.coalitions import Coalitions
from ..core.method import Method
from ..core.row_encoding import DROPPED, PINNED
from ..core.structures import Structure, StructureGame
from ..core.table_method import TableMethod
from ..errors import LcshapError, MethodError
from ..maskers.base import Masked
from ..maskers.input_lists import is_frame
from ..maskers.masked_table import MaskedTabular
from ..maskers.table_inputs import unit_of_columns
from ..values import FixedValue, Value
from .text_games import count_game

Floats = NDArray[np.float64]
_ADVICE = (
    'Explain value="output" of a regressor, value="prob" of a forest, or the margin of a classifier (kind="logits" and '
    'value="output"); or choose another method, such as GraphKernelSHAP.'
)


def structure_game(name: str, model: Model, masked: Masked, value: FixedValue) -> StructureGame:
    """The game of the structure of this name; `MethodError` with the reason if there is none for this value."""
    weights = linear_weights(value, masked.rows_per_call)
    if weights is None:
        rows = f" averaged over {masked.rows_per_call} background rows" if masked.rows_per_call > 1 else ""
        raise MethodError(
            f"Expected a number that is a weighted sum of outputs, got {_describe_value(value)} of a model of "
            f"kind={value.kind!r}{rows}. {_ADVICE}"
        )
    structure = read_structure(name, model)
    if structure.outputs != weights.shape[1]:
        raise MethodError(
            f"Expected {name} for {weights.shape[1]} outputs of the model, got {structure.outputs}. {_ADVICE}"
        )
    if isinstance(masked, MaskedTabular) and not masked.has_background:
        return _game_without_background(structure, masked, value, weights)
    if isinstance(structure, WordWeights):
        return count_game(structure, masked, weights, value.multi_output)
    x, background = (numeric_rows(rows, structure) for rows in _full_and_empty_rows(masked))
    owners = masked.column_units if isinstance(masked, MaskedTabular) else masked.owners
    if owners is not None and owners.ndim == 1:
        owners = number_units(owners, structure)
    if owners is None or owners.shape != x.shape[1:]:
        raise MethodError(f"Expected the columns of a table, got {type(masked).__name__}. {_ADVICE}")
    same_in_all_rows = ((x == x[0]) | (np.isnan(x) & np.isnan(x[0]))).all(axis=0)
    units = np.where(owners >= 0, owners, np.where(same_in_all_rows, PINNED, DROPPED))
    return StructureGame(structure, x[:1], background, units, masked.graph.d, weights, value.multi_output)


def _game_without_background(
    structure: Structure, masked: MaskedTabular, value: FixedValue, weights: Floats
) -> StructureGame:
    x = numeric_rows(masked.rows(Coalitions.from_sets(masked.graph.d, [range(masked.graph.d)])), structure)
    column_units = unit_of_columns(masked.units, masked.labels, masked.pinned, len(masked.columns))
    units = number_units(column_units, structure)
    return StructureGame(structure, x, x[:0], units, masked.graph.d, weights, value.multi_output)


def read_structure(name: str, model: Model) -> Structure:
    """The structure of this name of a model; `MethodError` if it has none."""
    try:
        return model.structure(name)
    except NotImplementedError:
        raise MethodError(
            f"Expected a model with {name} that can be read, got {type(model).__name__}. {_ADVICE}"
        ) from None


def can_read(method: Method, model: Model) -> bool:
    """Whether a method that needs no background rows can read the model."""
    if not isinstance(method, TableMethod) or not method.can_do_without_background:
        return False
    try:
        read_structure(method.reads, model)
    except LcshapError:
        return False
    return True


def has_structure(name: str, model: Model, masked: Masked, value: Value, classes: Sequence[str] | None) -> bool:
    """Whether there is a structure for this value, as far as this is known without calling the model."""
    try:
        outputs = model.structure(name).outputs
        fixed = value.resolve(np.full((1, outputs), 1 / outputs), model.kind, classes)
        structure_game(name, model, masked, fixed)
    except (LcshapError, NotImplementedError):
        return False
    return True


def linear_weights(value: FixedValue, rows: int) -> Floats | None:
    """The weights `(values, outputs)` with which the value is a sum of outputs plus a constant; None if there are none.

    If a coalition takes several rows and their probabilities are averaged before log-odds are computed, only outputs
    are such a sum.

    >>> linear_weights(Value("log_odds").resolve(np.array([[2.0]]), "logits"), rows=1)
    array([[1.]])
    """
    name, k = value.value.name, value.full.shape[-1]
    is_averaged_last = rows == 1 or value.value.average == "after"
    if name == "output":
        unit_outputs = np.concatenate([np.eye(k), np.zeros((1, k))])
        values = value(unit_outputs).reshape(k + 1, -1)
        return np.asarray((values[:-1] - values[-1]).T)
    is_binary = k == 1 and value.kind in ("probabilities", "logits")
    if name == "prob" and value.kind in ("probabilities", "multilabel"):
        table = np.array([[-1.0], [1.0]]) if is_binary else np.eye(k)
    elif name == "log_odds" and is_averaged_last and value.kind == "logits" and (is_binary or k == 2):
        table = np.array([[-1.0], [1.0]]) if is_binary else np.array([[1.0, -1.0], [-1.0, 1.0]])
    elif (
        name == "log_prob"
        and is_averaged_last
        and value.kind == "logits"
        and all(b is not None for _, b in value.pairs)
    ):
        table = np.array([[0.0], [1.0]]) if is_binary else np.eye(k)
    else:
        return None
    return np.array([table[a] if b is None else table[a] - table[b] for a, b in value.pairs])


def _full_and_empty_rows(masked: Masked) -> tuple[Any, Any]:
    """The rows of V and those of ∅."""
    d = masked.graph.d
    full, empty = (masked.rows(Coalitions.from_sets(d, [units])) for units in (range(d), range(0)))
    return full, empty


def numeric_rows(rows: Any, structure: Structure) -> Floats:
    """Rows of a table as the numbers that a structure, such as trees, is computed from.

    Raises `MethodError` if there are columns of other types.
    """
    encoder = structure.encoder
    try:
        if encoder is not None:
            return encoder.encode(rows)
        numbers = np.asarray(rows.to_numpy() if is_frame(rows) else rows, np.float64)
    except (TypeError, ValueError) as error:
        reason = "others" if encoder is None else f"others ({error})"
        raise MethodError(f"Expected columns of numbers, got {reason}. {_ADVICE}") from None
    if numbers.ndim != 2:
        raise MethodError(f"Expected rows of a table, got inputs of shape {numbers.shape[1:]}. {_ADVICE}")
    return numbers


def number_units(column_units: NDArray[np.intp], structure: Structure) -> NDArray[np.intp]:
    """The unit of each of the `numeric_rows`, from that of each column of the table."""
    encoder = structure.encoder
    return column_units if encoder is None else encoder.number_units(column_units)


def _describe_value(value: FixedValue) -> str:
    name = value.value.name
    return getattr(name, "__name__", "a function") if callable(name) else f'value="{name}"'
