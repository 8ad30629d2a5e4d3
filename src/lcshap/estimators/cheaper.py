"""What would fit instead of a plan that is too large: it is looked for, but not for long."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from functools import wraps
from itertools import takewhile
from typing import Any

from ..core.graphs import Graph
from ..core.method import Method

_SECONDS = 1.5  # of computing; after that no other method is tried: the user waits for an error message

Cheaper = Callable[[Any, Graph], Iterable[Iterable[Method]]]


def in_time(cheaper: Cheaper) -> Cheaper:
    """The same groups of methods, which end when looking at them has taken a while.

    Each of them is planned by whoever asks, up to a limit of its own; so the last one may take a moment more.
    """

    @wraps(cheaper)
    def limited(self: Any, graph: Graph) -> Iterator[Iterable[Method]]:
        end = time.thread_time() + _SECONDS
        for group in cheaper(self, graph):
            yield takewhile(lambda _: time.thread_time() < end, group)

    return limited
