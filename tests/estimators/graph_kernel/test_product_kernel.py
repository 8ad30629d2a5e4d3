"""The odd and the even part of the product kernel, against the product written out."""

import numpy as np
import pytest

from lcshap.estimators.graph_kernel.product_kernel import Half, product_kernel, signs_of, size_kernel
from support import every


@pytest.mark.parametrize("half", list(Half))
@pytest.mark.parametrize("scale", [0.01, 1.0, 200.0])
def test_parts_against_the_product_written_out(half, scale):
    d = 5
    theta = scale * np.random.default_rng(0).random(d)
    c = signs_of(every(d))
    product = np.exp(-((c[:, None] != c[None]) * theta).sum(axis=2))
    opposite = product[:, ::-1]  # the complement of number c is 2^d - 1 - c
    expected = product - half * opposite
    half_kernel, counterpart = product_kernel((c * (theta / 2)) @ c.T, float(theta.sum()), half)
    np.testing.assert_allclose(half_kernel, expected / expected[0, 0], rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(counterpart, (product + half * opposite) / expected[0, 0], rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(np.diag(half_kernel), 1)


def test_functions_of_the_size_are_equal_for_the_complement():
    K = size_kernel(7)
    np.testing.assert_allclose(K, K[::-1], rtol=1e-12)
    assert np.linalg.eigvalsh(K[:4, :4]).min() > 0
