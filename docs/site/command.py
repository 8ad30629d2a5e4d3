"""The reference of the command, written from the command itself: `lcshap --help` and this page cannot differ."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import typer

from lcshap.cli import EXIT_CODES
from lcshap.cli.typer_app import app


def page() -> str:
    """Every command with its arguments and options, as Markdown."""
    group = typer.main.get_command(app)
    lines = ["# Command reference", "", "This page is generated from the command itself.", ""]
    lines += [*_described(group), "## Exit codes", "", "| code | meaning |", "|---|---|"]
    lines += [f"| {code} | {_cell(said)} |" for code, said in EXIT_CODES.items()]
    lines += ["", "## Options of every call", "", *_options(group)]
    for name, command in group.commands.items():  # type: ignore[attr-defined]
        lines += ["", f"## lcshap {name}", "", *_described(command), *_options(command)]
    return "\n".join(lines) + "\n"


def _described(command: Any) -> Iterator[str]:
    """The help of a command; its examples as a block of code."""
    yield from (_plain(command.help or ""), "")
    for part in re.split(r"\n\n(?=\[bold\])", (command.epilog or "").strip()):
        title, _, body = part.partition("\n\n")
        if "Example" in title:
            code = "\n".join(line for line in body.replace("\\[", "[").splitlines() if line.strip())
            yield from ("```sh", code, "```", "")


def _options(command: Any) -> Iterator[str]:
    rows = [row for row in map(_row, command.params) if row]
    if rows:
        yield from ("| option | meaning |", "|---|---|", *rows)


def _row(parameter: Any) -> str | None:
    if getattr(parameter, "hidden", False):
        return None
    names = parameter.opts if parameter.param_type_name == "option" else [parameter.name.upper()]
    shown = ", ".join(f"`{name}`" for name in names) + (f" {parameter.metavar}" if parameter.metavar else "")
    said = _plain(getattr(parameter, "help", None) or "")
    default = parameter.default
    if isinstance(default, str | int | float) and not isinstance(default, bool):
        said += f" Default: `{default}`."
    return f"| {_cell(shown)} | {_cell(said)} |"


def _plain(text: str) -> str:
    """Help without the markup of rich."""
    return re.sub(r"\[/?(?:bold|dim|italic|cyan)\]", "", text).replace("\\[", "[").strip()


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")
