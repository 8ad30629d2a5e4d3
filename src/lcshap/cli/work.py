"""What the commands do, apart from reading options and printing."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from typing import Any, NamedTuple

from ..core.explanation import Explanation
from ..explainer import Explainer
from .inputs import Case, read_case, read_target
from .methods import find_entry, in_seconds, make_methods, read_budget
from .options import Input, MethodOption, MethodSettings, MethodsOption, Output, Task, UsageError


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
    if option.method == "auto" or in_seconds(settings.budget):
        options = _by_name(option, settings)
    else:
        (method,) = make_methods([option.method], case.masker.mask(case.x).graph, settings)
        options = {"method": method}
    if option.goal is not None and option.method != "auto":
        raise UsageError(f"--goal is for --method auto: {option.method} answers its own question")
    return case, make_explainer(case, task, settings, curve=output.with_curve, **options)


def _by_name(option: MethodOption, settings: MethodSettings) -> dict[str, Any]:
    """What the explainer takes where it makes the method itself: for "auto", and to time the model."""
    alone = [name for name in ("order", "context", "weights") if getattr(settings, name) is not None]
    if option.method == "auto" and alone:
        raise UsageError(f"--{alone[0]} goes with a method that has it: say --method, such as l-shapley")
    if option.method != "auto":
        if alone or ":" in option.method:
            raise UsageError(f"a budget in seconds goes with the name of a method alone, not {option.method!r}")
        find_entry(option.method)
    budget = None if settings.budget is None else read_budget(settings.budget)
    given = {"method": option.method, "budget": budget, "seed": settings.seed, "goal": option.goal}
    return {name: value for name, value in given.items() if value is not None}


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
    case = read_case(source, task)
    names = [name.strip() for name in option.methods.split(",") if name.strip()]
    if not names:
        raise UsageError("--methods needs at least one method: `lcshap methods` lists them")
    if in_seconds(settings.budget):
        raise UsageError(f"--budget of compare is a number of calls, such as 400 or 4d, not {settings.budget!r}")
    methods = make_methods(names, case.masker.mask(case.x).graph, settings)
    explained = make_explainer(case, task, settings, curve=curve).compare(case.x, methods)
    return Comparison(names, explained, explained[0].provenance["together"])
