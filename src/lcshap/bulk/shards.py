"""Divide a data set into shards with a fixed number of rows, in the order of the source."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice

from ..core.digest import digest_across_processes
from ..errors import OptionError
from .columns import InputRow
from .sources import InputSource


@dataclass(frozen=True)
class Shard:
    """Consecutive rows of a data set.

    Attributes
    ----------
    number : the number of the shard, from 0.
    start : the number of its first row in the data set.
    """

    number: int
    start: int
    rows: tuple[InputRow, ...]

    def digest(self) -> str:
        """A digest of the content of the rows.

        Raises
        ------
        OptionError : for inputs without a digest that is the same in other processes.
        """
        content_digest, is_lasting = digest_across_processes(lambda: [tuple(row) for row in self.rows])
        if not is_lasting:
            kinds = sorted({type(row.x).__name__ for row in self.rows})
            raise OptionError(
                "Expected inputs that are known by their content (texts, numbers, arrays, tables, or lists and dicts "
                f"of them), because a run may be resumed by another process, got {', '.join(kinds)}."
            )
        return content_digest.hex()


def cut_shards(source: InputSource, size: int, finished: Callable[[int], bool]) -> Iterator[Shard]:
    """The unfinished shards, one after the other, with at most one of them in memory.

    Parameters
    ----------
    size : the number of rows of each shard except the last.
    finished : whether the shard with a number is finished. A source without a digest is read from the beginning even if
        its first shards are finished.

    Examples
    --------
    >>> from lcshap.bulk.sources import open_source
    >>> shards = cut_shards(open_source("abcde"[i] for i in range(5)), 2, {1}.__contains__)
    >>> [[row.x for row in shard.rows] for shard in shards]
    [['a', 'b'], ['e']]
    """
    number = 0
    if source.fixed:
        while finished(number):
            number += 1
    rows = source.rows(number * size)
    while block := tuple(islice(rows, size)):
        if not finished(number):
            yield Shard(number, number * size, block)
        number += 1


def cut_all_shards(source: InputSource, size: int) -> Iterator[Shard]:
    """All shards."""
    return cut_shards(source, size, lambda number: False)
