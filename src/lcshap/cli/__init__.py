"""The command `lcshap`. Thin: it parses, calls the library and prints. Without typer only `lcshap demo` is there."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from importlib.util import find_spec

from .. import __version__, demo
from ..terminal import has_colour, write

COLOURS = ("auto", "always", "never")
_EXTRA = 'lcshap: error: the command needs typer and rich: pip install "lcshap[cli]" (only `lcshap demo` does without)'


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit code: 0 for fine, 1 for work that failed, 2 for wrong usage."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if find_spec("typer") is None or find_spec("rich") is None:
        return _without_extras(given)
    from .app import app

    try:
        app(given)
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else 0
    return 0


def show_demo(colour: str) -> None:
    """Print the paper's sentence under every method."""
    write(demo.render(has_colour(sys.stdout, colour)), sys.stdout)


def _without_extras(given: list[str]) -> int:
    if given[:1] not in (["demo"], ["--version"]):
        print(_EXTRA, file=sys.stderr)
        return 1
    parser = argparse.ArgumentParser(prog="lcshap")
    parser.add_argument("--version", action="version", version=f"lcshap {__version__}")
    commands = parser.add_subparsers()
    commands.add_parser("demo").add_argument("--color", choices=COLOURS, default="auto")
    try:
        show_demo(parser.parse_args(given).color)
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else 0
    return 0
