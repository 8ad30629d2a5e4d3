"""What an engine is given for a shard, and what it returns for a shard that could not be finished."""

from __future__ import annotations

from typing import Any, NamedTuple

from .shards import Shard

MAX_TRIES = 3  # A shard whose worker dies is tried this many times.


class ShardTask(NamedTuple):
    """A shard with the other arguments of `Worker.explain`, and how often it is tried.

    Attributes
    ----------
    shard : the rows that are explained.
    expected : the description of the explainer in the manifest.
    digest : the digest of the rows, for the notes of the part.
    alone : whether each row has batches of its own.
    max_tries : how often the task is tried if its worker dies or takes too long.
    """

    shard: Shard
    expected: dict[str, Any]
    digest: str
    alone: bool = False
    max_tries: int = MAX_TRIES

    @property
    def arguments(self) -> tuple[Any, ...]:
        """The arguments of `Worker.explain`."""
        return (self.shard, self.expected, self.digest, self.alone)


class LostShard(NamedTuple):
    """A shard whose worker died, or took too long, every time the shard was tried."""

    number: int
    reason: str
