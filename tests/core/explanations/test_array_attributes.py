import numpy as np
import pytest
from explanation_sets import array_set, failed, text_explanations

import lcshap as lc
from lcshap.errors import OptionError


def test_scores_of_a_failed_input_are_an_error():
    with pytest.raises(OptionError, match="input 0, which failed: Expected a text"):
        lc.Explanations([failed()]).scores_of(-1)


def test_scores_of_an_input_that_does_not_exist():
    with pytest.raises(IndexError):
        array_set(3)[0].scores_of(3)


def test_the_method_of_each_input():
    texts = text_explanations()
    xs = lc.Explanations([*texts, failed(), lc.Explanation(np.ones(1), 0.0, 1.0, lc.Graph.chain(1), 2)])
    assert xs.methods.tolist() == ["Shapley()"] * 3 + [None, None]
    assert xs.method == "Shapley()"
