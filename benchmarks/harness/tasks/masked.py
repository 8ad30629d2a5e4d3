"""Games of a model on an input that a masker of lcshap cuts into units; everybody gets the same rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..game import Bench, Masks, Values

BATCH = 256  # rows of the model at a time


@dataclass(frozen=True, eq=False)
class Masked:
    """From coalitions to the model's rows, and to values."""

    masked: Any
    predict: Callable[[Any], Values]

    def __call__(self, masks: Masks) -> Values:
        """The values of the coalitions."""
        from lcshap import Coalitions

        coalitions = Coalitions.from_dense(masks)
        parts = [self.masked.rows(coalitions[i : i + BATCH]) for i in range(0, len(masks), BATCH)]
        return np.concatenate([np.asarray(self.predict(rows), np.float64) for rows in parts])


def game(name: str, family: str, masked: Any, predict: Callable[[Any], Values], **options: Any) -> Bench:
    """A game with the masker's graph."""
    edges = np.asarray(masked.graph.edges).tolist()
    return Bench(name, family, masked.graph.d, Masked(masked, predict), edges, **options)


def decided(predict: Callable[[Any], Values], masked: Any) -> int:
    """The class that the model says at the full input."""
    from lcshap import Coalitions

    d = masked.graph.d
    return int(np.argmax(predict(masked.rows(Coalitions.from_dense(np.ones((1, d), bool))))[0]))
