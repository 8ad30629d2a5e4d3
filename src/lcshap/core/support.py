"""Which parts of an answer rest on the input, and which do not."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..errors import OptionError
from .explanation import Explanation

LEAST = float(np.log(2))  # a unit that makes a part of an answer less than twice as probable does not carry it


def unsupported(e: Explanation, least: float = LEAST) -> NDArray[np.bool_]:
    """Which outputs rest on nothing in the input: no unit raises them by as much as `least`.

    Parameters
    ----------
    e : the explanation of an answer, an output for each of its parts, in log-probabilities.
    least : the least score that counts as support. By default log 2: a source that makes a sentence twice as probable.

    Returns
    -------
    A boolean for each output. An output that is not supported is one that the model says from its own memory, or makes
    up: whether it is true is another question.

    Raises
    ------
    OptionError : if `least` is not a positive number.

    Examples
    --------
    >>> import lcshap as lc
    >>> v = lc.Game(lambda kept: kept @ np.array([[3.0, 0.1], [0.0, -2.0]]), 2)
    >>> unsupported(lc.Shapley().explain(v, lc.Graph.chain(2)))
    array([False,  True])
    """
    if not least > 0:
        raise OptionError(f"Expected a positive number as least, got {least!r}.")
    return np.asarray(e.scores.reshape(len(e.scores), -1).max(axis=0) < least)


def supporters(e: Explanation, output: int, most: int = 3, least: float = LEAST) -> list[int]:
    """The units that an output rests on, those with the largest scores first."""
    scores = e.scores.reshape(len(e.scores), -1)[:, output]
    order = np.argsort(-scores, kind="stable")[:most]
    return [int(unit) for unit in order if scores[unit] >= least]
