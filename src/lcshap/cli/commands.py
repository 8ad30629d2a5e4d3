"""What the commands do."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import typer

from ..bulk import Status
from ..core.explanation import Explanation
from ..core.io import load
from ..core.printable import printable
from ..errors import LcshapError
from ..estimators.registry import METHODS
from ..show.terminal import write
from . import doctor, fail, width
from .bulk import Job, failures, look, sampled
from .declare import UsageError
from .demo import show_demo
from .files import named
from .group import one_line
from .inputs import read_shape
from .manual import describe, describe_fully
from .marks import check_marks, keep_marks, pick_marks, read_marks, take_columns
from .methods import find_entry, guess, make_methods, preview, read_budget
from .options import Input, Marks, MethodOption, MethodSettings, MethodsOption, Output, Task
from .options_alone import Pages, Reproduction, Serving, Shape
from .options_bulk import BulkData, BulkRun
from .output import as_json, deliver, dumps, numbered, shown, shown_lines, side_by_side, writers
from .serving import prepare_serving
from .targets import check_targets
from .work import Comparison, prepare, prepare_lines, quiet_stdout, split_names
from .work import compare as run_comparison


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


def plan(shape: Shape, settings: MethodSettings) -> None:
    """Show how many model calls methods need. No model is called."""
    graph = read_shape(shape)
    methods = make_methods(shape.method or ["l-shapley"], graph, settings)
    _write(preview(methods, graph, settings.max_calls))


def methods(name: str | None) -> None:
    """Describe the methods: what they compute, what they cost, and when to choose them."""
    if name is not None:
        _write(describe_fully(find_entry(name), width()))
        return
    _write("\n\n".join(describe(entry, width()) for entry in METHODS.entries()))
    _write("\nd is the number of units: words, pixels, atoms.")


def bulk(data: BulkData, task: Task, option: MethodOption, settings: MethodSettings, run: BulkRun) -> None:
    """Explain a whole data set. If interrupted, rerun the same command to resume."""
    if data.folder is not None:
        _write(printable(look(data.input, data.folder, run.top), lines=True))
        return
    try:
        with quiet_stdout():
            job = Job(data, run, task, option, settings)
            found = job.preview() if option.preview else job.explain()
    except KeyboardInterrupt:
        raise typer.Exit(fail("Interrupted. Rerun the same command to resume.", 130)) from None
    said = failures(found) if isinstance(found, Status) else ""
    _write(printable(str(found), lines=True))
    if said:
        write(f"lcshap: warning: {printable(said)}", sys.stderr)


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


def reproduce(study: Reproduction) -> None:
    """Run an experiment of the paper. If interrupted, rerun the same command to resume."""
    from ..paper.experiments.reproduce import NAMES
    from ..paper.experiments.reproduce import reproduce as run_study

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
            found = run_study(**given)
    except KeyboardInterrupt:
        if sys.stderr.isatty():
            print(file=sys.stderr)  # ends the line that shows the progress
        raise typer.Exit(fail("Interrupted. Rerun the same command to resume.", 130)) from None
    _write(printable(str(found), lines=True))


def serve(source: Input, task: Task, option: MethodOption, settings: MethodSettings, serving: Serving) -> None:
    """Start a page on which to try out a model: remove words, and see what it says. Ctrl-C ends it."""
    from ..playground import Limits
    from ..playground import serve as start

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


def demo(color: str, html: Path | None, browse: bool, force: bool, theme: str) -> None:
    """Explain a sentence and a digit with two small models that come with lcshap."""
    show_demo(color, html, browse, force, theme)


def examine() -> None:
    """Show which optional packages are installed, and how to install the others."""
    _write(doctor.render())


def _write(text: str) -> None:
    write(text, sys.stdout)


def _wrote(path: Path) -> None:
    write(f"wrote {printable(str(path))}", sys.stderr)
