"""captum's perturbation methods."""

from __future__ import annotations

from typing import Any

from .base import Value, contestant
from .of_shap import rows

BATCH = 1000  # rows that captum gets at a time


def attribute(kind: str, v: Value, seed: int, **options: Any) -> Any:
    """Run a method by the name of its class."""
    import captum.attr
    import torch

    torch.set_num_threads(1)
    torch.manual_seed(seed)
    x, background = (torch.from_numpy(row) for row in rows(v))
    explainer = getattr(captum.attr, kind)(lambda x: torch.from_numpy(v(x.numpy())))
    return explainer.attribute(x, background, **options).numpy()


@contestant("captum ShapleyValueSampling", "captum")
def sampling(v: Value, budget: int, seed: int) -> Any:
    """`ShapleyValueSampling`: independent permutations, d rows each, one row more for the empty coalition."""
    steps = (budget - 1) // v.d
    return attribute("ShapleyValueSampling", v, seed, n_samples=steps, perturbations_per_eval=v.d) if steps else None


@contestant("captum KernelShap", "captum", most=120)
def kernel(v: Value, budget: int, seed: int) -> Any:
    """`KernelShap`: independent coalitions from the Shapley kernel, the ends with a large weight."""
    return attribute("KernelShap", v, seed, n_samples=budget, perturbations_per_eval=min(BATCH, budget))


@contestant("captum Lime", "captum", other=True, most=120)
def lime(v: Value, budget: int, seed: int) -> Any:
    """`Lime` as it comes: a sparse linear fit, not Shapley values."""
    return attribute("Lime", v, seed, n_samples=budget, perturbations_per_eval=min(BATCH, budget))


@contestant("captum FeatureAblation", "captum", other=True)
def ablation(v: Value, budget: int, seed: int) -> Any:
    """`FeatureAblation`: one unit away at a time, d + 1 rows."""
    return attribute("FeatureAblation", v, seed, perturbations_per_eval=v.d)
