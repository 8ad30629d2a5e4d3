"""The commands and their help. What they do is in `commands`, which is imported when one of them runs."""

from __future__ import annotations

from pathlib import Path
from textwrap import fill
from typing import Annotated

import typer

from .. import __version__
from . import EXIT_CODES, complete, width
from .declare import takes
from .group import Command, Commands, examples, section
from .options import Colour, Input, Marks, MethodOption, MethodSettings, MethodsOption, Output, Task, Theme
from .options_alone import Pages, Reproduction, Serving, Shape
from .options_bulk import BulkData, BulkRun

app = typer.Typer(
    cls=Commands,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(value: bool) -> None:
    if value:
        print(f"lcshap {__version__}", flush=True)  # so that a full disk is told, and not when Python ends
        raise typer.Exit


_SHORT = """\
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
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
    debug: Annotated[
        bool, typer.Option("--debug", help="Show the full traceback of an error. Works with every command.")
    ] = False,
) -> None:
    """Show which words, pixels or atoms made a model say what it said."""
    if ctx.invoked_subcommand is None:
        lines = _SHORT.splitlines()  # those with an example stay as they are, to be copied
        typer.echo("\n".join(line if line.startswith(" ") else fill(line, width()) for line in lines))


@app.command(
    cls=Command,
    epilog=examples(
        "lcshap explain --model demo-text",
        'lcshap explain --model demo-text --text "Not bad, but never really funny." --method l-shapley --order 2',
        "lcshap explain --model net.onnx --kind logits --image cat.png --scale --channels-first --units patch=16",
        "lcshap explain --model my_module:pipeline --file review.txt --units sentence --html review.html",
        "lcshap explain --model my_module:forest --csv patients.csv --row 3 --drop outcome --json",
        "lcshap explain --model demo-text --lines reviews.txt --html reviews.html --labels labels.txt",
        'echo "Not bad" | lcshap explain --model demo-text --file -',
    ),
)
@takes(Input, Task, MethodOption, MethodSettings, Output, Marks)
def explain(
    source: Input, task: Task, option: MethodOption, settings: MethodSettings, output: Output, marks: Marks
) -> None:
    """Explain what a model says about an input."""
    from . import commands

    commands.explain(source, task, option, settings, output, marks)


@app.command(
    cls=Command,
    epilog=examples(
        "lcshap compare --model demo-text --save methods.json",
        "lcshap compare --model demo-text --methods l-shapley:order=2,c-shapley,kernel-shap,deletion-path --budget 8d",
        "lcshap compare --model net.onnx --kind logits --image digit.png --grey --units patch=4 --html methods.html",
    ),
)
@takes(Input, Task, MethodsOption, MethodSettings, Output)
def compare(source: Input, task: Task, option: MethodsOption, settings: MethodSettings, output: Output) -> None:
    """Explain an input by several methods that share their model calls."""
    from . import commands

    commands.compare(source, task, option, settings, output)


@app.command(
    cls=Command,
    epilog=examples(
        "lcshap plan --graph chain:400 --method l-shapley --order 2",
        'lcshap plan --text "Not bad, but never really funny." --method shapley --method c-shapley',
        "lcshap plan --graph grid:28x28 --method c-shapley:order=1 --method graph-kernel-shap --budget 4d",
        "lcshap plan --graph tree:-1,0,0,2 --method myerson",
    ),
)
@takes(Shape, MethodSettings)
def plan(shape: Shape, settings: MethodSettings) -> None:
    """Show how many model calls methods need. No model is called."""
    from . import commands

    commands.plan(shape, settings)


@app.command(cls=Command, epilog=examples("lcshap methods", "lcshap methods c-shapley"))
def methods(
    name: Annotated[
        str | None,
        typer.Argument(
            help="A method to describe in full. By default, all methods are described in short.",
            show_default=False,
            metavar="NAME",
            autocompletion=complete.methods,
        ),
    ] = None,
) -> None:
    """Describe the methods: what they compute, what they cost, and when to choose them."""
    from . import commands

    commands.methods(name)


@app.command(
    cls=Command,
    epilog=examples(
        "lcshap bulk reviews.parquet --column text --model demo-text --budget 4d --out run",
        "lcshap bulk 'data/*.csv' --column text --factory my_module:make_explainer --out run --preview --price 0.00002",
        "lcshap bulk photos/ --model net.onnx --kind logits --scale --channels-first --out run --workers 4",
        "lcshap bulk s3://bucket/reviews.parquet --column text --model m:f --model-name v1 --out run --engine ray",
        "lcshap bulk status run",
        "lcshap bulk summary run",
    ),
)
@takes(BulkData, Task, MethodOption, MethodSettings, BulkRun)
def bulk(data: BulkData, task: Task, option: MethodOption, settings: MethodSettings, run: BulkRun) -> None:
    """Explain a whole data set. If interrupted, rerun the same command to resume."""
    from . import commands

    commands.bulk(data, task, option, settings, run)


@app.command(
    cls=Command,
    epilog=examples(
        "lcshap report a.json b.json --out report.html",
        "lcshap report runs/*.json --labels labels.txt",
        "lcshap report run --out run.html",
    ),
)
@takes(Pages, Marks)
def report(pages: Pages, marks: Marks) -> None:
    """Make one interactive web page from saved explanations, or from a run over a data set."""
    from . import commands

    commands.report(pages, marks)


@app.command(cls=Command, epilog=examples("lcshap demo", "lcshap demo --html demo.html --open"))
def demo(
    html: Annotated[
        Path | None, typer.Option(help="Where to write the web page. By default, a temporary folder.", metavar="FILE")
    ] = None,
    browse: Annotated[bool, typer.Option("--open", help="Open the web page in a browser.")] = False,
    force: Annotated[
        bool, typer.Option("--force", help="Overwrite an existing file even if lcshap did not write it.")
    ] = False,
    color: Annotated[
        Colour, typer.Option(help="When to use colours in the terminal.", metavar="auto|always|never")
    ] = Colour.AUTO,
    theme: Annotated[
        Theme, typer.Option(help="The background of the terminal. auto asks the terminal.", metavar="auto|light|dark")
    ] = Theme.AUTO,
) -> None:
    """Explain a sentence and a digit with two small models that come with lcshap."""
    from . import commands

    commands.demo(color.value, html, browse, force, theme.value)


@app.command(
    "reproduce",
    cls=Command,
    epilog=examples(
        "lcshap reproduce theorems",
        "lcshap reproduce sentence --out table2",
        "lcshap reproduce imdb --samples 1000 --budget 4d --data ~/data --models ~/models",
        "lcshap reproduce mnist --samples 20 --methods regression-c-shapley,kernel-shap,deletion-path",
    ),
)
@takes(Reproduction)
def repeat(study: Reproduction) -> None:
    """Run an experiment of the paper. If interrupted, rerun the same command to resume."""
    from . import commands

    commands.reproduce(study)


@app.command(
    "serve",
    cls=Command,
    epilog=examples(
        "lcshap serve --model demo-text --open",
        "lcshap serve --model my_module:pipeline --kind logits --examples reviews.jsonl",
        "lcshap serve --model my_module:forest --csv patients.csv --drop outcome",
    ),
)
@takes(Input, Task, MethodOption, MethodSettings, Serving)
def play(source: Input, task: Task, option: MethodOption, settings: MethodSettings, serving: Serving) -> None:
    """Start a page on which to try out a model: remove words, and see what it says. Ctrl-C ends it."""
    from . import commands

    commands.serve(source, task, option, settings, serving)


@app.command("doctor", cls=Command)
def examine() -> None:
    """Show which optional packages are installed, and how to install the others."""
    from . import commands

    commands.examine()
