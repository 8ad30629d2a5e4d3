"""Cheaper methods to suggest instead of a plan that is too large. The search for them has a time limit."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from functools import wraps
from itertools import takewhile
from typing import Any

from ..core.graphs import Graph
from ..core.method import Method

_SEARCH_SECONDS = 1.5  # after this time no other method is tried, because the user waits for the message

Cheaper = Callable[[Any, Graph], Iterable[Iterable[Method]]]


def limit_search_time(cheaper: Cheaper) -> Cheaper:
    """Yield the same groups of methods, until `_SEARCH_SECONDS` have passed.

    The caller makes a plan of each method, up to its own limit, so the last plan may take longer than that.
    """

    @wraps(cheaper)
    def limited(self: Any, graph: Graph) -> Iterator[Iterable[Method]]:
        end = time.thread_time() + _SEARCH_SECONDS
        for group in cheaper(self, graph):
            yield takewhile(lambda _: time.thread_time() < end, group)

    return limited
