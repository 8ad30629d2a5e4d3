"""The commands about many explanations: bulk, report."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import typer

from . import fail, print_text
from .group import Command, examples
from .option_groups import UsageError, grouped_options
from .options_alone import ReportOptions
from .options_bulk import BulkData, BulkRun
from .options_shared import LabelOptions, MethodOption, MethodSettings, ModelOptions

app = typer.Typer()


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
@grouped_options
def bulk(data: BulkData, task: ModelOptions, option: MethodOption, settings: MethodSettings, run: BulkRun) -> None:
    """Explain a whole data set. If interrupted, rerun the same command to resume."""
    from ..bulk import Status
    from ..core.printable import printable
    from ..show.terminal import print_to_file
    from .bulk import BulkJob, describe_failures, show_run
    from .explaining import quiet_stdout

    if data.folder is not None:
        print_text(printable(show_run(data.input, data.folder, run.top), lines=True))
        return
    try:
        with quiet_stdout():
            job = BulkJob(data, run, task, option, settings)
            outcome = job.preview() if option.preview else job.explain()
    except KeyboardInterrupt:
        raise typer.Exit(fail("Interrupted. Rerun the same command to resume.", 130)) from None
    warning = describe_failures(outcome) if isinstance(outcome, Status) else ""
    print_text(printable(str(outcome), lines=True))
    if warning:
        print_to_file(f"lcshap: warning: {printable(warning)}", sys.stderr)


@app.command(
    cls=Command,
    epilog=examples(
        "lcshap report a.json b.json --out report.html",
        "lcshap report runs/*.json --labels labels.txt",
        "lcshap report run --out run.html",
    ),
)
@grouped_options
def report(pages: ReportOptions, marks: LabelOptions) -> None:
    """Make one interactive web page from saved explanations, or from a run over a data set."""
    from ..core.io import load
    from ..core.printable import printable
    from ..show.html_report import report as write_report
    from ..show.terminal import print_to_file
    from .bulk import sample_run
    from .labels import read_labels, select_labels
    from .output_files import check_targets

    title = pages.title
    if len(pages.files) == 1 and pages.files[0].is_dir():
        check_targets(html=pages.out, force=pages.force)
        sample = sample_run(pages.files[0], pages.samples)
        explanations, title = sample.explanations, title or sample.title
        marked = sample.marked | select_labels(marks, sample.places, sample.total, "input of the run")
    else:
        missing = [str(path) for path in pages.files if not path.is_file()]
        if missing:
            raise UsageError(f"Expected a saved explanation, got {missing[0]!r}, which is not a file.")
        check_targets(html=pages.out, force=pages.force)
        contents = [load(path) for path in pages.files]  # of single explanations, and of sets
        explanations = [e for content in contents for e in (content if isinstance(content, Sequence) else [content])]
        marked = read_labels(marks)
    path = write_report(explanations, pages.out, title=title, **marked)
    print_to_file(f"wrote {printable(str(path))}", sys.stderr)
