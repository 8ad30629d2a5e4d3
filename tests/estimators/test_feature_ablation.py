"""Leave one out."""

import numpy as np
import pytest

import lcshap as lc
from support import (
    table_game,
)


def test_what_each_unit_takes_with_it():
    game, table = table_game(6, seed=8)
    e = lc.FeatureAblation().explain(game, lc.Graph.complete(6))
    all_units = frozenset(range(6))
    np.testing.assert_allclose(e.scores, [table[all_units][0] - table[all_units - {i}][0] for i in range(6)])
    assert e.calls == 8
    single, values = table_game(1, seed=8)
    assert lc.FeatureAblation().explain(single, lc.Graph.chain(1)).scores == pytest.approx(
        values[frozenset([0])][0] - values[frozenset()][0]
    )
