"""The methods, one file each. The registry finds new files by itself; a line here lets type checkers see the name."""

from ..core.method import Method
from .axioms import Axioms
from .banzhaf_surrogate import BanzhafSurrogate
from .c_shapley import CShapley
from .context_cite import ContextCite
from .dividend_c_shapley import DividendCShapley
from .feature_ablation import FeatureAblation
from .graph_kernel_shap import GraphKernelSHAP
from .kernel_shap import KernelSHAP
from .l_shapley import LShapley
from .lime import LIME
from .myerson import Myerson
from .paths import DeletionPath, InsertionPath
from .receptive_shapley import ReceptiveShapley
from .registry import METHODS, get_method, register_method
from .regression_c_shapley import RegressionCShapley
from .saliency import GradientInput, Saliency
from .sample_shapley import SampleShapley
from .sampled import SampledMethod
from .sampled_c_shapley import SampledCShapley
from .sampled_l_shapley import SampledLShapley
from .shapley import Shapley
from .tree_shap import TreeSHAP

__all__ = [
    "LIME",
    "METHODS",
    "Axioms",
    "BanzhafSurrogate",
    "CShapley",
    "ContextCite",
    "DeletionPath",
    "DividendCShapley",
    "FeatureAblation",
    "GradientInput",
    "GraphKernelSHAP",
    "InsertionPath",
    "KernelSHAP",
    "LShapley",
    "Method",
    "Myerson",
    "ReceptiveShapley",
    "RegressionCShapley",
    "Saliency",
    "SampleShapley",
    "SampledCShapley",
    "SampledLShapley",
    "SampledMethod",
    "Shapley",
    "TreeSHAP",
    "get_method",
    "register_method",
]
