import numpy as np
import pytest

from lcshap.adapters.row_encoders import CategoryCodes

pd = pytest.importorskip("pandas")


def test_categories_have_the_numbers_of_the_training_data():
    encoder = CategoryCodes(3, [("a", "b"), (7, 3)])
    frame = pd.DataFrame({"kind": pd.Categorical(["b", "new"]), "x": [0.5, None], "size": pd.Categorical([3, None])})
    np.testing.assert_array_equal(encoder.encode(frame), [[1.0, 0.5, 1.0], [np.nan, np.nan, np.nan]])
    array = np.array([[0.0, 1.0, 2.0]])
    assert encoder.encode(array) is array
    assert encoder.sources.tolist() == [0, 1, 2]
