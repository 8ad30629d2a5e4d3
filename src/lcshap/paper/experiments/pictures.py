"""The pictures of a study: curves, what is masked first in images, and a page of the first samples."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from ...core.views import ImageView
from . import figures
from .runner import Explained, Runner
from .study import Study
from .table import Found

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
    "insertion-path",
)


def draw(
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
    return attempt(steps)


def _columns(study: Study, runner: Runner, rows: list[str], chosen: list[int]) -> tuple[list[Explained], list[str]]:
    """The images of Figures 4 and 5: the first samples, and two that the model gets wrong, of different classes."""
    every = list(range(min(len(study.inputs), _SEARCHED)))
    wrong = {n: p for n, p in zip(every, runner.predicted(every), strict=True) if p != study.labels[n]}
    right = [n for n in chosen[:SHOWN] if n not in wrong][:_COLUMNS]
    aside = replace(runner, folder=runner.folder / "wrong")
    columns = [{name: runner.load(n, name) for name in rows} for n in right]
    titles = [str(study.classes[study.labels[n]]) for n in right]
    first_of = {study.labels[n]: n for n in reversed(wrong)}
    for number in sorted(first_of.values())[:2]:
        aside.work(number, rows, view=True)
        columns.append({name: aside.load(number, name) for name in rows})
        titles.append(f"{study.classes[study.labels[number]]} as {study.classes[wrong[number]]}")
    return columns, titles


def attempt(steps: Mapping[str, Callable[[], object]]) -> list[str]:
    """Take some steps; one for which a package is not installed is left out, with a note."""
    notes = []
    for name, step in steps.items():
        try:
            step()
        except ImportError as error:
            notes.append(f"{name} was left out: {error}")
    return notes
