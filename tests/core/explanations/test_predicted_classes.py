import numpy as np

from lcshap.core.explanations.predicted_classes import PredictedClasses


def test_classes_of_each_input_the_most_probable_first():
    column = PredictedClasses(("a", "b", "c"), np.array([[0.2, 0.5, 0.3], [0.4, 0.4, 0.2]]), True, 2)
    assert column.get(0) == [["b", 0.5], ["c", 0.3]]
    assert column.get(1) == [["a", 0.4], ["b", 0.4]]
    assert column.objects == (column.get(0), column.get(1))
    assert column.codes.tolist() == column.codes_of(2).tolist() == [0, 1]
    assert column.has(1)
    assert column.take(np.array([False, True])).objects == (column.get(1),)


def test_margins_have_no_probability():
    column = PredictedClasses(("a", "b"), np.array([[-1.0, 1.0]]), False, 20)
    assert column.get(0) == [["b", None]]
