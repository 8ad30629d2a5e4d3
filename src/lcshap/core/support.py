"""Which parts of an answer are supported by the input, and which are not."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..errors import OptionError
from .explanation import Explanation

MIN_SUPPORT = float(np.log(2))  # a unit supports a part of an answer if it makes it at least twice as probable


def unsupported(e: Explanation, min_support: float = MIN_SUPPORT) -> NDArray[np.bool_]:
    """Which outputs no unit of the input supports: no score is as large as `min_support`.

    Parameters
    ----------
    e : the explanation of an answer, an output for each of its parts, in log-probabilities.
    min_support : the smallest score that counts as support. By default log 2: a source that makes a sentence twice as
        probable.

    Returns
    -------
    A boolean for each output. The model generates an unsupported output from its training data, or invents it. It may
    be true all the same.

    Raises
    ------
    OptionError : if `min_support` is not a positive number.

    Examples
    --------
    >>> import lcshap as lc
    >>> v = lc.Game(lambda kept: kept @ np.array([[3.0, 0.1], [0.0, -2.0]]), 2)
    >>> unsupported(lc.Shapley().explain(v, lc.Graph.chain(2)))
    array([False,  True])
    """
    if not min_support > 0:
        raise OptionError(f"Expected a positive number as min_support, got {min_support!r}.")
    return np.asarray(e.scores.reshape(len(e.scores), -1).max(axis=0) < min_support)


def supporting_units(e: Explanation, output: int, max_units: int = 3, min_support: float = MIN_SUPPORT) -> list[int]:
    """The units that support an output, by descending score."""
    scores = e.scores.reshape(len(e.scores), -1)[:, output]
    order = np.argsort(-scores, kind="stable")[:max_units]
    return [int(unit) for unit in order if scores[unit] >= min_support]
