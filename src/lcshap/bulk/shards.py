"""A data set cut into shards: a fixed number of rows each, in the order of the source."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice

from ..core.digest import lasting_digest
from ..errors import OptionError
from .cells import Row
from .sources import Source


@dataclass(frozen=True)
class Shard:
    """Some rows that follow each other.

    Attributes
    ----------
    number : of the shard, from 0.
    start : the number of its first row in the data set.
    """

    number: int
    start: int
    rows: tuple[Row, ...]

    def digest(self) -> str:
        """A digest of what the rows hold.

        Raises
        ------
        OptionError : for inputs that can be told apart in this process alone.
        """
        found, lasting = lasting_digest(lambda: [tuple(row) for row in self.rows])
        if not lasting:
            kinds = sorted({type(row.x).__name__ for row in self.rows})
            raise OptionError(
                "Expected inputs that are known by their content (texts, numbers, arrays, tables, or lists and dicts "
                f"of them), because a run may be resumed by another process, got {', '.join(kinds)}."
            )
        return found.hex()


def cut(source: Source, size: int, finished: Callable[[int], bool]) -> Iterator[Shard]:
    """The shards that are not finished, one after the other; no more than one of them is in memory here.

    Parameters
    ----------
    size : rows in each shard but the last.
    finished : whether the shard of a number is there already. All rows of a source without a digest of its own are
        read, so that the finished ones can be compared; see `compare`.

    Examples
    --------
    >>> from lcshap.bulk.sources import open_source
    >>> [[row.x for row in shard.rows] for shard in cut(open_source("abcde"[i] for i in range(5)), 2, {1}.__contains__)]
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


def cut_all(source: Source, size: int) -> Iterator[Shard]:
    """All shards."""
    return cut(source, size, lambda number: False)
