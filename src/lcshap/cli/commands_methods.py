"""The commands about methods, which call no model: plan, methods."""

from __future__ import annotations

from typing import Annotated

import typer

from . import completion as complete
from . import print_text, width
from .group import Command, examples
from .option_groups import grouped_options
from .options_alone import PlanOptions
from .options_shared import MethodSettings

app = typer.Typer()


@app.command(
    cls=Command,
    epilog=examples(
        "lcshap plan --graph chain:400 --method l-shapley --order 2",
        'lcshap plan --text "Not bad, but never really funny." --method shapley --method c-shapley',
        "lcshap plan --graph grid:28x28 --method c-shapley:order=1 --method graph-kernel-shap --budget 4d",
        "lcshap plan --graph tree:-1,0,0,2 --method myerson",
    ),
)
@grouped_options
def plan(shape: PlanOptions, settings: MethodSettings) -> None:
    """Show how many model calls methods need. No model is called."""
    from .input_reading import read_plan_graph
    from .named_methods import make_methods, preview_methods

    graph = read_plan_graph(shape)
    methods = make_methods(shape.method or ["l-shapley"], graph, settings)
    print_text(preview_methods(methods, graph, settings.max_calls))


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
    from ..estimators.registry import METHODS
    from .manual import describe_method, describe_method_fully
    from .named_methods import find_entry

    if name is not None:
        print_text(describe_method_fully(find_entry(name), width()))
        return
    print_text("\n\n".join(describe_method(entry, width()) for entry in METHODS.entries()))
    print_text("\nd is the number of units: words, pixels, atoms.")
