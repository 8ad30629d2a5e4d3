"""Explanations of several texts and of the rows of a table, for tests of figures of many inputs."""

import numpy as np
import pytest
from many_explanations import TEXTS, model
from sklearn.linear_model import LinearRegression

import lcshap as lc


@pytest.fixture(scope="module")
def reviews():
    return lc.Explainer(model, lc.maskers.Text(), lc.Shapley(), kind="output")(TEXTS)


@pytest.fixture(scope="module")
def table():
    x = np.random.default_rng(0).normal(size=(40, 3))
    net = LinearRegression().fit(x, x @ [1.0, -3.0, 0.0])
    masker = lc.maskers.Tabular(x[:5], names=["one", "two", "none"])
    return x, lc.Explainer(net, masker, lc.Shapley())(list(x))
