"""Time and memory of the explanations of many inputs: as `lcshap.Explanations`, as a list, and as `shap.Explanation`.

By default 100,000 rows of a table with 20 columns. ``python benchmarks/explanations.py [rows]``

The list holds the same explanations as objects of their own, as version 0.2 returned them. Things that a list or a
`shap.Explanation` cannot do have no number. The list is measured with a tenth of the rows, and its numbers are
multiplied by ten: files of a list are one JSON file for each input. A second table has explanations with interactions
of all pairs, a twentieth of the rows.
"""

from __future__ import annotations

import gc
import pickle
import sys
import tempfile
import time
import tracemalloc
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

import lcshap as lc

COLUMNS, LIST_SHARE, PAIRS_SHARE = 20, 10, 20
Measured = tuple[float, float]  # seconds, and megabytes that remain allocated


def measure(call: Callable[[], Any]) -> tuple[Any, Measured]:
    """Call a function twice: once for the time, and once for the memory of what it returns."""
    call()
    gc.collect()
    start = time.perf_counter()
    call()
    seconds = time.perf_counter() - start
    gc.collect()
    tracemalloc.start()
    result = call()
    gc.collect()
    size = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    return result, (seconds, size / 1e6)


def make_arrays(rows: int) -> dict[str, Any]:
    """Random scores and feature values."""
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(rows, COLUMNS))
    return {
        "scores": scores,
        "base_values": np.zeros(rows),
        "predictions": scores.sum(axis=1),
        "data": rng.normal(size=(rows, COLUMNS)),
        "names": [f"feature {k}" for k in range(COLUMNS)],
    }


