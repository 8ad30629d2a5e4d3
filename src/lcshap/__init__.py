"""Which words, pixels or atoms made a black-box model say what it said, using the structure of the data.

>>> import lcshap as lc
>>> g = lc.Graph.chain(3, names=["not", "very", "good"])
>>> v = lc.Game(lambda kept: 1.0 * (kept[:, 2] & ~kept[:, 0]), 3)
>>> lc.LShapley(order=2).explain(v, g).scores
array([-0.5,  0. ,  0.5])
"""

import sys
from importlib import import_module

from . import adapters, maskers, metrics
from ._version import __version__
from .advice.chooser import Choice, choose
from .advice.locality import Locality, locality
from .core.coalitions import Coalitions
from .core.explanation import Explanation, PathExplanation
from .core.game import Game
from .core.graphs import Graph
from .core.io import load
from .core.plan import Plan, PlanSum
from .core.run import run
from .errors import (
    BudgetError,
    DataError,
    FileFormatError,
    GameError,
    GraphError,
    Interrupted,
    LcshapError,
    MaskerError,
    MethodError,
    MetricError,
    MissingExtraError,
    ModelError,
    OptionError,
    PlanError,
    PlanTooLargeError,
    RunFailedError,
    ShowError,
    Unfinished,
)
from .estimators import (
    LIME,
    METHODS,
    CShapley,
    DeletionPath,
    DividendCShapley,
    FeatureAblation,
    GradientInput,
    GraphKernelSHAP,
    InsertionPath,
    KernelSHAP,
    LShapley,
    Method,
    Myerson,
    RegressionCShapley,
    Saliency,
    SampledCShapley,
    SampledLShapley,
    SampledMethod,
    SampleShapley,
    Shapley,
    get_method,
)
from .explainer import Explainer, explain
from .paper import compat
from .show import plots
from .show.html_report import report

__all__ = [
    "LIME",
    "METHODS",
    "BudgetError",
    "CShapley",
    "Choice",
    "Coalitions",
    "DataError",
    "DeletionPath",
    "DividendCShapley",
    "Explainer",
    "Explanation",
    "FeatureAblation",
    "FileFormatError",
    "Game",
    "GameError",
    "GradientInput",
    "Graph",
    "GraphError",
    "GraphKernelSHAP",
    "InsertionPath",
    "Interrupted",
    "KernelSHAP",
    "LShapley",
    "LcshapError",
    "Locality",
    "MaskerError",
    "Method",
    "MethodError",
    "MetricError",
    "MissingExtraError",
    "ModelError",
    "Myerson",
    "OptionError",
    "PathExplanation",
    "Plan",
    "PlanError",
    "PlanSum",
    "PlanTooLargeError",
    "RegressionCShapley",
    "RunFailedError",
    "Saliency",
    "SampleShapley",
    "SampledCShapley",
    "SampledLShapley",
    "SampledMethod",
    "Shapley",
    "ShowError",
    "Unfinished",
    "__version__",
    "adapters",
    "choose",
    "compat",
    "explain",
    "get_method",
    "load",
    "locality",
    "maskers",
    "metrics",
    "plots",
    "report",
    "run",
]

# Modules that stood at the top in version 0.1: `from lcshap.values import Value` goes on working.
_MOVED = {
    "compat": "paper.compat",
    "datasets": "paper.datasets",
    "models": "paper.networks",
    "plots": "show.plots",
    "quantus": "metrics.quantus",
    "values": "asking.values",
}
for _old, _new in _MOVED.items():
    sys.modules[f"{__name__}.{_old}"] = globals()[_old] = import_module(f".{_new}", __name__)
