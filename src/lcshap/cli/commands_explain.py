"""The commands that explain an input, or the lines of a file: explain, compare.

A command imports the modules that it needs when it runs, so that help does not import NumPy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer

from . import fail, print_text
from .group import Command, examples, format_command_error
from .option_groups import UsageError, grouped_options
from .options_shared import Input, LabelOptions, MethodOption, MethodSettings, MethodsOption, ModelOptions, Output

if TYPE_CHECKING:
    from .explaining import LinesJob

app = typer.Typer()


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
@grouped_options
def explain(
    source: Input,
    task: ModelOptions,
    option: MethodOption,
    settings: MethodSettings,
    output: Output,
    marks: LabelOptions,
) -> None:
    """Explain the prediction of a model for an input."""
    from ..core.printable import printable
    from .explaining import prepare, prepare_lines, quiet_stdout
    from .input_files import display_name
    from .labels import check_label_options, select_labels, take_columns
    from .output import as_json, dumps, explanation_text, savers, write_and_print, writers
    from .output_files import check_targets

    check_targets(output.save, output.html, output.plot, output.force)
    check_label_options(marks, output)
    if source.lines is not None:
        if output.plot is not None:
            raise UsageError("Expected one input for --plot, got --lines. Use --html, which shows all texts.")
        with quiet_stdout():
            job = prepare_lines(source, task, option, settings, output)
        _explain_lines(job, display_name(source.lines), option.preview, output, marks)
        return
    if source.csv is not None:
        source, marked = take_columns(source, marks)
    else:
        marked = select_labels(marks, [0], 1, "input")
    with quiet_stdout():
        case, explainer = prepare(source, task, option, settings, output)
        cost = explainer.preview(case.x) if option.preview else None
        e = None if option.preview else explainer(case.x)
    if e is None:
        print_text(printable(cost or "", lines=True))
        return

    def figure() -> Any:
        from ..show.plots.choose import plot

        return plot(e)

    saved = savers([e], [] if output.save is None else [output.save])
    text = dumps(as_json(e)) if output.json else explanation_text(e, output)
    write_and_print(text, writers([e], output, saved, figure, marked))


def _explain_lines(job: LinesJob, file: str, preview: bool, output: Output, marks: LabelOptions) -> None:
    """Explain all texts, print and write the explanations, and then report the errors."""
    from functools import partial

    from ..core.explanation import Explanation
    from ..core.explanations import Explanations
    from ..core.printable import printable
    from ..errors import LcshapError
    from .explaining import quiet_stdout
    from .labels import filter_labels, select_labels
    from .output import explanations_text, write_and_print, writers

    marked = select_labels(marks, [line - 1 for line in job.texts], max(job.texts), f"line of {file}")
    if preview:
        with quiet_stdout():
            cost = job.preview()
        print_text(printable(cost, lines=True))
        return
    with quiet_stdout():
        explained = job.explain()
    is_explained = [isinstance(e, Explanation) for _, e in explained]
    explanations = [e for _, e in explained if isinstance(e, Explanation)]
    failed = [(line, e) for line, e in explained if isinstance(e, LcshapError)]
    saved = [] if output.save is None else [partial(Explanations(e for _, e in explained).save, output.save)]
    marked = filter_labels(marked, is_explained)
    write_and_print(
        explanations_text(explained, output),
        writers(explanations, output, saved, marked=marked) if explanations else [],
    )
    if len({str(error) for _, error in failed}) == 1 and not explanations:  # most likely the texts are not the cause
        raise failed[0][1]
    for line, error in failed:
        fail(f"line {line}: {format_command_error(error)}", 1)
    if failed:
        raise typer.Exit(1)


@app.command(
    cls=Command,
    epilog=examples(
        "lcshap compare --model demo-text --save methods.json",
        "lcshap compare --model demo-text --methods l-shapley:order=2,c-shapley,kernel-shap,deletion-path --budget 8d",
        "lcshap compare --model net.onnx --kind logits --image digit.png --grey --units patch=4 --html methods.html",
    ),
)
@grouped_options
def compare(source: Input, task: ModelOptions, option: MethodsOption, settings: MethodSettings, output: Output) -> None:
    """Explain an input by several methods that share their model calls."""
    from .explaining import compare_methods as run_comparison
    from .explaining import quiet_stdout, split_names
    from .output import as_json, comparison_text, dumps, method_targets, savers, write_and_print, writers
    from .output_files import check_targets

    check_targets(None, output.html, output.plot, output.force)
    paths = method_targets(output, len(split_names(option.methods)))
    with quiet_stdout():
        comparison = run_comparison(source, task, option, settings, output.with_curve)

    def figure() -> Any:
        from ..show.plots.compare_plot import compare as draw

        return draw(comparison.explanations, comparison.names)

    if output.json:
        calls = {"together": comparison.calls, "apart": comparison.separate_calls}
        text = dumps({"explanations": list(map(as_json, comparison.explanations)), "calls": calls})
    else:
        text = comparison_text(comparison, output)
    saved = savers(comparison.explanations, paths)
    write_and_print(text, writers(comparison.explanations, output, saved, figure))
