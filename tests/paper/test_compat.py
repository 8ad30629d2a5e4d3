"""What other implementations compute, against loops that follow their code."""

from itertools import product

import numpy as np
import pytest

import lcshap as lc
import oracles
from support import (
    table_game,
)


@pytest.mark.parametrize("kind", ["L", "C"])
@pytest.mark.parametrize("d", [1, 2, 3, 5, 8])
def test_what_the_authors_code_computes(kind, d):
    for num_neighbors, max_order in product([0, 1, 2, 3, 4, 6, 12], [None] if kind == "L" else [None, 1, 2, 4]):
        game, table = table_game(d, seed=8, outputs=2)
        if d == 1 and num_neighbors % 2:
            with pytest.raises(lc.MethodError, match="even"):
                lc.compat.authors(game, kind, num_neighbors, max_order)
            continue
        e = lc.compat.authors(game, kind, num_neighbors, max_order)
        wanted = oracles.authors(d, table, kind, num_neighbors, max_order)
        np.testing.assert_allclose(e.scores, wanted, rtol=0, atol=1e-10)
