"""Load explanations from the folder of a run."""

from __future__ import annotations

import os

import numpy as np

from ..core.explanation import Explanation
from ..core.explanations import Explanations
from ..errors import OptionError
from .folder import RunFolder
from .lazy_parts import LazyParts


def load(
    out: str | os.PathLike[str], errors: str = "skip", max_explanations: int | None = None
) -> Explanations[Explanation]:
    """The explanations of a run, in the order of the data set. Parts are read when they are needed.

    Iterating takes constant memory. Indexing reads one part. Slices and masks read nothing. Attributes that are arrays,
    such as `scores`, read all parts, and keep the explanations in memory.

    Parameters
    ----------
    out : the folder that was given to `explain_dataset`. An unfinished run gives the
        explanations that are finished.
    errors : "skip" rows that have an error, or "raise" a `BulkError` at the first of them.
    max_explanations : at most so many explanations, which are spread evenly over the finished ones; by default all.

    Returns
    -------
    Explanations : each equal to the one that the explainer returned, except for three additions: the number of the row
        as ``provenance["row"]``, its id as ``provenance["id"]``, and its true class, if it is known, as
        ``provenance["label"]``.

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
    parts = LazyParts(folder, tuple(folder.finished() if folder.manifest else ()), errors == "raise")
    if max_explanations is None:
        return Explanations.from_storage(parts)
    if max_explanations < 1:
        raise OptionError(f"Expected max_explanations as a number of at least 1, got {max_explanations!r}.")
    count = parts.explained
    positions = np.linspace(0, count - 1, min(max_explanations, count)).round().astype(np.intp)
    return Explanations.from_storage(parts.take(positions))
