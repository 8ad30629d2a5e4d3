"""Compare the scores of two versions of lcshap, bit by bit.

``python benchmarks/same_scores.py old/src new/src`` runs every example of the registry on several graphs with the
package in each of the two folders, on one BLAS thread, and prints how many arrays are equal to the bit. It exits with
1 if any scores differ. Standard errors and interactions are compared too, and reported separately.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

_ONE_THREAD = {name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")}
_ARRAYS = ("scores", "stderr", "interactions", "interaction_stderr")


def games(lc: Any) -> dict[str, tuple[Any, Any]]:
    """Graphs, and on each of them a game with two outputs and interactions of all orders."""
    graphs = {
        "chain": lc.Graph.chain(6),
        "grid": lc.Graph.grid((2, 3)),
        "scattered": lc.Graph.from_edges(6, [(0, 4), (4, 1), (2, 5)]),
        "ring": lc.Graph.ring(8),
        "complete": lc.Graph.complete(7),
        **{f"chain-{d}": lc.Graph.chain(d) for d in (14, 30, 50, 64, 80, 200)},
        "grid-7x7": lc.Graph.grid((7, 7)),
        "complete-20": lc.Graph.complete(20),
    }
    return {name: (graph, _game(lc, graph.d, seed)) for seed, (name, graph) in enumerate(graphs.items())}


def _game(lc: Any, d: int, seed: int) -> Any:
    rng = np.random.default_rng(seed)
    unary, pairs = rng.normal(size=(d, 2)), rng.normal(size=(d, d, 2)) / d

    def v(kept: Any) -> Any:
        z = kept.astype(float)
        return -np.logaddexp(0, -(z @ unary + np.einsum("ni,nj,ijo->no", z, z, pairs)))

    return lc.Game(v, d)


def methods(lc: Any, name: str, d: int) -> list[Any]:
    """The examples of the registry on small graphs, and the default method with usual budgets on large ones."""
    if d <= 8:
        return [method for entry in lc.METHODS.entries() for method in entry.examples]
    budgets = [2 * d, 2 * d + 2, 3 * d, 4 * d, 6 * d, 8 * d, 16 * d] + ([32 * d] if d <= 30 else [])
    return [
        *(lc.GraphKernelSHAP(budget, interactions=d <= 50) for budget in budgets),
        lc.KernelSHAP(8 * d),
        lc.SampleShapley(8 * d),
        lc.LIME(8 * d),
        lc.LShapley(1),
        lc.SampledLShapley(8 * d, 2),
    ]


def models(lc: Any) -> dict[str, Any]:
    """Explanations by methods that read the model itself: trees, gradients and receptive fields."""
    from sklearn.datasets import load_diabetes
    from sklearn.ensemble import HistGradientBoostingRegressor, RandomForestRegressor

    x, y = load_diabetes(return_X_y=True)
    forest = RandomForestRegressor(10, random_state=0).fit(x, y)
    boosting = HistGradientBoostingRegressor(max_iter=20, random_state=0).fit(x, y)
    table = lc.maskers.Tabular(x[:20])
    made = {
        f"{type(model).__name__} {method.name}": lc.Explainer(model, table, method=method)(x[100])
        for model in (forest, boosting)
        for method in (lc.TreeSHAP(), lc.Shapley(), lc.GraphKernelSHAP(80), lc.LShapley(1))
    }
    import torch

    torch.manual_seed(0)
    net = torch.nn.Sequential(torch.nn.Conv1d(1, 4, 3), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(72, 2))
    series = np.random.default_rng(0).normal(size=(20, 1)).astype(np.float32)
    transposed = torch.nn.Sequential(_Transpose(), net).eval()
    masker = lc.maskers.Series(window=2, channels="last")
    for method in (lc.Saliency(), lc.GradientInput(), lc.Shapley(), lc.CShapley(3), lc.DeletionPath(60)):
        made[f"network {method}"] = lc.Explainer(transposed, masker, method=method, kind="logits")(series)
    parts = lc.Game(lambda kept: _parts(kept).sum(axis=1), 30, part_fn=_parts)
    for interactions in (False, True):
        method = lc.ReceptiveShapley(1, interactions=interactions)
        made[str(method)] = method.explain(parts, lc.Graph.chain(30))
    return made


def _parts(kept: Any) -> Any:
    """What each unit adds: more and more where it and the next one are kept."""
    return kept * np.roll(kept, -1, axis=1) * np.sqrt(np.arange(30.0)) * (np.arange(30) < 29)


def _Transpose() -> Any:  # noqa: N802 - a class that needs torch
    import torch

    class Transpose(torch.nn.Module):
        def forward(self, x: Any) -> Any:
            return x.transpose(1, 2)

    return Transpose()


def record(path: str) -> None:
    """Write the arrays of all explanations of the version that is imported."""
    import lcshap as lc

    arrays: dict[str, Any] = {}

    def add(key: str, e: Any) -> None:
        for name in _ARRAYS:
            part = getattr(e, name, None)
            if part is not None:
                outputs = part if isinstance(part, list | tuple) else [part]
                arrays[f"{_rename_parameters(key)} | {name}"] = np.stack([_dense(output) for output in outputs])

    for name, (graph, game) in games(lc).items():
        for method in methods(lc, name, graph.d):
            try:
                add(f"{method} on {name}", method.explain(game, graph))
            except lc.LcshapError as error:  # gradients of a game that has none, for instance
                arrays[f"{_rename_parameters(str(method))} on {name} | error"] = np.array(type(error).__name__)
    for name, e in models(lc).items():
        add(name, e)
    np.savez(path, **arrays)


def _rename_parameters(key: str) -> str:
    """The key of an array with the present names of parameters, which had other names in earlier versions."""
    for earlier, present in (("reach=", "order="), ("hops=", "order="), (" share=", " path_share=")):
        key = key.replace(earlier, present)
    return key


def _dense(part: Any) -> Any:
    return part.toarray() if hasattr(part, "toarray") else np.asarray(part)


def compare(old: Any, new: Any) -> int:
    """Print what differs, and return the number of scores that do."""
    different = 0
    print(f"{'':20} {'compared':>9} {'equal':>7}   largest relative difference")
    for kind in (*_ARRAYS, "error"):
        keys = [key for key in old if key.endswith(f" | {kind}")]
        unequal, worst = [], (0.0, "")
        for key in keys:
            if key not in new or old[key].tobytes() != new[key].tobytes():
                unequal.append(key)
                if key in new and kind != "error" and old[key].shape == new[key].shape:
                    scale = np.abs(old[key][np.isfinite(old[key])]).max(initial=1e-300)
                    worst = max(worst, (float(np.nanmax(np.abs(old[key] - new[key]))) / scale, key))
                else:
                    worst = (np.inf, key)
        print(f"{kind:20} {len(keys):>9} {len(keys) - len(unequal):>7}   {worst[0]:.1e} {worst[1]}")
        different += len(unequal) if kind in ("scores", "error") else 0
    return different


def main() -> None:
    """Run both versions and compare them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sources", nargs="+", help="two folders with the package; or one file to record to")
    sources = parser.parse_args().sources
    if len(sources) == 1:
        record(sources[0])
        return
    with tempfile.TemporaryDirectory() as folder:
        results = []
        for number, source in enumerate(sources[:2]):
            path = Path(folder) / f"{number}.npz"
            cached = Path(source)
            if cached.suffix == ".npz":
                results.append(dict(np.load(cached)))
                continue
            environment = {**os.environ, **_ONE_THREAD, "PYTHONPATH": str(cached.resolve())}
            subprocess.run([sys.executable, __file__, str(path)], check=True, env=environment)
            results.append(dict(np.load(path)))
        sys.exit(1 if compare(*results) else 0)


if __name__ == "__main__":
    main()
