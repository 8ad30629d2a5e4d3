"""Explanations back from the folder of a run."""

from __future__ import annotations

import os
from collections.abc import Iterator

import numpy as np

from ..core.explanation import Explanation
from ..errors import BulkError, OptionError
from .folder import Folder
from .parts import decode, read_rows


def load(out: str | os.PathLike[str], errors: str = "skip", most: int | None = None) -> Iterator[Explanation]:
    """The explanations of a run, one after the other in the order of the data set; memory does not grow.

    Parameters
    ----------
    out : the folder that was given to `explain_dataset`. A run that is not finished gives what is there.
    errors : what to do about rows that have an error: "skip" them, or "raise" a `BulkError` at the first.

    most : give no more than so many, spread evenly over those that are there; by default all.

    Returns
    -------
    An iterator of `lcshap.Explanation`, each equal to what the explainer returned, but that its record also has the
    number and the id of the row, as ``provenance["row"]`` and ``provenance["id"]``, and its true class, if there is
    one, as ``provenance["label"]``.

    Raises
    ------
    BulkError : if it is no such folder, or a part is damaged.
    FileFormatError : for a row that is no explanation.

    Examples
    --------
    ``for e in lcshap.bulk.load("out"): print(e.provenance["id"], e.top(3))``.
    """
    if errors not in ("skip", "raise"):
        raise OptionError(f"Expected errors='skip' or 'raise', got {errors!r}.")
    folder = Folder(out)
    numbers = folder.finished() if folder.manifest else []
    if most is None:
        return _explanations(folder, numbers, errors)
    if most < 1:
        raise OptionError(f"Expected most as a number of at least 1, got {most!r}.")
    good = sum(noted.rows - noted.failed for noted in map(folder.noted, numbers))
    wanted = set(np.linspace(0, good - 1, min(most, good)).round().astype(int).tolist())
    return _explanations(folder, numbers, errors, wanted)


def _explanations(
    folder: Folder, numbers: list[int], errors: str, wanted: set[int] | None = None
) -> Iterator[Explanation]:
    """Those that are `wanted` by their number among the rows without an error; None for all."""
    count = -1
    for number in numbers:
        path = folder.part(number)
        for row in read_rows(str(path)):
            count += row["error"] is None
            if row["error"] is None:
                if wanted is not None and count not in wanted:
                    continue
                e = decode(row, f"row {row['row']} of {path.name}")
                known = {name: row.get(name) for name in ("row", "id", "label")}
                e.provenance.update({name: cell for name, cell in known.items() if cell is not None})
                yield e
            elif errors == "raise":
                raise BulkError(f"Row {row['row']} ({row['id']}) has no explanation: {row['error']}")
