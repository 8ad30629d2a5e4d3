"""Rows of tables on the page."""

import numpy as np
from showing import made, unpack

import lcshap as lc
from lcshap.core.views import TableView


def test_columns_on_the_page(write):
    view = lc.maskers.Tabular([0, 0, 0], names=["age", "dose", "sex"], pin=["dose"]).mask([70.5, 1 / 3, 1]).view
    page = write(made([1.0, 2.0], ["age", "sex"], view))
    picture = page.sample()["picture"]
    assert page.pool(picture["columns"]) == ["age", "dose", "sex"]
    assert picture["values"] == [70.5, 0.333333, 1.0]
    assert unpack(page.pool(picture["labels"])).tolist() == [0, -1, 1]


def test_columns_of_texts_and_gaps(write):
    view = TableView(columns=["city", "age"], values=[np.nan, 70.0], labels=[0, 1], texts=["Paris", ""])
    page = write(made([1.0, 2.0], ["city", "age"], view))
    assert page.sample()["picture"]["values"] == ["Paris", 70.0]
    assert page.pool(page.samples[0]["names"]) == ["city = Paris", "age = 70"]
