"""What one playground allows: sizes of inputs, calls of the model, and runs at the same time."""

from __future__ import annotations

from dataclasses import dataclass, fields

from ..errors import OptionError


@dataclass(frozen=True)
class Limits:
    """The limits of a playground. A request above one of them is answered with an error, and costs no model call.

    Attributes
    ----------
    body : bytes that one request may have.
    text : characters of a text or a SMILES.
    pixels : pixels of an image, by its header: a larger one is not decoded; and numbers of a series.
    units : units that an input may be cut into.
    calls : model calls that one method may take on one input.
    columns : methods, targets and references that may run side by side.
    concurrent_runs : explanations that may be computed at the same time.
    concurrent_predictions : predictions and "what if" questions that may be answered at the same time.
    memory : bytes of answers of the model that the session remembers. The oldest inputs are forgotten first.
    kept_runs : finished runs that can still be saved.

    Examples
    --------
    >>> Limits(text=100).text
    100
    """

    body: int = 12_000_000
    text: int = 20_000
    pixels: int = 4_000_000
    units: int = 4_096
    calls: int = 20_000
    columns: int = 6
    concurrent_runs: int = 4
    concurrent_predictions: int = 8
    memory: int = 200_000_000
    kept_runs: int = 16

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if not isinstance(value, int) or isinstance(value, bool) or value < 1:
                raise OptionError(f"Expected an integer of at least 1 as the limit {field.name}, got {value!r}.")
