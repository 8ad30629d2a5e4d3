"""Other libraries' estimators of the Shapley value, behind one signature: `(game, budget, seed) -> (scores, rows)`.

`rows` is how many rows the library really had evaluated, repeats and the empty and full coalition included, counted
at the game. Where a library has a fixed cost per step, the number of steps is the largest that fits the budget. A peer
returns None where it cannot run: too small a budget, too singular a system. All are silent and seeded.

    pip install shap shapiq captum lightshap
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from importlib.util import find_spec
from typing import Any

import numpy as np
from games import BenchGame
from numpy.typing import NDArray

Scores = NDArray[np.float64]
Peer = Callable[[BenchGame, int, int], tuple[Scores, int] | None]
PEERS: dict[str, Peer] = {}
BATCH = 1000  # rows that captum gets at a time


class CountedGame:
    """The game as a function of 0/1 rows of any type, which counts them."""

    def __init__(self, game: BenchGame) -> None:
        self.fn, self.d, self.rows = game.fn, game.d, 0

    def __call__(self, rows: Any) -> Scores:
        """The values of the rows."""
        kept = np.atleast_2d(np.asarray(rows)) > 0.5
        self.rows += len(kept)
        return self.fn(kept)


def available() -> dict[str, Peer]:
    """The peers whose library is installed."""
    return {name: peer for name, peer in PEERS.items() if find_spec(name.split()[0])}


def _peer(name: str) -> Callable[[Callable[[CountedGame, int, int], Any]], Peer]:
    """Register a function `(counted game, budget, seed) -> scores or None`; the name starts with the package's."""

    def register(estimate: Callable[[CountedGame, int, int], Any]) -> Peer:
        @wraps(estimate)
        def peer(game: BenchGame, budget: int, seed: int) -> tuple[Scores, int] | None:
            counted = CountedGame(game)
            with _quiet_and_seeded(seed):
                scores = estimate(counted, budget, seed)
            if scores is None or not np.isfinite(scores).all():
                return None
            return np.asarray(scores, np.float64).reshape(game.d), counted.rows

        PEERS[name] = peer
        return peer

    return register


@contextmanager
def _quiet_and_seeded(seed: int) -> Iterator[None]:
    """Seed NumPy's global generator, which shap draws from, for a while; and let no warning out."""
    state = np.random.get_state()  # noqa: NPY002
    np.random.seed(seed)  # noqa: NPY002
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        np.random.set_state(state)  # noqa: NPY002


def _input(v: CountedGame) -> tuple[Scores, Scores]:
    """The input to explain and its background, one row each: feature 1 is a kept unit, 0 an absent one."""
    return np.ones((1, v.d)), np.zeros((1, v.d))


# -- shap -------------------------------------------------------------------------------------------------------------


@_peer("shap KernelExplainer")
def shap_kernel(v: CountedGame, budget: int, seed: int) -> Any:
    """`KernelExplainer` without its selection of features; the rows for the empty and full coalition come on top."""
    import shap

    x, background = _input(v)
    return shap.KernelExplainer(v, background).shap_values(x, nsamples=budget, l1_reg=False, silent=True)


@_peer("shap PermutationExplainer")
def shap_permutation(v: CountedGame, budget: int, seed: int) -> Any:
    """`PermutationExplainer`: permutations forward and backward, 2d + 1 rows each as it counts them."""
    import shap

    if budget < 2 * v.d + 1:
        return None
    x, background = _input(v)
    explainer = shap.PermutationExplainer(v, shap.maskers.Independent(background), seed=seed)
    return explainer(x, max_evals=budget, silent=True).values


# -- shapiq -----------------------------------------------------------------------------------------------------------


def _shapiq(name: str, v: CountedGame, budget: int, seed: int, **options: Any) -> Any:
    import shapiq

    estimator = getattr(shapiq.approximator, name)(n=v.d, random_state=seed, **options)
    found = estimator.approximate(budget=budget, game=v)
    return [found[(i,)] for i in range(v.d)]


@_peer("shapiq KernelSHAP")
def shapiq_kernel(v: CountedGame, budget: int, seed: int) -> Any:
    """`KernelSHAP` as it comes."""
    return _shapiq("KernelSHAP", v, budget, seed)


