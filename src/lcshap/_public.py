"""The public names of lcshap: one line for each, which says where it is defined.

`import lcshap` does not import this module; the first use of a name does. Each line has the form ``from module import
Name as Name``, which tells type checkers that the name is public.
"""

# ruff: noqa: I001 -- grouped by what they are for
import typing as _typing

# What explains a model, and what comes of it.
from .explainer import Execution as Execution, Explainer as Explainer, explain as explain
from .explainer.global_importance import global_importance as global_importance
from .explainer.zoom import zoom as zoom
from .playground import serve as serve
from .selection.selection import Selection as Selection
from .selection.selector import choose as choose
from .selection.locality import Locality as Locality, locality as locality
from .core.explanation import Explanation as Explanation, PathExplanation as PathExplanation
from .core.explanations import Comparison as Comparison, Explanations as Explanations, from_shap as from_shap
from .core.explanations import CohortImportance as CohortImportance, Importance as Importance
from .core.io import load as load
from .core.support import unsupported as unsupported
from .show.html_report import report as report

# Games, graphs and plans, and what the model has answered.
from .core.coalitions import Coalitions as Coalitions
from .core.game import Game as Game
from .core.graphs import Graph as Graph
from .core.method import Cost as Cost, Method as Method, Stop as Stop
from .core.plan import Plan as Plan, PlanSum as PlanSum
from .core.run_plan import run as run
from .core.sqlite_store import SQLiteStore as SQLiteStore
from .core.store import MemoryStore as MemoryStore, Store as Store

# Methods.
from .estimators.additive_shap import AdditiveSHAP as AdditiveSHAP
from .estimators.axioms import Axioms as Axioms
from .estimators.banzhaf_surrogate import BanzhafSurrogate as BanzhafSurrogate
from .estimators.c_shapley import CShapley as CShapley
from .estimators.context_cite import ContextCite as ContextCite
from .estimators.dividend_c_shapley import DividendCShapley as DividendCShapley
from .estimators.feature_ablation import FeatureAblation as FeatureAblation
from .estimators.graph_kernel_shap import GraphKernelSHAP as GraphKernelSHAP
from .estimators.kernel_shap import KernelSHAP as KernelSHAP
from .estimators.l_shapley import LShapley as LShapley
from .estimators.lime import LIME as LIME
from .estimators.linear_shap import LinearSHAP as LinearSHAP
from .estimators.myerson import Myerson as Myerson
from .estimators.paths import DeletionPath as DeletionPath, InsertionPath as InsertionPath
from .estimators.receptive_shapley import ReceptiveShapley as ReceptiveShapley
from .estimators.registry import METHODS as METHODS, get_method as get_method, register_method as register_method
from .estimators.regression_c_shapley import RegressionCShapley as RegressionCShapley
from .estimators.saliency import GradientInput as GradientInput, Saliency as Saliency
from .estimators.sample_shapley import SampleShapley as SampleShapley
from .estimators.sampled_method import SampledMethod as SampledMethod
from .estimators.sampled_c_shapley import SampledCShapley as SampledCShapley
from .estimators.sampled_l_shapley import SampledLShapley as SampledLShapley
from .estimators.shapley import Shapley as Shapley
from .estimators.tree_shap import TreeSHAP as TreeSHAP

# Modules.
from . import adapters as adapters, bulk as bulk, errors as errors, maskers as maskers, metrics as metrics
from . import paper as paper, plots as plots, values as values
from ._version import __version__ as __version__

# Errors: those that catch others. All are in `errors`.
from .errors import LcshapError as LcshapError, Unfinished as Unfinished

if not _typing.TYPE_CHECKING:  # type checkers read the lines above
    __all__ = sorted({"__version__"} | {name for name in vars() if not name.startswith("_")})
