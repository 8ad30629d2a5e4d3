"""The command `lcshap`. Thin: it parses, calls the library and prints."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from . import __version__, demo
from .errors import LcshapError


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit code."""
    parser = argparse.ArgumentParser(
        prog="lcshap", description="Which words, pixels or atoms made a black-box model say what it said."
    )
    parser.add_argument("--version", action="version", version=f"lcshap {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    show = commands.add_parser("demo", help="explain the paper's sentence with every method, on a built-in model")
    show.add_argument("--color", choices=("auto", "always", "never"), default="auto", help="colour the scores")
    options = parser.parse_args(arguments)
    try:
        print(demo.render(_coloured(options.color)))
    except LcshapError as error:
        print(f"lcshap: {error}", file=sys.stderr)
        return 1
    return 0


def _coloured(choice: str) -> bool:
    if choice == "auto":
        return sys.stdout.isatty() and "NO_COLOR" not in os.environ
    return choice == "always"