def measure_set(arrays: dict[str, Any], folder: Path) -> dict[str, Measured]:
    """`lcshap.Explanations`."""
    numbers = {name: arrays[name] for name in ("scores", "base_values", "predictions")}
    mask = arrays["scores"][:, 0] > 0
    results = {}
    xs, results["build"] = measure(
        lambda: lc.Explanations.from_arrays(**numbers, data=arrays["data"], names=arrays["names"], calls=40, method="m")
    )
    exposed = sum(array.nbytes for array in (xs.scores, xs.base_values, xs.predictions, xs.data)) / 1e6
    print(f"{len(xs):,} rows x {COLUMNS}: the exposed arrays take {exposed:.1f} MB")
    _, results["one explanation"] = measure(lambda: xs[len(xs) // 2])
    _, results["slice of a half"] = measure(lambda: xs[: len(xs) // 2])
    _, results["mask of a half"] = measure(lambda: xs.where(mask))
    _, results["iterate over all"] = measure(lambda: sum(1 for _ in xs))
    _, results["to_dataframe()"] = measure(xs.to_dataframe)
    _, results["to_dataframe(wide=True)"] = measure(lambda: xs.to_dataframe(wide=True))
    _, results["to_shap()"] = measure(xs.to_shap)
    _, results["importance()"] = measure(xs.importance)
    path, results["save"] = measure(lambda: xs.save(folder / "xs.parquet"))
    loaded, results["load"] = measure(lambda: lc.load(path))
    assert np.array_equal(loaded.scores, xs.scores)
    assert np.array_equal(loaded.data, xs.data)
    print(f"the file takes {path.stat().st_size / 1e6:.1f} MB")
    return results


def measure_list(arrays: dict[str, Any], folder: Path) -> dict[str, Measured]:
    """A list of explanations."""
    rows = len(arrays["scores"]) // LIST_SHARE
    numbers = {name: arrays[name][:rows] for name in ("scores", "base_values", "predictions")}
    xs = lc.Explanations.from_arrays(**numbers, data=arrays["data"][:rows], names=arrays["names"], calls=40, method="m")
    paths = [folder / f"e{k}.json" for k in range(rows)]

    results = {}
    listed, results["build"] = measure(lambda: _copies(xs))
    _, results["slice of a half"] = measure(lambda: listed[: rows // 2])
    mask = (arrays["scores"][:rows, 0] > 0).tolist()
    _, results["mask of a half"] = measure(lambda: [e for e, keep in zip(listed, mask, strict=True) if keep])
    _, results["iterate over all"] = measure(lambda: sum(1 for _ in listed))
    _, results["to_dataframe()"] = measure(lambda: pd.concat([e.to_dataframe() for e in listed[:500]]))
    results["to_dataframe()"] = tuple(number * rows / 500 for number in results["to_dataframe()"])  # type: ignore[assignment]
    some = list(zip(listed, paths, strict=True))[:500]
    _, saved = measure(lambda: [e.save(path) for e, path in some])
    _, loaded = measure(lambda: [lc.load(path) for _, path in some])
    results["save"], results["load"] = ((s * rows / 500, m * rows / 500) for s, m in (saved, loaded))
    return {name: (seconds * LIST_SHARE, size * LIST_SHARE) for name, (seconds, size) in results.items()}


def _copies(xs: lc.Explanations[lc.Explanation]) -> list[lc.Explanation]:
    """Explanations with arrays and records of their own, as version 0.2 made them."""
    return [lc.Explanation(**{**vars(e), "scores": e.scores.copy(), "provenance": dict(e.provenance)}) for e in xs]


def measure_shap(arrays: dict[str, Any], folder: Path) -> dict[str, Measured]:
    """`shap.Explanation`, with pickle as its file."""
    import shap

    scores, base, data = arrays["scores"], arrays["base_values"], arrays["data"]
    mask, results = scores[:, 0] > 0, {}

    def build() -> Any:
        return shap.Explanation(scores.copy(), base.copy(), data.copy(), feature_names=arrays["names"])

    theirs, results["build"] = measure(build)
    _, results["one explanation"] = measure(lambda: theirs[len(scores) // 2])
    _, results["slice of a half"] = measure(lambda: theirs[: len(scores) // 2])
    _, results["mask of a half"] = measure(lambda: theirs[mask])
    path = folder / "theirs.pickle"
    _, results["save"] = measure(lambda: path.write_bytes(pickle.dumps(theirs)))
    _, results["load"] = measure(lambda: pickle.loads(path.read_bytes()))
    return results


def make_pairs(rows: int) -> list[lc.Explanation]:
    """Explanations with interactions of all pairs and their standard errors, as estimators return them."""
    rng = np.random.default_rng(0)
    graph, first = lc.Graph.complete(COLUMNS), np.triu_indices(COLUMNS, 1)
    explanations = []
    for scores in rng.normal(size=(rows, COLUMNS)):
        matrices = np.zeros((2, COLUMNS, COLUMNS))
        matrices[:, *first] = np.abs(rng.normal(size=(2, len(first[0]))))
        pairs, stderr = map(sparse.csr_array, matrices + matrices.swapaxes(1, 2))
        stated = {"name": "m", "method": "m()", "parameters": {}}
        e = lc.Explanation(scores, 0.0, scores.sum(), graph, 60, stated, pairs, interaction_stderr=stderr)
        explanations.append(e)
    return explanations


def measure_pairs(rows: int, folder: Path) -> None:
    """Print what sets with interactions take, against the explanations themselves."""
    explanations, own = measure(lambda: make_pairs(rows))
    xs, gathered = measure(lambda: lc.Explanations(explanations))
    results = {"the explanations themselves": own, "gather in a set": gathered}
    array, results["interactions"] = measure(lambda: xs.interactions)
    path, results["save"] = measure(lambda: xs.save(folder / "pairs.parquet"))
    loaded, results["load"] = measure(lambda: lc.load(path))
    assert np.array_equal(loaded.interactions, array)
    n_pairs, size = COLUMNS * (COLUMNS - 1) // 2, path.stat().st_size / 1e6
    print(f"\n{rows:,} rows with {n_pairs} interactions: a file of {size:.1f} MB")
    for step, (seconds, allocated) in results.items():
        print(f"{step:<28}{seconds:>12.4f}{allocated:>12.1f}")


def main(rows: int = 100_000) -> None:
    """Measure and print both tables."""
    warnings.simplefilter("ignore")  # of shap's imports
    arrays = make_arrays(rows)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        ours = measure_set(arrays, folder)
        columns = {"Explanations": ours, "list": measure_list(arrays, folder), "shap": measure_shap(arrays, folder)}
    print(f"{'':<24}" + "".join(f"{column:>28}" for column in columns))
    print(f"{'':<24}" + f"{'seconds':>16}{'MB':>12}" * len(columns))
    for step in ours:
        cells = [column.get(step) for column in columns.values()]
        texts = [" " * 28 if cell is None else f"{cell[0]:>16.4f}{cell[1]:>12.1f}" for cell in cells]
        print(f"{step:<24}" + "".join(texts).rstrip())
    with tempfile.TemporaryDirectory() as name:
        measure_pairs(rows // PAIRS_SHARE, Path(name))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
