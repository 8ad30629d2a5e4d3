"""The products of the signs of three units near each other in the graph."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .fixed_kernel import Kept


def triple_products(kept: Kept, triples: NDArray[np.int32]) -> NDArray[np.float32]:
    """The product of three signs, `(n, triples)`; columns are contiguous."""
    by_unit = np.ascontiguousarray(kept.T)
    positive = by_unit[triples[:, 0]]  # an odd number of units is kept
    positive ^= by_unit[triples[:, 1]]
    positive ^= by_unit[triples[:, 2]]
    products = positive.view(np.int8)
    products += products
    products -= 1
    return np.asarray(products.astype(np.float32).T)
