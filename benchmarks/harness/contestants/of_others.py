"""lightshap and lime."""

from __future__ import annotations

from typing import Any

import numpy as np

from .base import Value, contestant
from .of_shap import rows


@contestant("lightshap kernel", "lightshap", most=400)
def lightshap_kernel(v: Value, budget: int, seed: int) -> Any:
    """Kernel SHAP of the library's own degree (`h2` up to 16 units, `h1` above), a lower one if the budget is small."""
    d = v.d
    hows = (("h2", 2, 2 * d + d * (d - 1)), ("h1", 1, 2 * d), ("sampling", 0, 0))
    for how, degree, exact in hows if d <= 16 else hows[1:]:
        steps = (budget - 2 - exact) // max(2 * (d - 1 - 2 * degree), 1)
        if d >= 2 * degree + 2 and steps >= 1:
            return lightshap("kernel", how, v, steps, seed)
    return None


@contestant("lightshap permutation", "lightshap")
def lightshap_permutation(v: Value, budget: int, seed: int) -> Any:
    """Permutation SHAP: antithetic, the coalitions of 1 and d - 1 units shared by all permutations."""
    steps = (budget - 2 - 2 * v.d) // (2 * (v.d - 3)) if v.d > 3 else 0
    return lightshap("permutation", "sampling", v, steps, seed) if steps >= 1 else None


def lightshap(method: str, how: str, v: Value, steps: int, seed: int) -> Any:
    """Run for exactly `steps` steps: with a tolerance of 0 it never stops early."""
    from lightshap import explain_any

    x, background = rows(v)
    options = {"max_iter": steps, "tol": 0.0, "random_state": seed, "verbose": False}
    try:
        return explain_any(v, x, bg_X=background, method=method, how=how, **options).shap_values
    except ValueError as error:
        if "singular" in str(error):
            return None
        raise


@contestant("lime", "lime", other=True, most=400)
def lime(v: Value, budget: int, seed: int) -> Any:
    """lime's ridge regression on coalitions drawn as for a text: cosine distance, kernel width 0.25."""
    from lime.lime_base import LimeBase

    rng = np.random.default_rng(seed)
    kept = np.ones((budget, v.d))
    for row, size in enumerate(rng.integers(1, v.d + 1, budget - 1), start=1):
        kept[row, rng.choice(v.d, size, replace=False)] = 0
    share = kept.mean(axis=1)
    distance = 100 * (1 - np.sqrt(share))
    base = LimeBase(lambda x: np.sqrt(np.exp(-(x**2) / 25.0**2)), random_state=seed)
    values = v(kept)
    found = base.explain_instance_with_data(kept, values[:, None], distance, 0, v.d, feature_selection="none")[1]
    return [dict(found)[i] for i in range(v.d)]
