"""The unit that interacts most: by interactions, or by what changes scores at similar values."""

import numpy as np
import pytest

import lcshap as lc
from lcshap.show.plots.interaction_partner import find_partner, slope_strengths
from lcshap.show.plots.score_table import score_tables


def product_set(partner, n=400, d=5, seed=0, **options):
    """The score of unit 0 is its value times that of its partner, plus noise."""
    values = np.random.default_rng(seed).normal(size=(n, d))
    scores = np.random.default_rng(1).normal(scale=0.1, size=(n, d))
    scores[:, 0] += values[:, 0] * values[:, partner]
    return lc.Explanations.from_arrays(scores, 0.0, scores.sum(axis=1), data=values, **options)


@pytest.mark.parametrize("partner", [1, 3, 4])
def test_the_partner_of_a_product_is_found(partner):
    (table,) = score_tables(product_set(partner)).values()
    assert find_partner(table, 0) == (partner, ", which changes the score most at similar values")


def test_strengths_by_hand():
    (table,) = score_tables(product_set(2, n=50, d=3)).values()
    order = np.argsort(table.data[:, 0], kind="stable")
    groups = [order[:25], order[25:]]
    for other in (1, 2):
        ranks = np.argsort(np.argsort(table.data[:, other])) / 49
        slopes = []
        for group in groups:
            slope = np.polyfit(ranks[group], table.scores[group, 0], 1)[0]
            slopes.append(abs(slope) * ranks[group].std())
        assert slope_strengths(table, 0)[other] == pytest.approx(np.mean(slopes))
    assert slope_strengths(table, 0)[0] == -1


def test_interactions_come_first():
    pairs = np.zeros((400, 5, 5))
    pairs[:, 0, 4] = pairs[:, 4, 0] = np.where(np.arange(400) % 2, 3.0, -3.0)  # its mean is 0
    pairs[:, 0, 1] = pairs[:, 1, 0] = 1.0
    (table,) = score_tables(product_set(2, interactions=pairs), interactions=True).values()
    assert find_partner(table, 0) == (4, ", which has the largest mean |interaction|")
    (table,) = score_tables(product_set(2, interactions=0 * pairs), interactions=True).values()
    assert find_partner(table, 0)[0] == 2


def test_missing_values_and_few_inputs():
    xs = product_set(2, n=60)
    values = xs.data.copy()
    values[::3, 0] = values[1::3, 2] = np.nan
    gaps = lc.Explanations.from_arrays(xs.scores, 0.0, xs.predictions, data=values)
    (table,) = score_tables(gaps).values()
    assert np.isfinite(slope_strengths(table, 0)).all()
    (table,) = score_tables(xs[:1]).values()
    assert find_partner(table, 0)[0] == 1
