"""Which conditions rows satisfy, as numbers: each bit of a code is the conjunction of some outcomes of splits."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...core.tree_ensembles import Trees

Places = NDArray[np.intp]
Floats = NDArray[np.float64]
Codes = NDArray[np.unsignedinteger]


def code_type(bits: int) -> type[np.unsignedinteger]:
    """The smallest type of numbers for so many bits, at least 16."""
    return np.uint16 if bits <= 16 else np.uint32 if bits <= 32 else np.uint64


@dataclass(frozen=True, eq=False)
class PatternCoder:
    """Computes the codes of some items, such as leaves, for rows of which the outcomes of splits are known.

    The first position is the highest bit. A literal is a row of the outcomes; the last two are 0 and 1 for all rows.

    Attributes
    ----------
    first : `(positions, items)`, a literal of each bit.
    more : for each position, further literals of some items: pairs of items and literals.
    """

    first: Places
    more: tuple[tuple[tuple[Places, Places], ...], ...]

    @classmethod
    def of(cls, item: Places, position: Places, literal: Places, shape: tuple[int, int], constant: int) -> PatternCoder:
        """A coder of `(items, positions)` from its literals.

        Parameters
        ----------
        constant : the literal of positions that have none.
        """
        items, positions = shape
        key = item * positions + position
        order = np.argsort(key, kind="stable")
        key, literal = key[order], literal[order]
        begins = np.flatnonzero(np.append(True, key[1:] != key[:-1])[: len(key)])
        rank = np.arange(len(key)) - np.repeat(begins, np.diff(np.append(begins, len(key))))
        first = np.full(items * positions, constant)
        first[key[rank == 0]] = literal[rank == 0]
        more: list[list[tuple[Places, Places]]] = [[] for _ in range(positions)]
        for k in range(1, rank.max(initial=0) + 1):
            chosen = np.flatnonzero(rank == k)
            place = key[chosen] % positions
            for j in np.unique(place).tolist():
                here = chosen[place == j]
                more[j].append((key[here] // positions, literal[here]))
        return cls(np.ascontiguousarray(first.reshape(shape).T), tuple(map(tuple, more)))

    def codes(self, outcomes: Codes) -> Codes:
        """The codes `(items, rows)` for outcomes `(literals, rows)`, which are 0 or 1."""
        code = np.zeros((self.first.shape[1], outcomes.shape[1]), outcomes.dtype)
        for first, more in zip(self.first, self.more, strict=True):
            bits = outcomes[first]
            for items, literals in more:
                bits[items] &= outcomes[literals]
            code += code
            code += bits
        return code


@dataclass(frozen=True, eq=False)
class Literals:
    """The outcomes of splits that some coders use.

    Attributes
    ----------
    trees : the ensemble that compares.
    nodes : `(splits,)`, a node that makes each split.
    used : `(literals,)`, sorted: twice the place of a split in `nodes`, 1 more for its right side.
    """

    trees: Trees
    nodes: Places
    used: Places

    @classmethod
    def of(cls, trees: Trees, split_node: Places, literal: Places) -> tuple[Literals, Places]:
        """The literals that occur, and the row of the outcomes of each of those that were given."""
        used, place = np.unique(literal, return_inverse=True)
        splits, split_place = np.unique(used >> 1, return_inverse=True)
        return cls(trees, split_node[splits], 2 * split_place + (used & 1)), place

    @property
    def zero(self) -> int:
        """The literal that is 0 for all rows. The next one is 1 for all rows."""
        return len(self.used)

    def outcomes(self, columns: Floats, bits: int) -> Codes:
        """The outcomes `(literals + 2, rows)` for rows that are given by columns, `(columns, rows)`."""
        goes_left = self.trees.decide(self.nodes, columns)
        outcomes = np.empty((len(self.used) + 2, columns.shape[1]), code_type(bits))
        outcomes[:-2] = goes_left[self.used >> 1]
        outcomes[:-2] ^= (self.used & 1).astype(outcomes.dtype)[:, None]
        outcomes[-2], outcomes[-1] = 0, 1
        return outcomes


def code_outcomes(bits: int) -> Codes:
    """The outcomes of all codes of so many bits, with the literals `2 * position`, and 1 more for the opposite."""
    codes = np.arange(1 << bits)
    outcomes = np.empty((2 * bits + 2, len(codes)), code_type(max(bits, 1)))
    for position in range(bits):
        outcomes[2 * position] = (codes >> (bits - 1 - position)) & 1
        outcomes[2 * position + 1] = 1 - outcomes[2 * position]
    outcomes[-2], outcomes[-1] = 0, 1
    return outcomes
