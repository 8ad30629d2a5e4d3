import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from lcshap.core.shap_values import join_halves, split_interactions


@given(data=st.data(), d=st.integers(1, 4))
def test_splitting_and_joining_are_opposites(data, d):
    numbers = st.floats(-9, 9)
    scores = data.draw(hnp.arrays(np.float64, (2, d), elements=numbers))
    pairs = data.draw(hnp.arrays(np.float64, (2, d, d), elements=numbers))
    pairs = pairs + pairs.swapaxes(1, 2)
    pairs[:, np.arange(d), np.arange(d)] = 0
    values = split_interactions(scores, pairs)
    np.testing.assert_allclose(values.sum(axis=2), scores, atol=1e-9)
    back_scores, back_pairs = join_halves(values)
    np.testing.assert_allclose(back_scores, scores, atol=1e-9)
    np.testing.assert_allclose(back_pairs, pairs, atol=1e-9)
