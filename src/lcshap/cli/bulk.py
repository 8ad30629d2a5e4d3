"""What `lcshap bulk` does, apart from reading options and printing."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from ..bulk import ImageOptions, Status, explain_dataset, load, preview, status, summary
from ..bulk.cells import Columns
from ..bulk.readers import FORMATS
from ..bulk.sources import Source, open_source
from ..core.explanation import Explanation
from ..core.graphs import Graph
from ..errors import BulkError
from ..explainer import Explainer
from ..extras import need
from ..maskers import Masker, Tabular
from .declare import UsageError
from .inputs import DEMOS, Case, image_masker, image_model, text_masker
from .marks import Marked
from .methods import find_entry, given_by_name, in_seconds, make_methods
from .models import import_object, load_model
from .options import Input, MethodOption, MethodSettings, Task
from .options_bulk import BulkData, BulkRun
from .work import make_explainer

_BACKGROUND = 1000  # rows of a table among which the background is chosen


@dataclass(frozen=True)
class Recipe:
    """Makes the explainer that the options describe, in each worker."""

    kind: str
    source: Input
    task: Task
    option: MethodOption
    settings: MethodSettings
    model_name: str | None
    store: str | None
    background: Any = None

    def __call__(self) -> Explainer:
        """The explainer."""
        name = str(self.task.model)
        if name in DEMOS:
            model, masker, _ = DEMOS[name]()
            given = self.source.units is not None or self.source.absent is not None
            masker = self._masker() if given else masker
        else:
            model, masker = load_model(name), self._masker()
        if self.source.masker is not None:
            masker = import_object(self.source.masker, "--masker")
        classes = None if self.task.classes is None else [part.strip() for part in self.task.classes.split(",")]
        kind = None if self.task.kind is None else self.task.kind.value
        case = Case(image_model(model, self.source, kind), masker, None, kind, classes)
        named = self.model_name or (name if name in DEMOS else None)
        options = {**_method(self.option, self.settings), "model_name": named, "store": self.store}
        return make_explainer(case, self.task, self.settings, **options)

    def _masker(self) -> Masker:
        if self.kind == "image":
            return image_masker(self.source)
        if self.background is None:
            return text_masker(self.source)
        names, rows, count = self.background
        if all(isinstance(cell, int | float) for row in rows for cell in row):
            return Tabular(rows, names=names, summary=min(count, len(rows)))
        frame = need("pandas", "pandas").DataFrame(rows, columns=names)
        return Tabular(frame, summary=min(count, len(rows)))


def _method(option: MethodOption, settings: MethodSettings) -> dict[str, Any]:
    """The method as `Explainer` takes it: one for all inputs, or a name that each input's size is put into."""
    if in_seconds(settings.budget):
        raise UsageError(f"Expected a --budget in calls, such as 400 or 4d, got {settings.budget!r}.")
    alone = [name for name in ("order", "context", "weights") if getattr(settings, name) is not None]
    if option.method == "auto" and alone:
        raise UsageError(
            f"Expected a method with the parameter {alone[0]}, got --method auto. Choose one with --method, such as "
            "l-shapley."
        )
    if option.method == "auto" or not (alone or ":" in option.method):
        if option.method != "auto":
            find_entry(option.method)
        return given_by_name(option, settings)
    made = [make_methods([option.method], Graph.chain(size), settings)[0] for size in (20, 40)]
    if made[0] != made[1]:
        raise UsageError(
            f"Expected a --budget that is a number of calls with parameters of a method, got "
            f"{settings.budget or 'none'!r}. Give a number, or leave the parameters out."
        )
    return {"method": made[0]}


class Job:
    """A data set and how it is to be explained, from the options."""

    def __init__(
        self, data: BulkData, run: BulkRun, task: Task, option: MethodOption, settings: MethodSettings
    ) -> None:
        self.data, self.run = data, run
        self.images = ImageOptions(data.grey, data.scale, data.channels_first, data.max_pixels)
        column: Any = data.column[0] if data.column and len(data.column) == 1 else data.column
        columns = Columns(column, data.id, data.label, _named(data.label_names))
        self.source = open_source(data.input, columns, self.images)
        if data.drop:
            columns = replace(columns, explained=_without(self.source, data.drop))
            self.source = open_source(data.input, columns, self.images)
        if (task.model is None) == (run.factory is None):
            raise UsageError(
                "Expected one of --model and --factory, got "
                f"{'none' if task.model is None else 'both'}. --model is an .onnx file or package.module:object."
            )
        source = Input(
            units=data.units,
            absent=data.absent,
            masker=data.masker,
            grey=data.grey,
            scale=data.scale,
            channels_first=data.channels_first,
        )
        store = None if run.store is None else str(run.store)
        kind = str(self.source.description["kind"])
        background = _background(self.source, data.background) if kind in FORMATS else None
        recipe = Recipe(kind, source, task, option, settings, run.model_name, store, background)
        self.factory: Any = run.factory or recipe

    def preview(self) -> str:
        """What it would take."""
        workers = _workers(self.run.workers)
        if isinstance(workers, tuple):
            workers = workers[1]
        found = preview(
            self.source,
            self.factory,
            threads=self.run.threads,
            workers=workers,
            sample=self.run.sample,
            price=self.run.price,
        )
        return str(found)

    def explain(self) -> Status:
        """Explain everything that is not explained yet; how far it is then."""
        run = self.run
        if run.out is None:
            raise UsageError("Expected a folder for the results, got none. Give one with --out.")
        return explain_dataset(
            self.source,
            self.factory,
            run.out,
            run.engine.value,
            shard_rows=run.shard_rows,
            threads=run.threads,
            workers=_workers(run.workers),
            address=run.address,
            num_cpus=run.num_cpus,
            num_gpus=run.num_gpus,
            retry_failed=run.retry_failed,
        )


