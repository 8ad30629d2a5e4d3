"""The commands."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from .. import __version__
from ..core.explanation import Explanation
from ..core.io import load
from ..core.printable import printable
from ..errors import LcshapError
from ..estimators import METHODS
from ..show.terminal import write
from . import EXIT_CODES, complete, doctor, fail, width
from .bulk import Job, look, sampled
from .declare import UsageError, takes
from .demo import show_demo
from .files import named
from .group import Command, Commands, examples, one_line, section
from .inputs import read_shape
from .manual import describe, describe_fully
from .marks import check_marks, keep_marks, pick_marks, read_marks, take_columns
from .methods import find_entry, guess, make_methods, preview, read_budget
from .options import Colour, Input, Marks, MethodOption, MethodSettings, MethodsOption, Output, Task, Theme
from .options_alone import Pages, Reproduction, Serving, Shape
from .options_bulk import BulkData, BulkRun
from .output import as_json, deliver, dumps, numbered, shown, shown_lines, side_by_side, writers
from .serving import prepare_serving
from .targets import check_targets
from .work import Comparison, prepare, prepare_lines, quiet_stdout, split_names
from .work import compare as run_comparison

app = typer.Typer(
    cls=Commands,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(value: bool) -> None:
    if value:
        print(f"lcshap {__version__}")
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
        _write(_SHORT)


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
    check_targets(None if source.lines else output.save, output.html, output.plot, output.force)
    check_marks(marks, output)
    if source.lines is not None:
        _explain_lines(source, task, option, settings, output, marks)
        return
    if source.csv is not None:
        source, marked = take_columns(source, marks)
    else:
        marked = pick_marks(marks, [0], 1, "input")
    with quiet_stdout():
        case, explainer = prepare(source, task, option, settings, output)
        cost = explainer.preview(case.x) if option.preview else None
        e = None if option.preview else explainer(case.x)
    if e is None:
        _write(printable(cost or "", lines=True))
        return
    saved = [] if output.save is None else [output.save]
    text = dumps(as_json(e)) if output.json else shown(e, output)
    deliver(text, writers([e], output, saved, lambda: _figure(e), marked))


def _figure(e: Explanation) -> Any:
    from ..show.plots.choose import plot

    return plot(e)


def _explain_lines(
    source: Input, task: Task, option: MethodOption, settings: MethodSettings, output: Output, marks: Marks
) -> None:
    """Every text is explained that can be, before the first error is raised."""
    if output.plot is not None:
        raise UsageError("Expected one input for --plot, got --lines. Use --html, which shows all texts.")
    assert source.lines is not None
    with quiet_stdout():
        job = prepare_lines(source, task, option, settings, output)
        saved = _numbered(output, list(job.texts))
        places = [line - 1 for line in job.texts]
        marked = pick_marks(marks, places, max(job.texts), f"line of {named(source.lines)}")
        if option.preview:
            cost = job.preview()
        else:
            found = job.explain()
    if option.preview:
        _write(printable(cost, lines=True))
        return
    good = [(e, path) for (_, e), path in zip(found, saved, strict=True) if isinstance(e, Explanation)]
    failed = [(line, e) for line, e in found if isinstance(e, LcshapError)]
    paths = [path for _, path in good if path is not None]
    marked = keep_marks(marked, [isinstance(e, Explanation) for _, e in found])
    deliver(shown_lines(found, output), writers([e for e, _ in good], output, paths, marked=marked) if good else [])
    if len({str(error) for _, error in failed}) == 1 and not good:  # most likely it is not about the texts
        raise failed[0][1]
    for line, error in failed:
        fail(f"line {line}: {one_line(error)}", 1)
    if failed:
        raise typer.Exit(1)


def _numbered(output: Output, numbers: Sequence[int]) -> list[Path | None]:
    """The files of several explanations, which can be written; None where they are not to be saved."""
    if output.save is None:
        return [None] * len(numbers)
    paths = numbered(output.save, numbers)
    for path in paths:
        check_targets(path, force=output.force)
    return [*paths]


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
    check_targets(None, output.html, output.plot, output.force)
    saved = _numbered(output, range(1, len(split_names(option.methods)) + 1))
    with quiet_stdout():
        found = run_comparison(source, task, option, settings, output.with_curve)
    if output.json:
        calls = {"together": found.calls, "apart": found.apart}
        text = dumps({"explanations": list(map(as_json, found.explanations)), "calls": calls})
    else:
        text = side_by_side(found, output)
    paths = [path for path in saved if path is not None]
    deliver(text, writers(found.explanations, output, paths, lambda: _figures(found)))


def _figures(found: Comparison) -> Any:
    from ..show.plots.compare import compare as draw

    return draw(found.explanations, found.names)


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
    graph = read_shape(shape)
    methods = make_methods(shape.method or ["l-shapley"], graph, settings)
    _write(preview(methods, graph, settings.max_calls))


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
    if name is not None:
        _write(describe_fully(find_entry(name), width()))
        return
    _write("\n\n".join(describe(entry, width()) for entry in METHODS.entries()))
    _write("\nd is the number of units: words, pixels, atoms.")


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
    if data.folder is not None:
        _write(printable(look(data.input, data.folder, run.top), lines=True))
        return
    try:
        with quiet_stdout():
            job = Job(data, run, task, option, settings)
            said = job.preview() if option.preview else job.explain()
    except KeyboardInterrupt:
        raise typer.Exit(fail("Interrupted. Rerun the same command to resume.", 130)) from None
    _write(printable(said, lines=True))


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
    from ..show.html_report import report as write_report

    if len(pages.files) == 1 and pages.files[0].is_dir():
        check_targets(html=pages.out, force=pages.force)
        sample = sampled(pages.files[0], pages.samples)
        marked = sample.marked | pick_marks(marks, sample.places, sample.total, "input of the run")
        _wrote(write_report(sample.explanations, pages.out, title=pages.title or sample.title, **marked))
        return
    missing = [str(path) for path in pages.files if not path.is_file()]
    if missing:
        raise UsageError(f"Expected a saved explanation, got {missing[0]!r}, which is not a file.")
    check_targets(html=pages.out, force=pages.force)
    _wrote(write_report([load(path) for path in pages.files], pages.out, title=pages.title, **read_marks(marks)))


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
    show_demo(color.value, html, browse, force, theme.value)


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
    from ..paper.experiments.reproduce import NAMES, reproduce

    if study.name not in NAMES:
        known = ", ".join(NAMES)
        raise UsageError(
            f"Expected an experiment, got {study.name!r}{guess(study.name, NAMES)}. Choose one of {known}."
        )
    given = {**vars(study), "budget": read_budget(study.budget)}
    if study.methods is not None:
        given["methods"] = split_names(study.methods)
    try:
        with quiet_stdout():
            found = reproduce(**given)
    except KeyboardInterrupt:
        if sys.stderr.isatty():
            print(file=sys.stderr)  # ends the line that shows the progress
        raise typer.Exit(fail("Interrupted. Rerun the same command to resume.", 130)) from None
    _write(printable(str(found), lines=True))


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
    from ..playground import Limits, serve

    with quiet_stdout():
        served = prepare_serving(source, task, option, settings, serving.examples, serving.same_process)
        if option.preview:
            raise UsageError("--preview is for explain. The page shows the cost of each run before it starts.")
        serve(
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


@app.command("doctor", cls=Command)
def examine() -> None:
    """Show which optional packages are installed, and how to install the others."""
    _write(doctor.render())


def _write(text: str) -> None:
    write(text, sys.stdout)


def _wrote(path: Path) -> None:
    write(f"wrote {printable(str(path))}", sys.stderr)
