"""Agreement with a reference, against sums over pairs in plain Python."""

from math import isnan, sqrt

import numpy as np
import pytest

import lcshap as lc
from lcshap.metrics import agreement
from lcshap.metrics.score_agreement import rank_correlation


def ranks(x):
    return [sum(b < a for b in x) + (sum(b == a for b in x) + 1) / 2 for a in x]


def pearson(x, y):
    mx, my = sum(x) / len(x), sum(y) / len(y)
    top = sum((a - mx) * (b - my) for a, b in zip(x, y, strict=True))
    return top / sqrt(sum((a - mx) ** 2 for a in x) * sum((b - my) ** 2 for b in y))


def tau_b(x, y):
    def sign(a, b):
        return (a > b) - (a < b)

    pairs = [(i, j) for i in range(len(x)) for j in range(i)]
    both = sum(sign(x[i], x[j]) * sign(y[i], y[j]) for i, j in pairs)
    return both / sqrt(sum(x[i] != x[j] for i, j in pairs) * sum(y[i] != y[j] for i, j in pairs))


@pytest.mark.parametrize("seed", range(5))
def test_by_hand(seed):
    rng = np.random.default_rng(seed)
    a, b = rng.integers(-3, 4, (2, 12)).astype(float)  # many ties
    measured = agreement(a, b, top=4)
    x, y = a.tolist(), b.tolist()
    error = sum(abs(p - q) for p, q in zip(x, y, strict=True))
    assert measured.mean_absolute_error == pytest.approx(error / 12)
    assert measured.relative_error == pytest.approx(error / sum(map(abs, y)))
    assert measured.spearman == pytest.approx(pearson(ranks(x), ranks(y)))
    assert measured.kendall == pytest.approx(tau_b(x, y))
    top_units, reference_top = ({i for i, _ in sorted(enumerate(z), key=lambda p: (-p[1], p[0]))[:4]} for z in (x, y))
    assert measured.top_overlap == len(top_units & reference_top) / 4


def test_of_explanations():
    weights = np.array([3.0, 1.0, -2.0, 0.5, 0.0])
    game, graph = lc.Game(lambda kept: kept @ weights + kept[:, 0] * kept[:, 4], 5), lc.Graph.chain(5)
    exact = lc.Shapley().explain(game, graph)
    np.testing.assert_allclose(exact.scores, [3.5, 1.0, -2.0, 0.5, 0.5])
    measured = agreement(lc.LShapley(1).explain(game, graph), exact)  # misses the far pair
    assert measured.mean_absolute_error == pytest.approx(1.0 / 5)
    assert measured.relative_error == pytest.approx(1.0 / 7.5)
    assert measured.top_overlap == 1.0  # five of five


def test_all_the_same():
    measured = agreement([1.0, 1.0], [1.0, 2.0])
    assert isnan(measured.spearman)
    assert isnan(measured.kendall)
    assert agreement([0.0, 0.0], [0.0, 0.0]).relative_error == 0.0
    assert agreement([0.0, 1.0], [0.0, 0.0]).relative_error == np.inf


def test_ranks_of_few_or_equal_numbers_raise_no_warning():
    assert rank_correlation(np.array([1.0, 2.0]), np.array([5.0, 7.0])) == pytest.approx(1.0)
    assert rank_correlation(np.array([1.0, 2.0]), np.array([7.0, 5.0])) == pytest.approx(-1.0)
    for a, b in [([1.0], [2.0]), ([1.0, 1.0, 1.0], [1.0, 2.0, 3.0]), ([1.0, 2.0, 3.0], [0.0, 0.0, 0.0])]:
        assert isnan(rank_correlation(np.array(a), np.array(b)))


def test_bad_input():
    with pytest.raises(
        lc.errors.MetricError, match="Expected scores and a reference of the same number of units, got 2 and 3"
    ):
        agreement([1.0, 2.0], [1.0, 2.0, 3.0])
    with pytest.raises(lc.errors.MetricError, match=r"shape \(3, 2\)\. Give one output"):
        agreement(np.zeros((3, 2)), np.zeros(3))
    with pytest.raises(lc.errors.MetricError, match="Expected scores that are finite numbers, got NaN"):
        agreement([1.0, np.nan], [1.0, 2.0])
    with pytest.raises(lc.errors.MetricError, match="Expected top as a number of units of at least 1, got 0"):
        agreement([1.0], [1.0], top=0)
