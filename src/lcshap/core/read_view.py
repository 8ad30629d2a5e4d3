"""Read the view of a saved explanation, with all checks before it is built."""

from __future__ import annotations

from ..errors import FileFormatError
from .json_reader import JsonNode
from .printable import printable
from .views import KINDS, View


def read_view(place: JsonNode, d: int) -> View | None:
    """The view of a kind that this version knows, of an input with `d` units; None if the file has no view."""
    if place.missing:
        return None
    name = place["kind"].value
    if not isinstance(name, str | int | None) or name not in KINDS:
        if isinstance(name, list | dict):
            place["kind"].fail("a text")
        raise FileFormatError(
            f"Expected {printable(place.source)} to explain an input of kind {', '.join(KINDS)}, got "
            f"{printable(repr(name), max_length=60)}. Update lcshap, or save the explanation without a view."
        )
    return KINDS[name].read(place, d - 1)
