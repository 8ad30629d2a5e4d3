"""Load explanations from the folder of a run."""

from __future__ import annotations

import os
from collections.abc import Iterator

import numpy as np

from ..core.explanation import Explanation
from ..errors import BulkError, OptionError
from .folder import RunFolder
from .part_files import decode_row, read_rows


def load(
    out: str | os.PathLike[str], errors: str = "skip", max_explanations: int | None = None
) -> Iterator[Explanation]:
    """The explanations of a run, one after the other in the order of the data set, with constant memory.

    Parameters
    ----------
    out : the folder that was given to `explain_dataset`. An unfinished run gives the
        explanations that are finished.
    errors : "skip" rows that have an error, or "raise" a `BulkError` at the first of them.
    max_explanations : at most so many explanations, which are spread evenly over the finished ones; by default all.

    Returns
    -------
    An iterator of `lcshap.Explanation`, each equal to the one that the explainer returned, except for three additions:
    the number of the row as ``provenance["row"]``, its id as ``provenance["id"]``, and its true class, if it is known,
    as ``provenance["label"]``.

    Raises
    ------
    BulkError : if `out` is not the folder of a run, or a part is damaged.
    FileFormatError : for a row that is not an explanation.

    Examples
    --------
    ``for e in lcshap.bulk.load("out"): print(e.provenance["id"], e.top(3))``.
    """
    if errors not in ("skip", "raise"):
        raise OptionError(f"Expected errors='skip' or 'raise', got {errors!r}.")
    folder = RunFolder(out)
    shards = folder.finished() if folder.manifest else []
    if max_explanations is None:
        return _iterate_explanations(folder, shards, errors)
    if max_explanations < 1:
        raise OptionError(f"Expected max_explanations as a number of at least 1, got {max_explanations!r}.")
    explained_rows = sum(notes.rows - notes.failed for notes in map(folder.part_notes, shards))
    positions = set(
        np.linspace(0, explained_rows - 1, min(max_explanations, explained_rows)).round().astype(int).tolist()
    )
    return _iterate_explanations(folder, shards, errors, positions)


def _iterate_explanations(
    folder: RunFolder, shards: list[int], errors: str, positions: set[int] | None = None
) -> Iterator[Explanation]:
    """The explanations at `positions`, counted among the rows without an error; None for all of them."""
    position = -1
    for number in shards:
        path = folder.part_path(number)
        for row in read_rows(str(path)):
            position += row["error"] is None
            if row["error"] is None:
                if positions is not None and position not in positions:
                    continue
                e = decode_row(row, f"row {row['row']} of {path.name}")
                row_fields = {name: row.get(name) for name in ("row", "id", "label")}
                e.provenance.update({name: cell for name, cell in row_fields.items() if cell is not None})
                yield e
            elif errors == "raise":
                raise BulkError(f"Row {row['row']} ({row['id']}) has no explanation: {row['error']}")
