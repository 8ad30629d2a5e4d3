from itertools import combinations
from math import comb

import numpy as np
import pytest

from lcshap.estimators.tree_patterns.tables import background_tables, cover_tables, position_sets, quadrature


def expected_entry(value, units, positions, index):
    """The index of some units of a game `value(kept)` of `units` units."""
    others = [unit for unit in range(units) if unit not in positions]
    total, n = 0.0, len(others)
    for size in range(n + 1):
        weight = 1 / ((n + 1) * comb(n, size)) if index == "shapley" else 0.5**n
        for rest in combinations(others, size):
            for chosen in range(len(positions) + 1):
                for part in combinations(positions, chosen):
                    total += (-1) ** (len(positions) - chosen) * weight * value({*rest, *part})
    return total


def satisfied(code, units):
    return [(code >> (units - 1 - position)) & 1 for position in range(units)]


@pytest.mark.parametrize("index", ["shapley", "banzhaf"])
@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("units", [1, 2, 5])
def test_entries_are_indices_of_the_game_of_a_leaf(units, order, index):
    rng = np.random.default_rng(units)
    shares, ratios = rng.dirichlet(np.ones(2**units), size=3), rng.random((3, units))
    ratios[0, 0] = 0
    by_background, by_cover = background_tables(shares, index, order), cover_tables(ratios, index, order)
    for leaf in range(3):
        for code in range(2**units):
            row = satisfied(code, units)

            def reached(kept, leaf=leaf, row=row):
                return sum(
                    share * all(row[j] if j in kept else b for j, b in enumerate(satisfied(other, units)))
                    for other, share in enumerate(shares[leaf])
                )

            def expected(kept, leaf=leaf, row=row):
                return np.prod([row[j] if j in kept else ratios[leaf, j] for j in range(units)])

            for number, positions in enumerate(position_sets(units, order)):
                for tables, value in ((by_background, reached), (by_cover, expected)):
                    entry = expected_entry(value, units, positions, index)
                    assert abs(tables[leaf, number, code] - entry) < 1e-14


def test_the_mean_of_a_polynomial():
    for degree in range(8):
        mean = sum(weight * point**degree for point, weight in quadrature("shapley", degree))
        assert abs(mean - 1 / (degree + 1)) < 1e-15
