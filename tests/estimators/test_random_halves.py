import numpy as np

import lcshap as lc
from lcshap.estimators.random_halves import draw_halves


def test_distinct_halves_between_the_ends():
    coalitions, kept, columns = draw_halves(12, 200, 3)
    assert len(coalitions) == 200
    assert len(np.unique(kept, axis=0)) == 198
    np.testing.assert_array_equal(coalitions.take(columns).dense(), kept)
    assert coalitions[0] == ()
    assert len(coalitions[199]) == 12
    assert abs(kept.mean() - 0.5) < 0.05


def test_no_more_than_there_are():
    coalitions, kept, _ = draw_halves(3, 99, 0)
    assert len(coalitions) == 8
    assert len(kept) == 6
    assert len(draw_halves(1, 9, 0)[1]) == 0
    assert isinstance(coalitions, lc.Coalitions)
