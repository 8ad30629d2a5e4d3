"""The work of explain and compare, without reading options and printing."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from ..core.explanation import Explanation
from ..errors import LcshapError
from ..explainer import Execution, Explainer
from .input_reading import ExplainInput, read_case, read_target
from .named_methods import find_entry, is_time_budget, make_methods, method_options
from .option_groups import UsageError
from .options_shared import Input, MethodOption, MethodSettings, MethodsOption, ModelOptions, Output


@contextlib.contextmanager
def quiet_stdout() -> Iterator[None]:
    """Send everything that a model prints to standard error, because standard output is for results."""
    with contextlib.redirect_stdout(sys.stderr):
        yield


def make_explainer(case: ExplainInput, task: ModelOptions, settings: MethodSettings, **options: Any) -> Explainer:
    """Make the explainer that the options describe."""
    return Explainer(
        case.model,
        case.masker,
        value=task.value,
        target=read_target(task, case),
        kind=case.kind,
        classes=case.classes,
        execution=Execution(task.batch_size, settings.max_calls),
        **options,
    )


def prepare(
    source: Input, task: ModelOptions, option: MethodOption, settings: MethodSettings, output: Output
) -> tuple[ExplainInput, Explainer]:
    """The case and the explainer of `lcshap explain`."""
    case = read_case(source, task)
    options = _method_options(case, case.x, option, settings)
    return case, make_explainer(case, task, settings, curve=output.with_curve, **options)


def _method_options(case: ExplainInput, x: Any, option: MethodOption, settings: MethodSettings) -> dict[str, Any]:
    """The options of the explainer about the method, for this input."""
    if option.goal is not None and option.method != "auto":
        raise UsageError(
            f"Expected --goal only with --method auto, got --method {option.method}, which answers its own question. "
            "Leave one of them out."
        )
    if option.method == "auto" or is_time_budget(settings.budget):
        return checked_method_options(option, settings)
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
        """The cost of each text."""
        previews = ((f"line {line}", self.explainers[line].preview(text)) for line, text in self.texts.items())
        return "\n".join(paragraph for paragraphs in previews for paragraph in paragraphs)

    def explain(self) -> Lines:
        """Explain all texts; a text that cannot be explained has an error instead."""
        outcomes: dict[int, Explanation | LcshapError] = {}
        for explainer in dict.fromkeys(self.explainers.values()):
            lines = [line for line, candidate in self.explainers.items() if candidate is explainer]
            texts = [self.texts[line] for line in lines]
            outcomes |= zip(lines, explainer.many(texts, errors="keep"), strict=True)
        return sorted(outcomes.items())


def prepare_lines(
    source: Input, task: ModelOptions, option: MethodOption, settings: MethodSettings, output: Output
) -> LinesJob:
    """Prepare the texts and the explainers of `lcshap explain --lines`."""
    case = read_case(source, task)
    explainer_by_method: dict[Any, Explainer] = {}
    explainers: dict[int, Explainer] = {}
    for line, text in case.x.items():
        options = _method_options(case, text, option, settings)
        key = options["method"]
        if key not in explainer_by_method:
            first = next(iter(explainer_by_method.values()), None)
            if first is None:
                explainer_by_method[key] = make_explainer(case, task, settings, curve=output.with_curve, **options)
            else:
                explainer_by_method[key] = replace(first, model=first.adapter, **options)
        explainers[line] = explainer_by_method[key]
    return LinesJob(case.x, explainers)


def checked_method_options(option: MethodOption, settings: MethodSettings) -> dict[str, Any]:
    """The options of an explainer that makes the method itself: for "auto", and for a budget in seconds."""
    parameters = [name for name in ("order", "context", "weights") if getattr(settings, name) is not None]
    if option.method == "auto" and parameters:
        raise UsageError(
            f"Expected a method with the parameter {parameters[0]}, got --method auto. Choose one with --method, "
            "such as l-shapley."
        )
    if option.method != "auto":
        if parameters or ":" in option.method:
            raise UsageError(
                f"Expected the name of a method without parameters for a budget in seconds, got {option.method!r}. "
                "Leave them out, or give the budget in calls, such as 8d."
            )
        find_entry(option.method)
    return method_options(option, settings)


def split_names(text: str) -> list[str]:
    """Names that are separated by commas."""
    return [name.strip() for name in text.split(",") if name.strip()]


class ComparedMethods(NamedTuple):
    """Explanations of one input by several methods, and the number of distinct coalitions of all of them."""

    names: list[str]
    explanations: Sequence[Explanation]
    calls: int

    @property
    def separate_calls(self) -> int:
        """The number of calls if each method is run separately."""
        return sum(e.calls for e in self.explanations)


def compare_methods(
    source: Input, task: ModelOptions, option: MethodsOption, settings: MethodSettings, curve: bool
) -> ComparedMethods:
    """Run several methods on one input, and evaluate each distinct coalition once."""
    if source.lines is not None:
        raise UsageError("Expected one input to compare methods on, got --lines. Give one text with --text or --file.")
    case = read_case(source, task)
    names = split_names(option.methods)
    if not names:
        raise UsageError("Expected at least one method in --methods, got none. `lcshap methods` lists them.")
    if is_time_budget(settings.budget):
        raise UsageError(
            f"Expected a --budget in calls, such as 400 or 4d, got {settings.budget!r}. Only explain takes seconds."
        )
    methods = make_methods(names, case.masker.mask(case.x).graph, settings)
    explained = make_explainer(case, task, settings, curve=curve).compare(case.x, methods)
    return ComparedMethods(names, explained, explained[0].provenance["together"])
