"""The commands."""

from __future__ import annotations

import inspect
import json
import os
import re
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from .. import __version__
from ..core.io import load, to_dict
from ..core.printable import printable
from ..core.redact import redacted
from ..errors import LcshapError, OptionError
from ..estimators import METHODS
from ..show import words
from ..show.letters import wrapped
from ..show.palette import limit_of
from ..show.screen import is_dark
from ..show.terminal import has_colour, picture, render, render_table, write
from ..show.terminal_pictures import Ink, legend
from . import doctor, fail, show_demo, width
from .methods import describe, find_entry, guess, make_methods, preview, read_budget, read_graph
from .options import (
    Colour,
    Input,
    MethodOption,
    MethodSettings,
    MethodsOption,
    Output,
    Pages,
    Reproduction,
    Shape,
    Task,
    Theme,
    UsageError,
    takes,
)
from .targets import check_targets
from .work import Comparison, prepare, quiet_stdout
from .work import compare as run_comparison

_PARSING: Any = typer.BadParameter.__base__  # what typer raises for options that it cannot read


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
        """Run a command and exit: 0 for fine, 1 for work that failed, 2 for wrong usage, 130 for Ctrl-C."""
        given = list(sys.argv[1:] if args is None else args)
        debug = "--debug" in given
        given = [argument for argument in given if argument != "--debug"]
        try:
            code = super().main(given, "lcshap", complete_var, False, windows_expand_args, **extra)
            sys.exit(code if isinstance(code, int) else 0)
        except Exception as error:
            if debug:
                lines = "\n".join(map(redacted, traceback.format_exc().splitlines()))
                write(printable(lines, lines=True), sys.stderr)
            wrong = isinstance(error, OptionError | _PARSING)
            sys.exit(fail(_one_line(error), 2 if wrong else 1))

    def invoke(self, ctx: Any) -> Any:
        """Run the command; a reader who has seen enough (`| head`) is no error."""
        try:
            result = super().invoke(ctx)
            sys.stdout.flush()
            return result
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # else Python complains while it ends
            raise typer.Exit(0) from None
        except KeyboardInterrupt:
            raise typer.Exit(fail("interrupted", 130)) from None


def _one_line(error: Exception) -> str:
    if isinstance(error, _PARSING):
        where = error.ctx.command_path if error.ctx else "lcshap"
        return f"{' '.join(error.format_message().split())} (see {where} --help)"
    said = re.sub(r'\bkind="(\w+)"', r"--kind \1", " ".join(str(error).split()))
    return said if isinstance(error, LcshapError) else f"{type(error).__name__}: {redacted(said)}"


app = typer.Typer(
    cls=Commands,
    add_completion=False,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _examples(*lines: str) -> str:
    return "\n\n".join(["[bold]Examples[/bold]", *(line.replace("[", "\\[") for line in lines)])


def _version(value: bool) -> None:
    if value:
        print(f"lcshap {__version__}")
        raise typer.Exit


@app.callback()
def lcshap(
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Its number.")] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Anywhere: show where an error came from.")] = False,
) -> None:
    """Which words, pixels or atoms made a black-box model say what it said."""


@app.command(
    epilog=_examples(
        "lcshap explain --model demo-text",
        'lcshap explain --model demo-text --text "Not bad, but never really funny." --method l-shapley --order 2',
        "lcshap explain --model net.onnx --kind logits --image cat.png --scale --channels-first --units patch=16",
        "lcshap explain --model my_module:pipeline --file review.txt --units sentence --html review.html",
        "lcshap explain --model my_module:forest --csv patients.csv --row 3 --drop outcome --json",
    )
)
@takes(Input, Task, MethodOption, MethodSettings, Output)
def explain(source: Input, task: Task, option: MethodOption, settings: MethodSettings, output: Output) -> None:
    """Explain what a model says about one input."""
    check_targets(option.save, output.html, output.plot, output.force)
    with quiet_stdout():
        case, explainer = prepare(source, task, option, settings, output)
        shown = explainer.preview(case.x) if option.preview else None
        e = None if option.preview else explainer(case.x)
    if e is None:
        _write(printable(shown or "", lines=True))
        return
    if output.json:
        print(json.dumps(to_dict(e), allow_nan=False))
    else:
        _write(render(e, width(), _coloured(output), output.top, is_dark(output.theme.value)))
        if why := words.why(e):
            _write("\n".join(wrapped(why, width())))
    if option.save is not None:
        _wrote(e.save(option.save))
    if output.plot is not None:
        from ..show.plots.base import save
        from ..show.plots.choose import plot

        _wrote(save(plot(e), output.plot))
    _report([e], output)


@app.command(
    epilog=_examples(
        "lcshap compare --model demo-text",
        "lcshap compare --model demo-text --methods l-shapley:order=2,c-shapley,kernel-shap,deletion-path --budget 8d",
        "lcshap compare --model net.onnx --kind logits --image digit.png --grey --units patch=4 --html methods.html",
    )
)
@takes(Input, Task, MethodsOption, MethodSettings, Output)
def compare(source: Input, task: Task, option: MethodsOption, settings: MethodSettings, output: Output) -> None:
    """Several methods on one input, each coalition of units evaluated once for all of them."""
    check_targets(None, output.html, output.plot, output.force)
    with quiet_stdout():
        found = run_comparison(source, task, option, settings, output.with_curve)
    if output.json:
        calls = {"together": found.calls, "apart": found.apart}
        print(json.dumps({"explanations": list(map(to_dict, found.explanations)), "calls": calls}, allow_nan=False))
    else:
        _write(_side_by_side(found, output))
    if output.plot is not None:
        from ..show.plots.base import save
        from ..show.plots.compare import compare as draw

        _wrote(save(draw(found.explanations, found.names), output.plot))
    _report(found.explanations, output)


