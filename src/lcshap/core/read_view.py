"""The view of a saved explanation, checked before anything is made of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import FileFormatError
from .parse import LARGEST, Place
from .printable import printable
from .views import KINDS, View

_OVERLAP = 8  # a character of a text is in at most so many spans on average: a token may be part of a character


def read_view(place: Place, d: int) -> View | None:
    """The view of a kind that this version knows, of an input with so many units; None where there is none."""
    if place.missing:
        return None
    name = place["kind"].value
    if not isinstance(name, str | int | None) or name not in KINDS:
        if isinstance(name, list | dict):
            place["kind"].fail("a text")
        raise FileFormatError(
            f"Expected {printable(place.source)} to explain an input of kind {', '.join(KINDS)}, got "
            f"{printable(repr(name), most=60)}. Update lcshap, or save the explanation without a view."
        )
    return KINDS[name](**_READERS[name](place, d - 1))


def _text(place: Place, last: int) -> dict[str, Any]:
    text = place["text"].text()
    spans = _spans(place["spans"], len(text))
    found = {"text": text, "spans": spans, "labels": place["labels"].units(-1, last, len(spans))}
    return found if place.get("sentences").missing else found | {"sentences": _spans(place["sentences"], len(text))}


def _prompt(place: Place, last: int) -> dict[str, Any]:
    answer = place["answer"].text()
    spans = _spans(place["answer_spans"], len(answer))
    found = _text(place, last)
    return {**found, "sources": _spans(place["sources"], len(found["text"])), "answer": answer, "answer_spans": spans}


def _bytes(place: Place, last: int) -> dict[str, Any]:
    data = place["bytes"].array("u")
    if data.dtype != np.uint8 or data.ndim != 1 or not data.size:
        place["bytes"].fail("an array of shape (n,) and type uint8", f"{data.shape} and {data.dtype}")
    spans = _spans(place["spans"], len(data))
    return {"bytes": data, "spans": spans, "labels": place["labels"].units(-1, last, len(spans))}


def _image(place: Place, last: int) -> dict[str, Any]:
    image = place["image"].array(finite=True)
    if image.ndim != 3 or not image.size:
        place["image"].fail("an array of shape (height, width, channels)", str(image.shape))
    reference = place["reference"].array(finite=True)
    if reference.shape != image.shape:
        place["reference"].fail(f"an array of shape {image.shape}, that of the image", str(reference.shape))
    return {"image": image, "reference": reference, "labels": place["labels"].units(-1, last, *image.shape[:2])}


def _series(place: Place, last: int) -> dict[str, Any]:
    series = place["series"].array(finite=True)
    if series.ndim != 2 or not series.size:
        place["series"].fail("an array of shape (steps, channels)", str(series.shape))
    channels = place["channels"].texts(series.shape[1])
    return {"series": series, "channels": channels, "labels": place["labels"].units(-1, last, *series.shape)}


def _table(place: Place, last: int) -> dict[str, Any]:
    columns = place["columns"].texts()
    values = place["values"].array()
    if values.shape != (len(columns),):
        place["values"].fail(f"an array of shape ({len(columns)},), a value for each column", str(values.shape))
    if np.isinf(values).any() or (np.abs(values.astype(np.float64)) > LARGEST).any():
        place["values"].fail("finite numbers", "others")
    found = {"columns": columns, "values": values, "labels": place["labels"].units(-1, last, len(columns))}
    texts = place.get("texts")
    return found if texts.missing or not texts.value else found | {"texts": texts.texts(len(columns))}


def _molecule(place: Place, last: int) -> dict[str, Any]:
    atoms = place["labels"].array("iu").size
    return {"block": place["block"].text(), "labels": place["labels"].units(-1, last, atoms)}


_READERS: dict[str, Callable[[Place, int], dict[str, Any]]] = {
    "text": _text,
    "prompt": _prompt,
    "bytes": _bytes,
    "image": _image,
    "series": _series,
    "table": _table,
    "molecule": _molecule,
}


def _spans(place: Place, length: int) -> NDArray[np.int64]:
    """Where parts start and end, within a text or a file of a length."""
    found = place.array("iu")
    if not found.size:
        return np.empty((0, 2), np.int64)
    spans = place.units(0, length, len(found), 2)
    lengths = spans[:, 1] - spans[:, 0]
    if (lengths < 0).any():
        place.fail("spans that end after they start", "others")
    if lengths.sum() > _OVERLAP * length:
        place.fail("spans that hardly overlap", f"{int(lengths.sum()):,} characters of {length:,}")
    return spans
