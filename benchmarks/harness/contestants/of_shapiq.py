"""shapiq's approximators, of version 1.8.0. Options are the defaults, and pairing where it is an option and helps."""

from __future__ import annotations

from typing import Any

from .base import Answer, Value, contestant


def approximate(kind: str, v: Value, budget: int, seed: int, **options: Any) -> Any:
    """Run an approximator by the name of its class."""
    import shapiq

    estimator = getattr(shapiq.approximator, kind)(n=v.d, random_state=seed, **options)
    return estimator.approximate(budget=budget, game=v)


def value(name: str, kind: str, least: int = 0, most: int = 10_000, slow: bool = False, **options: Any) -> None:
    """Register an estimator of Shapley values; `least` is the smallest budget in calls per unit."""

    def estimate(v: Value, budget: int, seed: int) -> Any:
        if budget < least * v.d + 1 and least:
            return None
        found = approximate(kind, v, budget, seed, **options)
        return [found[(i,)] for i in range(v.d)]

    contestant(f"shapiq {name}", "shapiq", most=most, slow=slow)(estimate)


def pairwise(name: str, kind: str, slow: bool = False, most: int = 64, threads: bool = False, **options: Any) -> None:
    """Register an estimator of Shapley interactions of order two, which gives the Shapley values too."""

    def estimate(v: Value, budget: int, seed: int) -> Any:
        found = approximate(kind, v, budget, seed, index="SII", max_order=2, **options)
        units = range(v.d)
        return Answer([found[(i,)] for i in units], [found[(i, j)] for i in units for j in units if i < j])

    contestant(f"shapiq {name}", "shapiq", pairs=True, slow=slow, most=most, threads=threads)(estimate)


value("KernelSHAP", "KernelSHAP")
value("KernelSHAP paired", "KernelSHAP", pairing_trick=True)
value("LeverageSHAP", "LeverageSHAP")
value("RegressionMSR xgb", "RegressionMSR", index="SV")
value("RegressionMSR linear", "RegressionMSR", index="SV", proxy_model="linear")
value("ProxySHAP", "ProxySHAP", index="SV", max_order=1)
value("ProxySHAP adjusted", "ProxySHAP", index="SV", max_order=1, adjustment=True)
value("OddSHAP", "OddSHAP")
value("PolySHAP 2", "PolySHAP", most=120, max_order=2, pairing_trick=True)
value("PolySHAP 3", "PolySHAP", most=30, max_order=3, pairing_trick=True)
value("kADDSHAP", "kADDSHAP", most=60, max_order=2, pairing_trick=True)
value("UnbiasedKernelSHAP", "UnbiasedKernelSHAP", pairing_trick=True)
value("SVARM", "SVARM", most=120, pairing_trick=True)
value("PermutationSamplingSV", "PermutationSamplingSV", least=1)
value("StratifiedSamplingSV", "StratifiedSamplingSV", most=400)
value("OwenSamplingSV", "OwenSamplingSV")

pairwise("KernelSHAPIQ", "KernelSHAPIQ")
pairwise("KernelSHAPIQ inconsistent", "InconsistentKernelSHAPIQ")
pairwise("KernelSHAPIQ paired", "KernelSHAPIQ", pairing_trick=True)
pairwise("SHAPIQ", "SHAPIQ", pairing_trick=True)
pairwise("PermutationSamplingSII", "PermutationSamplingSII")
pairwise("ProxySHAP pairs", "ProxySHAP")
pairwise("ProxySHAP pairs adjusted", "ProxySHAP", adjustment=True)
pairwise("ProxySPEX untuned", "ProxySPEX", threads=True, hpo=False)
pairwise("SVARMIQ", "SVARMIQ", slow=True, pairing_trick=True)
pairwise("ProxySPEX", "ProxySPEX", slow=True, threads=True)


@contestant("shapiq ShaplEIG", "botorch", slow=True, most=16)
def shapleig(v: Value, budget: int, seed: int) -> Any:
    """`ShaplEIG`: a Gaussian process with a scale for each unit and adaptive choice. Needs torch and botorch."""
    import torch

    torch.set_num_threads(1)
    torch.manual_seed(seed)
    found = approximate("ShaplEIG", v, budget, seed, show_progress=False)
    return [found[(i,)] for i in range(v.d)]
