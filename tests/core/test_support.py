import numpy as np
import pytest

import lcshap as lc
from lcshap.core.support import supporting_units, unsupported


def explained(*columns):
    table = np.array(columns, np.float64).T
    return lc.Shapley().explain(lc.Game(lambda kept: kept @ table, len(table)), lc.Graph.complete(len(table)))


def test_an_output_that_no_unit_doubles_is_unsupported():
    e = explained([3, 0, 1], [0.5, 0.6, -4], [0.7, 0, 0])
    assert unsupported(e).tolist() == [False, True, False]
    assert unsupported(e, min_support=2.0).tolist() == [False, True, True]
    assert unsupported(e.output(1)).tolist() == [True]
    assert supporting_units(e, 0) == [0, 2]
    assert supporting_units(e, 1) == []
    with pytest.raises(lc.errors.OptionError, match="positive"):
        unsupported(e, min_support=0)
