"""A study: a model, inputs, and the methods that are compared within one budget."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from ...adapters.base import Model
from ...core.graphs import Graph
from ...core.method import Method
from ...errors import MaskerError, OptionError, PlanTooLargeError
from ...estimators.c_shapley import CShapley
from ...estimators.feature_ablation import FeatureAblation
from ...estimators.graph_kernel_shap import GraphKernelSHAP
from ...estimators.kernel_shap import KernelSHAP
from ...estimators.l_shapley import LShapley
from ...estimators.lime import LIME
from ...estimators.paths import DeletionPath, InsertionPath
from ...estimators.regression_c_shapley import RegressionCShapley
from ...estimators.saliency import Saliency
from ...estimators.sample_shapley import SampleShapley
from ...maskers.base import Masker
from ...selection.selector import choose

Candidates = Callable[[Graph, int, int], Iterable[Method]]  # of a graph, a budget and a seed; the cheapest first
_ORDERS = range(1, 7)


@dataclass(frozen=True, eq=False)
class Study:
    """A model and inputs that it was not trained on.

    Attributes
    ----------
    name : the name in files and titles.
    model : the adapter of a classifier.
    masker : divides inputs into units, and replaces absent ones.
    inputs, labels : one label, the number of a class, for each input.
    classes : the names of the classes.
    patches : a masker with coarser units, for images: L- and C-Shapley of order 1 take about 21 calls a pixel (the
        paper's footnote), so they score patches, and the pixels of a patch share its score.
    description : further information for the record: the source of the data, the training of the model.
    """

    name: str
    model: Model
    masker: Masker
    inputs: Sequence[Any]
    labels: Sequence[int]
    classes: Sequence[str]
    patches: Masker | None = None
    description: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not len(self.inputs) or len(self.inputs) != len(self.labels):
            raise OptionError(
                f"Expected at least one input and a label for each, got {len(self.inputs)} inputs and "
                f"{len(self.labels)} labels."
            )

    @property
    def methods(self) -> tuple[str, ...]:
        """The methods that can be used here. Saliency needs a gradient."""
        gradient = type(self.model).gradient is not Model.gradient and self._has_numbers()
        return tuple(name for name in METHOD_CANDIDATES if name != "saliency" or gradient)

    def _has_numbers(self) -> bool:
        """Whether inputs are arrays of numbers, by the first that can be cut into units."""
        for x in self.inputs:
            with suppress(MaskerError):
                return self.masker.mask(x).owners is not None
        return False


def _order_candidates(kind: Callable[..., Method], **options: Any) -> Candidates:
    return lambda graph, budget, seed: (kind(order=k, **options) for k in _ORDERS if k <= graph.d)


def _window_candidates(windows: str) -> Candidates:
    return lambda graph, budget, seed: (
        RegressionCShapley(m, windows=windows)  # type: ignore[arg-type]
        for m in _ORDERS
        if m <= graph.d
    )


METHOD_CANDIDATES: dict[str, Candidates] = {
    "l-shapley": _order_candidates(LShapley),
    "l-shapley-present": _order_candidates(LShapley, context="present"),
    "c-shapley": _order_candidates(CShapley, weights="paper"),
    "c-shapley-present": _order_candidates(CShapley, weights="paper", context="present"),
    "c-shapley-myerson": _order_candidates(CShapley, weights="myerson"),
    "c-shapley-myerson-present": _order_candidates(CShapley, weights="myerson", context="present"),
    "regression-c-shapley": _window_candidates("kept"),
    "regression-c-shapley-removed": _window_candidates("removed"),
    "kernel-shap": lambda graph, budget, seed: [KernelSHAP(budget, seed=seed)],
    "sample-shapley": lambda graph, budget, seed: [SampleShapley(budget, seed=seed)],
    "lime": lambda graph, budget, seed: [LIME(budget, seed=seed)],
    "feature-ablation": lambda graph, budget, seed: [FeatureAblation()],
    "saliency": lambda graph, budget, seed: [Saliency()],
    "graph-kernel-shap": lambda graph, budget, seed: [GraphKernelSHAP(budget, seed=seed)],
    "deletion-path": lambda graph, budget, seed: [DeletionPath(budget)],
    "insertion-path": lambda graph, budget, seed: [InsertionPath(budget)],
    "auto": lambda graph, budget, seed: [choose(graph, budget=budget, seed=seed).method],
}
PATCH_METHODS = frozenset(name for name in METHOD_CANDIDATES if name.startswith(("l-shapley", "c-shapley")))


def check_methods(study: Study, names: Sequence[str] | None) -> tuple[str, ...]:
    """The methods to compare: those named, or all that can be used."""
    possible = study.methods
    chosen = possible if names is None else tuple(names)
    wrong = [name for name in chosen if name not in possible]
    if wrong or not chosen or len(set(chosen)) < len(chosen):
        raise OptionError(
            f"Expected different ones of {', '.join(possible)} as methods for {study.name}, got "
            f"{', '.join(chosen) or None}."
        )
    return chosen


class MethodFactory:
    """Makes the methods for a graph. Methods with an order have the largest that fits the budget, at least 1.

    >>> MethodFactory(seed=0).method("c-shapley-myerson", Graph.chain(100), 900)
    CShapley(order=2, context='absent', weights='myerson', marginals='direct', max_size=None)
    """

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self._methods: dict[tuple[str, str, int], Method] = {}

    def method(self, name: str, graph: Graph, budget: int) -> Method:
        """The method of this name."""
        key = name, graph.key, budget
        if key not in self._methods:
            self._methods[key] = _select_largest(list(METHOD_CANDIDATES[name](graph, budget, self.seed)), graph, budget)
        return self._methods[key]


def _select_largest(candidates: list[Method], graph: Graph, budget: int) -> Method:
    best = candidates[0]
    for method in candidates if len(candidates) > 1 else ():
        try:
            method.plan(graph, budget)
        except PlanTooLargeError:
            break
        best = method
    return best
