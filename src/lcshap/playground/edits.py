"""Inputs in which some units are replaced: another word, another value, another colour. The units stay the same."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.views import one_hot_category
from ..errors import MaskerError
from ..maskers import Bytes, Image, Masker, Molecule, Prompt, Series, Subwords, Tabular, Text, Tokens
from ..maskers.base import Masked
from ..maskers.bytes import MaskedBytes
from ..maskers.image import MaskedImage
from ..maskers.image_arrays import channels_back, channels_last, make_reference
from ..maskers.masked_table import MaskedTabular
from ..maskers.prompt import MaskedPrompt
from ..maskers.series import MaskedSeries
from ..maskers.subwords import MaskedSubwords
from ..maskers.text import MaskedText
from ..maskers.tokens import MaskedTokens
from .rows import cell_kinds, make_row, read_cell, row_cells

Replaced = Mapping[int, Any]
COLOURS = ("mean", "black", "blur", "noise")  # The named replacements of a part of an image.
_EDITOR_KINDS: dict[type[Masker], str] = {
    Text: "text",
    Subwords: "text",
    Prompt: "text",
    Tabular: "value",
    Image: "image",
    Series: "number",
    Bytes: "hex",
    Tokens: "number",
}
_NOT_REPLACEABLE = "Units of this kind can be removed, not replaced. Choose another example instead."
_ATOMS_NOT_REPLACEABLE = (
    "Atoms can be removed, not replaced: another element has other bonds, so that the molecule may not exist. Edit the "
    "SMILES instead."
)


def how_to_replace(masker: Masker) -> dict[str, Any]:
    """How the page asks for what replaces a unit ("text", "value", "number", "hex" or "image"), or why it does not."""
    if isinstance(masker, Molecule):
        return {"kind": None, "why": _ATOMS_NOT_REPLACEABLE}
    kind = next((kind for masker_class, kind in _EDITOR_KINDS.items() if isinstance(masker, masker_class)), None)
    return {"kind": kind, "why": "" if kind else _NOT_REPLACEABLE, "colours": list(COLOURS)}


def replace_units(masked: Masked, masker: Masker, replaced: Replaced) -> Masked:
    """An input with some units replaced. It has the same units, with the same numbers.

    Parameters
    ----------
    masked, masker : the input, cut into units, and what cut it.
    replaced : for some units what stands in their place. Of texts and prompts it is a text; of tables the value of the
        column (of a one-hot block the category); of images "mean", "black", "blur", "noise" or a colour such as
        "#ff8800"; of series a number, or one for each number of the unit; of files bytes in hexadecimal; of token ids
        an id.

    Returns
    -------
    The same input, in which these units are others.

    Raises
    ------
    MaskerError : where units of this kind cannot be replaced, or not by this.

    Examples
    --------
    >>> import lcshap as lc
    >>> text = lc.maskers.Text()
    >>> changed = replace_units(text.mask("not so bad"), text, {2: "very good"})
    >>> changed.rows(lc.Coalitions.from_sets(3, [[0, 2], [0, 1]]))
    ['not very good', 'not so']
    """
    wrong = [unit for unit in replaced if not 0 <= unit < masked.graph.d]
    if wrong:
        raise MaskerError(f"Expected units from 0 to {masked.graph.d - 1}, got {wrong[0]}.")
    for kind, edit in _EDITS.items():
        if isinstance(masked, kind):
            return edit(masked, masker, replaced)
    raise MaskerError(how_to_replace(masker)["why"] or _NOT_REPLACEABLE)


# -- texts ------------------------------------------------------------------------------------------------------------


def _edit_text(masked: MaskedText, masker: Masker, replaced: Replaced) -> MaskedText:
    numbers = masked.numbers["unit"].tolist()
    texts = [masked.text[start:end] for start, end in masked.pieces.tolist()]
    for unit, value in replaced.items():
        texts[numbers[unit]] = str(value)
    pieces, strings, position, size = np.empty_like(masked.pieces), list[str](), 0, 0
    for number, (start, end) in enumerate(masked.pieces.tolist()):
        strings += [masked.text[position:start], texts[number]]
        size += start - position + len(texts[number])
        pieces[number] = size - len(texts[number]), size
        position = end
    text = "".join([*strings, masked.text[position:]])
    spans = tuple((int(start), int(end)) for start, end in pieces[numbers])
    return replace(masked, text=text, pieces=pieces, spans=spans)


def _edit_sides(masked: Any, masker: Masker, replaced: Replaced) -> Any:
    """A prompt with its sources, or a pair of texts: units are numbered from one to the next."""
    sides, first = list[Any](), 0
    for side in masked.sides:
        count = 0 if isinstance(side, str) else side.graph.d
        side_replaced = {unit - first: value for unit, value in replaced.items() if first <= unit < first + count}
        sides.append(_edit_text(side, masker, side_replaced) if side_replaced else side)
        first += count
    return replace(masked, sides=tuple(sides))


# -- tables -----------------------------------------------------------------------------------------------------------


def _edit_row(masked: MaskedTabular, masker: Masker, replaced: Replaced) -> Masked:
    row, kinds, names = row_cells(masked), cell_kinds(masked), list(map(str, masked.columns))
    for unit, value in replaced.items():
        columns = np.flatnonzero(masked.column_units == unit).tolist()
        if len(columns) == 1:
            row[columns[0]] = read_cell(value, kinds[columns[0]], names[columns[0]])
        else:
            for column, number in zip(columns, _encode_one_hot([names[c] for c in columns], value), strict=True):
                row[column] = number
    return masker.mask(make_row(row, masked))


def _encode_one_hot(names: list[str], value: Any) -> list[float]:
    """A category as the columns of its one-hot block."""
    rows = np.eye(len(names)).tolist()
    row_by_category = {one_hot_category(names, np.array(row)): row for row in rows}
    if str(value) not in row_by_category:
        raise MaskerError(
            f"Expected one of {', '.join(map(repr, row_by_category))} for these columns, got {value!r:.40}."
        )
    return list(row_by_category[str(value)])


# -- numbers ----------------------------------------------------------------------------------------------------------


def _edit_image(masked: MaskedImage, masker: Masker, replaced: Replaced) -> MaskedImage:
    pixels = channels_last(masked.x, masked.channels).copy()
    for unit, value in replaced.items():
        inside = masked.labels == unit
        pixels[inside] = channels_last(_make_fill(masked, value), masked.channels)[inside]
    return replace(masked, x=np.ascontiguousarray(channels_back(pixels, masked.channels)))


def _make_fill(masked: MaskedImage, value: Any) -> NDArray[Any]:
    """An image of this colour, or another version of the image itself."""
    x, channels = masked.x, masked.channels
    if value in COLOURS:
        return make_reference(value, x, channels, 0)
    if not isinstance(value, str) or not re.fullmatch(r"#[0-9a-fA-F]{6}", value):
        raise MaskerError(f"Expected one of {', '.join(COLOURS)} or a colour such as #ff8800, got {value!r:.40}.")
    shares = np.array([int(value[at : at + 2], 16) / 255 for at in (1, 3, 5)])
    depth = channels_last(x, channels).shape[2]
    grey = [float(shares @ [0.299, 0.587, 0.114])]
    colour = np.array([*shares, 1.0] if depth == 4 else shares if depth == 3 else grey * depth)
    low, high = (0, 255) if x.dtype == np.uint8 else (float(x.min()), float(x.max()))
    low, high = (0, 1) if x.dtype.kind == "f" and low >= 0 and high <= 1 else (low, high)
    return make_reference(low + (high - low) * colour, x, channels, 0)


def _edit_series(masked: MaskedSeries, masker: Masker, replaced: Replaced) -> MaskedSeries:
    x = masked.x.copy()
    for unit, value in replaced.items():
        inside = masked.labels == unit
        numbers = _read_numbers(value, int(inside.sum()), float)
        x[inside] = np.rint(numbers) if x.dtype.kind in "iu" else numbers
    return replace(masked, x=x)


def _edit_tokens(masked: MaskedTokens, masker: Masker, replaced: Replaced) -> MaskedTokens:
    ids = masked.ids.copy()
    for unit, value in replaced.items():
        ids[masked.positions[unit]] = _read_numbers(value, 1, int)[0]
    return replace(masked, ids=ids)


def _edit_bytes(masked: MaskedBytes, masker: Masker, replaced: Replaced) -> MaskedBytes:
    x, full = masked.x.copy(), masked.full.copy()
    for unit, value in replaced.items():
        start, end = masked.spans[unit]
        digit_pairs = " ".join(re.findall("..?", str(value).replace(" ", "")))
        new_bytes = np.array(_read_numbers(digit_pairs, end - start, lambda digits: int(digits, 16)))
        positions = np.flatnonzero(masked.labels == unit)
        if not np.array_equal(full[positions], x[start:end]):
            raise MaskerError(
                "Expected bytes that the model sees all of and in their order, got others, which cannot be replaced. "
                "Remove them instead."
            )
        x[start:end] = full[positions] = new_bytes
    return replace(masked, x=x, full=full)


def _read_numbers(value: Any, count: int, read: Callable[[str], Any]) -> list[Any]:
    """One number for all, or as many as the unit has."""
    tokens = str(value).replace(",", " ").split()
    try:
        numbers = [read(token) for token in tokens]
    except ValueError:
        numbers = []
    if len(numbers) not in (1, count) or not np.isfinite(numbers).all():
        several = "" if count == 1 else f", or {count} of them"
        raise MaskerError(f"Expected a number{several}, got {value!r:.40}.")
    return numbers * count if len(numbers) == 1 else numbers


_EDITS: dict[type[Masked], Callable[[Any, Masker, Replaced], Masked]] = {
    MaskedText: _edit_text,
    MaskedPrompt: _edit_sides,
    MaskedSubwords: _edit_sides,
    MaskedTabular: _edit_row,
    MaskedImage: _edit_image,
    MaskedSeries: _edit_series,
    MaskedTokens: _edit_tokens,
    MaskedBytes: _edit_bytes,
}
