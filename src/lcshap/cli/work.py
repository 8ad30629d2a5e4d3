"""What the commands do, apart from reading options and printing."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

from ..core.explanation import Explanation
from ..errors import LcshapError
from ..explainer import Explainer
from .declare import UsageError
from .inputs import Case, read_case, read_target
from .methods import find_entry, given_by_name, in_seconds, make_methods
from .options import Input, MethodOption, MethodSettings, MethodsOption, Output, Task


@contextlib.contextmanager
def quiet_stdout() -> Iterator[None]:
    """What a model prints goes to standard error: standard output is for results."""
    with contextlib.redirect_stdout(sys.stderr):
        yield


def make_explainer(case: Case, task: Task, settings: MethodSettings, **options: Any) -> Explainer:
    """The explainer that the options describe."""
    return Explainer(
        case.model,
        case.masker,
        value=task.value,
        target=read_target(task, case),
        batch_size=task.batch_size,
        kind=case.kind,
        classes=case.classes,
        max_calls=settings.max_calls,
        **options,
    )


def prepare(
    source: Input, task: Task, option: MethodOption, settings: MethodSettings, output: Output
) -> tuple[Case, Explainer]:
    """The case and the explainer of `lcshap explain`."""
    case = read_case(source, task)
    options = _method(case, case.x, option, settings)
    return case, make_explainer(case, task, settings, curve=output.with_curve, **options)


def _method(case: Case, x: Any, option: MethodOption, settings: MethodSettings) -> dict[str, Any]:
    """What the explainer is told about the method, for this input."""
    if option.goal is not None and option.method != "auto":
        raise UsageError(
            f"Expected --goal only with --method auto, got --method {option.method}, which answers its own question. "
            "Leave one of them out."
        )
    if option.method == "auto" or in_seconds(settings.budget):
        return by_name(option, settings)
    (method,) = make_methods([option.method], case.masker.mask(x).graph, settings)
    return {"method": method}


Lines = list[tuple[int, Explanation | LcshapError]]


class LinesJob(NamedTuple):
    """The texts of --lines with the numbers of their lines, and the explainers that explain them.

    A budget such as 8d depends on the text, so that texts of different lengths may have different explainers. Their
    model is the same.
    """

    texts: dict[int, str]
    explainers: dict[int, Explainer]

    def preview(self) -> str:
        """What each text would cost."""
        each = ((f"line {line}", self.explainers[line].preview(text)) for line, text in self.texts.items())
        return "\n".join(part for parts in each for part in parts)

    def explain(self) -> Lines:
        """All explanations, with an error in the place of a text that cannot be explained."""
        found: dict[int, Explanation | LcshapError] = {}
        for explainer in dict.fromkeys(self.explainers.values()):
            lines = [line for line, one in self.explainers.items() if one is explainer]
            texts = [self.texts[line] for line in lines]
            found |= zip(lines, explainer.many(texts, errors="keep"), strict=True)
        return sorted(found.items())


def prepare_lines(
    source: Input, task: Task, option: MethodOption, settings: MethodSettings, output: Output
) -> LinesJob:
    """What `lcshap explain --lines` has to do."""
    case = read_case(source, task)
    made: dict[Any, Explainer] = {}
    explainers: dict[int, Explainer] = {}
    for line, text in case.x.items():
        options = _method(case, text, option, settings)
        key = options["method"]
        if key not in made:
            first = next(iter(made.values()), None)
            if first is None:
                made[key] = make_explainer(case, task, settings, curve=output.with_curve, **options)
            else:
                made[key] = replace(first, model=first.adapter, **options)
        explainers[line] = made[key]
    return LinesJob(case.x, explainers)


def by_name(option: MethodOption, settings: MethodSettings) -> dict[str, Any]:
    """What the explainer takes where it makes the method itself: for "auto", and to time the model."""
    alone = [name for name in ("order", "context", "weights") if getattr(settings, name) is not None]
    if option.method == "auto" and alone:
        raise UsageError(
            f"Expected a method with the parameter {alone[0]}, got --method auto. Choose one with --method, such as "
            "l-shapley."
        )
    if option.method != "auto":
        if alone or ":" in option.method:
            raise UsageError(
                f"Expected the name of a method without parameters for a budget in seconds, got {option.method!r}. "
                "Leave them out, or give the budget in calls, such as 8d."
            )
        find_entry(option.method)
    return given_by_name(option, settings)


def split_names(text: str) -> list[str]:
    """Names with commas between."""
    return [name.strip() for name in text.split(",") if name.strip()]


class Comparison(NamedTuple):
    """Several methods on one input, and how many distinct coalitions the model was asked about for all of them."""

    names: list[str]
    explanations: list[Explanation]
    calls: int

    @property
    def apart(self) -> int:
        """How many calls they take one by one."""
        return sum(e.calls for e in self.explanations)


def compare(source: Input, task: Task, option: MethodsOption, settings: MethodSettings, curve: bool) -> Comparison:
    """Several methods on one input, each distinct coalition evaluated once."""
    if source.lines is not None:
        raise UsageError("Expected one input to compare methods on, got --lines. Give one text with --text or --file.")
    case = read_case(source, task)
    names = split_names(option.methods)
    if not names:
        raise UsageError("Expected at least one method in --methods, got none. `lcshap methods` lists them.")
    if in_seconds(settings.budget):
        raise UsageError(
            f"Expected a --budget in calls, such as 400 or 4d, got {settings.budget!r}. Only explain takes seconds."
        )
    methods = make_methods(names, case.masker.mask(case.x).graph, settings)
    explained = make_explainer(case, task, settings, curve=curve).compare(case.x, methods)
    return Comparison(names, explained, explained[0].provenance["together"])
