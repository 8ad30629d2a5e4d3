"""The group of all commands: errors in one line, exit codes, and help without Python types."""

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
from ..core.redact import redact
from ..errors import LcshapError, OptionError, TargetError
from . import fail

_PARSING_ERROR: Any = typer.BadParameter.__base__  # the base class of the errors of typer about options


def _without_types(parameters: list[Any]) -> list[Any]:
    """Remove types from help for flags, which have no value, and for arguments, whose name says enough."""
    for parameter in parameters:
        if getattr(parameter, "is_flag", False):
            parameter.metavar = ""
        if parameter.param_type_name == "argument":
            parameter.display_type_rich = lambda ctx: ""
    return parameters


class Command(TyperCommand):
    """A command."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Its options and arguments."""
        return _without_types(super().get_params(ctx))


class Commands(TyperGroup):
    """The group of all commands. It reports errors in one line and sets the exit code."""

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
        words = list(sys.argv[1:] if args is None else args)
        debug = "--debug" in words
        words = [argument for argument in words if argument != "--debug"]
        try:
            code = super().main(words, "lcshap", complete_var, False, windows_expand_args, **extra)
            sys.exit(code if isinstance(code, int) else 0)
        except Exception as error:
            if debug:
                from ..show.terminal import print_to_file

                lines = "\n".join(map(redact, traceback.format_exc().splitlines()))
                print_to_file(printable(lines, lines=True), sys.stderr)
            code = fail(format_command_error(error), exit_code(error))
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
        """Run the command. A closed pipe (`| head`) is not an error, because files are written before."""
        try:
            exit_code = super().invoke(ctx)
            sys.stdout.flush()
            return exit_code
        except BrokenPipeError:
            _drop_output()
            raise typer.Exit(0) from None
        except KeyboardInterrupt:
            raise typer.Exit(fail("Interrupted.", 130)) from None


def _drop_output() -> None:
    """Discard the rest of standard output, because otherwise Python fails at its end with exit code 120."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def exit_code(error: BaseException) -> int:
    """The exit code of an error: 2 for wrong usage, even if it was detected only after the model had answered."""
    is_usage_error = isinstance(error, OptionError | _PARSING_ERROR) or isinstance(error.__cause__, TargetError)
    return 2 if is_usage_error else 1


def format_command_error(error: Exception) -> str:
    """The message of an error, in one line and with the options of the command."""
    if isinstance(error, _PARSING_ERROR):
        command = error.ctx.command_path if error.ctx else "lcshap"
        return f"{' '.join(error.format_message().split())} (see {command} --help)"
    message = re.sub(r'\bkind="(\w+)"', r"--kind \1", " ".join(str(error).split()))
    return message if isinstance(error, LcshapError) else f"{type(error).__name__}: {redact(message)}"


def section(title: str, *lines: str) -> str:
    """A section of the text below the options in a help."""
    return "\n\n".join([f"[bold]{title}[/bold]", *(line.replace("[", "\\[") for line in lines)])


def examples(*lines: str) -> str:
    """The examples of a help."""
    return section("Examples", *lines)
