"""Products of signs."""

import numpy as np

from lcshap.estimators.graph_kernel.triples import triple_products


def test_products_of_three_signs():
    kept = np.random.default_rng(0).random((50, 8)) < 0.5
    triples = np.array([[0, 1, 2], [1, 5, 7], [2, 3, 4]], np.int32)
    expected = [[(2 * row[i] - 1) * (2 * row[j] - 1) * (2 * row[k] - 1) for i, j, k in triples] for row in kept * 1]
    products = triple_products(kept, triples)
    assert products.dtype == np.float32
    np.testing.assert_array_equal(products, expected)
    assert triple_products(kept, triples[:0]).shape == (50, 0)
