"""A line on standard error for work that takes longer than a second."""

from __future__ import annotations

import os
import sys
import time

_PATIENCE = 1.0  # seconds before anything is shown


def is_shown(show: bool | None) -> bool:
    """Whether progress is shown: as the user says, else on a terminal, unless the environment has LCSHAP_PROGRESS=0."""
    automatic = sys.stderr.isatty() and os.environ.get("LCSHAP_PROGRESS", "1") != "0"
    return automatic if show is None else show


class Progress:
    """Counts up to a total and shows how far it is, how fast, and how long it will take.

    Shown after a second, on a terminal, unless the environment has LCSHAP_PROGRESS=0; `show` True or False decides.
    """

    def __init__(self, total: int, what: str, show: bool | None = None) -> None:
        self.total, self.what, self.show = total, what, is_shown(show)
        self.done, self.started, self.drawn = 0.0, time.monotonic(), 0.0

    def advance(self, count: float) -> None:
        """Take note of work that is done."""
        self.done += count
        now = time.monotonic()
        if self.show and now - self.started > _PATIENCE and now - self.drawn > 0.2:
            self.drawn = now
            self._draw(now - self.started)

    def _draw(self, elapsed: float) -> None:
        share = self.done / max(self.total, 1)
        left = elapsed / max(share, 1e-9) - elapsed
        bar = "█" * round(24 * share) + "·" * (24 - round(24 * share))
        line = f"\r{bar} {self.done:,.0f}/{self.total:,} {self.what}, {self.done / elapsed:,.0f}/s, {left:.0f} s left "
        print(line, end="", file=sys.stderr, flush=True)

    def close(self) -> None:
        """Wipe the line."""
        if self.drawn:
            print("\r\033[K", end="", file=sys.stderr, flush=True)
