"""Exact values of tree ensembles: processor seconds and memory of lcshap, shap, shapiq, woodelf and the libraries.

Every cell is a model, a kind of values, a number of rows and a number of background rows. All packages of a cell
explain the same model in the same process, each in a fork of it, on one thread. The first call includes reading the
model; the second one explains the same rows again. A cell that takes longer than the limit is stopped and marked.
Results are lines of a JSON file; a cell that is in the file is not measured again.

    python benchmarks/trees.py trees.jsonl                        all cells, with the peers that this Python has
    python benchmarks/trees.py trees.jsonl --python PATH          with another Python, which needs what lcshap needs
    python benchmarks/trees.py trees.jsonl --only lightgbm --rows 1 40 3000
    python benchmarks/trees.py trees.jsonl --table                only the table of the results
"""

from __future__ import annotations

import argparse
import json
import math
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

ROWS = (1, 40, 3_000, 100_000)
BACKGROUNDS = (0, 100, 1_000, 10_000)  # 0 for path-dependent values
PEERS = ("lcshap", "shap", "shapiq", "woodelf", "library")
COLUMNS, TRAINING_ROWS = 20, 5_000
Explain = Callable[[Any], Any]


# -- models ------------------------------------------------------------------------------------------------------------


def table(rows: int, seed: int) -> Any:
    """Columns of numbers, some of which are correlated."""
    import pandas as pd

    rng = np.random.default_rng(seed)
    numbers = rng.normal(size=(rows, COLUMNS))
    numbers[:, 1::2] += 0.5 * numbers[:, ::2]
    return pd.DataFrame(numbers.astype(np.float32).astype(np.float64), columns=[f"c{k}" for k in range(COLUMNS)])


def fitted(name: str) -> Any:
    """A model of this name."""
    X = table(TRAINING_ROWS, 0)
    numbers = X.to_numpy()
    rng = np.random.default_rng(1)
    y = numbers[:, 0] * numbers[:, 1] + np.sin(2 * numbers[:, 2]) + numbers[:, 3:8].sum(axis=1)
    return MODELS[name]().fit(X, y + rng.normal(size=len(y)))


def _tree(**options: Any) -> Any:
    from sklearn.tree import DecisionTreeRegressor

    return DecisionTreeRegressor(random_state=0, **options)


def _forest(**options: Any) -> Any:
    from sklearn.ensemble import RandomForestRegressor

    return RandomForestRegressor(100, random_state=0, **options)


def _lightgbm() -> Any:
    from lightgbm import LGBMRegressor

    return LGBMRegressor(n_estimators=200, num_leaves=31, verbose=-1, n_jobs=1)


def _xgboost() -> Any:
    from xgboost import XGBRegressor

    return XGBRegressor(n_estimators=100, max_depth=6, n_jobs=1)


def _histogram() -> Any:
    from sklearn.ensemble import HistGradientBoostingRegressor

    return HistGradientBoostingRegressor(max_iter=100)


def _catboost() -> Any:
    from catboost import CatBoostRegressor

    return CatBoostRegressor(iterations=200, depth=6, verbose=0, thread_count=1, allow_writing_files=False)


MODELS: dict[str, Callable[[], Any]] = {
    "tree": lambda: _tree(max_depth=8),
    "forest-8": lambda: _forest(max_depth=8),
    "lightgbm": _lightgbm,
    "xgboost": _xgboost,
    "histogram": _histogram,
    "catboost": _catboost,
    "forest": lambda: _forest(min_samples_leaf=5),
    "forest-deep": _forest,
}


# -- packages ----------------------------------------------------------------------------------------------------------


def _lcshap(model: Any, background: Any, pairs: bool) -> Explain:
    import lcshap as lc

    return lc.Explainer(model, lc.maskers.Tabular(background), interactions=pairs)


