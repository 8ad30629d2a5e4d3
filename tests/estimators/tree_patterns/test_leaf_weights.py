from math import factorial

import pytest

from lcshap.estimators.tree_patterns.leaf_weights import leaf_weights


@pytest.mark.parametrize("index", ["shapley", "banzhaf"])
def test_they_are_the_formulas(index):
    gain, loss = leaf_weights(5, index)
    for a in range(6):
        for b in range(6):
            n = factorial(a + b)
            shapley = [
                factorial(a - 1) * factorial(b) / n if a else 0,
                factorial(a) * factorial(b - 1) / n if b else 0,
            ]
            banzhaf = [2.0 ** (1 - a - b) * (a > 0), 2.0 ** (1 - a - b) * (b > 0)]
            assert [gain[a, b], loss[a, b]] == pytest.approx(shapley if index == "shapley" else banzhaf, rel=1e-14)
