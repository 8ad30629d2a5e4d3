import pytest
from explanation_sets import failed, row_explanations, text_explanations

import lcshap as lc
from lcshap.core.explanations.unit_keys import unit_keys


def test_words_are_compared_without_case_and_punctuation():
    xs = lc.Explanations([*text_explanations(("Good, good film", "bad film")), failed()])
    names, codes = unit_keys(xs._columns)
    assert names == ("good", "film", "bad")
    assert codes.tolist() == [0, 0, 1, 2, 1]


def test_features_of_tables_are_compared_by_their_names():
    names, codes = unit_keys(lc.Explanations([failed(), *row_explanations(2)])._columns)
    assert names == ("age", "dose", "city")
    assert codes.tolist() == [0, 1, 2, 0, 1, 2]


def test_another_way_to_compare():
    xs = lc.Explanations(text_explanations(("good film",)))
    assert unit_keys(xs._columns, lambda name: name[0])[0] == ("g", "f")
    with pytest.raises(lc.errors.OptionError, match="a str"):
        unit_keys(xs._columns, len)


def test_no_inputs():
    names, codes = unit_keys(lc.Explanations()._columns)
    assert names == ()
    assert len(codes) == 0
