"""The paper's experiments, run again: `reproduce("imdb")`, or ``lcshap reproduce imdb``.

Every method explains the same test samples, with right and wrong predictions, within a common budget. The measure is
that of the paper: the log-odds of the predicted class while the top units are masked. The results are in a folder:

=====================  =============================================================================
``curves.csv, .png``   mean curves with intervals; those of every sample are in ``samples.csv``
``table.csv, .md``     areas with paired bootstrap intervals against the best, calls, seconds
``pairs.csv``          the difference of any two methods, with such intervals
``model.csv, .md``     the paper's Table 1: data, model and accuracy, its own and what is used here
``masks-20.png``       for images: what each method masks first, wrongly classified ones included
``report.html``        the first samples, to look at
``explanations/``      a file a sample and method; an interrupted run goes on from there
``run.json``           the command, seed, versions and time
=====================  =============================================================================
"""

from __future__ import annotations

import json
import os
import shlex
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from ...core.atomic_files import write_file
from ...errors import LcshapError, OptionError
from ...estimators.shapley import Shapley
from . import figures
from .method_table import (
    MethodResults,
    MethodRow,
    curves_csv,
    make_rows,
    pairs_csv,
    samples_csv,
    table_csv,
    table_md,
    to_csv,
    to_md,
)
from .pictures import MAX_REPORT_SAMPLES, draw, run_optional_steps
from .reporter import Report, make_reporter
from .run_record import RunRecord
from .runner import ExplanationsByMethod, Runner
from .studies import find_study
from .study import Study, check_methods
from .table_one import HEADER, format_cells, table_lines
from .theorems import sweep_couplings

STUDIES = ("imdb", "agnews", "yahoo", "newsgroups", "mnist", "cifar10")
NAMES = (*STUDIES, "sentence", "theorems", "all")
TIMED_SAMPLES = 3  # samples on which every method is run on its own, to measure its time


@dataclass(frozen=True, eq=False)
class ExperimentResult:
    """The results of an experiment. ``print(result)`` shows its table.

    Attributes
    ----------
    name : the name of the experiment.
    out : the folder with all files.
    rows : one row per method, the best first; none for "theorems", "sentence" and "all".
    text : the table in words.
    parts : for "all", the results of the others.
    notes : the steps that were skipped, in words.
    """

    name: str
    out: Path
    rows: tuple[MethodRow, ...] = ()
    text: str = ""
    parts: tuple[ExperimentResult, ...] = ()
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        lines = [f"{self.name}: {self.out}", *([self.text.rstrip()] if self.text else []), *self.notes]
        return "\n".join([*lines, *map(str, self.parts)])


