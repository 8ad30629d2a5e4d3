"""Terminals: asked for the colour of their background, in a pseudo-terminal, and served with the colours they have."""

import os
import pty
import re
import select
import subprocess
import sys
import time

import numpy as np
import pytest

from lcshap.show import terminal_colours as screen
from lcshap.show.palette import find_palette
from lcshap.show.terminal_colours import has_full_colour, in_256, is_dark, nearest, read_background

CHILD = """
import fcntl, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
from lcshap.show.terminal_colours import ask_background, is_dark
import time
start = time.monotonic()
print("dark" if is_dark() else "light", ask_background() is not None, time.monotonic() - start < 1.0, flush=True)
print("typed:", sys.stdin.readline().strip(), flush=True)
"""


def talk(answer, **environment):
    """What a child says whose terminal gives an answer when it is asked; the answer may be None."""
    master, slave = pty.openpty()
    variables = {k: v for k, v in os.environ.items() if k not in ("COLORFGBG", "NO_COLOR")}
    child = subprocess.Popen(
        [sys.executable, "-c", CHILD],
        stdin=slave,
        stdout=slave,
        stderr=slave,
        start_new_session=True,
        env={**variables, "TERM": "xterm", **environment},
    )
    os.close(slave)
    terminal_output, asked, typed, end = b"", False, False, time.monotonic() + 60
    try:
        while b"typed: hello" not in terminal_output and time.monotonic() < end:
            if select.select([master], [], [], 0.1)[0]:
                terminal_output += os.read(master, 1000)
            if not asked and b"\033]11;?" in terminal_output:
                asked = True
                os.write(master, answer or b"")
            if re.search(rb"(True|False)\r?\n", terminal_output) and not typed:
                typed = True
                os.write(master, b"hello\n")
    finally:
        child.kill()
        child.wait()
        os.close(master)
    match = re.search(r"(dark|light) (True|False) (True|False)", terminal_output.decode(errors="replace"))
    assert match, terminal_output
    assert b"typed: hello" in terminal_output  # what is typed afterwards is read as always
    return match.groups(), asked


WHO = b"\033[?62;22c"


@pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals")
@pytest.mark.parametrize(
    ("answer", "environment", "expected"),
    [
        (b"\033]11;rgb:ffff/ffff/ffff\033\\" + WHO, {}, ("light", "True", "True")),
        (b"\033]11;rgb:fd/f6/e3\007" + WHO, {}, ("light", "True", "True")),
        (b"\033]11;rgb:1e1e/1e1e/1e1e\033\\" + WHO, {}, ("dark", "True", "True")),
        (WHO, {}, ("dark", "False", "True")),
        (None, {}, ("dark", "False", "True")),
    ],
    ids=["white", "solarized", "black", "does-not-know", "silent"],
)
def test_the_terminal_is_asked(answer, environment, expected):
    assert talk(answer, **environment) == (expected, True)


def test_who_says_it_is_not_asked(monkeypatch):
    monkeypatch.setattr(screen, "ask_background", lambda: pytest.fail("asked"))
    monkeypatch.setenv("COLORFGBG", "0;15")
    assert not is_dark()
    assert is_dark("dark")
    assert not is_dark("light")
    monkeypatch.setenv("COLORFGBG", "15;0")
    assert is_dark()
    monkeypatch.delenv("COLORFGBG")
    assert is_dark()  # standard output is no terminal here


def test_answers_that_make_no_sense():
    for answer in (b"", b"\033]11;rgb:zz/00/00\033\\", b"\033]10;rgb:ffff/ffff/ffff\033\\", b"\xff" * 300):
        assert read_background(answer) is None
    assert read_background(b"\033]11;rgba:0000/ffff/0000/ffff\007") == (0.0, 1.0, 0.0)


@pytest.mark.parametrize("dark", [False, True])
def test_256_colours_tell_for_from_against(dark):
    """The same hue for weak and strong scores: blue parts lead for those above zero, red ones below."""
    for share in np.linspace(0.2, 1, 33):
        for sign in (1, -1):
            code = nearest(find_palette("default").colour(sign * share, 1.0, dark))
            assert 16 <= code < 232  # of the cube
            red, _, blue = (code - 16) // 36, (code - 16) // 6 % 6, (code - 16) % 6
            assert sign * (blue - red) > 0


def test_colours_become_the_nearest_of_256():
    text = "\033[38;2;255;0;0mred\033[0m plain \033[38;2;0;0;0;48;2;95;135;175mboth\033[0m"
    assert in_256(text) == "\033[38;5;196mred\033[0m plain \033[38;5;16;48;5;67mboth\033[0m"
    assert in_256("2;3;4m 38;2;1;2;3m") == "2;3;4m 38;2;1;2;3m"  # no code
    assert nearest((128, 128, 128)) == 244


@pytest.mark.parametrize(
    ("variables", "full"),
    [
        ({"TERM": "xterm-256color"}, False),
        ({"TERM": "xterm-256color", "COLORTERM": "truecolor"}, True),
        ({"TERM": "xterm-kitty"}, True),
        ({"TERM": "xterm-256color", "TERM_PROGRAM": "vscode"}, True),
        ({"TERM": "xterm-256color", "TERM_PROGRAM": "Apple_Terminal"}, False),
        ({"WT_SESSION": "1"}, True),
        ({}, False),
    ],
)
def test_which_terminals_have_more(variables, full, monkeypatch):
    for name in ("TERM", "TERM_PROGRAM", "COLORTERM", "WT_SESSION"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert has_full_colour() is full
