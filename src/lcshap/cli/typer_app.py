"""The command `lcshap` with its version and help. Its subcommands are in the modules `commands_*`."""

from __future__ import annotations

from textwrap import fill
from typing import Annotated

import typer

from .. import __version__
from . import EXIT_CODES, commands_alone, commands_bulk, commands_explain, commands_methods, width
from .group import Commands, section

app = typer.Typer(
    cls=Commands,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(requested: bool) -> None:
    if requested:
        print(
            f"lcshap {__version__}", flush=True
        )  # flushed, so that a full disk is reported here and not at the end of the process
        raise typer.Exit


_SHORT_HELP = """\
lcshap shows which words, pixels or atoms made a model say what it said.

Explain a sentence and a digit with two small models that come with lcshap:
  lcshap demo

Explain a text of your own, with one of these models or with yours:
  lcshap explain --model demo-text --text "Not bad, but never really funny."
  lcshap explain --model my_module:my_model --kind logits --text "Not bad."

Other commands: serve, compare, bulk, plan, methods, report, reproduce, doctor.
`lcshap --help` describes them, and `lcshap explain --help` has every option."""


@app.callback(
    invoke_without_command=True,
    epilog="\n\n".join(
        [
            section("Exit codes", *(f"{code}: {meaning}" for code, meaning in EXIT_CODES.items())),
            section(
                "Shell completion",
                "lcshap --install-completion adds completion of commands, options and method names to bash, zsh, fish "
                "or PowerShell. Open a new terminal to use it.",
            ),
        ]
    ),
)
def lcshap(
    ctx: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version and exit.")
    ] = False,
    debug: Annotated[
        bool, typer.Option("--debug", help="Show the full traceback of an error. Works with every command.")
    ] = False,
) -> None:
    """Show which words, pixels or atoms made a model say what it said."""
    if ctx.invoked_subcommand is None:
        lines = _SHORT_HELP.splitlines()  # lines with an example are not wrapped, so that they can be copied
        typer.echo("\n".join(line if line.startswith(" ") else fill(line, width()) for line in lines))


for module in (commands_explain, commands_methods, commands_bulk, commands_alone):  # in the order of the help
    app.add_typer(module.app)
