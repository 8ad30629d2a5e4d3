"""Every method by its name. A new one adds a line here and a row in the conformance suite."""

from __future__ import annotations

from ..core.method import Method
from ..errors import MethodError
from .c_shapley import CShapley
from .dividend_c_shapley import DividendCShapley
from .feature_ablation import FeatureAblation
from .graph_kernel_shap import GraphKernelSHAP
from .kernel_shap import KernelSHAP
from .l_shapley import LShapley
from .lime import LIME
from .myerson import Myerson
from .paths import DeletionPath, InsertionPath
from .regression_c_shapley import RegressionCShapley
from .saliency import GradientInput, Saliency
from .sample_shapley import SampleShapley
from .sampled_c_shapley import SampledCShapley
from .sampled_l_shapley import SampledLShapley
from .shapley import Shapley

METHODS: dict[str, type[Method]] = {
    method.name: method
    for method in (
        Shapley,
        Myerson,
        LShapley,
        CShapley,
        RegressionCShapley,
        DividendCShapley,
        SampledLShapley,
        SampledCShapley,
        GraphKernelSHAP,
        KernelSHAP,
        SampleShapley,
        LIME,
        FeatureAblation,
        DeletionPath,
        InsertionPath,
        Saliency,
        GradientInput,
    )
}


def get_method(name: str) -> type[Method]:
    """Find a method's class by its name.

    >>> get_method("l-shapley")(order=2)
    LShapley(order=2, context='absent', interactions=False)
    """
    try:
        return METHODS[name]
    except KeyError:
        raise MethodError(f"no method {name!r}: there are {', '.join(METHODS)}") from None