def failures(found: Status) -> str:
    """A sentence about the inputs that could not be explained; empty where all were.

    Raises
    ------
    BulkError : if no input at all could be explained: whoever started the run has to hear of it.
    """
    if not found.failed:
        return ""
    if found.failed == found.rows:
        raise BulkError(
            f"Expected explanations, got an error for {_all(found.rows)}, the first: {found.error} The errors are in "
            "the parts. Mend the cause and add --retry-failed, or choose another folder."
        )
    return f"{found.failed:,} of {found.rows:,} inputs have an error in place of an explanation. See the column error."


def _all(rows: int) -> str:
    return "the only input" if rows == 1 else f"each of the {rows:,} inputs"


def look(what: str, folder: Path, top: int) -> str:
    """How far the run in a folder is, or which units matter there."""
    if what == "status":
        return str(status(folder))
    if what == "summary":
        table = summary(folder, top)
        return "no explanations yet" if table.empty else str(table.to_string(index=False, float_format="%.4f"))
    raise UsageError(f"Expected `lcshap bulk status DIR` or `lcshap bulk summary DIR`, got {what!r} before a folder.")


class Sampled(NamedTuple):
    """Explanations of a run for a page, its title, their true classes, and which of how many inputs they explain."""

    explanations: list[Explanation]
    title: str
    marked: Marked
    places: list[int]
    total: int


def sampled(folder: Path, most: int) -> Sampled:
    """At most so many explanations of a run, spread evenly over the data set."""
    there = status(folder)
    found = list(load(folder, most=most))
    if not found:
        raise BulkError(f"Expected explanations in {str(folder)!r}, got none. {there}")
    good = there.rows - there.failed
    of = f"{good:,}" if len(found) == good else f"{len(found):,} of {good:,}"
    places = [e.provenance["row"] for e in found]
    total = max(there.rows, max(places) + 1) if there.total is None else there.total
    labels = [e.provenance.get("label") for e in found]
    marked = Marked(labels=labels) if any(labels) else Marked()
    return Sampled(found, f"{of} explanations ({folder.resolve().name})", marked, places, total)


def _named(text: str | None) -> dict[str, str] | None:
    """The classes that the values of a column stand for, from a text such as ``0=negative,1=positive``."""
    if text is None:
        return None
    pairs = [part.partition("=") for part in text.split(",")]
    if not all(value.strip() and name.strip() for value, _, name in pairs):
        raise UsageError(f"Expected --label-names such as 0=negative,1=positive, got {text!r}.")
    return {value.strip(): name.strip() for value, _, name in pairs}


def _workers(text: str | None) -> int | tuple[int, int] | None:
    if text is None:
        return None
    found = re.fullmatch(r"(\d+)(?:-(\d+))?", text)
    if found is None:
        raise UsageError(f"Expected a number of --workers, or a range such as 2-8, got {text!r}.")
    return int(text) if found[2] is None else (int(found[1]), int(found[2]))


def _without(source: Source, drop: list[str]) -> list[str]:
    """The columns that the model may see."""
    known = source.description.get("columns")
    columns = [known] if isinstance(known, str) else list(known or [])
    for name in drop:
        if name not in columns:
            raise UsageError(f"Expected a column to --drop, got {name!r}. There are {', '.join(columns) or 'none'}.")
    return [name for name in columns if name not in drop]


def _background(source: Source, count: int) -> tuple[list[str], list[list[Any]], int] | None:
    """Some rows of a table, which stand for unknown values; None where one column is explained."""
    columns = source.description["columns"]
    if isinstance(columns, str):
        return None
    rows = []
    for row in source.rows():
        if row.error is None:
            rows.append([row.x[name] for name in columns])
        if len(rows) == _BACKGROUND:
            break
    return list(columns), rows, count
