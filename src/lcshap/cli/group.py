"""The group of all commands: one line for each error, exit codes that mean something, help without noise."""

from __future__ import annotations

import os
import re
import sys
import traceback
from collections.abc import Sequence
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from ..core.printable import printable
from ..core.redact import redacted
from ..errors import LcshapError, OptionError, TargetError
from . import fail

_PARSING: Any = typer.BadParameter.__base__  # what typer raises for options that it cannot read


def _without_types(parameters: list[Any]) -> list[Any]:
    """Options that are on or off have no value, and arguments are named already: help shows no type beside them."""
    for parameter in parameters:
        if getattr(parameter, "is_flag", False):
            parameter.metavar = ""
        if parameter.param_type_name == "argument":
            parameter.display_type_rich = lambda ctx: ""
    return parameters


class Command(TyperCommand):
    """One of the commands."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Its options and arguments."""
        return _without_types(super().get_params(ctx))


class Commands(TyperGroup):
    """The group of all commands: one line for each error, and exit codes that mean something."""

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        windows_expand_args: bool = True,
        **extra: Any,
    ) -> Any:
        """Run a command and exit with one of the `EXIT_CODES`."""
        given = list(sys.argv[1:] if args is None else args)
        debug = "--debug" in given
        given = [argument for argument in given if argument != "--debug"]
        try:
            code = super().main(given, "lcshap", complete_var, False, windows_expand_args, **extra)
            sys.exit(code if isinstance(code, int) else 0)
        except Exception as error:
            if debug:
                from ..show.terminal import write

                lines = "\n".join(map(redacted, traceback.format_exc().splitlines()))
                write(printable(lines, lines=True), sys.stderr)
            code = fail(one_line(error), code_of(error))
            try:
                if sys.stdout is not None:
                    sys.stdout.flush()
            except OSError:  # such as a full disk
                _drop_output()
            sys.exit(code)

    def get_params(self, ctx: Any) -> list[Any]:
        """Its options."""
        return _without_types(super().get_params(ctx))

    def invoke(self, ctx: Any) -> Any:
        """Run the command; a reader who has seen enough (`| head`) is no error, as files are written before."""
        try:
            result = super().invoke(ctx)
            sys.stdout.flush()
            return result
        except BrokenPipeError:
            _drop_output()
            raise typer.Exit(0) from None
        except KeyboardInterrupt:
            raise typer.Exit(fail("Interrupted.", 130)) from None


def _drop_output() -> None:
    """Write what is left for standard output nowhere: else Python complains while it ends, and exits with 120."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def code_of(error: BaseException) -> int:
    """2 for wrong usage, also where it was found out only when the model had answered."""
    wrong = isinstance(error, OptionError | _PARSING) or isinstance(error.__cause__, TargetError)
    return 2 if wrong else 1


def one_line(error: Exception) -> str:
    """What an error says, in one line and in terms of the command."""
    if isinstance(error, _PARSING):
        where = error.ctx.command_path if error.ctx else "lcshap"
        return f"{' '.join(error.format_message().split())} (see {where} --help)"
    said = re.sub(r'\bkind="(\w+)"', r"--kind \1", " ".join(str(error).split()))
    return said if isinstance(error, LcshapError) else f"{type(error).__name__}: {redacted(said)}"


def section(title: str, *lines: str) -> str:
    """A part of the text below the options of a help."""
    return "\n\n".join([f"[bold]{title}[/bold]", *(line.replace("[", "\\[") for line in lines)])


def examples(*lines: str) -> str:
    """The examples of a help."""
    return section("Examples", *lines)
