"""Which words, pixels or atoms made a black-box model say what it said, using the structure of the data.

>>> import lcshap as lc
>>> g = lc.Graph.chain(3, names=["not", "very", "good"])
>>> v = lc.Game(lambda kept: 1.0 * (kept[:, 2] & ~kept[:, 0]), 3)
>>> lc.LShapley(order=2).explain(v, g).scores
array([-0.5,  0. ,  0.5])
"""

from typing import TYPE_CHECKING, Any

from . import errors
from ._lazy import load as _load
from ._version import __version__
from .core.presenter import install as _install
from .errors import (
    BudgetError,
    BulkError,
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
    StoreError,
    Unfinished,
)

if TYPE_CHECKING:  # at run time these are imported when they are first used, see _lazy.py
    from . import adapters, bulk, maskers, metrics
    from .advice.chooser import Choice, choose
    from .advice.locality import Locality, locality
    from .asking import values
    from .core.coalitions import Coalitions
    from .core.explanation import Explanation, PathExplanation
    from .core.game import Game
    from .core.graphs import Graph
    from .core.io import load
    from .core.method import Cost, Stop
    from .core.plan import Plan, PlanSum
    from .core.run import run
    from .core.sqlite_store import SQLiteStore
    from .core.store import MemoryStore, Store
    from .core.support import unsupported
    from .estimators import *
    from .explainer import Explainer, explain
    from .explainer.zoom import zoom
    from .metrics import quantus
    from .paper import compat, datasets
    from .paper import networks as models
    from .playground import serve
    from .show import plots
    from .show.html_report import report

__all__ = [
    "LIME",
    "METHODS",
    "Axioms",
    "BanzhafSurrogate",
    "BudgetError",
    "BulkError",
    "CShapley",
    "Choice",
    "Coalitions",
    "ContextCite",
    "Cost",
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
    "MemoryStore",
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
    "ReceptiveShapley",
    "RegressionCShapley",
    "RunFailedError",
    "SQLiteStore",
    "Saliency",
    "SampleShapley",
    "SampledCShapley",
    "SampledLShapley",
    "SampledMethod",
    "Shapley",
    "ShowError",
    "Stop",
    "Store",
    "StoreError",
    "TreeSHAP",
    "Unfinished",
    "__version__",
    "adapters",
    "bulk",
    "choose",
    "compat",
    "datasets",
    "errors",
    "explain",
    "get_method",
    "load",
    "locality",
    "maskers",
    "metrics",
    "models",
    "plots",
    "quantus",
    "register_method",
    "report",
    "run",
    "serve",
    "unsupported",
    "values",
    "zoom",
]

_install(lambda: _load("show").PRESENTER)

if not TYPE_CHECKING:  # a type checker that sees `__getattr__` accepts every name

    def __getattr__(name: str) -> Any:
        found = globals()[name] = _load(name, __all__)
        return found

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__})
