"""The work of `lcshap bulk`, without reading options and printing."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from ..bulk import ImageOptions, ReadLimits, Status, explain_dataset, load, preview, status, summary
from ..bulk.columns import Columns
from ..bulk.readers import TABLE_FORMATS
from ..bulk.sources import InputSource, open_source
from ..core.explanation import Explanation
from ..core.graphs import Graph
from ..errors import BulkError
from ..explainer import Explainer
from ..extras import import_optional
from ..maskers import Masker, Tabular
from .explaining import make_explainer
from .input_reading import DEMOS, ExplainInput, image_masker, image_model, text_masker
from .labels import InputLabels
from .models import import_named, load_model
from .named_methods import find_entry, is_time_budget, make_methods, method_options
from .option_groups import UsageError
from .options_bulk import BulkData, BulkRun
from .options_shared import Input, MethodOption, MethodSettings, ModelOptions

_MAX_BACKGROUND_ROWS = 1000  # rows of a table from which the background is chosen


@dataclass(frozen=True)
class ExplainerFactory:
    """A function that makes the explainer that the options describe. Each worker calls it."""

    kind: str
    source: Input
    task: ModelOptions
    option: MethodOption
    settings: MethodSettings
    model_name: str | None
    store: str | None
    background: Any = None

    def __call__(self) -> Explainer:
        """Make the explainer."""
        name = str(self.task.model)
        if name in DEMOS:
            model, masker, _ = DEMOS[name]()
            has_unit_options = self.source.units is not None or self.source.absent is not None
            masker = self._masker() if has_unit_options else masker
        else:
            model, masker = load_model(name), self._masker()
        if self.source.masker is not None:
            masker = import_named(self.source.masker, "--masker")
        classes = None if self.task.classes is None else [label.strip() for label in self.task.classes.split(",")]
        kind = None if self.task.kind is None else self.task.kind.value
        case = ExplainInput(image_model(model, self.source, kind), masker, None, kind, classes)
        model_name = self.model_name or (name if name in DEMOS else None)
        options = {**_method_options(self.option, self.settings), "model_name": model_name, "store": self.store}
        return make_explainer(case, self.task, self.settings, **options)

    def _masker(self) -> Masker:
        if self.kind == "image":
            return image_masker(self.source)
        if self.background is None:
            return text_masker(self.source)
        names, rows, count = self.background
        if all(isinstance(cell, int | float) for row in rows for cell in row):
            return Tabular(rows, names=names, summary=min(count, len(rows)))
        frame = import_optional("pandas", "pandas").DataFrame(rows, columns=names)
        return Tabular(frame, summary=min(count, len(rows)))


def _method_options(option: MethodOption, settings: MethodSettings) -> dict[str, Any]:
    """The options of `Explainer` about the method: one method for all inputs, or a name that each input resolves."""
    if is_time_budget(settings.budget):
        raise UsageError(f"Expected a --budget in calls, such as 400 or 4d, got {settings.budget!r}.")
    parameters = [name for name in ("order", "context", "weights") if getattr(settings, name) is not None]
    if option.method == "auto" and parameters:
        raise UsageError(
            f"Expected a method with the parameter {parameters[0]}, got --method auto. Choose one with --method, "
            "such as l-shapley."
        )
    if option.method == "auto" or not (parameters or ":" in option.method):
        if option.method != "auto":
            find_entry(option.method)
        return method_options(option, settings)
    methods = [make_methods([option.method], Graph.chain(size), settings)[0] for size in (20, 40)]
    if methods[0] != methods[1]:
        raise UsageError(
            f"Expected a --budget that is a number of calls with parameters of a method, got "
            f"{settings.budget or 'none'!r}. Give a number, or leave the parameters out."
        )
    return {"method": methods[0]}


class BulkJob:
    """The data set and the settings of a run, from the options of the command."""

    def __init__(
        self, data: BulkData, run: BulkRun, task: ModelOptions, option: MethodOption, settings: MethodSettings
    ) -> None:
        self.data, self.run = data, run
        self.images = ImageOptions(data.grey, data.scale, data.channels_first, data.max_pixels)
        limits = ReadLimits(data.max_line_characters, data.max_cells, data.max_file_bytes)
        column: Any = data.column[0] if data.column and len(data.column) == 1 else data.column
        columns = Columns(column, data.id, data.label, _parse_label_names(data.label_names))
        self.source = open_source(data.input, columns, self.images, limits)
        if data.drop:
            columns = replace(columns, explained=_columns_without(self.source, data.drop))
            self.source = open_source(data.input, columns, self.images, limits)
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
        background = _background_rows(self.source, data.background) if kind in TABLE_FORMATS else None
        recipe = ExplainerFactory(kind, source, task, option, settings, run.model_name, store, background)
        self.factory: Any = run.factory or recipe

    def preview(self) -> str:
        """The estimated cost of the run, as text."""
        workers = _parse_workers(self.run.workers)
        if isinstance(workers, tuple):
            workers = workers[1]
        estimate = preview(
            self.source,
            self.factory,
            threads=self.run.threads,
            workers=workers,
            sample=self.run.sample,
            price=self.run.price,
        )
        return str(estimate)

    def explain(self) -> Status:
        """Explain all inputs that are not explained yet, and return the status of the run."""
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
            workers=_parse_workers(run.workers),
            address=run.address,
            num_cpus=run.num_cpus,
            num_gpus=run.num_gpus,
            shard_timeout=run.shard_timeout,
            retry_failed=run.retry_failed,
        )


def describe_failures(run_status: Status) -> str:
    """A sentence about the inputs that could not be explained; empty if all of them were explained.

    Raises
    ------
    BulkError : if no input could be explained, so that the exit code of the command is not 0.
    """
    if not run_status.failed:
        return ""
    if run_status.failed == run_status.rows:
        raise BulkError(
            f"Expected explanations, got an error for {_inputs_phrase(run_status.rows)}, the first: {run_status.error} "
            "The errors are in the parts. Fix the cause and add --retry-failed, or choose another folder."
        )
    failed = f"{run_status.failed:,} of {run_status.rows:,} inputs"
    return f"{failed} have an error in place of an explanation. See the column error."


def _inputs_phrase(rows: int) -> str:
    return "the only input" if rows == 1 else f"each of the {rows:,} inputs"


def show_run(view: str, folder: Path, top: int) -> str:
    """The status or the summary of the run in a folder, as text."""
    if view == "status":
        return str(status(folder))
    if view == "summary":
        table = summary(folder, top)
        return "no explanations yet" if table.empty else str(table.to_string(index=False, float_format="%.4f"))
    raise UsageError(f"Expected `lcshap bulk status DIR` or `lcshap bulk summary DIR`, got {view!r} before a folder.")


class RunSample(NamedTuple):
    """Explanations of a run for a page: its title, the true classes, the rows of the explanations, and all rows."""

    explanations: list[Explanation]
    title: str
    marked: InputLabels
    places: list[int]
    total: int


def sample_run(folder: Path, limit: int) -> RunSample:
    """At most `limit` explanations of a run, spread evenly over the data set."""
    run_status = status(folder)
    explanations = list(load(folder, max_explanations=limit))
    if not explanations:
        raise BulkError(f"Expected explanations in {str(folder)!r}, got none. {run_status}")
    explained_rows = run_status.rows - run_status.failed
    prefix = "" if len(explanations) == explained_rows else f"{len(explanations):,} of "
    title = f"{prefix}{explained_rows:,} explanations ({folder.resolve().name})"
    places = [e.provenance["row"] for e in explanations]
    total = max(run_status.rows, max(places) + 1) if run_status.total is None else run_status.total
    labels = [e.provenance.get("label") for e in explanations]
    marked = InputLabels(labels=labels) if any(labels) else InputLabels()
    return RunSample(explanations, title, marked, places, total)


def _parse_label_names(text: str | None) -> dict[str, str] | None:
    """The classes that the values of a column stand for, from a text such as ``0=negative,1=positive``."""
    if text is None:
        return None
    pairs = [pair.partition("=") for pair in text.split(",")]
    if not all(cell.strip() and name.strip() for cell, _, name in pairs):
        raise UsageError(f"Expected --label-names such as 0=negative,1=positive, got {text!r}.")
    return {cell.strip(): name.strip() for cell, _, name in pairs}


def _parse_workers(text: str | None) -> int | tuple[int, int] | None:
    if text is None:
        return None
    match = re.fullmatch(r"(\d+)(?:-(\d+))?", text)
    if match is None:
        raise UsageError(f"Expected a number of --workers, or a range such as 2-8, got {text!r}.")
    return int(text) if match[2] is None else (int(match[1]), int(match[2]))


def _columns_without(source: InputSource, drop: list[str]) -> list[str]:
    """The columns that are passed to the model."""
    described = source.description.get("columns")
    columns = [described] if isinstance(described, str) else list(described or [])
    for name in drop:
        if name not in columns:
            raise UsageError(f"Expected a column to --drop, got {name!r}. There are {', '.join(columns) or 'none'}.")
    return [name for name in columns if name not in drop]


def _background_rows(source: InputSource, count: int) -> tuple[list[str], list[list[Any]], int] | None:
    """Rows of a table that replace absent columns; None if a single column is explained."""
    columns = source.description["columns"]
    if isinstance(columns, str):
        return None
    rows = []
    for row in source.rows():
        if row.error is None:
            rows.append([row.x[name] for name in columns])
        if len(rows) == _MAX_BACKGROUND_ROWS:
            break
    return list(columns), rows, count
