"""Which words, pixels or atoms made a black-box model say what it said, using the structure of the data.

>>> import lcshap as lc
>>> g = lc.Graph.chain(3, names=["not", "very", "good"])
>>> v = lc.Game(lambda kept: 1.0 * (kept[:, 2] & ~kept[:, 0]), 3)
>>> lc.LShapley(order=2).explain(v, g).scores
array([-0.5,  0. ,  0.5])
"""

import sys

from . import adapters, bulk, errors, estimators, maskers, metrics
from ._version import __version__
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
from .estimators import *  # noqa: F403 - all methods: the list is estimators.__all__
from .explainer import Explainer, explain
from .explainer.zoom import zoom
from .metrics import quantus
from .paper import compat, datasets
from .paper import networks as models
from .playground import serve
from .show import plots
from .show.html_report import report

__all__ = [
    "BudgetError",
    "BulkError",
    "Choice",
    "Coalitions",
    "Cost",
    "DataError",
    "Explainer",
    "Explanation",
    "FileFormatError",
    "Game",
    "GameError",
    "Graph",
    "GraphError",
    "Interrupted",
    "LcshapError",
    "Locality",
    "MaskerError",
    "MemoryStore",
    "MethodError",
    "MetricError",
    "MissingExtraError",
    "ModelError",
    "OptionError",
    "PathExplanation",
    "Plan",
    "PlanError",
    "PlanSum",
    "PlanTooLargeError",
    "RunFailedError",
    "SQLiteStore",
    "ShowError",
    "Stop",
    "Store",
    "StoreError",
    "Unfinished",
    "__version__",
    "adapters",
    "bulk",
    "choose",
    "compat",
    "datasets",
    "errors",
    "explain",
    "load",
    "locality",
    "maskers",
    "metrics",
    "models",
    "plots",
    "quantus",
    "report",
    "run",
    "serve",
    "unsupported",
    "values",
    "zoom",
]
__all__ += estimators.__all__

# Modules that stood at the top in version 0.1: `from lcshap.values import Value` goes on working.
for _name in ("compat", "datasets", "models", "plots", "quantus", "values"):
    sys.modules[f"{__name__}.{_name}"] = globals()[_name]
