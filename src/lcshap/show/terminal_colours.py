"""Properties of the terminal: whether it is light or dark, and how many colours it has."""

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
_BACKGROUND_QUERY = (
    b"\033]11;?\033\\\033[c"  # background colour (OSC 11), then device attributes, which every terminal answers
)
_BACKGROUND_REPLY = re.compile(rb"\033\]11;rgba?:([0-9a-fA-F]{1,4})/([0-9a-fA-F]{1,4})/([0-9a-fA-F]{1,4})")
_ATTRIBUTES_REPLY = re.compile(rb"\033\[\?[\d;]*c")
_REPLY_SECONDS = 0.2  # seconds
_FULL_COLOUR = re.compile(r"\033\[([\d;]*;)?[34]8;2;[\d;]*m")
_FULL_COLOUR_TERMINALS = ("direct", "kitty", "alacritty", "wezterm", "ghostty", "foot", "iterm", "konsole")
_CUBE_LEVELS = (0, 95, 135, 175, 215, 255)  # of red, green and blue among the 256 colours
_GREY_TOLERANCE = 20  # colours whose channels differ by less are greys
_HUE_WEIGHT = 16_000.0  # weight of a squared difference of hue, chosen by inspecting both ends of the palettes


def is_dark(theme: str = "auto") -> bool:
    """Whether the terminal is dark: by option, or as the terminal reports; dark if nothing is known.

    Parameters
    ----------
    theme : "light", "dark", or "auto": the variable COLORFGBG is read where it is set, else the terminal is asked for
        the colour of its background (OSC 11). It has 0.2 seconds to answer.
    """
    if theme != "auto":
        return theme != "light"
    background_code = os.environ.get("COLORFGBG", "").rpartition(";")[2]
    if background_code.isdigit():
        return background_code not in ("7", "15")
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
    """The background colour of the terminal, with channels from 0 to 1; None without an answer. Queried once."""
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
            os.write(terminal, _BACKGROUND_QUERY)
            return read_background(_read_reply(terminal))
        finally:
            termios.tcsetattr(terminal, termios.TCSANOW, before)
    except (OSError, termios.error):
        return None
    finally:
        os.close(terminal)


def _read_reply(terminal: int) -> bytes:
    """The reply of the terminal, read until its device attributes arrive or the time is over."""
    import select

    reply, end = b"", time.monotonic() + _REPLY_SECONDS
    while not _ATTRIBUTES_REPLY.search(reply) and (remaining := end - time.monotonic()) > 0:
        if select.select([terminal], [], [], remaining)[0]:
            reply += os.read(terminal, 256)
    return reply


def read_background(answer: bytes) -> tuple[float, float, float] | None:
    r"""The colour in a terminal's answer.

    >>> read_background(b"\033]11;rgb:ffff/8000/00\033\\\033[?62;22c")
    (1.0, 0.5000076295109483, 0.0)
    """
    match = _BACKGROUND_REPLY.search(answer)
    if match is None:
        return None
    red, green, blue = (int(channel, 16) / (16 ** len(channel) - 1) for channel in match.groups())
    return red, green, blue


# -- how many colours -----------------------------------------------------------------------------------------------


def has_full_colour() -> bool:
    """Whether the terminal says that it has 24-bit colours."""
    get = os.environ.get
    if get("COLORTERM", "").lower() in ("truecolor", "24bit") or get("WT_SESSION"):
        return True
    terminal_name = f"{get('TERM', '')} {get('TERM_PROGRAM', '')}".lower()
    return any(name in terminal_name for name in (*_FULL_COLOUR_TERMINALS, "vscode"))


def in_256(text: str) -> str:
    r"""A text with the nearest of 256 colours in place of 24-bit ones, for terminals that do not have these.

    >>> in_256("\033[38;2;255;255;255;48;2;33;102;172mgood\033[0m")
    '\x1b[38;5;231;48;5;25mgood\x1b[0m'
    """
    return _FULL_COLOUR.sub(lambda code: re.sub(r"([34]8);2;(\d+);(\d+);(\d+)", _nearest_code, code.group()), text)


def _nearest_code(match: re.Match[str]) -> str:
    layer, *channels = match.groups()
    return f"{layer};5;{nearest(tuple(map(int, channels)))}"


@cache
def nearest(colour: tuple[int, ...]) -> int:
    """The number of the nearest of the 240 colours that all terminals define alike, of the same hue as far as possible.

    Colours become colours and greys become greys: a pale blue that became grey would no longer tell for from against.

    >>> nearest((255, 255, 255)), nearest((22, 24, 28)), nearest((0, 0, 255)), nearest((211, 224, 238))
    (231, 234, 21, 153)
    """
    grey = max(colour) - min(colour) < _GREY_TOLERANCE
    return min(_fixed_colours(), key=lambda n: _distance(_fixed_colours()[n], colour, grey))


@cache
def _fixed_colours() -> Mapping[int, tuple[int, ...]]:
    """The colours of a cube, and 24 greys."""
    cube = {
        16 + 36 * r + 6 * g + b: (_CUBE_LEVELS[r], _CUBE_LEVELS[g], _CUBE_LEVELS[b])
        for r, g, b in product(range(6), repeat=3)
    }
    return cube | {232 + k: (8 + 10 * k,) * 3 for k in range(24)}


def _distance(candidate: tuple[int, ...], colour: tuple[int, ...], grey: bool) -> float:
    """How different two colours look: infinite if only one is grey, or if the order of their channels differs."""
    if grey != (len(set(candidate)) == 1):
        return float("inf")
    if any((candidate[i] - candidate[j]) * (colour[i] - colour[j]) < 0 for i, j in ((0, 1), (0, 2), (1, 2))):
        return float("inf")
    turned = 0.0 if grey else _relative_middle(candidate) - _relative_middle(colour)
    return float(sum((a - b) ** 2 for a, b in zip(candidate, colour, strict=True)) + _HUE_WEIGHT * turned**2)


def _relative_middle(colour: tuple[int, ...]) -> float:
    """The position of the middle channel between the weakest, 0, and the strongest, 1."""
    low, middle, high = sorted(colour)
    return (middle - low) / (high - low)