def reproduce(
    name: str | Study,
    samples: int = 100,
    budget: int | str = "4d",
    methods: Sequence[str] | None = None,
    data: str | os.PathLike[str] | None = None,
    out: str | os.PathLike[str] | None = None,
    seed: int = 0,
    progress: Report | bool | None = None,
    models: str | os.PathLike[str] | None = None,
) -> ExperimentResult:
    """Run an experiment of the paper; if it was interrupted, call it again to resume.

    Parameters
    ----------
    name : "imdb", "agnews", "yahoo", "newsgroups", "mnist", "cifar10": masking curves of every method on that data.
        "sentence": the paper's Table 2. "theorems": errors and bounds of its theorems. "all": one after the other.
        Or a `Study` of your own.
    samples : the number of test inputs, drawn with the seed.
    budget : the calls of a method that takes a budget. Orders are the largest that fit it, and at least 1.
    methods : some of `LINEUP`, or all.
    data : the folder with the data, see `lcshap.paper.datasets.load`.
    out : the folder to write to; by default reproduced/ and the name.
    progress : a function of the samples done, all samples and the remaining seconds; or whether to print these, by
        default on a terminal.
    models : the folder of trained models, each in a folder of its name, such as word-cnn; by default models/ in `out`.
        A missing model is trained first, which takes minutes for "mnist" and hours for "agnews" without a GPU.
    """
    study_name = name.name if isinstance(name, Study) else name
    if not isinstance(name, Study) and name not in NAMES:
        raise OptionError(f"Expected one of the experiments {', '.join(NAMES)}, got {name!r}.")
    for option, value, minimum in (("samples", samples, 1), ("seed", seed, 0)):
        if not isinstance(value, int) or isinstance(value, bool) or value < minimum:
            raise OptionError(f"Expected {option} as an integer of at least {minimum}, got {value!r}.")
    folder = Path("reproduced") / study_name if out is None else Path(out)
    models_folder = folder / "models" if models is None else Path(models)
    if name == "all":
        return _reproduce_all(samples, budget, methods, data, folder, seed, progress, models_folder)
    folder.mkdir(parents=True, exist_ok=True)
    argv = ["lcshap", "reproduce", study_name, "--samples", samples, "--budget", budget]
    argv += ["--seed", seed, "--out", folder]
    argv += [] if methods is None else ["--methods", ",".join(methods)]
    argv += [] if data is None else ["--data", os.fspath(data)]
    argv += [] if models is None else ["--models", os.fspath(models)]
    command = shlex.join(map(str, argv))
    if name == "theorems":
        return _reproduce_theorems(RunRecord(folder / "run.json", command, {"study": name}))
    show_progress = progress if progress is None or isinstance(progress, bool) else False
    study = name if isinstance(name, Study) else find_study(name, data, models_folder, seed, show_progress)
    chosen = check_methods(study, methods)
    settings = {"study": study.name, "budget": budget, "seed": seed, "about": dict(study.description)}
    record = RunRecord(folder / "run.json", command, settings)
    if name == "sentence":
        return _reproduce_sentence(study, chosen, record)
    if not isinstance(name, Study):
        _write_models(folder / "model", {name: study.description})
    return _reproduce_study(study, chosen, samples, record, make_reporter(study.name, progress))


# -- a study ----------------------------------------------------------------------------------------------------------


def _reproduce_study(
    study: Study, methods: Sequence[str], samples: int, record: RunRecord, report: Report
) -> ExperimentResult:
    budget, seed = record.settings["budget"], record.settings["seed"]
    runner = Runner(study, budget, seed, record.folder / "explanations")
    record.write(finished=False, samples=samples, methods=methods)
    chosen = runner.choose(samples, seed)
    try:
        _explain_samples(runner, methods, chosen, report)
    finally:
        record.write(finished=False, samples=samples, methods=methods)
    results = {name: MethodResults() for name in methods}
    correct = 0
    for number in chosen:
        for name in methods:
            e = runner.load(number, name)
            results[name].add(number, e)
        correct += e.provenance["targets"] == [e.provenance["experiment"]["label"]]
    rows = make_rows(results)
    write_file(record.folder / "samples.csv", samples_csv(results))
    write_file(record.folder / "curves.csv", curves_csv(results))
    write_file(record.folder / "table.csv", table_csv(rows))
    write_file(record.folder / "pairs.csv", pairs_csv(results))
    share, units = correct / len(chosen), sum(results[methods[0]].units) / len(chosen)
    count = "1 sample" if len(chosen) == 1 else f"{len(chosen)} samples"
    text = (
        f"{study.name}: {count} of {units:.0f} units on average, {share:.1%} of them classified correctly, "
        f"budget {budget}, seed {seed}.\n\n{table_md(rows)}"
    )
    write_file(record.folder / "table.md", text)
    notes = draw(study, runner, methods, chosen, results, record.folder)
    record.write(
        finished=True, samples=len(chosen), methods=methods, share_correct=share, mean_units=units, notes=notes
    )
    return ExperimentResult(study.name, record.folder, rows, text, notes=tuple(notes))


