"""Tables: forests, boosted trees, a network and a linear model with interactions, 15 to 100 columns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..game import Bench, Masks, Values
from ..truth import Truth
from .base import kept, log_odds, task
from .trees import Node, from_lightgbm, from_sklearn, from_xgboost, tree_truth

INPUTS = 2  # rows explained of each model


@dataclass(frozen=True, eq=False)
class Mixed:
    """Rows that are x where a unit is kept and a background row elsewhere; the answers are averaged."""

    predict: Callable[[Values], Values]
    x: Values
    background: Values

    def __call__(self, masks: Masks) -> Values:
        """The values of the coalitions."""
        rows = np.where(masks[:, None, :], self.x, self.background)
        answers = np.asarray(self.predict(rows.reshape(-1, rows.shape[2])), np.float64)
        return answers.reshape(len(masks), -1).mean(axis=1)


def games(
    family: str,
    predict: Callable[[Values], Values],
    rows: Values,
    background: Values,
    trees: list[Node] | None = None,
) -> list[Bench]:
    """A game for each of the first rows; exact truth where the model is a sum of trees."""
    found = []
    for k, x in enumerate(rows[:INPUTS]):
        known = None if trees is None else lambda x=x: tree_truth(trees, x, background)
        fn = Mixed(predict, x, background)
        found.append(Bench(f"{family}-{k}", family, len(x), fn, known=known, pair_samples=400))
    return found


def data(name: str, columns: int = 60) -> tuple[Values, Any]:
    """Rows as float32, which every tree library compares alike, and answers."""
    from sklearn import datasets

    if name == "cancer":
        x, y = datasets.load_breast_cancer(return_X_y=True)
        x = (x - x.mean(axis=0)) / x.std(axis=0)
    elif name == "digits":
        x, y = datasets.load_digits(return_X_y=True)
        y = (y >= 5).astype(int)
    else:
        x, y = datasets.make_classification(
            3000, columns, n_informative=columns // 3, n_redundant=columns // 6, n_clusters_per_class=4, random_state=1
        )
    order = np.random.default_rng(0).permutation(len(x))
    return x[order].astype(np.float32), np.asarray(y)[order]


@task("forest-30")
def forest(folder: Path) -> list[Bench]:
    """A random forest on breast cancer data: the probability of a class, ten background rows."""
    from sklearn.ensemble import RandomForestClassifier

    x, y = data("cancer")
    make = lambda: RandomForestClassifier(50, max_depth=8, random_state=0).fit(x[100:], y[100:])  # noqa: E731
    model = kept(folder, "forest-30", make)
    trees = [from_sklearn(tree, 1 / 50, column=1) for tree in model.estimators_]
    return games("forest-30", lambda rows: model.predict_proba(rows)[:, 1], x[:100], x[100:110], trees)


@task("forest-regression-60")
def forest_sixty(folder: Path) -> list[Bench]:
    """A random forest on 60 columns, one background row."""
    from sklearn.ensemble import RandomForestRegressor

    x, y = data("made", 60)
    make = lambda: RandomForestRegressor(50, min_samples_leaf=3, random_state=0).fit(x[100:], y[100:])  # noqa: E731
    model = kept(folder, "forest-regression-60", make)
    trees = [from_sklearn(tree, 1 / 50) for tree in model.estimators_]
    return games("forest-regression-60", model.predict, x[:100], x[100:101], trees)


@task("lightgbm-30")
def lightgbm_cancer(folder: Path) -> list[Bench]:
    """LightGBM on breast cancer data: the margin against the mean row."""
    return boosted_light(folder, "lightgbm-30", *data("cancer"))


@task("lightgbm-64")
def lightgbm_digits(folder: Path) -> list[Bench]:
    """LightGBM on 8x8 digits, low against high: the margin, one background row."""
    return boosted_light(folder, "lightgbm-64", *data("digits"))


def boosted_light(folder: Path, family: str, x: Values, y: Any) -> list[Bench]:
    """Trained on all rows but a hundred."""
    from lightgbm import Booster, LGBMClassifier

    def make() -> str:
        model = LGBMClassifier(n_estimators=100, num_leaves=15, n_jobs=1, verbose=-1, random_state=0)
        return str(model.fit(x[100:], y[100:]).booster_.model_to_string())

    model = Booster(model_str=kept(folder, family, make))
    background = x[100:].mean(axis=0, keepdims=True).astype(np.float32)
    predict = lambda rows: model.predict(rows, raw_score=True, num_threads=1)  # noqa: E731
    return games(family, predict, x[:100], background, from_lightgbm(model))


@task("xgboost-15")
def xgboost_small(folder: Path) -> list[Bench]:
    """XGBoost on 15 columns."""
    return boosted_extreme(folder, "xgboost-15", *data("made", 15))


@task("xgboost-100")
def xgboost_large(folder: Path) -> list[Bench]:
    """XGBoost on 100 columns."""
    return boosted_extreme(folder, "xgboost-100", *data("made", 100))


def boosted_extreme(folder: Path, family: str, x: Values, y: Any) -> list[Bench]:
    """Trained on all rows but a hundred; ten background rows."""
    import xgboost

    options = {"max_depth": 4, "eta": 0.1, "objective": "binary:logistic", "nthread": 1, "seed": 0}
    make = lambda: xgboost.train(options, xgboost.DMatrix(x[100:], y[100:]), 100)  # noqa: E731
    model = kept(folder, family, make)
    predict = lambda rows: model.inplace_predict(np.ascontiguousarray(rows), predict_type="margin")  # noqa: E731
    return games(family, predict, x[:100], x[100:110], from_xgboost(model))


@task("mlp-30")
def network(folder: Path) -> list[Bench]:
    """A network of two hidden layers on breast cancer data: log odds against the mean row."""
    from sklearn.neural_network import MLPClassifier

    x, y = data("cancer")
    make = lambda: MLPClassifier((32, 32), alpha=1e-2, max_iter=400, random_state=0).fit(x[100:], y[100:])  # noqa: E731
    model = kept(folder, "mlp-30", make)
    background = x[100:].mean(axis=0, keepdims=True)
    return games("mlp-30", lambda rows: log_odds(model.predict_proba(rows), 1), x[:100], background)


@task("linear-pairs-40")
def linear(folder: Path) -> list[Bench]:
    """A linear model with products of columns, of 40 columns: its Shapley value is known in closed form."""
    rng = np.random.default_rng(5)
    d = 40
    alone, together = rng.normal(size=d), np.triu(rng.normal(size=(d, d)) * (rng.random((d, d)) < 0.1), 1)
    predict = lambda rows: rows @ alone + np.einsum("ni,ij,nj->n", rows, together, rows)  # noqa: E731
    found = []
    for k in range(INPUTS):
        x = rng.normal(size=d)
        both = together * np.outer(x, x)
        pairs = both[np.triu_indices(d, 1)]
        known = Truth(alone * x + (both.sum(axis=0) + both.sum(axis=1)) / 2, np.zeros(d), pairs)
        fn = Mixed(predict, x, np.zeros((1, d)))
        found.append(Bench(f"linear-pairs-40-{k}", "linear-pairs-40", d, fn, known=lambda known=known: known))
    return found