def _shap(model: Any, background: Any, pairs: bool) -> Explain:
    import shap

    if background is None:
        explainer = shap.TreeExplainer(model, feature_perturbation="tree_path_dependent")
    elif pairs:
        raise NotImplementedError("its interactions with a background are zero")
    else:
        masker = shap.maskers.Independent(background, max_samples=len(background))  # by default it takes 100 of them
        explainer = shap.TreeExplainer(model, masker, feature_perturbation="interventional")
    if pairs:
        return explainer.shap_interaction_values  # type: ignore[no-any-return]
    return lambda X: explainer.shap_values(X, check_additivity=False)


def _shapiq(model: Any, background: Any, pairs: bool) -> Explain:
    import shapiq

    options: dict[str, Any] = {"max_order": 2, "index": "SII"} if pairs else {"max_order": 1, "index": "SV"}
    if background is not None:
        options |= {"mode": "interventional", "reference_dataset": background.to_numpy()}
    explainer = shapiq.TreeExplainer(model, **options)
    return lambda X: [explainer.explain(x) for x in X.to_numpy()]


def _woodelf(model: Any, background: Any, pairs: bool) -> Explain:
    from woodelf import WoodelfExplainer

    explainer = WoodelfExplainer(model, background)
    if pairs:
        return lambda X: explainer.shap_interaction_values(X, include_interaction_with_itself=False, as_df=True)
    return lambda X: explainer.shap_values(X, verbose=False)


def _library(model: Any, background: Any, pairs: bool) -> Explain:
    package = type(model).__module__.partition(".")[0]
    if background is not None or package == "sklearn" or (pairs and package == "lightgbm"):
        raise NotImplementedError("the library has no such values")
    if package == "lightgbm":
        return lambda X: model.predict(X, pred_contrib=True)
    if package == "xgboost":
        import xgboost

        option = {"pred_interactions": True} if pairs else {"pred_contribs": True}
        return lambda X: model.get_booster().predict(xgboost.DMatrix(X, nthread=1), **option)
    import catboost

    kind = "ShapInteractionValues" if pairs else "ShapValues"
    return lambda X: model.get_feature_importance(catboost.Pool(X), type=kind, thread_count=1)


EXPLAINERS = {"lcshap": _lcshap, "shap": _shap, "shapiq": _shapiq, "woodelf": _woodelf, "library": _library}


# -- measuring ---------------------------------------------------------------------------------------------------------


