"""What `Masked.distinct` says about each coalition that was asked for."""

import numpy as np


def coalition_keys(masked, coalitions):
    """The key of each coalition; of an input whose rows are compared one by one, the keys of its rows."""
    distinct = masked.distinct(coalitions)
    index = range(len(distinct)) if distinct.index is None else distinct.index.tolist()
    keys = [distinct.keys[number] for number in index]
    rows = len(keys) // max(len(coalitions), 1)
    return keys if rows <= 1 else [tuple(keys[start : start + rows]) for start in range(0, len(keys), rows)]


def kept_rows(masked, coalitions):
    """The row of each coalition where rows are kept with their keys, else None."""
    distinct = masked.distinct(coalitions)
    index = np.arange(len(distinct)) if distinct.index is None else distinct.index
    return None if distinct.make is None else distinct.make(index)
