"""A game as the harness sees it, and the count of what contestants ask of it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

Masks = NDArray[np.bool_]
Values = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Bench:
    """A game to measure on.

    Attributes
    ----------
    name : says model and input; unique.
    family : games that are alike; results are averaged over a family.
    fn : masks `(n, d)`, True where a unit is kept, to `n` values.
    graph : "complete", "chain", the shape of a grid, or a list of edges; only our methods look at it.
    known : gives the `Truth` where there is a closed form.
    pairs : of permutations and their reverses that make the truth where there is none.
    pair_samples : of coalitions and their complements that make the truth of pair interactions where d is too large
        to have them exactly; 0 where they are not compared.
    most : the most calls per unit that the game is run with.
    """

    name: str
    family: str
    d: int
    fn: Callable[[Masks], Values]
    graph: Any = "complete"
    known: Callable[[], Any] | None = None
    pairs: int = 2000
    pair_samples: int = 0
    most: int = 64

    @cached_property
    def digest(self) -> str:
        """Of the values at fixed random coalitions: a model that was trained anew makes another game."""
        kept = np.random.default_rng(0).random((32, self.d)) < np.linspace(0, 1, 32)[:, None]
        rounded = np.round(np.asarray(self.fn(kept), np.float64), 5) + 0.0  # no -0
        return hashlib.sha256(rounded.tobytes()).hexdigest()[:10]


@dataclass(eq=False)
class Counter:
    """The game with a count of rows and of distinct coalitions."""

    game: Bench
    rows: int = 0
    seen: set[bytes] = field(default_factory=set)

    def __call__(self, kept: Masks) -> Values:
        """The values of the rows."""
        self.rows += len(kept)
        self.seen.update(row.tobytes() for row in np.packbits(kept, axis=1))
        return np.asarray(self.game.fn(kept), np.float64).reshape(len(kept)) if len(kept) else np.empty(0)

    @property
    def calls(self) -> int:
        """How many distinct coalitions were asked for, the empty and the full one included."""
        return len(self.seen)