def _explain_samples(runner: Runner, methods: Sequence[str], chosen: list[int], report: Report) -> None:
    """Explain the samples that are not done yet."""
    missing = [position for position, number in enumerate(chosen) if runner.missing(number, methods)]
    start, done = time.monotonic(), len(chosen) - len(missing)
    for count, position in enumerate(missing, start=1):
        runner.work(chosen[position], methods, timed=position < TIMED_SAMPLES, view=position < MAX_REPORT_SAMPLES)
        report(done + count, len(chosen), (time.monotonic() - start) / count * (len(missing) - count))


# -- the others -------------------------------------------------------------------------------------------------------


def _reproduce_sentence(study: Study, methods: Sequence[str], record: RunRecord) -> ExperimentResult:
    """Table 2: the words of the sentence by every method, Shapley first."""
    out = record.folder
    runner = Runner(study, record.settings["budget"], record.settings["seed"], out / "explanations")
    exact = replace(runner.fine, method=Shapley())
    explanations: ExplanationsByMethod = {"shapley": exact(study.inputs[0]), **runner.explain(0, methods)}
    for name, e in explanations.items():
        e.save(runner.path(0, name))
    names = explanations["shapley"].names
    header = ["word", *explanations]
    scores = [[word, *(float(e.scores[i]) for e in explanations.values())] for i, word in enumerate(names)]
    write_file(out / "table.csv", to_csv([header, *scores]))
    table_lines = [[str(word), *(f"{score:+.3f}" for score in row)] for word, *row in scores]
    table_lines.append(["calls", *(f"{e.calls}" for e in explanations.values())])
    (target,) = explanations["shapley"].provenance["targets"]
    text = f'"{study.inputs[0]}", log P({target}):\n\n{to_md([figures.label(name) for name in header], table_lines)}'
    write_file(out / "table.md", text)
    notes = run_optional_steps({"sentence.png": lambda: figures.sentence_figure(explanations, out / "sentence.png")})
    record.write(finished=True, methods=methods, notes=notes)
    return ExperimentResult(study.name, out, text=text, notes=tuple(notes))


def _reproduce_theorems(record: RunRecord) -> ExperimentResult:
    """Errors and bounds of both theorems on chains whose neighbours depend on each other more and more."""
    out = record.folder
    rows = sweep_couplings(np.geomspace(1e-3, 3, 29).tolist())
    write_file(out / "table.csv", to_csv([rows[0]._fields, *rows]))
    text = to_md(list(rows[0]._fields), [[f"{number:.3g}" for number in row] for row in rows[::4]])
    write_file(out / "table.md", text)
    notes = run_optional_steps({"theorems.png": lambda: figures.theorems_figure(rows, out / "theorems.png")})
    record.write(finished=True, notes=notes)
    return ExperimentResult("theorems", out, text=text, notes=tuple(notes))


def _reproduce_all(
    samples: int,
    budget: int | str,
    methods: Sequence[str] | None,
    data: str | os.PathLike[str] | None,
    out: Path,
    seed: int,
    progress: Report | bool | None,
    models: Path,
) -> ExperimentResult:
    """Run all experiments and write their Table 1. Those that cannot be run, for example without data, are noted."""
    results, notes = [], []
    for name in NAMES[:-1]:
        try:
            results.append(reproduce(name, samples, budget, methods, data, out / name, seed, progress, models))
        except LcshapError as error:
            notes.append(f"{name} was left out: {error}")
    studies = [result for result in results if result.rows]
    if studies:
        records = {result.name: json.loads((result.out / "run.json").read_text(encoding="utf-8")) for result in studies}
        _write_models(out / "models", {name: record["about"] for name, record in records.items()})
    return ExperimentResult("all", out, parts=tuple(results), notes=tuple(notes))


# -- writing -----------------------------------------------------------------------------------


def _write_models(path: Path, abouts: Mapping[str, Mapping[str, Any]]) -> None:
    """Table 1 of some studies, as CSV and Markdown."""
    rows = [line for name, about in abouts.items() for line in table_lines(name, about)]
    write_file(path.with_suffix(".csv"), to_csv([HEADER, *rows]))
    write_file(path.with_suffix(".md"), to_md(HEADER, format_cells(rows)))
