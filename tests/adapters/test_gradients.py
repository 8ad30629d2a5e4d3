"""What is differentiated, against closed forms."""

import numpy as np
import pytest
from scipy.special import log_softmax

import lcshap as lc
from lcshap.adapters.gradients import check_gradient, values_to_differentiate


def test_what_is_differentiated():
    z = np.array([[1.0, 3.0], [0.5, -2.0]])
    np.testing.assert_allclose(values_to_differentiate(z, "logits", np, log_softmax), log_softmax(z, -1))
    np.testing.assert_allclose(values_to_differentiate(z, "output", np, log_softmax), z)
    p = np.array([[0.25, 0.75], [1.0, 0.0]])
    np.testing.assert_allclose(
        values_to_differentiate(p, "probabilities", np, log_softmax), np.log(np.maximum(p, 1e-12))
    )


def test_one_column_is_that_of_class_1():
    z = np.array([2.0, -1.0])
    both = np.stack([np.zeros(2), z], axis=1)
    np.testing.assert_allclose(values_to_differentiate(z, "logits", np, log_softmax), log_softmax(both, -1))
    p = np.array([[0.2], [0.9]])
    np.testing.assert_allclose(
        values_to_differentiate(p, "probabilities", np, log_softmax), np.log([[0.8, 0.2], [0.1, 0.9]])
    )


def test_every_derivative_is_finite():
    assert check_gradient(np.ones((2, 3), np.float32)).dtype == np.float64
    with pytest.raises(lc.errors.ModelError, match=r"Expected a gradient of finite numbers, got .* for row 1"):
        check_gradient(np.array([[1.0, 2.0], [np.inf, 0.0]]))
