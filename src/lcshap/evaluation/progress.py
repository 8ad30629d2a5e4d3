"""A line on standard error for work that takes longer than a second."""

from __future__ import annotations

import os
import sys
import time

_SHOW_AFTER_SECONDS = 1.0  # no progress is shown before this time
_REDRAW_SECONDS = 0.2  # the shortest time between two updates of the line


def shows_progress(show: bool | None) -> bool:
    """Whether progress is shown: by the option, or else on a terminal, unless the environment has LCSHAP_PROGRESS=0."""
    automatic = sys.stderr.isatty() and os.environ.get("LCSHAP_PROGRESS", "1") != "0"
    return automatic if show is None else show


class Progress:
    """Counts up to a total and shows how far it is, how fast, and how long it will take.

    The line is shown after a second, on a terminal, unless the environment has LCSHAP_PROGRESS=0. `show` overrides
    this.
    """

    def __init__(self, total: int, noun: str, show: bool | None = None) -> None:
        self.total, self.noun, self.show = total, noun, shows_progress(show)
        self.done, self.started, self.drawn = 0.0, time.monotonic(), 0.0

    def advance(self, count: float) -> None:
        """Count finished work, and draw the line if it is time."""
        self.done += count
        now = time.monotonic()
        if self.show and now - self.started > _SHOW_AFTER_SECONDS and now - self.drawn > _REDRAW_SECONDS:
            self.drawn = now
            self._draw(now - self.started)

    def _draw(self, elapsed: float) -> None:
        fraction = self.done / max(self.total, 1)
        seconds_left = elapsed / max(fraction, 1e-9) - elapsed
        bar = "█" * round(24 * fraction) + "·" * (24 - round(24 * fraction))
        line = f"\r{bar} {self.done:,.0f}/{self.total:,} {self.noun}, {self.done / elapsed:,.0f}/s, "
        print(f"{line}{seconds_left:.0f} s left ", end="", file=sys.stderr, flush=True)

    def close(self) -> None:
        """Remove the line."""
        if self.drawn:
            print("\r\033[K", end="", file=sys.stderr, flush=True)
