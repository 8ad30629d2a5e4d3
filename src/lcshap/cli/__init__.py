"""The command `lcshap`, which parses options, calls the library and prints. Only `lcshap demo` works without typer."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

from .. import __version__
from ..errors import LcshapError, OptionError

COLOURS = ("auto", "always", "never")
THEMES = ("auto", "light", "dark")
EXIT_CODES = {
    0: "Success.",
    1: "The model or the data caused an error, or a file could not be read or written.",
    2: "An option or argument is wrong.",
    130: "Interrupted with Ctrl-C.",
}
_MISSING_EXTRA = (
    'This command needs typer and rich. Run: pip install "lcshap[cli]" (only `lcshap demo` works without them).'
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit code, one of `EXIT_CODES`."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    sys.stdout = sys.stdout or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115  standard output is closed, as by >&-
    sys.stderr = sys.stderr or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    if words == ["--version"]:  # printed here, before the slower imports below
        with suppress(OSError):  # the code below reports errors of the output
            print(f"lcshap {__version__}", flush=True)
            return 0
    if find_spec("typer") is None or find_spec("rich") is None:
        return _run_without_extras(words)
    from .typer_app import app

    try:
        app(words)
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else 0
    return 0


def width() -> int:
    """The width of the terminal in columns; at least 40."""
    return max(40, shutil.get_terminal_size().columns)


def print_text(text: str) -> None:
    """Print a result on standard output."""
    from ..show.terminal import print_to_file

    print_to_file(text, sys.stdout)


def fail(message: str, code: int) -> int:
    """Print an error message in one line without control characters, and return the exit code."""
    from ..core.printable import printable
    from ..show.terminal import print_to_file

    print_to_file(f"lcshap: error: {printable(message)}", sys.stderr)
    return code


def _run_without_extras(words: list[str]) -> int:
    if words[:1] != ["demo"]:
        return fail(_MISSING_EXTRA, 1)
    from .demo_output import show_demo

    parser = argparse.ArgumentParser(prog="lcshap")
    options = parser.add_subparsers().add_parser("demo")
    options.add_argument("--html", type=Path, help="where to write the web page (default: a temporary folder)")
    options.add_argument("--open", action="store_true", help="open the web page in a browser")
    options.add_argument(
        "--force", action="store_true", help="overwrite an existing file even if lcshap did not write it"
    )
    options.add_argument("--color", choices=COLOURS, default="auto", help="when to use colours in the terminal")
    options.add_argument(
        "--theme", choices=THEMES, default="auto", help="the background of the terminal (default: ask the terminal)"
    )
    try:
        parsed = parser.parse_args(words)
        show_demo(parsed.color, parsed.html, parsed.open, parsed.force, parsed.theme)
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else 0
    except (LcshapError, OSError) as error:
        return fail(str(error), 2 if isinstance(error, OptionError) else 1)
    return 0
