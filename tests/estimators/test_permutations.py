"""Orders and their prefixes: the same as the plan of SampleShapley lists, without writing them down."""

import numpy as np
import pytest

import lcshap as lc
from lcshap import Coalitions
from lcshap.core import unique
from lcshap.estimators.permutations import draw_orders
from lcshap.estimators.sample_shapley import SampleShapley


@pytest.mark.parametrize(("d", "budget"), [(3, 6), (5, 25), (7, 100), (8, 250), (40, 333)])
def test_prefixes_are_those_of_the_plan(d, budget):
    drawn = draw_orders(d, budget, seed=3)
    plan = SampleShapley(budget, seed=3).plan(lc.Graph.chain(d))
    ends = Coalitions.from_sets(d, [[], range(d)])
    blocks = [drawn.prefixes(start, min(start + 10, drawn.calls - 1)) for start in range(1, drawn.calls - 1, 10)]
    assert drawn.calls == plan.calls
    assert sorted(Coalitions.concat([ends, *blocks])) == sorted(plan.coalitions)


def test_columns_are_the_prefixes_from_nothing_to_everything():
    drawn = draw_orders(6, 40, seed=0)
    sets = [(), *drawn.prefixes(1, drawn.calls - 1), tuple(range(6))]
    for order, halves in zip(drawn.orders, drawn.columns, strict=True):
        for towards, columns in zip((order, order[::-1]), halves, strict=True):
            assert [sets[c] for c in columns] == [tuple(sorted(towards[:n].tolist())) for n in range(7)]


def test_a_collision_of_hashes_merges_nothing(monkeypatch):
    expected = draw_orders.__wrapped__(6, 40, 0)
    honest = unique.hash_integers
    monkeypatch.setattr(
        "lcshap.estimators.permutations.hash_integers", lambda n, salt: honest(n, salt) * np.uint64(salt > 0)
    )
    orders = draw_orders.__wrapped__(6, 40, 0)
    np.testing.assert_array_equal(orders.columns, expected.columns)
