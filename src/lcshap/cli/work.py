"""What the commands do, apart from reading options and printing."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from typing import Any, NamedTuple

from ..core.explanation import Explanation
from ..estimators import Method
from ..explainer import Explainer
from .inputs import Case, read_case, read_target
from .methods import make_method, read_budget
from .options import Choice, Choices, Input, Output, Settings, Task, UsageError


@contextlib.contextmanager
def quiet_stdout() -> Iterator[None]:
    """What a model prints goes to standard error: standard output is for results."""
    with contextlib.redirect_stdout(sys.stderr):
        yield


def make_explainer(case: Case, task: Task, method: Method | str, settings: Settings, **options: Any) -> Explainer:
    """The explainer that the options describe."""
    return Explainer(
        case.model,
        case.masker,
        method,
        value=task.value,
        target=read_target(task, case),
        budget=read_budget(settings.budget),
        batch_size=task.batch_size,
        seed=settings.seed,
        kind=case.kind,
        classes=case.classes,
        max_calls=settings.max_calls,
        **options,
    )


def prepare(source: Input, task: Task, choice: Choice, settings: Settings, output: Output) -> tuple[Case, Explainer]:
    """The case and the explainer of `lcshap explain`."""
    case = read_case(source, task)
    method: Method | str = "auto"
    if choice.method == "auto":
        alone = [name for name in ("order", "context", "weights") if getattr(settings, name) is not None]
        if alone:
            raise UsageError(f"--{alone[0]} goes with a method that has it: say --method, such as l-shapley")
    else:
        method = make_method(choice.method, case.masker.mask(case.x).graph, settings)
    return case, make_explainer(case, task, method, settings, goal=choice.goal, curve=output.curve)


class Comparison(NamedTuple):
    """Several methods on one input, and how many distinct coalitions the model was asked about for all of them."""

    names: list[str]
    explanations: list[Explanation]
    calls: int

    @property
    def apart(self) -> int:
        """How many calls they take one by one."""
        return sum(e.calls for e in self.explanations)


def compare(source: Input, task: Task, choices: Choices, settings: Settings, curve: bool) -> Comparison:
    """Several methods on one input, each distinct coalition evaluated once."""
    case = read_case(source, task)
    names = [name.strip() for name in choices.methods.split(",") if name.strip()]
    if not names:
        raise UsageError("--methods needs at least one method: `lcshap methods` lists them")
    graph = case.masker.mask(case.x).graph
    methods = [make_method(name, graph, settings, strict=False) for name in names]
    explained = make_explainer(case, task, "auto", settings, curve=curve).compare(case.x, methods)
    return Comparison(names, explained, explained[0].provenance["together"])
