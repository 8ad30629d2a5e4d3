"""The pictures of a study: curves, the pixels of images that are masked first, and a page of the first samples."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from ...core.views import ImageView
from . import figures
from .method_table import MethodResults
from .runner import ExplanationsByMethod, Runner
from .study import Study

MAX_REPORT_SAMPLES = 20  # samples in the report, whose files contain their views
_MAX_SEARCHED_INPUTS = 2000  # inputs that are searched for wrongly classified images
_MAX_COLUMNS = 8  # images in the figure of masks, with two more that are wrongly classified, if there are any
_MASK_METHODS = (
    "regression-c-shapley",
    "regression-c-shapley-removed",
    "kernel-shap",
    "sample-shapley",
    "saliency",
    "deletion-path",
    "insertion-path",
)


def draw(
    study: Study,
    runner: Runner,
    methods: Sequence[str],
    chosen: list[int],
    results: dict[str, MethodResults],
    out: Path,
) -> list[str]:
    """Draw curves, masks of images and a report; return notes about those that need a package that is not installed."""
    masked, kept = (
        {name: getattr(method_results, side) for name, method_results in results.items()} for side in ("masked", "kept")
    )
    explanations = {name: [runner.load(number, name) for number in chosen[:MAX_REPORT_SAMPLES]] for name in methods}

    def report() -> None:
        from ...show.html_report import report

        report(
            {figures.label(name): method_explanations for name, method_explanations in explanations.items()},
            out / "report.html",
            title=study.name,
        )

    def masks() -> None:
        columns, titles = _choose_columns(study, runner, [name for name in _MASK_METHODS if name in methods], chosen)
        for percent in (15, 20):
            figures.masks_figure(columns, out / f"masks-{percent}.png", percent, titles)

    steps: dict[str, Callable[[], object]] = {
        "curves.png": lambda: figures.curves_figure(masked, kept, out / "curves.png"),
        "report.html": report,
    }
    first = next(iter(explanations.values()))[0]
    if isinstance(first.view, ImageView) and any(name in methods for name in _MASK_METHODS):
        steps["masks"] = masks
    return run_optional_steps(steps)


def _choose_columns(
    study: Study, runner: Runner, rows: list[str], chosen: list[int]
) -> tuple[list[ExplanationsByMethod], list[str]]:
    """The images of Figures 4 and 5: the first samples, and two wrongly classified ones of different classes."""
    searched = list(range(min(len(study.inputs), _MAX_SEARCHED_INPUTS)))
    wrong = {
        n: predicted
        for n, predicted in zip(searched, runner.predicted(searched), strict=True)
        if predicted != study.labels[n]
    }
    right = [n for n in chosen[:MAX_REPORT_SAMPLES] if n not in wrong][:_MAX_COLUMNS]
    wrong_runner = replace(runner, folder=runner.folder / "wrong")
    columns = [{name: runner.load(n, name) for name in rows} for n in right]
    titles = [str(study.classes[study.labels[n]]) for n in right]
    first_by_label = {study.labels[n]: n for n in reversed(wrong)}
    for number in sorted(first_by_label.values())[:2]:
        wrong_runner.work(number, rows, view=True)
        columns.append({name: wrong_runner.load(number, name) for name in rows})
        titles.append(f"{study.classes[study.labels[number]]} as {study.classes[wrong[number]]}")
    return columns, titles


def run_optional_steps(steps: Mapping[str, Callable[[], object]]) -> list[str]:
    """Run some steps; return notes about those that were skipped because a package is not installed."""
    notes = []
    for name, step in steps.items():
        try:
            step()
        except ImportError as error:
            notes.append(f"{name} was left out: {error}")
    return notes
