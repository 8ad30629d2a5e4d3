"""shap's explainers."""

from __future__ import annotations

from typing import Any

import numpy as np

from .base import Value, contestant


def rows(v: Value) -> tuple[Any, Any]:
    """The input to explain and its background, one row each: feature 1 is a kept unit, 0 an absent one."""
    return np.ones((1, v.d)), np.zeros((1, v.d))


@contestant("shap Kernel", "shap", most=400)
def kernel(v: Value, budget: int, seed: int) -> Any:
    """`KernelExplainer` without its selection of features; two rows for the ends come on top of `nsamples`."""
    import shap

    x, background = rows(v)
    explainer = shap.KernelExplainer(v, background)
    return explainer.shap_values(x, nsamples=budget - 2, l1_reg=False, silent=True)


@contestant("shap Permutation", "shap")
def permutation(v: Value, budget: int, seed: int) -> Any:
    """`PermutationExplainer`: permutations forward and backward, 2d + 1 rows each as it counts them."""
    import shap

    if budget < 2 * v.d + 1:
        return None
    x, background = rows(v)
    explainer = shap.PermutationExplainer(v, shap.maskers.Independent(background), seed=seed)
    return explainer(x, max_evals=budget, silent=True).values


@contestant("shap Sampling", "shap")
def sampling(v: Value, budget: int, seed: int) -> Any:
    """`SamplingExplainer`: it takes two rows a sample."""
    import shap

    x, background = rows(v)
    return shap.explainers.Sampling(v, background).shap_values(x, nsamples=budget // 2 - 1, silent=True)


@contestant("shap Partition", "shap", other=True)
def partition(v: Value, budget: int, seed: int) -> Any:
    """`PartitionExplainer` with a balanced tree over the units in their order: Owen values, not Shapley values."""
    import shap

    x, background = rows(v)
    masker = shap.maskers.Partition(background, clustering=balanced(v.d))
    return shap.explainers.Partition(v, masker)(x, max_evals=budget, silent=True).values


@contestant("shap Exact", "shap", most=16)
def exact(v: Value, budget: int, seed: int) -> Any:
    """`ExactExplainer`, where the budget covers all coalitions."""
    import shap

    if budget < 2**v.d:
        return None
    x, background = rows(v)
    return shap.explainers.Exact(v, shap.maskers.Independent(background))(x, max_evals=2 * 2**v.d, silent=True).values


def balanced(d: int) -> Any:
    """A binary tree over units next to each other, as SciPy writes hierarchies."""
    merges, level = [], [(i, 1) for i in range(d)]
    height = 0
    while len(level) > 1:
        height += 1
        upper = []
        for left, right in zip(level[::2], level[1::2], strict=False):
            merges.append([left[0], right[0], height, left[1] + right[1]])
            upper.append((d + len(merges) - 1, left[1] + right[1]))
        level = upper + ([level[-1]] if len(level) % 2 else [])
    return np.array(merges, float)
