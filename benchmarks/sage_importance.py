"""The error of `lcshap.global_importance` and of the package sage-importance, at equal numbers of model rows.

Three data sets and three models. The truth is computed from all coalitions, all data rows and all background rows. A
line is a data set, a model and a number of model rows: the root mean squared error of ours, of the permutation and of
the kernel estimator of sage-importance, and the ratio of ours to the better of these two. All rows that ours sends are
counted; theirs get as many, and the rows by which they check the labels beside. The design was chosen on artificial
data (`make_classification` and `make_friedman1` of scikit-learn). The default of eight calls a unit was chosen after a
look at the first results on breast cancer, so that only wine and diabetes were not seen before.

    python benchmarks/sage_importance.py [--sets breast wine diabetes] [--models linear boosting network] [--seeds 4]
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import lcshap as lc

sys.path.insert(0, str(Path(__file__).parents[1]))  # for the harness, where this is run as a script
from benchmarks.harness.truth import all_coalitions, exact

Floats = NDArray[np.float64]
BACKGROUND = 50
MAX_DATA_ROWS = 200
SETTINGS = (("4d", 8), ("8d", 8), ("8d", 16), ("16d", 16))  # calls and background rows; the third is the default
CROSS_ENTROPY_FLOOR = 1e-12


@dataclass(frozen=True)
class Case:
    """A model with the rows that it is explained on."""

    model: Any
    X: Floats
    y: NDArray[Any]
    background: Floats
    is_classifier: bool

    @property
    def loss(self) -> str:
        """The loss in our words."""
        return "cross_entropy" if self.is_classifier else "squared"

    def predict(self, rows: Floats) -> Floats:
        """Probabilities, or a column of numbers."""
        return self.model.predict_proba(rows) if self.is_classifier else self.model.predict(rows)[:, None]

    def mean_loss(self, predictions: Floats) -> float:
        """The mean loss of predictions for all data rows."""
        if self.is_classifier:
            chances = predictions[np.arange(len(self.y)), self.y]
            return float(-np.log(np.maximum(chances, CROSS_ENTROPY_FLOOR)).mean())
        return float(((predictions[:, 0] - self.y) ** 2).mean())

    def truth(self) -> Floats:
        """The SAGE values from all coalitions."""
        kept = all_coalitions(self.X.shape[1])
        losses = []
        for coalition in kept:
            rows = np.where(coalition, self.X[:, None], self.background[None])
            predictions = self.predict(rows.reshape(-1, rows.shape[-1]))
            losses.append(self.mean_loss(predictions.reshape(len(self.X), len(self.background), -1).mean(axis=1)))
        return exact(-np.array(losses)).scores


def make_case(name: str, kind: str) -> Case:
    """A data set, cut to ten columns at most, and a model that is fitted to one half of it."""
    from sklearn import datasets
    from sklearn.model_selection import train_test_split
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    load = {"breast": datasets.load_breast_cancer, "wine": datasets.load_wine, "diabetes": datasets.load_diabetes}
    X, y = load[name](return_X_y=True)
    is_classifier = name != "diabetes"
    X = X[:, : 9 if name == "wine" else 10]
    y = y if is_classifier else (y - y.mean()) / y.std()
    split = train_test_split(X, y, test_size=0.5, random_state=0, stratify=y if is_classifier else None)
    X_train, X_test, y_train, y_test = split
    model = make_pipeline(StandardScaler(), _estimator(kind, is_classifier)).fit(X_train, y_train)
    return Case(model, X_test[:MAX_DATA_ROWS], y_test[:MAX_DATA_ROWS], X_train[:BACKGROUND], is_classifier)


def _estimator(kind: str, is_classifier: bool) -> Any:
    from sklearn import ensemble, linear_model, neural_network

    if kind == "linear":
        return linear_model.LogisticRegression() if is_classifier else linear_model.LinearRegression()
    if kind == "boosting":
        family = ensemble.GradientBoostingClassifier if is_classifier else ensemble.GradientBoostingRegressor
        return family(n_estimators=50, random_state=0)
    family = neural_network.MLPClassifier if is_classifier else neural_network.MLPRegressor
    return family(hidden_layer_sizes=(32,), max_iter=1000, random_state=0)


class CountedModel:
    """Predictions of a case, with the number of rows that were asked."""

    def __init__(self, case: Case) -> None:
        self.case, self.rows = case, 0

    def __call__(self, rows: Floats) -> Floats:
        """The predictions for some rows."""
        self.rows += len(rows)
        return self.case.predict(rows)


def ours(case: Case, seed: int, budget: str, background_rows: int) -> tuple[Floats, int]:
    """Our scores, and the model rows they took."""
    model = CountedModel(case)
    kind = "probabilities" if case.is_classifier else "output"
    masker = lc.maskers.Tabular(case.background)
    options = {"budget": budget, "background_rows": background_rows, "seed": seed}
    e = lc.global_importance(model, case.X, case.y, loss=case.loss, masker=masker, kind=kind, **options)
    return e.scores, model.rows


def permutations(case: Case, seed: int, rows: int) -> Floats:
    """The scores of the permutation estimator with at most so many model rows."""
    import sage

    count = rows // (len(case.background) * (case.X.shape[1] + 1))
    return _theirs(case, sage.PermutationEstimator, seed, batch_size=count, n_permutations=count)


def kernel(case: Case, seed: int, rows: int) -> Floats:
    """The scores of the kernel estimator with at most so many model rows."""
    import sage

    count = max(2, (rows // len(case.background) - 2 * len(case.X)) // 2)
    return _theirs(case, sage.KernelEstimator, seed, batch_size=count, n_samples=count)


def _theirs(case: Case, estimator: Callable[..., Any], seed: int, **options: int) -> Floats:
    import sage

    imputer = sage.MarginalImputer(case.predict, case.background)
    estimate = estimator(imputer, "cross entropy" if case.is_classifier else "mse", random_state=seed)
    result = estimate(case.X, case.y, detect_convergence=False, bar=False, verbose=False, **options)
    return np.asarray(result.values)


def measure(case: Case, seeds: int) -> Iterator[tuple[int, Floats]]:
    """Model rows and the errors of ours, of permutations and of the kernel, for each of our settings."""
    truth = case.truth()
    for settings in SETTINGS:
        squares = []
        for seed in range(seeds):
            scores, rows = ours(case, seed, *settings)
            estimates = [scores, permutations(case, seed, rows), kernel(case, seed, rows)]
            squares.append([np.mean((estimate - truth) ** 2) for estimate in estimates])
        yield rows, np.sqrt(np.mean(squares, axis=0))


def main() -> None:
    """Print a line for each case and number of rows, and the geometric mean of the ratios."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", nargs="+", default=["breast", "wine", "diabetes"])
    parser.add_argument("--models", nargs="+", default=["linear", "boosting", "network"])
    parser.add_argument("--seeds", type=int, default=4)
    options = parser.parse_args()
    warnings.filterwarnings("ignore", category=RuntimeWarning)  # logarithms of theirs
    print(f"{'data':10}{'model':10}{'rows':>9}{'ours':>10}{'perm.':>10}{'kernel':>10}{'ratio':>7}")
    ratios = []
    for name in options.sets:
        for kind in options.models:
            for rows, errors in measure(make_case(name, kind), options.seeds):
                ratios.append(errors[0] / np.nanmin(errors[1:]))
                numbers = "".join(f"{error:10.5f}" for error in errors)
                print(f"{name:10}{kind:10}{rows:9,}{numbers}{ratios[-1]:7.2f}", flush=True)
    print(f"geometric mean of the ratios {np.exp(np.mean(np.log(ratios))):.2f}, largest {max(ratios):.2f}")


if __name__ == "__main__":
    main()
