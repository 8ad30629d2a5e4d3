"""Which words, pixels or atoms made a black-box model say what it said, using the structure of the data.

>>> import lcshap as lc
>>> g = lc.Graph.chain(3, names=["not", "very", "good"])
>>> v = lc.Game(lambda kept: 1.0 * (kept[:, 2] & ~kept[:, 0]), 3)
>>> lc.LShapley(order=2).explain(v, g).scores
array([-0.5,  0. ,  0.5])
"""

import sys
from importlib import import_module

from . import adapters, estimators, maskers, metrics
from ._version import __version__
from .advice.chooser import Choice, choose
from .advice.locality import Locality, locality
from .core.coalitions import Coalitions
from .core.explanation import Explanation, PathExplanation
from .core.game import Game
from .core.graphs import Graph
from .core.io import load
from .core.store import MemoryStore, Store
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
from .estimators import *  # noqa: F403 - all methods: the list is estimators.__all__
from .explainer import Explainer, explain
from .paper import compat
from .show import plots
from .show.html_report import report

__all__ = [
    "BudgetError",
    "Choice",
    "Coalitions",
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
    "MethodError",
    "MemoryStore",
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
    "ShowError",
    "Store",
    "Unfinished",
    "__version__",
    "adapters",
    "choose",
    "compat",
    "explain",
    "load",
    "locality",
    "maskers",
    "metrics",
    "plots",
    "report",
    "run",
]
__all__ += estimators.__all__

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
