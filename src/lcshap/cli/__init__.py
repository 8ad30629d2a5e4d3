"""The command `lcshap`. Thin: it parses, calls the library and prints. Without typer only `lcshap demo` is there."""

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
_EXTRA = 'This command needs typer and rich. Run: pip install "lcshap[cli]" (only `lcshap demo` works without them).'


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit code, one of `EXIT_CODES`."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    sys.stdout = sys.stdout or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115  where it is closed, as by >&-
    sys.stderr = sys.stderr or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    if given == ["--version"]:  # at once, without the imports below
        with suppress(OSError):  # the usual way, below, says what is wrong with the output
            print(f"lcshap {__version__}", flush=True)
            return 0
    if find_spec("typer") is None or find_spec("rich") is None:
        return _without_extras(given)
    from .app import app

    try:
        app(given)
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else 0
    return 0


def width() -> int:
    """The width of the terminal in columns; at least 40."""
    return max(40, shutil.get_terminal_size().columns)


def fail(message: str, code: int) -> int:
    """Say what is wrong in one line that does nothing to the terminal; return the exit code."""
    from ..core.printable import printable
    from ..show.terminal import write

    write(f"lcshap: error: {printable(message)}", sys.stderr)
    return code


def _without_extras(given: list[str]) -> int:
    if given[:1] != ["demo"]:
        return fail(_EXTRA, 1)
    from .demo import show_demo

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
        chosen = parser.parse_args(given)
        show_demo(chosen.color, chosen.html, chosen.open, chosen.force, chosen.theme)
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else 0
    except (LcshapError, OSError) as error:
        return fail(str(error), 2 if isinstance(error, OptionError) else 1)
    return 0
