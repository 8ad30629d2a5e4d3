import numpy as np
import pytest

import lcshap as lc
from lcshap.playground.references import AS_CONFIGURED, alternative_maskers


@pytest.mark.parametrize(
    ("masker", "x", "count"),
    [
        (lc.maskers.Text(), "a b c", 3),
        (lc.maskers.Text(absent="<pad>"), "a b c", 4),
        (lc.maskers.Image(), np.arange(16.0).reshape(4, 4), 4),
        (lc.maskers.Tabular(np.arange(6.0).reshape(3, 2)), [1.0, 2.0], 2),
        (lc.maskers.Tabular([1.0, 2.0]), [1.0, 2.0], 1),
        (lc.maskers.Molecule(), "CCO", 1),
    ],
)
def test_units_stay_and_absent_ones_differ(masker, x, count):
    maskers = alternative_maskers(masker)
    assert len(maskers) == count
    assert maskers[AS_CONFIGURED] is masker
    rows = []
    for other in maskers.values():
        masked = other.mask(x)
        assert masked.graph.names == masker.mask(x).graph.names
        rows.append(str(masked.rows(lc.Coalitions.from_sets(masked.graph.d, [[0]]))))
    assert len(set(rows)) == count
