"""Which words, pixels or atoms made a black-box model say what it said, using the structure of the data.

>>> import lcshap as lc
>>> g = lc.Graph.chain(3, names=["not", "very", "good"])
>>> v = lc.Game(lambda kept: 1.0 * (kept[:, 2] & ~kept[:, 0]), 3)
>>> lc.LShapley(order=2).explain(v, g).scores
array([-0.5,  0. ,  0.5])
"""

from . import adapters, compat, maskers, metrics, plots
from ._version import __version__
from .chooser import Choice, choose
from .coalitions import Coalitions
from .errors import (
    GameError,
    GraphError,
    LcshapError,
    MaskerError,
    MethodError,
    MissingExtraError,
    ModelError,
    PlanError,
    PlanTooLargeError,
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
    PathExplanation,
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
from .explanation import Explanation
from .explanation_io import FileFormatError, load
from .game import Game
from .graphs import Graph
from .html_report import report
from .locality_check import Locality, locality
from .plan import Plan, PlanSum
from .run import run

__all__ = [
    "LIME",
    "METHODS",
    "CShapley",
    "Choice",
    "Coalitions",
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
    "KernelSHAP",
    "LShapley",
    "LcshapError",
    "Locality",
    "MaskerError",
    "Method",
    "MethodError",
    "MissingExtraError",
    "ModelError",
    "Myerson",
    "PathExplanation",
    "Plan",
    "PlanError",
    "PlanSum",
    "PlanTooLargeError",
    "RegressionCShapley",
    "Saliency",
    "SampleShapley",
    "SampledCShapley",
    "SampledLShapley",
    "SampledMethod",
    "Shapley",
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
