"""What the page needs to draw an input: the `view` of an explanation, packed."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...core.views import BytesView, ImageView, MoleculeView, SeriesView, TableView, TextView, View
from ...errors import MissingExtraError
from ...extras import need
from ..drawings import drawing_of
from ..molecules import read_molecule
from .answers import pack_answer, utf16_places
from .pack import Pool, number, pack, pack_spans


def draw(view: View | None, pool: Pool) -> dict[str, Any]:
    """The picture of an input; "bars" where nothing but the names of the units is known."""
    packed: dict[str, Any] = globals()[f"pack_{drawing_of(view).page}"](view, pool)
    return packed


def pack_bars(view: View | None, pool: Pool) -> dict[str, Any]:
    """No picture but the names of the units."""
    return {"kind": "bars"}


def pack_text(view: TextView, pool: Pool) -> dict[str, Any]:
    """Where the parts are, in UTF-16 as JavaScript counts, and where sentences are if they are coarser than units."""
    text, spans, sentences = view.text, view.spans, view.sentences
    utf16 = utf16_places(text)
    made = {"kind": "text", "spans": pack_spans(utf16[spans]), **_labels(view, pool), **pack_answer(view)}
    if len(sentences) and _nested(spans, view.labels, sentences):
        made["sentences"] = pack_spans(utf16[sentences])
    return made


def _nested(spans: NDArray[Any], labels: NDArray[Any], sentences: NDArray[np.int64]) -> bool:
    """Whether each unit lies within one sentence, and there are several sentences, but fewer than units."""
    spans, labels = spans[labels >= 0], labels[labels >= 0]
    owner = np.searchsorted(sentences[:, 0], spans[:, 0], side="right") - 1
    pairs = np.unique(np.stack([labels, owner], axis=1), axis=0)
    count = len(np.unique(labels))
    inside = (owner >= 0).all() and (spans[:, 1] <= sentences[owner, 1]).all()
    return bool(inside and len(pairs) == count and 1 < len(sentences) < count)


def pack_image(view: ImageView, pool: Pool) -> dict[str, Any]:
    """The image and its reference in 256 levels: grey, RGB or RGBA; a reference of one colour as one pixel."""
    image = view.image
    levels = [levels_of(array, image) for array in (image, view.reference)]
    reference = levels[1].reshape(-1, levels[1].shape[2])
    if (reference == reference[0]).all():
        reference = reference[0]
    height, width = image.shape[:2]
    size = {"kind": "image", "height": height, "width": width, "channels": levels[0].shape[2]}
    return {**size, "image": pack(levels[0].ravel()), "reference": pack(reference.ravel()), **_labels(view, pool)}


def levels_of(array: NDArray[Any], image: NDArray[Any]) -> NDArray[np.uint8]:
    """Numbers as bytes: as they are, from 0 to 1, or else between the lowest and the highest of the image."""
    if image.dtype != np.uint8:
        low, high = float(image.min()), float(image.max())
        if low >= 0 and high <= 1:
            low, high = 0.0, 1.0
        array = np.nan_to_num((array.astype(np.float64) - low) / ((high - low) or 1.0))
        array = (array.clip(0, 1) * 255).round().astype(np.uint8)
    array = array.reshape(*image.shape[:2], -1)
    return array if array.shape[2] in (1, 3, 4) else array.mean(axis=2, keepdims=True).astype(np.uint8)


def pack_series(view: SeriesView, pool: Pool) -> dict[str, Any]:
    """All numbers, by step and channel."""
    made = {"kind": "series", "channels": list(view.channels), "length": len(view.series)}
    return {**made, "series": pack(view.series.astype(np.float64).ravel()), **_labels(view, pool)}


def pack_bytes(view: BytesView, pool: Pool) -> dict[str, Any]:
    """All bytes, and where the parts are."""
    return {"kind": "bytes", "bytes": pack(view.bytes), "spans": pack_spans(view.spans), **_labels(view, pool)}


def pack_table(view: TableView, pool: Pool) -> dict[str, Any]:
    """The columns and their values."""
    texts = view.texts or [""] * len(view.columns)
    values = [text or number(value) for text, value in zip(texts, view.values.tolist(), strict=True)]
    return {"kind": "table", "columns": pool.add(list(view.columns)), "values": values, **_labels(view, pool)}


def pack_molecule(view: MoleculeView, pool: Pool) -> dict[str, Any]:
    """Atoms with their places, symbols and labels, and bonds; bars where RDKit is not there or cannot read it."""
    try:
        mol = read_molecule(view)
        formula = need("rdkit.Chem.rdMolDescriptors", "molecule").CalcMolFormula
    except MissingExtraError:
        return {"kind": "bars"}
    if mol is None:
        return {"kind": "bars"}
    places = mol.GetConformer().GetPositions()[:, :2]
    bonds = [(b.GetBeginAtomIdx(), b.GetEndAtomIdx(), int(b.GetBondTypeAsDouble())) for b in mol.GetBonds()]
    return {
        "kind": "molecule",
        "formula": formula(mol),
        "places": pack(places.ravel()),
        "symbols": [_symbol(atom) for atom in mol.GetAtoms()],
        "bonds": pack(np.array(bonds, np.int64).ravel()),
        **_labels(view, pool),
    }


def _symbol(atom: Any) -> list[Any]:
    """An atom as it is written: element, hydrogens, charge. Carbons inside a chain or ring are a corner."""
    element, hydrogens, charge = atom.GetSymbol(), atom.GetTotalNumHs(), atom.GetFormalCharge()
    plain = element == "C" and atom.GetDegree() and not charge and not atom.GetIsotope()
    return ["", 0, 0] if plain else [element, hydrogens, charge]


def _labels(view: View, pool: Pool) -> dict[str, int]:
    """The unit of each part; nothing where part i is unit i."""
    labels = view.labels.ravel()
    return {} if np.array_equal(labels, np.arange(len(labels))) else {"labels": pool.add(pack(labels))}