def _side_by_side(found: Comparison, output: Output) -> str:
    """The input once for each method, then the scores as a table; of several outputs, one method after the other."""
    columns, colour, dark, first = width(), _coloured(output), is_dark(output.theme.value), found.explanations[0]
    names = list(map(printable, found.names))
    parts = [f"explained: {words.about(first)}; {words.ends(first)}"]
    both = list(zip(names, found.explanations, strict=True))
    if first.scores.ndim == 1:
        inks = [Ink(e.scores, limit_of([e.scores]), colour, dark) for e in found.explanations]
        drawn = [[name, *picture(e, columns, ink)] for (name, e), ink in zip(both, inks, strict=True)]
        if len(drawn[0]) > 1:
            parts += ["\n".join(lines) for lines in drawn] + legend(columns, inks[0])
        parts.append(render_table(found.explanations, names, columns, colour, output.top, dark))
        parts += ["\n".join(wrapped(f"{name}: {words.flip(e)}", columns)) for name, e in both if words.flip(e)]
    else:
        parts += [render(e, columns, colour, output.top, dark) for _, e in both]
    parts.append(f"all methods together took {found.calls:,} model calls instead of {found.apart:,}")
    return "\n\n".join(parts)


@app.command(
    epilog=_examples(
        "lcshap plan --graph chain:400 --method l-shapley --order 2",
        "lcshap plan --graph grid:28x28 --method c-shapley:order=2 --method graph-kernel-shap --budget 4d",
        "lcshap plan --graph tree:-1,0,0,2 --method myerson",
    )
)
@takes(Shape, MethodSettings)
def plan(shape: Shape, settings: MethodSettings) -> None:
    """What methods would cost on a graph. No model is needed."""
    graph = read_graph(shape.graph)
    methods = make_methods(shape.method or ["l-shapley"], graph, settings)
    _write(preview(methods, graph, settings.max_calls))


@app.command(epilog=_examples("lcshap methods", "lcshap methods c-shapley"))
def methods(
    name: Annotated[str | None, typer.Argument(help="All about one of them.", show_default=False)] = None,
) -> None:
    """What each method computes, what it costs, and when to use it."""
    if name is not None:
        entry = find_entry(name)
        _write(f"{describe(entry, width())}\n\n{inspect.getdoc(entry.method)}")
        return
    _write("\n\n".join(describe(entry, width()) for entry in METHODS.entries()))
    _write("\nd is the number of units: words, pixels, atoms.")


@app.command(epilog=_examples("lcshap report a.json b.json --out report.html", "lcshap report runs/*.json"))
@takes(Pages)
def report(pages: Pages) -> None:
    """A page from explanations that were saved: search, sort, mask, switch methods."""
    from ..show.html_report import report as write_report

    missing = [str(path) for path in pages.files if not path.is_file()]
    if missing:
        raise UsageError(f"there is no file {missing[0]!r}")
    check_targets(html=pages.out, force=pages.force)
    _wrote(write_report([load(path) for path in pages.files], pages.out, title=pages.title))


@app.command(epilog=_examples("lcshap demo", "lcshap demo --html demo.html --open"))
def demo(
    html: Annotated[Path | None, typer.Option(help="Where to write the page; by default a temporary folder.")] = None,
    browse: Annotated[bool, typer.Option("--open", help="Open the page in a browser.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Overwrite a file that is no report too.")] = False,
    color: Annotated[Colour, typer.Option(help="Colours in the terminal.")] = Colour.AUTO,
    theme: Annotated[Theme, typer.Option(help="The terminal's background; auto asks the terminal.")] = Theme.AUTO,
) -> None:
    """The paper's sentence by every method, and a digit, on two trained models that come with lcshap."""
    show_demo(color.value, html, browse, force, theme.value)


@app.command(
    "reproduce",
    epilog=_examples(
        "lcshap reproduce theorems",
        "lcshap reproduce sentence --out table2",
        "lcshap reproduce imdb --samples 1000 --budget 4d --data ~/data --models ~/models",
        "lcshap reproduce mnist --samples 20 --methods regression-c-shapley,kernel-shap,deletion-path",
    ),
)
@takes(Reproduction)
def repeat(study: Reproduction) -> None:
    """Run an experiment of the paper again. After an interruption the same command goes on where it was."""
    from ..paper.experiments.reproduce import NAMES, reproduce

    if study.name not in NAMES:
        known = f"there are {', '.join(NAMES)}"
        raise UsageError(f"there is no experiment {study.name!r}{guess(study.name, NAMES)}: {known}")
    given = {**vars(study), "budget": read_budget(study.budget)}
    if study.methods is not None:
        given["methods"] = [name.strip() for name in study.methods.split(",")]
    try:
        with quiet_stdout():
            found = reproduce(**given)
    except KeyboardInterrupt:
        if sys.stderr.isatty():
            print(file=sys.stderr)  # ends the line that shows the progress
        raise typer.Exit(fail("interrupted: the same command goes on from here", 130)) from None
    _write(printable(str(found), lines=True))


@app.command("doctor")
def examine() -> None:
    """What is installed, and the line that installs what is not."""
    _write(doctor.render())


def _report(explanations: list[Any], output: Output) -> None:
    if output.html is not None:
        from ..show.html_report import report as write_report

        _wrote(write_report(explanations, output.html))


def _write(text: str) -> None:
    write(text, sys.stdout)


def _wrote(path: Path) -> None:
    write(f"wrote {printable(str(path))}", sys.stderr)


def _coloured(output: Output) -> bool:
    return has_colour(sys.stdout, output.color.value)
