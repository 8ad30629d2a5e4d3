"""The paper's experiments, run again: `reproduce("imdb")`, or ``python -m lcshap.paper.experiments.reproduce imdb``.

Every method explains the same test samples, right and wrong predictions alike, within a common budget. The measure is
the paper's: the log-odds of the predicted class while the top units are masked. What comes out is a folder:

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

import argparse
import json
import os
import shlex
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from ...core.method import check_count
from ...core.views import ImageView
from ...errors import LcshapError, MethodError
from ...estimators import Shapley
from . import figures
from .record import Record, write
from .runner import Explained, Runner
from .studies import find_study
from .study import LINEUP, Study, check_methods
from .table import Found, Row, curves_csv, make_rows, pairs_csv, samples_csv, table_csv, table_md, to_csv, to_md
from .table_one import HEAD, for_people, lines
from .theorems import sweep

STUDIES = ("imdb", "agnews", "yahoo", "newsgroups", "mnist", "cifar10")
NAMES = (*STUDIES, "sentence", "theorems", "all")
TIMED = 3  # samples on which every method is run on its own, for the time it takes
SHOWN = 20  # samples whose files have what a picture needs; they are in the report
_SEARCHED = 2000  # inputs among which wrongly classified images are looked for
_COLUMNS = 8  # images in the figure of masks, with two more that are wrongly classified, if there are any
_ROWS = (
    "regression-c-shapley",
    "regression-c-shapley-removed",
    "kernel-shap",
    "sample-shapley",
    "saliency",
    "deletion-path",
)

Report = Callable[[int, int, float], None]  # samples done, all samples, seconds left


@dataclass(frozen=True, eq=False)
class Result:
    """What an experiment found. ``print(result)`` is its table.

    Attributes
    ----------
    name : of the experiment.
    out : the folder with all files.
    rows : a row a method, the best first; none for "theorems", "sentence" and "all".
    text : the table in words.
    parts : for "all", the results of the others.
    notes : what could not be done, in words.
    """

    name: str
    out: Path
    rows: tuple[Row, ...] = ()
    text: str = ""
    parts: tuple[Result, ...] = ()
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        own = [f"{self.name}: {self.out}", *([self.text.rstrip()] if self.text else []), *self.notes]
        return "\n".join([*own, *map(str, self.parts)])


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
) -> Result:
    """Run an experiment of the paper; call it again after an interruption, and it goes on where it was.

    Parameters
    ----------
    name : "imdb", "agnews", "yahoo", "newsgroups", "mnist", "cifar10": masking curves of every method on that data.
        "sentence": the paper's Table 2. "theorems": errors and bounds of its theorems. "all": one after the other.
        Or a `Study` of your own.
    samples : how many test inputs, drawn from the seed.
    budget : calls a method, where it takes a budget; orders are the largest that keep it, and 1 at least.
    methods : some of `LINEUP`, or all.
    data : the folder with the data, see `lcshap.paper.datasets.load`.
    out : the folder to write to; by default reproduced/ and the name.
    progress : a function of samples done, all samples and seconds left; or whether to print that, by default on a
        terminal.
    models : the folder of trained models, each in a folder of its name, such as word-cnn; by default models/ in `out`.
        What is not there is trained first, which takes minutes for "mnist" and hours for "agnews" without a GPU.
    """
    given = name.name if isinstance(name, Study) else name
    if not isinstance(name, Study) and name not in NAMES:
        raise MethodError(f"there is no experiment {name!r}: choose one of {', '.join(NAMES)}")
    check_count("samples", samples, least=1)
    check_count("seed", seed)
    folder = Path("reproduced") / given if out is None else Path(out)
    trained = folder / "models" if models is None else Path(models)
    if name == "all":
        return _all(samples, budget, methods, data, folder, seed, progress, trained)
    folder.mkdir(parents=True, exist_ok=True)
    words = ["lcshap", "reproduce", given, "--samples", samples, "--budget", budget, "--seed", seed, "--out", folder]
    words += [] if methods is None else ["--methods", ",".join(methods)]
    words += [] if data is None else ["--data", os.fspath(data)]
    words += [] if models is None else ["--models", os.fspath(models)]
    command = shlex.join(map(str, words))
    if name == "theorems":
        return _theorems(Record(folder / "run.json", command, {"study": name}))
    bar = progress if progress is None or isinstance(progress, bool) else False
    study = name if isinstance(name, Study) else find_study(name, data, trained, seed, bar)
    chosen = check_methods(study, methods)
    settings = {"study": study.name, "budget": budget, "seed": seed, "about": dict(study.about)}
    record = Record(folder / "run.json", command, settings)
    if name == "sentence":
        return _sentence(study, chosen, record)
    if not isinstance(name, Study):
        _write_models(folder / "model", {name: study.about})
    return _study(study, chosen, samples, record, _reporter(study.name, progress))


# -- a study ----------------------------------------------------------------------------------------------------------


def _study(study: Study, methods: Sequence[str], samples: int, record: Record, report: Report) -> Result:
    budget, seed = record.settings["budget"], record.settings["seed"]
    runner = Runner(study, budget, seed, record.folder / "explanations")
    record.write(finished=False, samples=samples, methods=methods)
    chosen = runner.choose(samples, seed)
    try:
        _explain(runner, methods, chosen, report)
    finally:
        record.write(finished=False, samples=samples, methods=methods)
    found = {name: Found() for name in methods}
    right = 0
    for number in chosen:
        for name in methods:
            e = runner.load(number, name)
            found[name].add(number, e)
        right += e.provenance["targets"] == [e.provenance["experiment"]["label"]]
    rows = make_rows(found)
    write(record.folder / "samples.csv", samples_csv(found))
    write(record.folder / "curves.csv", curves_csv(found))
    write(record.folder / "table.csv", table_csv(rows))
    write(record.folder / "pairs.csv", pairs_csv(found))
    share, units = right / len(chosen), sum(found[methods[0]].units) / len(chosen)
    count = "1 sample" if len(chosen) == 1 else f"{len(chosen)} samples"
    text = (
        f"{study.name}: {count} of {units:.0f} units on average, {share:.1%} of them classified correctly, "
        f"budget {budget}, seed {seed}.\n\n{table_md(rows)}"
    )
    write(record.folder / "table.md", text)
    notes = _pictures(study, runner, methods, chosen, found, record.folder)
    record.write(
        finished=True, samples=len(chosen), methods=methods, share_correct=share, mean_units=units, notes=notes
    )
    return Result(study.name, record.folder, rows, text, notes=tuple(notes))


def _explain(runner: Runner, methods: Sequence[str], chosen: list[int], report: Report) -> None:
    """The samples that are not done yet."""
    todo = [place for place, number in enumerate(chosen) if runner.missing(number, methods)]
    begin, before = time.monotonic(), len(chosen) - len(todo)
    for count, place in enumerate(todo, start=1):
        runner.work(chosen[place], methods, timed=place < TIMED, view=place < SHOWN)
        report(before + count, len(chosen), (time.monotonic() - begin) / count * (len(todo) - count))


def _pictures(
    study: Study, runner: Runner, methods: Sequence[str], chosen: list[int], found: dict[str, Found], out: Path
) -> list[str]:
    """Curves, masks of images, a report; what lacks a package is left out, with a note."""
    masked, kept = ({name: getattr(f, side) for name, f in found.items()} for side in ("masked", "kept"))
    shown = {name: [runner.load(number, name) for number in chosen[:SHOWN]] for name in methods}

    def report() -> None:
        from ...show.html_report import report

        report({figures.label(name): each for name, each in shown.items()}, out / "report.html", title=study.name)

    def masks() -> None:
        columns, titles = _columns(study, runner, [name for name in _ROWS if name in methods], chosen)
        for percent in (15, 20):
            figures.masks_figure(columns, out / f"masks-{percent}.png", percent, titles)

    steps: dict[str, Callable[[], object]] = {
        "curves.png": lambda: figures.curves_figure(masked, kept, out / "curves.png"),
        "report.html": report,
    }
    first = next(iter(shown.values()))[0]
    if isinstance(first.view, ImageView) and any(name in methods for name in _ROWS):
        steps["masks"] = masks
    return _try(steps)


def _columns(study: Study, runner: Runner, rows: list[str], chosen: list[int]) -> tuple[list[Explained], list[str]]:
    """The images of Figures 4 and 5: the first samples, and two that the model gets wrong, of different classes."""
    every = list(range(min(len(study.inputs), _SEARCHED)))
    wrong = {n: p for n, p in zip(every, runner.predicted(every), strict=True) if p != study.labels[n]}
    right = [n for n in chosen[:SHOWN] if n not in wrong][:_COLUMNS]
    aside = copy(runner)
    aside.folder = runner.folder / "wrong"
    aside.folder.mkdir(exist_ok=True)
    columns = [{name: runner.load(n, name) for name in rows} for n in right]
    titles = [str(study.classes[study.labels[n]]) for n in right]
    first_of = {study.labels[n]: n for n in reversed(wrong)}
    for number in sorted(first_of.values())[:2]:
        aside.work(number, rows, view=True)
        columns.append({name: aside.load(number, name) for name in rows})
        titles.append(f"{study.classes[study.labels[number]]} as {study.classes[wrong[number]]}")
    return columns, titles


# -- the others -------------------------------------------------------------------------------------------------------


def _sentence(study: Study, methods: Sequence[str], record: Record) -> Result:
    """Table 2: the words of the sentence by every method, Shapley first."""
    out = record.folder
    runner = Runner(study, record.settings["budget"], record.settings["seed"], out / "explanations")
    exact = replace(runner.fine, method=Shapley())
    found: Explained = {"shapley": exact(study.inputs[0]), **runner.explain(0, methods)}
    for name, e in found.items():
        e.save(runner.path(0, name))
    names = found["shapley"].names
    head = ["word", *found]
    scores = [[word, *(float(e.scores[i]) for e in found.values())] for i, word in enumerate(names)]
    write(out / "table.csv", to_csv([head, *scores]))
    lines = [[str(word), *(f"{score:+.3f}" for score in row)] for word, *row in scores]
    lines.append(["calls", *(f"{e.calls}" for e in found.values())])
    (target,) = found["shapley"].provenance["targets"]
    text = f'"{study.inputs[0]}", log P({target}):\n\n{to_md([figures.label(name) for name in head], lines)}'
    write(out / "table.md", text)
    notes = _try({"sentence.png": lambda: figures.sentence_figure(found, out / "sentence.png")})
    record.write(finished=True, methods=methods, notes=notes)
    return Result(study.name, out, text=text, notes=tuple(notes))


def _theorems(record: Record) -> Result:
    """Errors and bounds of both theorems on chains whose neighbours depend on each other more and more."""
    out = record.folder
    rows = sweep(np.geomspace(1e-3, 3, 29).tolist())
    write(out / "table.csv", to_csv([rows[0]._fields, *rows]))
    text = to_md(list(rows[0]._fields), [[f"{number:.3g}" for number in row] for row in rows[::4]])
    write(out / "table.md", text)
    notes = _try({"theorems.png": lambda: figures.theorems_figure(rows, out / "theorems.png")})
    record.write(finished=True, notes=notes)
    return Result("theorems", out, text=text, notes=tuple(notes))


def _all(
    samples: int,
    budget: int | str,
    methods: Sequence[str] | None,
    data: str | os.PathLike[str] | None,
    out: Path,
    seed: int,
    progress: Report | bool | None,
    models: Path,
) -> Result:
    """One after the other, and Table 1 of them all; what cannot be run, for want of data for instance, is noted."""
    parts, notes = [], []
    for name in NAMES[:-1]:
        try:
            parts.append(reproduce(name, samples, budget, methods, data, out / name, seed, progress, models))
        except LcshapError as error:
            notes.append(f"{name} was left out: {error}")
    studies = [part for part in parts if part.rows]
    if studies:
        records = {part.name: json.loads((part.out / "run.json").read_text(encoding="utf-8")) for part in studies}
        _write_models(out / "models", {name: record["about"] for name, record in records.items()})
    return Result("all", out, parts=tuple(parts), notes=tuple(notes))


# -- writing, printing, the command -----------------------------------------------------------------------------------


def _write_models(path: Path, abouts: Mapping[str, Mapping[str, Any]]) -> None:
    """Table 1 of some studies, as CSV and Markdown."""
    rows = [line for name, about in abouts.items() for line in lines(name, about)]
    write(path.with_suffix(".csv"), to_csv([HEAD, *rows]))
    write(path.with_suffix(".md"), to_md(HEAD, for_people(rows)))


def _try(steps: Mapping[str, Callable[[], object]]) -> list[str]:
    """Take some steps; one for which a package is not installed is left out, with a note."""
    notes = []
    for name, step in steps.items():
        try:
            step()
        except ImportError as error:
            notes.append(f"{name} was left out: {error}")
    return notes


def _reporter(name: str, progress: Report | bool | None) -> Report:
    if callable(progress):
        return progress
    if not (sys.stderr.isatty() if progress is None else progress):
        return lambda done, total, left: None

    def show(done: int, total: int, left: float) -> None:
        end = "\n" if done == total else ""
        print(
            f"\r{name}: {done} of {total} samples, {_duration(left)} left \033[K", end=end, file=sys.stderr, flush=True
        )

    return show


def _duration(seconds: float) -> str:
    """Time for people.

    >>> _duration(42), _duration(600), _duration(9000)
    ('42 s', '10 min', '2.5 h')
    """
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"


def main(arguments: Sequence[str] | None = None) -> int:
    """Parse, run, print the table; return the exit code."""
    parser = argparse.ArgumentParser(prog="lcshap reproduce", description="Run the experiments of the paper again.")
    parser.add_argument("name", choices=NAMES)
    parser.add_argument("--samples", type=int, default=100, help="test inputs (%(default)s; the paper has 1,000)")
    parser.add_argument("--budget", default="4d", help="calls a method: 400, or 4d for four a unit (%(default)s)")
    parser.add_argument(
        "--methods", type=lambda text: text.split(","), help=f"with commas, some of {', '.join(LINEUP)}"
    )
    parser.add_argument("--data", help="folder of data sets; by default $LCSHAP_DATA, or PyPI packages")
    parser.add_argument("--models", help="folder of trained models; by default models/ in --out")
    parser.add_argument("--out", help="folder to write to, and to go on from; by default reproduced/NAME")
    parser.add_argument("--seed", type=int, default=0)
    options = vars(parser.parse_args(arguments))
    if options["budget"].isdigit():
        options["budget"] = int(options["budget"])
    try:
        print(reproduce(**options))
    except LcshapError as error:
        print(f"lcshap: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nlcshap: interrupted; the same command goes on from here", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
