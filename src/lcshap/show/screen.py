"""What the terminal is like: whether it is light or dark, and how many colours it has."""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Mapping
from functools import cache
from itertools import product
from typing import IO, Literal

ThemeName = Literal["auto", "light", "dark"]
_QUESTION = b"\033]11;?\033\\\033[c"  # the colour of the background; then who it is, which every terminal answers
_BACKGROUND = re.compile(rb"\033\]11;rgba?:([0-9a-fA-F]{1,4})/([0-9a-fA-F]{1,4})/([0-9a-fA-F]{1,4})")
_ANSWERED = re.compile(rb"\033\[\?[\d;]*c")
_WAIT = 0.2  # seconds
_FULL_COLOUR = re.compile(r"\033\[([\d;]*;)?[34]8;2;[\d;]*m")
_MANY_COLOURS = ("direct", "kitty", "alacritty", "wezterm", "ghostty", "foot", "iterm", "konsole")
_LEVELS = (0, 95, 135, 175, 215, 255)  # of red, green and blue among the 256 colours
_GREY = 20  # parts of a colour that differ by less make a grey
_HUE = 16_000.0  # what another hue counts, as the square of a distance: chosen by looking at both ends of the palettes


def is_dark(theme: str = "auto") -> bool:
    """Whether the terminal is dark: as somebody says, or as it says itself; dark where it says nothing.

    Parameters
    ----------
    theme : "light", "dark", or "auto": the variable COLORFGBG is read where it is set, else the terminal is asked for
        the colour of its background (OSC 11). It has 0.2 seconds to answer.
    """
    if theme != "auto":
        return theme != "light"
    said = os.environ.get("COLORFGBG", "").rpartition(";")[2]
    if said.isdigit():
        return said not in ("7", "15")
    if os.environ.get("NO_COLOR") or os.environ.get("TERM", "dumb") in ("dumb", "") or not _is_terminal(sys.stdout):
        return True
    background = ask_background()
    return background is None or sum(w * c for w, c in zip((0.299, 0.587, 0.114), background, strict=True)) < 0.5


def _is_terminal(file: IO[str]) -> bool:
    try:
        return file.isatty()
    except (AttributeError, ValueError):  # no file, or a closed one
        return False


@cache
def ask_background() -> tuple[float, float, float] | None:
    """The colour of the terminal's background, its parts from 0 to 1; None where nobody answers. Asked once."""
    try:
        import termios
        import tty

        terminal = os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY)
    except (ImportError, OSError):
        return None
    try:
        if os.tcgetpgrp(terminal) != os.getpgrp():  # in the background: asking would stop it
            return None
        before = termios.tcgetattr(terminal)
        try:
            tty.setcbreak(terminal)
            os.write(terminal, _QUESTION)
            return read_background(_answer(terminal))
        finally:
            termios.tcsetattr(terminal, termios.TCSANOW, before)
    except (OSError, termios.error):
        return None
    finally:
        os.close(terminal)


def _answer(terminal: int) -> bytes:
    """What the terminal writes back, until it has said who it is or the time is up."""
    import select

    found, end = b"", time.monotonic() + _WAIT
    while not _ANSWERED.search(found) and (left := end - time.monotonic()) > 0:
        if select.select([terminal], [], [], left)[0]:
            found += os.read(terminal, 256)
    return found


def read_background(answer: bytes) -> tuple[float, float, float] | None:
    r"""The colour in a terminal's answer.

    >>> read_background(b"\033]11;rgb:ffff/8000/00\033\\\033[?62;22c")
    (1.0, 0.5000076295109483, 0.0)
    """
    found = _BACKGROUND.search(answer)
    if found is None:
        return None
    red, green, blue = (int(part, 16) / (16 ** len(part) - 1) for part in found.groups())
    return red, green, blue


# -- how many colours -----------------------------------------------------------------------------------------------


def has_full_colour() -> bool:
    """Whether the terminal says that it has 24-bit colours."""
    get = os.environ.get
    if get("COLORTERM", "").lower() in ("truecolor", "24bit") or get("WT_SESSION"):
        return True
    named = f"{get('TERM', '')} {get('TERM_PROGRAM', '')}".lower()
    return any(name in named for name in (*_MANY_COLOURS, "vscode"))


def in_256(text: str) -> str:
    r"""A text with the nearest of 256 colours in place of 24-bit ones, for terminals that do not have these.

    >>> in_256("\033[38;2;255;255;255;48;2;33;102;172mgood\033[0m")
    '\x1b[38;5;231;48;5;25mgood\x1b[0m'
    """
    return _FULL_COLOUR.sub(lambda code: re.sub(r"([34]8);2;(\d+);(\d+);(\d+)", _nearest_code, code.group()), text)


def _nearest_code(found: re.Match[str]) -> str:
    which, *parts = found.groups()
    return f"{which};5;{nearest(tuple(map(int, parts)))}"


@cache
def nearest(colour: tuple[int, ...]) -> int:
    """The number of the nearest of the 240 colours that are the same everywhere, of the same hue as far as possible.

    Colours become colours and greys become greys: a pale blue that became grey would no longer tell for from against.

    >>> nearest((255, 255, 255)), nearest((22, 24, 28)), nearest((0, 0, 255)), nearest((211, 224, 238))
    (231, 234, 21, 153)
    """
    grey = max(colour) - min(colour) < _GREY
    return min(_same_everywhere(), key=lambda n: _distance(_same_everywhere()[n], colour, grey))


@cache
def _same_everywhere() -> Mapping[int, tuple[int, ...]]:
    """The colours of a cube, and 24 greys."""
    cube = {16 + 36 * r + 6 * g + b: (_LEVELS[r], _LEVELS[g], _LEVELS[b]) for r, g, b in product(range(6), repeat=3)}
    return cube | {232 + k: (8 + 10 * k,) * 3 for k in range(24)}


def _distance(one: tuple[int, ...], colour: tuple[int, ...], grey: bool) -> float:
    """How different a colour looks: infinitely if it is a colour for a grey, or another part of it is the strongest."""
    if grey != (len(set(one)) == 1):
        return float("inf")
    if any((one[i] - one[j]) * (colour[i] - colour[j]) < 0 for i, j in ((0, 1), (0, 2), (1, 2))):
        return float("inf")
    turned = 0.0 if grey else _middle(one) - _middle(colour)
    return float(sum((a - b) ** 2 for a, b in zip(one, colour, strict=True)) + _HUE * turned**2)


def _middle(colour: tuple[int, ...]) -> float:
    """Where the second part of a colour is between the weakest, 0, and the strongest, 1."""
    low, middle, high = sorted(colour)
    return (middle - low) / (high - low)