@_peer("shapiq KernelSHAP paired")
def shapiq_kernel_paired(v: CountedGame, budget: int, seed: int) -> Any:
    """`KernelSHAP` with `pairing_trick`: every coalition together with its complement."""
    return _shapiq("KernelSHAP", v, budget, seed, pairing_trick=True)


@_peer("shapiq UnbiasedKernelSHAP")
def shapiq_unbiased(v: CountedGame, budget: int, seed: int) -> Any:
    """`UnbiasedKernelSHAP`, paired."""
    return _shapiq("UnbiasedKernelSHAP", v, budget, seed, pairing_trick=True)


@_peer("shapiq kADDSHAP")
def shapiq_kadd(v: CountedGame, budget: int, seed: int) -> Any:
    """`kADDSHAP` of order 2, paired: a regression on units and pairs."""
    return _shapiq("kADDSHAP", v, budget, seed, max_order=2, pairing_trick=True)


@_peer("shapiq SVARM")
def shapiq_svarm(v: CountedGame, budget: int, seed: int) -> Any:
    """`SVARM`, paired."""
    return _shapiq("SVARM", v, budget, seed, pairing_trick=True)


@_peer("shapiq PermutationSamplingSV")
def shapiq_permutation(v: CountedGame, budget: int, seed: int) -> Any:
    """`PermutationSamplingSV`: independent permutations, d - 1 rows each."""
    return _shapiq("PermutationSamplingSV", v, budget, seed) if budget >= v.d + 1 else None


# -- captum -----------------------------------------------------------------------------------------------------------


@_peer("captum ShapleyValueSampling")
def captum_sampling(v: CountedGame, budget: int, seed: int) -> Any:
    """`ShapleyValueSampling`: independent permutations, d rows each, one row more for the empty coalition."""
    from captum.attr import ShapleyValueSampling

    steps = (budget - 1) // v.d
    return _captum(ShapleyValueSampling, v, steps, v.d, seed) if steps else None


@_peer("captum KernelShap")
def captum_kernel(v: CountedGame, budget: int, seed: int) -> Any:
    """`KernelShap`: independent coalitions from the Shapley kernel, the ends with a large weight."""
    from captum.attr import KernelShap

    return _captum(KernelShap, v, budget, min(BATCH, budget), seed)


def _captum(method: Any, v: CountedGame, steps: int, batch: int, seed: int) -> Any:
    import torch

    x, background = (torch.from_numpy(row) for row in _input(v))
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        explainer = method(lambda rows: torch.from_numpy(v(rows.numpy())))
        return explainer.attribute(x, background, n_samples=steps, perturbations_per_eval=batch).numpy()


# -- lightshap --------------------------------------------------------------------------------------------------------


@_peer("lightshap kernel")
def lightshap_kernel(v: CountedGame, budget: int, seed: int) -> Any:
    """Kernel SHAP of the library's own degree (`h2` up to 16 units, `h1` above), a lower one if the budget is small."""
    d = v.d
    hows = (("h2", 2, 2 * d + d * (d - 1)), ("h1", 1, 2 * d), ("sampling", 0, 0))
    for how, degree, exact in hows if d <= 16 else hows[1:]:
        steps = (budget - 2 - exact) // max(2 * (d - 1 - 2 * degree), 1)
        if d >= 2 * degree + 2 and steps >= 1:
            return _lightshap("kernel", how, v, steps, seed)
    return None


@_peer("lightshap permutation")
def lightshap_permutation(v: CountedGame, budget: int, seed: int) -> Any:
    """Permutation SHAP: antithetic, the coalitions of 1 and d - 1 units shared by all permutations."""
    steps = (budget - 2 - 2 * v.d) // (2 * (v.d - 3)) if v.d > 3 else 0
    return _lightshap("permutation", "sampling", v, steps, seed) if steps >= 1 else None


def _lightshap(method: str, how: str, v: CountedGame, steps: int, seed: int) -> Any:
    """Run for exactly `steps` steps: with a tolerance of 0 it never stops early."""
    from lightshap import explain_any

    x, background = _input(v)
    options = {"max_iter": steps, "tol": 0.0, "random_state": seed, "verbose": False}
    try:
        return explain_any(v, x, bg_X=background, method=method, how=how, **options).shap_values
    except ValueError as error:
        if "singular" in str(error):
            return None
        raise