def measure(peer: str, model: Any, cell: dict[str, Any], seconds: float) -> dict[str, Any]:
    """The processor seconds of both calls and the memory that they take, in a fork of this process."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        signal.alarm(0)
        answer = {}
        try:
            answer = _run(peer, model, cell)
        except Exception as error:
            answer = {"error": f"{type(error).__name__}: {error}"[:200]}
        os.write(writer, json.dumps(answer).encode())
        os._exit(0)
    os.close(writer)
    limit, answer = time.monotonic() + 4 * seconds, b""
    while not (ended := os.waitpid(child, os.WNOHANG)[0]):
        if _processor_seconds(child) > seconds or time.monotonic() > limit:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            break
        time.sleep(0.005)
    answer = os.read(reader, 1 << 16) if ended else b""
    os.close(reader)
    return json.loads(answer) if answer else {"error": f"stopped after {seconds:g} s"}


def _processor_seconds(process: int) -> float:
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _run(peer: str, model: Any, cell: dict[str, Any]) -> dict[str, Any]:
    rows, background = table(cell["rows"], 2), table(cell["background"], 3) if cell["background"] else None
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    begin = time.process_time()
    explain = EXPLAINERS[peer](model, background, cell["pairs"])
    explain(rows)
    first = time.process_time() - begin
    begin = time.process_time()
    explain(rows)
    again = time.process_time() - begin
    memory = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    return {"first": round(first, 5), "again": round(again, 5), "megabytes": round(memory)}


def measure_model(arguments: argparse.Namespace) -> None:
    """All cells of one model, appended to the file."""
    name = arguments.model
    model, results = fitted(name), read(arguments.results)
    for peer in arguments.peers:  # imported once, before the forks
        try:
            EXPLAINERS[peer](model, None, False)(table(1, 2))
        except Exception as error:
            print(f"{name}, {peer}: {type(error).__name__}: {error}"[:200], file=sys.stderr)
    for cell in cells(arguments, name):
        for peer in arguments.peers:
            key = {**cell, "peer": peer}
            if any(all(line.get(k) == v for k, v in key.items()) for line in results):
                continue
            line = {**key, **measure(peer, model, cell, arguments.seconds)}
            with arguments.results.open("a", encoding="utf-8") as file:
                file.write(json.dumps(line) + "\n")


def cells(arguments: argparse.Namespace, name: str) -> Iterator[dict[str, Any]]:
    """The cells of a model, the small ones first."""
    for rows in arguments.rows:
        for background in arguments.backgrounds:
            for pairs in (False, True):
                if not pairs or rows <= arguments.pair_rows:
                    yield {"model": name, "rows": rows, "background": background, "pairs": pairs}


def read(path: Path) -> list[dict[str, Any]]:
    """The results so far."""
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


# -- the table ---------------------------------------------------------------------------------------------------------


def print_table(results: list[dict[str, Any]]) -> None:
    """Seconds of the first and the second call, and how many times as long the fastest peer takes as lcshap."""
    grouped: dict[tuple[Any, ...], dict[str, dict[str, Any]]] = {}
    for line in results:
        key = tuple(line[name] for name in ("model", "rows", "background", "pairs"))
        grouped.setdefault(key, {})[line["peer"]] = line
    peers = [peer for peer in PEERS if any(peer in cell for cell in grouped.values())]
    heads = ["model", "rows", "background", "pairs", *peers, "MB", "fastest peer / lcshap"]
    print("| " + " | ".join(heads) + " |\n" + "|---" * len(heads) + "|")
    ratios = []
    for (model, rows, background, pairs), cell in grouped.items():
        own = cell.get("lcshap", {})
        others = [line["first"] for peer, line in cell.items() if peer != "lcshap" and "first" in line]
        ratio = min(others) / own["first"] if others and own.get("first") else math.nan
        if rows >= 3_000 and not math.isnan(ratio):
            ratios.append(ratio)
        limits = [
            float(line["error"].split()[2]) for line in cell.values() if line.get("error", "").startswith("stopped")
        ]
        is_bound = math.isnan(ratio) and bool(limits) and "first" in own
        shown = f"> {min(limits) / own['first']:.2g}" if is_bound else "" if math.isnan(ratio) else f"{ratio:.2g}"
        columns = [_seconds(cell.get(peer)) for peer in peers]
        described = [model, f"{rows:,}", f"{background:,}" if background else "none", "yes" if pairs else ""]
        print("| " + " | ".join([*described, *columns, str(own.get("megabytes", "")), shown]) + " |")
    if ratios:
        mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
        print(f"\nGeometric mean of the ratios of {len(ratios)} cells with 3,000 rows and more: {mean:.2f}")


def _seconds(line: dict[str, Any] | None) -> str:
    if line is None or "error" in line:
        return "" if line is None else "stopped" if line["error"].startswith("stopped") else "-"
    return f"{line['first']:.3g} ({line['again']:.3g})"


def main() -> None:
    """Measure what is missing in the file, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=Path)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--only", nargs="+", default=list(MODELS), choices=list(MODELS))
    parser.add_argument("--peers", nargs="+", default=list(PEERS), choices=list(PEERS))
    parser.add_argument("--rows", nargs="+", type=int, default=list(ROWS))
    parser.add_argument("--pair-rows", type=int, default=3_000, help="the most rows for which pairs are explained")
    parser.add_argument("--backgrounds", nargs="+", type=int, default=list(BACKGROUNDS))
    parser.add_argument("--seconds", type=float, default=300.0)
    parser.add_argument("--table", action="store_true", help="measure nothing")
    parser.add_argument("--model", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.model:
        measure_model(arguments)
        return
    threads = {name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")}
    for name in [] if arguments.table else arguments.only:
        command = [arguments.python, __file__, *sys.argv[1:], "--model", name]
        subprocess.run(command, env={**os.environ, **threads}, check=False)
    print_table(read(arguments.results))


if __name__ == "__main__":
    main()
