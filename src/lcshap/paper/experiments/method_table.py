"""The numbers of an experiment: masking curves of every sample and method, and a table of their means."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...core.explanation import Explanation
from ...core.printable import printable
from ...metrics import MaskingCurve, paired_bootstrap
from ...show.plots.curves import mean_and_width


@dataclass
class MethodResults:
    """The results of one method: for every sample its number, both curves, calls and units; for some the seconds."""

    samples: list[int] = field(default_factory=list)
    masked: list[MaskingCurve] = field(default_factory=list)
    kept: list[MaskingCurve] = field(default_factory=list)
    calls: list[int] = field(default_factory=list)
    units: list[int] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)

    def add(self, sample: int, e: Explanation) -> None:
        """Add an explanation of the experiment."""
        assert e.curve is not None
        experiment = e.provenance["experiment"]
        curve = MaskingCurve(*(e.curve[name] for name in ("percents", "counts", "values", "what")))
        self.samples.append(sample)
        self.masked.append(curve)
        self.kept.append(
            MaskingCurve(curve.percents, curve.counts, np.array(experiment["kept"]), curve.quantity, keep=True)
        )
        self.calls.append(e.calls)
        self.units.append(e.graph.d)
        if experiment["seconds"] is not None:
            self.seconds.append(experiment["seconds"])


class Measure(NamedTuple):
    """A mean over samples, and its difference to the best method with a 95 % interval of the paired bootstrap."""

    mean: float
    difference: float
    low: float
    high: float


class MethodRow(NamedTuple):
    """The results of a method, averaged over the samples.

    `area_20` and `area_100` are areas of the masking curve from 0 to 20 and 100 percent (lower is better), `kept_20` is
    that of its mirror, in which only the top units are kept (higher is better); see `lcshap.metrics.MaskingCurve`.
    `calls` and `calls_per_unit` are means. `seconds` is the mean time of a single explanation, including the plan, over
    the few samples that were timed; None if there are none.
    """

    method: str
    samples: int
    area_20: Measure
    area_100: Measure
    kept_20: Measure
    calls: float
    calls_per_unit: float
    seconds: float | None


# The first characters of formulas in spreadsheets.
_FORMULAS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
_MEASURES = {"area_20": ("masked", 20, 1), "area_100": ("masked", 100, 1), "kept_20": ("kept", 20, -1)}


def make_rows(results: Mapping[str, MethodResults]) -> tuple[MethodRow, ...]:
    """One row per method, the best by `area_20` first."""
    measures = {}
    for name, areas in _compute_areas(results).items():
        best = min(areas.values(), key=lambda numbers: float(_MEASURES[name][2] * numbers.mean()))
        measures[name] = {m: Measure(float(a.mean()), *paired_bootstrap(a, best)) for m, a in areas.items()}
    rows = [
        MethodRow(
            method,
            len(method_results.samples),
            **{name: by_method[method] for name, by_method in measures.items()},
            calls=float(np.mean(method_results.calls)),
            calls_per_unit=float(np.mean(np.array(method_results.calls) / method_results.units)),
            seconds=float(np.mean(method_results.seconds)) if method_results.seconds else None,
        )
        for method, method_results in results.items()
    ]
    return tuple(sorted(rows, key=lambda row: row.area_20.mean))


def _compute_areas(results: Mapping[str, MethodResults]) -> dict[str, dict[str, NDArray[np.float64]]]:
    """The area of every sample, by measure and method."""
    return {
        name: {
            method: np.array([curve.area(percent) for curve in getattr(method_results, curves)])
            for method, method_results in results.items()
        }
        for name, (curves, percent, _) in _MEASURES.items()
    }


def pairs_csv(results: Mapping[str, MethodResults]) -> str:
    """For any two methods, the difference of their means, with a 95 % interval of the paired bootstrap."""
    rows: list[Sequence[object]] = [("measure", "method", "other", "difference", "low", "high")]
    for name, areas in _compute_areas(results).items():
        rows += [
            (name, method, other, *paired_bootstrap(areas[method], areas[other]))
            for method, other in combinations(areas, 2)
        ]
    return to_csv(rows)


def curves_csv(results: Mapping[str, MethodResults]) -> str:
    """Method and percent; the mean of what `samples_csv` has, and half the width of its 95 % interval (Student's t)."""
    rows: list[Sequence[object]] = [("method", "percent", "drop", "drop_half_width", "kept", "kept_half_width")]
    for method, method_results in results.items():
        sides = [
            mean_and_width(np.stack([c.drop for c in curves]), 0.95)
            for curves in (method_results.masked, method_results.kept)
        ]
        columns = (method_results.masked[0].percents, *(column for side in sides for column in side))
        rows += [(method, *line) for line in zip(*(n.tolist() for n in columns), strict=True)]
    return to_csv(rows)


def samples_csv(results: Mapping[str, MethodResults]) -> str:
    """Sample, method, percent, how many units that is; the log-odds with them masked less those of the full input, and
    the log-odds with only them kept less those of the empty input.
    """
    rows: list[Sequence[object]] = [("sample", "method", "percent", "units", "drop", "kept")]
    for method, method_results in results.items():
        for sample, masked, kept in zip(
            method_results.samples, method_results.masked, method_results.kept, strict=True
        ):
            columns = (masked.percents, masked.counts, masked.drop, kept.drop)
            rows += [(sample, method, *line) for line in zip(*(n.tolist() for n in columns), strict=True)]
    return to_csv(rows)


def table_csv(rows: Sequence[MethodRow]) -> str:
    """The table as comma-separated values, with all digits."""
    measure_names = [f"{name}{suffix}" for name in _MEASURES for suffix in ("", "_difference", "_low", "_high")]
    lines: list[Sequence[object]] = [("method", "samples", *measure_names, "calls", "calls_per_unit", "seconds")]
    for r in rows:
        numbers = [number for name in _MEASURES for number in getattr(r, name)]
        lines.append((r.method, r.samples, *numbers, r.calls, r.calls_per_unit, "" if r.seconds is None else r.seconds))
    return to_csv(lines)


def table_md(rows: Sequence[MethodRow]) -> str:
    """The table in Markdown, with rounded numbers."""
    head = (
        "method",
        "masked, 0-20 % ↓",
        "behind the best",
        "masked, 0-100 % ↓",
        "behind the best",
        "kept, 0-20 % ↑",
        "behind the best",
        "calls",
        "calls/d",
        "seconds",
    )
    lines = []
    for r in rows:
        cells = [r.method]
        for name in _MEASURES:
            measure = getattr(r, name)
            behind = (
                "–"
                if measure.difference == measure.low == measure.high == 0
                else f"{measure.difference:+.2f} [{measure.low:.2f}, {measure.high:.2f}]"
            )
            cells += [f"{measure.mean:.2f}", behind]
        cells += [f"{r.calls:,.0f}", f"{r.calls_per_unit:.2f}", "" if r.seconds is None else f"{r.seconds:.2f}"]
        lines.append(cells)
    return to_md(head, lines)


def to_md(head: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    """A table in Markdown.

    >>> print(to_md(["word", "score"], [["good", "1.5"]]), end="")
    | word | score |
    |---|---|
    | good | 1.5 |
    """
    rows = [f"| {' | '.join(cell.replace('|', '&#124;') for cell in line)} |" for line in (head, *lines)]
    return "\n".join([rows[0], "|" + "---|" * len(head), *rows[1:]]) + "\n"


def to_csv(rows: Sequence[Sequence[object]]) -> str:
    """Rows of cells as comma-separated values. No text in them is a formula for a spreadsheet.

    >>> print(to_csv([["word", "score"], ["=1+1", -0.5]]), end="")
    word,score
    '=1+1,-0.5
    """
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([_escape_cell(cell) for cell in row] for row in rows)
    return text.getvalue()


def _escape_cell(content: object) -> object:
    """Put an apostrophe before a text that a spreadsheet would take for a formula."""
    if not isinstance(content, str):
        return content
    try:
        float(content)
    except ValueError:
        return ("'" if content.startswith(_FORMULAS) else "") + printable(content)
    return content
