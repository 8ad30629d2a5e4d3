"""Inputs in which some units are replaced: another word, another value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..core.views import TableView, TextView
from ..errors import MaskerError
from ..maskers.base import Masked, Masker


def edited(
    x: Any, masked: Masked, masker: Masker, kept: Sequence[int], replaced: Mapping[int, Any]
) -> tuple[Any, list[int]]:
    """An input with some units replaced, and which of its units are kept.

    Parameters
    ----------
    x, masked, masker : the input, the same cut into units, and what cuts it.
    kept : the units that are still there, by their numbers in `x`.
    replaced : for some units what stands in their place: a text, or the value of a column.

    Returns
    -------
    The new input, and the units to keep in it: those of `kept`, and all that the replacements bring.

    Raises
    ------
    MaskerError : where units of this kind cannot be replaced.

    Examples
    --------
    >>> import lcshap as lc
    >>> text = lc.maskers.Text()
    >>> edited("not so bad", text.mask("not so bad"), text, [0, 2], {2: "very good"})
    ('not so very good', [0, 2, 3])
    """
    view = masked.view
    wrong = [unit for unit in replaced if not 0 <= unit < masked.graph.d]
    if wrong:
        raise MaskerError(f"Expected units from 0 to {masked.graph.d - 1}, got {wrong[0]}.")
    if isinstance(view, TextView) and isinstance(x, str):
        return _edited_text(view, masker, set(kept), replaced)
    if isinstance(view, TableView):
        return _edited_row(view, kept, replaced)
    raise MaskerError("Units of this kind can be removed, not replaced. Edit the input itself instead.")


def _edited_text(view: TextView, masker: Masker, kept: set[int], replaced: Mapping[int, Any]) -> tuple[str, list[int]]:
    pieces, at, gone, size = list[str](), 0, list[tuple[int, int]](), 0
    for (start, end), unit in zip(view.spans.tolist(), view.labels.tolist(), strict=True):
        text = view.text[start:end] if unit not in replaced else str(replaced[unit])
        pieces += [view.text[at:start], text]
        size += start - at + len(text)
        if unit >= 0 and unit not in kept and unit not in replaced:
            gone.append((size - len(text), size))
        at = end
    changed = "".join([*pieces, view.text[at:]])
    new = masker.mask(changed).view
    assert isinstance(new, TextView)
    lost = {
        unit
        for (start, end), unit in zip(new.spans.tolist(), new.labels.tolist(), strict=True)
        if any(start < b and a < end for a, b in gone)
    }
    return changed, [unit for unit in range(int(new.labels.max()) + 1) if unit not in lost]


def _edited_row(view: TableView, kept: Sequence[int], replaced: Mapping[int, Any]) -> tuple[list[Any], list[int]]:
    texts = view.texts or ("",) * len(view.columns)
    row = [text or value for text, value in zip(texts, view.values.tolist(), strict=True)]
    for column, unit in enumerate(view.labels.tolist()):
        if unit in replaced:
            row[column] = _number(replaced[unit])
    return row, sorted({*kept, *replaced})


def _number(value: Any) -> Any:
    """A number where the text is one."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        return value
    return int(number) if number.is_integer() else number
