"""The other commands: demo, reproduce, serve, doctor."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from . import fail, print_text
from .group import Command, examples
from .option_groups import UsageError, grouped_options
from .options_alone import ReproduceOptions, ServeOptions
from .options_shared import Colour, Input, MethodOption, MethodSettings, ModelOptions, TerminalTheme

app = typer.Typer()


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
        TerminalTheme,
        typer.Option(help="The background of the terminal. auto asks the terminal.", metavar="auto|light|dark"),
    ] = TerminalTheme.AUTO,
) -> None:
    """Explain a sentence and a digit with two small models that come with lcshap."""
    from .demo_output import show_demo

    show_demo(color.value, html, browse, force, theme.value)


@app.command(
    cls=Command,
    epilog=examples(
        "lcshap reproduce theorems",
        "lcshap reproduce sentence --out table2",
        "lcshap reproduce imdb --samples 1000 --budget 4d --data ~/data --models ~/models",
        "lcshap reproduce mnist --samples 20 --methods regression-c-shapley,kernel-shap,deletion-path",
    ),
)
@grouped_options
def reproduce(study: ReproduceOptions) -> None:
    """Run an experiment of the paper. If interrupted, rerun the same command to resume."""
    from ..core.printable import printable
    from ..paper.experiments.reproduce import NAMES
    from ..paper.experiments.reproduce import reproduce as run_study
    from .explaining import quiet_stdout, split_names
    from .named_methods import read_budget, suggest_names

    if study.name not in NAMES:
        names = ", ".join(NAMES)
        raise UsageError(
            f"Expected an experiment, got {study.name!r}{suggest_names(study.name, NAMES)}. Choose one of {names}."
        )
    options = {**vars(study), "budget": read_budget(study.budget)}
    if study.methods is not None:
        options["methods"] = split_names(study.methods)
    try:
        with quiet_stdout():
            results = run_study(**options)
    except KeyboardInterrupt:
        if sys.stderr.isatty():
            print(file=sys.stderr)  # ends the line that shows the progress
        raise typer.Exit(fail("Interrupted. Rerun the same command to resume.", 130)) from None
    print_text(printable(str(results), lines=True))


@app.command(
    cls=Command,
    epilog=examples(
        "lcshap serve --model demo-text --open",
        "lcshap serve --model my_module:pipeline --kind logits --examples reviews.jsonl",
        "lcshap serve --model my_module:forest --csv patients.csv --drop outcome",
    ),
)
@grouped_options
def serve(
    source: Input, task: ModelOptions, option: MethodOption, settings: MethodSettings, serving: ServeOptions
) -> None:
    """Start a local web page that shows how the prediction changes when units are removed. Ctrl-C stops it."""
    from ..playground import Limits
    from ..playground import serve as start
    from .explaining import quiet_stdout
    from .serving import prepare_serving

    with quiet_stdout():
        served = prepare_serving(source, task, option, settings, serving.examples, serving.same_process)
        if option.preview:
            raise UsageError(
                "Expected --preview with explain, got it with serve, whose page shows the cost of each run before it "
                "starts. Leave it out."
            )
        start(
            served.explainer,
            served.examples,
            port=serving.port,
            host=serving.host,
            allow_others=serving.allow_others,
            open_browser=serving.browse,
            limits=Limits(
                calls=serving.most_calls, text=serving.most_characters, pixels=min(source.max_pixels, Limits.pixels)
            ),
            title=f"lcshap: {task.model}",
            source=served.source,
        )


@app.command(cls=Command)
def doctor() -> None:
    """Show which optional packages are installed, and how to install the others."""
    from .doctor import render_installation

    print_text(render_installation())
